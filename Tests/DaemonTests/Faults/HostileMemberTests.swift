// A member in wrong hands against a real daemon, with an honest member beside it. The attacks are carried out
// by `hostilepeer`; looked at from outside are the promises: it lives, memory and descriptors stay in bounds,
// honest work goes on at honest speed, nobody's name is taken, the log does not fill.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Tool.path("hostilepeer") != nil, "hostilepeer was not built"))
    struct HostileMemberTests {
        /// Two honest nodes and a member in wrong hands.
        private struct Scene {
            let a: Daemon
            let b: Daemon
            private let role: String
            /// A device of its own for each attack.
            private var tools: [String: Tool] = [:]
            private(set) var devices = 0
            /// Attacks that happened, each on a link that the node had taken.
            private(set) var rounds = 0
            private var counted = 0

            init(_ world: DaemonWorld, role: String = "writer") throws {
                (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                self.role = role
            }

            /// The device of an attack, joined at its first use.
            private mutating func tool(of attack: String) throws -> Tool {
                if let tool = tools[attack] { return tool }
                let token = try a.api.token("s", role: role)
                devices += 1
                let tool = try Tool("hostilepeer", ["\(a.port)", token, "\(devices + 6)"])
                let joined = try tool.answer()
                try #require(joined == "done joined", "\(joined)")
                tools[attack] = tool
                return tool
            }

            /// The attack, as often as it says, and that honest members do not feel it. After three faults a
            /// device is refused, and what it does then would be no attack: so it makes three at most, and
            /// the next of its kind comes from another one.
            @discardableResult
            mutating func suffer(_ attack: String, _ count: Int, within seconds: Double = 60) throws -> String
            {
                let tool = try tool(of: attack)
                let faults = try a.api.metric("peer_faults_total")
                let answer = try tool.ask("\(attack) \(count)", within: seconds)
                #expect(!answer.hasPrefix("failed: broken"), "\(attack): \(answer)")
                try #require(answer.hasPrefix("done \(count) "), "\(attack) did not happen: \(answer)")
                rounds += count
                if try a.api.metric("peer_faults_total") > faults { tools[attack] = nil }
                try honestWork(after: attack)
                return answer
            }

            /// Replays, and that the node is silent because it knows them, and not for their number.
            mutating func sufferReplays(_ count: Int) throws {
                let failed = try a.api.metric("handshakes_failed_total")
                let refused = try a.api.metric("handshakes_refused_total")
                try suffer("replay", count)
                #expect(try a.api.metric("handshakes_failed_total") - failed >= count)
                #expect(try a.api.metric("handshakes_refused_total") == refused)
            }

            /// An attack by a device that has made its three faults: the node does not talk to it.
            mutating func sufferRefused(_ attack: String, by earlier: Tool) throws {
                let answer = try earlier.ask("\(attack) 1", within: 60)
                #expect(answer.hasPrefix("failed: refused"), "\(attack) by a refused device: \(answer)")
                try honestWork(after: attack)
            }

            /// The device that carries an attack out next.
            mutating func device(of attack: String) throws -> Tool { try tool(of: attack) }

            private mutating func honestWork(after attack: String) throws {
                for daemon in [a, b] {
                    #expect(daemon.process?.poll() == nil, "\(daemon.name) lives after \(attack)")
                    try daemon.api.write("s", #"{"op":"increment","document":"honest","path":["n"],"by":1}"#)
                    counted += 1
                }
                try MeshTests.converge([a, b], having: "\"honest\",\"value\":{\"n\":\(counted)}")
            }
        }

        @Test("whatever a member sends, the node lives, keeps its bounds, and the honest are equal")
        func bounds() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world)
                let attacks = [
                    ("garbage", 3), ("announce", 3), ("fragments", 6), ("replay", 3), ("links", 20),
                    ("invalid", 20), ("garbage", 3),
                ]
                // Once round before measuring: what is allocated once is no growth.
                for (attack, count) in attacks { try scene.suffer(attack, count) }
                let warm = scene.rounds
                let (memory, descriptors) = (try scene.a.residentBytes(), try scene.a.descriptors())
                let (api, isOver, samples) = (scene.a.api, Shared(false), Shared(Sample()))
                var alone = try FaultRounds.latencies(api, bursts: FaultRounds.quietBursts)
                let (faults, void) = (
                    try api.metric("peer_faults_total"), try api.metric("changes_void_total")
                )
                let writer = Workers([0]) { _ in
                    while !isOver.value {
                        let times = try FaultRounds.latencies(api, bursts: 1)
                        samples.change { all in times.values.forEach { all.add($0) } }
                    }
                }
                defer { isOver.change { $0 = true } }
                let wanted = FaultRounds.count(sample: warm, whole: 1_000)
                var laps = 0
                while scene.rounds - warm < wanted {
                    laps += 1
                    for (attack, count) in attacks {
                        if attack == "replay" {
                            try scene.sufferReplays(count)
                        } else {
                            try scene.suffer(attack, count)
                        }
                    }
                }
                isOver.change { $0 = true }
                try writer.finish(within: 30)
                let rounds = scene.rounds - warm
                try eventually("descriptors to come back", within: 15) {
                    try scene.a.descriptors() <= descriptors + 4
                }
                let growth = try scene.a.residentBytes() - memory
                // Before and after: neighbours come and go.
                try FaultRounds.latencies(api, bursts: FaultRounds.quietBursts).values.forEach {
                    alone.add($0)
                }
                let (quiet, during) = (alone.percentile(0.5), samples.value.percentile(0.5))
                #expect(growth <= 16 << 20, "\(growth) bytes more")
                #expect(
                    during <= 2 * quiet + FaultRounds.slack, "a write takes \(during) s, \(quiet) s alone")
                #expect(try api.metric("peer_faults_total") - faults >= 2 * laps, "garbage is a fault")
                #expect(try api.metric("changes_void_total") - void >= 20 * laps, "invalid changes are void")
                #expect(
                    scene.a.log.utf8.count < 60_000 + 200 * rounds, "\(scene.a.log.utf8.count) bytes of log")
                FaultRounds.report(
                    "hostile member: \(rounds) rounds by \(scene.devices) devices, \(try api.metric("peer_faults_total") - faults) faults, \(growth >> 10) KiB more, a write \(Int(quiet * 1e6)) µs alone and \(Int(during * 1e6)) µs meanwhile, \(scene.a.log.utf8.count) bytes of log"
                )
            }
        }

        @Test("changes whose context never comes fill no memory, and honest ones pass them by")
        func missingContexts() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world)
                try scene.suffer("missing", 4_000)
                let (before, early) = (
                    try scene.a.residentBytes(), try scene.a.api.metric("changes_early_total")
                )
                let count = FaultRounds.count(sample: 40_000, whole: 1_000_000)
                let start = secondsNow()
                let answer = try scene.suffer("missing", count, within: 600)
                let growth = try scene.a.residentBytes() - before
                let waited = try scene.a.api.metric("changes_early_total") - early
                // The buffer of one peer counts what its items take in memory: 8 MiB, and what a batch needs.
                #expect(growth <= 16 << 20, "\(growth) bytes more")
                #expect(waited > 0, "they were looked at: \(waited)")
                #expect(try scene.a.api.metric("buffer_bytes") <= 8 << 20)
                #expect(!String(decoding: try scene.b.api.export("s"), as: UTF8.self).contains("early"))
                FaultRounds.report(
                    "missing contexts: \(count) in \(Int(secondsNow() - start)) s, \(waited) had to wait, \(growth >> 10) KiB more (\(answer))"
                )
            }
        }

        @Test("nobody writes in another's name, and who shows two branches of a log proves it against itself")
        func identity() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world)
                try scene.suffer("write", 3)
                try MeshTests.converge([scene.a, scene.b], having: #""mallory","value":{"n":3}"#)
                try scene.suffer("equivocate", 2)
                // It never says another word of either log: whoever has both runs has the proof.
                try eventually("both logs to be closed on both", within: 20) {
                    try [scene.a, scene.b].allSatisfy {
                        try $0.api.json("/v1/spaces/s/forks")["forks"].array.count == 2
                    }
                }
                for daemon in [scene.a, scene.b] {
                    try daemon.api.waitForAlarm("fork", within: 10)
                    #expect(try !daemon.api.alarms().contains("fork-suspicion"))
                    for document in ["one", "two"] {
                        #expect(try daemon.api.get("/v1/spaces/s/documents/\(document)").status == 404)
                    }
                }
                let faults = try scene.a.api.metric("peer_faults_total")
                let forger = try scene.device(of: "forge")
                try scene.suffer("forge", 3)
                #expect(try scene.a.api.metric("peer_faults_total") - faults == 3, "a forgery is a fault")
                // That were three.
                try scene.sufferRefused("forge", by: forger)
                for daemon in [scene.a, scene.b] {
                    let export = String(decoding: try daemon.api.export("s"), as: UTF8.self)
                    #expect(!export.contains("forged"), "\(daemon.name)")
                }
                let devices = try scene.a.api.json("/v1/spaces/s/members")["members"].array
                let names = Dictionary(
                    uniqueKeysWithValues: devices.map { ($0["device"].string ?? "", $0["name"].string ?? "") }
                )
                let lines = try scene.a.api.get("/v1/spaces/s/log").lines()
                #expect(lines.count > 3)
                for line in lines {
                    #expect(
                        names[line["author"].string ?? line["author"]["device"].string ?? ""] != nil,
                        "\(line)")
                }
                #expect(scene.a.log.contains("peer-fault"))
            }
        }

        @Test("a reader that writes is refused by everybody")
        func noRight() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world, role: "reader")
                let faults = try scene.a.api.metric("peer_faults_total")
                let answer = try scene.suffer("write", 5)
                // As far as its author can have known it had no right: so it is no misunderstanding.
                #expect(answer.hasSuffix("link over: true"), "\(answer)")
                #expect(try scene.a.api.metric("peer_faults_total") - faults == 1)
                #expect(scene.a.log.contains("no right"))
                for daemon in [scene.a, scene.b] {
                    #expect(try daemon.api.get("/v1/spaces/s/log").lines().count == 2, "both honest writes")
                    let export = String(decoding: try daemon.api.export("s"), as: UTF8.self)
                    #expect(!export.contains("mallory"), "\(daemon.name): \(export)")
                }
            }
        }

        @Test("times from the end of time are executed, and what an honest member sets afterwards shows")
        func future() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world)
                try scene.a.api.write(
                    "s", #"{"op":"set","document":"shared","path":["when"],"value":"before"}"#)
                try scene.suffer("future", 5)
                try MeshTests.converge([scene.a, scene.b], having: #""when":1"#)
                for (daemon, text) in [(scene.a, "of a"), (scene.b, "of b")] {
                    try daemon.api.write(
                        "s", #"{"op":"set","document":"shared","path":["when"],"value":"\#(text)"}"#)
                    #expect(try daemon.api.value("s", "shared")["when"] == .string(text))
                    try MeshTests.converge([scene.a, scene.b], having: "\"when\":\"\(text)\"")
                }
                // A crash and a start over such times.
                scene.a.crash()
                try scene.a.start()
                try MeshTests.converge([scene.a, scene.b], having: #""when":"of b""#)
            }
        }

        @Test("a digest that is not true raises the alarm that names a document, and changes nothing")
        func digest() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world)
                try scene.suffer("digest", 2)
                try scene.a.api.waitForAlarm("digest-differs", within: 10)
            }
        }
    }
}
