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
            /// A device of its own for each attack: three faults, and a device is refused for a minute.
            private var tools: [String: Tool] = [:]
            private var counted = 0

            init(_ world: DaemonWorld, role: String = "writer") throws {
                (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                self.role = role
            }

            /// The device of an attack, joined at its first use.
            private mutating func tool(of attack: String) throws -> (tool: Tool, isNew: Bool) {
                if let tool = tools[attack] { return (tool, false) }
                let token = try a.api.token("s", role: role)
                let tool = try Tool("hostilepeer", ["\(a.port)", token, "\(tools.count + 7)"])
                let joined = try tool.answer()
                try #require(joined == "done joined", "\(joined)")
                tools[attack] = tool
                return (tool, true)
            }

            /// The attack, and that honest members do not feel it.
            mutating func suffer(_ attack: String, _ count: Int, within seconds: Double = 60) throws -> String
            {
                let (tool, isNew) = try tool(of: attack)
                let answer = try tool.ask("\(attack) \(count)", within: seconds)
                // Later the device may be refused for what it did.
                let isRefused = !isNew && answer.hasPrefix("failed: refused")
                #expect(answer.hasPrefix("done") || isRefused, "\(attack): \(answer)")
                for daemon in [a, b] {
                    #expect(daemon.process?.poll() == nil, "\(daemon.name) lives after \(attack)")
                    try daemon.api.write("s", #"{"op":"increment","document":"honest","path":["n"],"by":1}"#)
                    counted += 1
                }
                try MeshTests.converge([a, b], having: "\"honest\",\"value\":{\"n\":\(counted)}")
                return answer
            }
        }

        /// Seconds that a write takes, the median of some.
        private static func latency(_ api: ControlClient, _ count: Int = 15) throws -> Double {
            var sample = Sample()
            for _ in 0..<count {
                let start = secondsNow()
                try api.write("s", #"{"op":"set","document":"speed","path":["x"],"value":1}"#)
                sample.add(secondsNow() - start)
            }
            return sample.percentile(0.5)
        }

        @Test("whatever a member sends, the node lives, keeps its bounds, and the honest are equal")
        func bounds() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world)
                let times = FaultRounds.count(sample: 1, whole: 40)
                let attacks = [
                    ("garbage", 8), ("announce", 2), ("fragments", 6), ("replay", 2), ("links", 20),
                    ("invalid", 50),
                    ("garbage", 6), ("announce", 1),
                ]
                // Once round before measuring: what is allocated once is no growth.
                for (attack, count) in attacks { _ = try scene.suffer(attack, count) }
                let (memory, descriptors) = (try scene.a.residentBytes(), try scene.a.descriptors())
                let before = try Self.latency(scene.a.api)
                let (api, isOver, samples) = (scene.a.api, Shared(false), Shared(Sample()))
                let writer = Workers([0]) { _ in
                    while !isOver.value {
                        let seconds = try Self.latency(api, 5)
                        samples.change { $0.add(seconds) }
                        usleep(50_000)
                    }
                }
                defer { isOver.change { $0 = true } }
                for _ in 0..<times {
                    for (attack, count) in attacks { _ = try scene.suffer(attack, count) }
                }
                isOver.change { $0 = true }
                try writer.finish(within: 30)
                let during = samples.value.percentile(0.5)
                try eventually("descriptors to come back", within: 15) {
                    try scene.a.descriptors() <= descriptors + 4
                }
                let growth = try scene.a.residentBytes() - memory
                #expect(growth <= 16 << 20, "\(growth) bytes more")
                #expect(during <= 2 * before + 0.02, "a write takes \(during) s, \(before) s before")
                let rounds = times * attacks.reduce(0) { $0 + $1.1 }
                #expect(
                    scene.a.log.utf8.count < 60_000 + 200 * rounds, "\(scene.a.log.utf8.count) bytes of log")
                FaultRounds.report(
                    "hostile member: \(rounds) rounds, \(growth >> 10) KiB more, a write \(Int(before * 1e6)) µs before and \(Int(during * 1e6)) µs meanwhile, \(scene.a.log.utf8.count) bytes of log"
                )
            }
        }

        @Test("changes whose context never comes fill no memory, and honest ones pass them by")
        func missingContexts() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world)
                _ = try scene.suffer("missing", 4_000)
                let before = try scene.a.residentBytes()
                let count = FaultRounds.count(sample: 40_000, whole: 1_000_000)
                let start = secondsNow()
                let answer = try scene.suffer("missing", count, within: 600)
                let growth = try scene.a.residentBytes() - before
                // The buffer of one peer counts what its items take in memory: 8 MiB, and what a batch needs.
                #expect(growth <= 16 << 20, "\(growth) bytes more")
                #expect(!String(decoding: try scene.b.api.export("s"), as: UTF8.self).contains("early"))
                FaultRounds.report(
                    "missing contexts: \(count) in \(Int(secondsNow() - start)) s, \(growth >> 10) KiB more (\(answer))"
                )
            }
        }

        @Test("nobody writes in another's name, and two branches of one log are named")
        func identity() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world)
                _ = try scene.suffer("write", 3)
                try MeshTests.converge([scene.a, scene.b], having: #""mallory","value":{"n":3}"#)
                _ = try scene.suffer("equivocate", 2)
                // Forgeries last: three of them, and the device is refused for a while.
                _ = try scene.suffer("forge", 4)
                for daemon in [scene.a, scene.b] {
                    let export = String(decoding: try daemon.api.export("s"), as: UTF8.self)
                    #expect(!export.contains("forged"), "\(daemon.name)")
                }
                let devices = try scene.a.api.json("/v1/spaces/s/members")["members"].array
                let names = Dictionary(
                    uniqueKeysWithValues: devices.map { ($0["device"].string ?? "", $0["name"].string ?? "") }
                )
                for line in try scene.a.api.get("/v1/spaces/s/log").lines() {
                    #expect(
                        names[line["author"].string ?? line["author"]["device"].string ?? ""] != nil,
                        "\(line)")
                }
                #expect(scene.a.log.contains("refused") || scene.a.log.contains("fault"))
            }
        }

        @Test("a reader that writes is refused by everybody")
        func noRight() throws {
            try DaemonWorld.run { world in
                var scene = try Scene(world, role: "reader")
                _ = try scene.suffer("write", 5)
                for daemon in [scene.a, scene.b] {
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
                _ = try scene.suffer("future", 5)
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
                let answer = try scene.suffer("digest", 2)
                #expect(!answer.contains(" 0 lies"), "\(answer)")
                try scene.a.api.waitForAlarm("digest-differs", within: 10)
            }
        }
    }
}
