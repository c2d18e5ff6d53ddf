// Causal+ consistency as programs see it, over HTTP, at three nodes: whoever sees y also sees the x that y's
// writer had read (Lloyd and others, "Don't Settle for Eventual", 2011), and two documents that are always
// written together are never seen apart: in one read of both by export, and in the change stream. One node is
// killed and started again meanwhile.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct CausalityTests {
        private static let seconds = FaultRounds.isWhole ? 60.0 : 5.0
        private static let topics = ["x0", "x1", "x2"]

        /// A number at a path of a document at one node; 0 when there is none.
        private static func number(_ api: ControlClient, _ key: String, _ member: String) throws -> Int64? {
            let answer = try api.get("/v1/spaces/s/documents/\(key)")
            if answer.status == 404 { return 0 }
            guard answer.status == 200 else { return nil }
            return try answer.json()["value"][member].integer ?? 0
        }

        /// Reads one topic and writes down in another how far it was.
        private static func write(_ api: ControlClient, dice: inout FaultDice) throws {
            let from = topics[dice.below(topics.count)]
            let to = topics[dice.below(topics.count)]
            guard from != to, let seen = try number(api, from, "n") else { return }
            let mark = dice.below(1_000_000)
            _ = try api.transact(
                "s",
                [
                    #"{"op":"increment","document":"\#(to)","path":["n"],"by":1}"#,
                    #"{"op":"set","document":"\#(to)","path":["saw-\#(from)"],"value":\#(seen)}"#,
                    #"{"op":"set","document":"left","path":["v"],"value":\#(mark)}"#,
                    #"{"op":"set","document":"right","path":["v"],"value":\#(mark)}"#,
                ])
        }

        /// Reads y, then the x of which it tells, at one node.
        private static func check(_ api: ControlClient, dice: inout FaultDice) throws -> Int {
            let y = topics[dice.below(topics.count)]
            var checks = 0
            for x in topics where x != y {
                guard let seen = try number(api, y, "saw-\(x)"), let held = try number(api, x, "n") else {
                    continue
                }
                #expect(held >= seen, "\(y) tells of \(x) at \(seen), and \(x) stands at \(held)")
                if seen > 0 { checks += 1 }
            }
            // One committed state shows both documents of a pair.
            let lines = try api.get("/v1/spaces/s/export").lines()
            let pair = ["left", "right"].map { key in
                lines.first { $0["key"].string == key }?["value"]["v"] ?? .null
            }
            #expect(pair[0] == pair[1], "a half of a transaction: \(pair)")
            return checks
        }

        @Test("no node shows y without the x that its writer had read, and pairs are never seen apart")
        func causality() throws {
            try DaemonWorld.run { world in
                let daemons = try ["a", "b", "c"].map { try world.started($0) }
                try daemons[0].api.createSpace("s")
                for joiner in daemons.dropFirst() { try joiner.api.join(try daemons[0].api.token("s")) }
                try MeshTests.converge(daemons, having: "")
                let watching = try daemons[0].api.watch("s", "since=begin")
                let apis = daemons.map(\.api)
                let stops = Shared(false)
                let checks = Shared(0)
                let workers = Workers(Array(0..<9)) { number in
                    var dice = FaultDice(seed: UInt64(number + 1))
                    let api = apis[number % 3]
                    while !stops.value {
                        // The node that is down answers nobody.
                        do {
                            if number < 5 {
                                try Self.write(api, dice: &dice)
                            } else {
                                let done = try Self.check(api, dice: &dice)
                                checks.change { $0 += done }
                            }
                        } catch is ConnectionFailure { usleep(20_000) }
                    }
                }
                defer { stops.change { $0 = true } }
                let end = secondsNow() + Self.seconds
                while secondsNow() < end {
                    usleep(700_000)
                    daemons[2].crash()
                    usleep(200_000)
                    try daemons[2].start()
                }
                stops.change { $0 = true }
                try workers.finish(within: 60)
                try MeshTests.converge(daemons, having: "")
                #expect(checks.value > 50, "\(checks.value) checks told something")
                // The stream of the first node: a pair changes in one line, and is equal after each.
                try daemons[0].api.write("s", #"{"op":"set","document":"end","path":["v"],"value":true}"#)
                var mirror = Mirror()
                var lines = 0
                while mirror.documents["end"] == nil {
                    let line = try #require(try watching.readJSONLine())
                    try #require(line["resync"] != true, "the watcher fell behind")
                    try mirror.apply(line)
                    lines += 1
                    let pair = ["left", "right"].map { mirror.documents[$0]?["v"] ?? .null }
                    #expect(pair[0] == pair[1], "half a transaction in a line: \(line)")
                }
                FaultRounds.report(
                    "causality: \(checks.value) reads that told of another, \(lines) lines of the stream")
            }
        }
    }
}
