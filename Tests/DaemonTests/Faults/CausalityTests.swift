// Causal+ consistency as programs see it, over HTTP, at three nodes: whoever sees y also sees the x that y's
// writer had read (Lloyd and others, "Don't Settle for Eventual", 2011), and two documents that are always
// written together are never seen apart: in one read of both by export, and in the change stream. Meanwhile
// one node is killed and started again; or each link is slow in turn, so that a change arrives before its
// context.

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

        /// What the threads of a test have seen; looked at by the test itself, which knows whose it is.
        private struct Seen {
            /// Reads that told of another document, at each node.
            var checks = [0, 0, 0]
            var lines = 0
            /// What must not be; the first few.
            var wrong: [String] = []

            mutating func note(_ what: String) { if wrong.count < 10 { wrong.append(what) } }
        }

        /// Reads y, then the x of which it tells, at one node.
        private static func check(
            _ api: ControlClient, at node: Int, dice: inout FaultDice, _ found: Shared<Seen>
        )
            throws
        {
            let y = topics[dice.below(topics.count)]
            for x in topics where x != y {
                guard let seen = try number(api, y, "saw-\(x)"), let held = try number(api, x, "n") else {
                    continue
                }
                found.change { all in
                    if held < seen { all.note("\(y) tells of \(x) at \(seen), and \(x) stands at \(held)") }
                    if seen > 0 { all.checks[node] += 1 }
                }
            }
            // One committed state shows both documents of a pair.
            let lines = try api.get("/v1/spaces/s/export").lines()
            let pair = ["left", "right"].map { key in
                lines.first { $0["key"].string == key }?["value"]["v"] ?? .null
            }
            if pair[0] != pair[1] { found.change { $0.note("a half of a transaction: \(pair)") } }
        }

        /// Reads a stream until a document `end` comes: a pair changes in one line, and is equal after each.
        private static func follow(_ stream: HTTPExchange, _ found: Shared<Seen>) throws {
            var mirror = Mirror()
            while mirror.documents["end"] == nil {
                guard let line = try stream.readJSONLine(), line["resync"] != true else {
                    return found.change { $0.note("the stream ended, or the watcher fell behind") }
                }
                try mirror.apply(line)
                let pair = ["left", "right"].map { mirror.documents[$0]?["v"] ?? .null }
                found.change { all in
                    all.lines += 1
                    if pair[0] != pair[1] { all.note("half a transaction in a line: \(line)") }
                }
            }
            if mirror.documents["left"] == nil { found.change { $0.note("no pair was told") } }
        }

        /// Programs that write, read and watch at all nodes while `disturb` is called again and again. How
        /// many reads told of another document, and lines of the streams of the first two.
        private static func observe(
            _ daemons: [Daemon], for seconds: Double, disturb: (_ round: Int) throws -> Void
        ) throws -> (checks: Int, lines: Int) {
            let apis = daemons.map(\.api)
            let (stops, found) = (Shared(false), Shared(Seen()))
            let watching = try apis.prefix(2).map { try $0.watch("s", "since=begin") }
            let readers = Workers(watching) { try follow($0, found) }
            let workers = Workers(Array(0..<9)) { number in
                var dice = FaultDice(seed: UInt64(number + 1))
                let api = apis[number % 3]
                while !stops.value {
                    // A node that is down answers nobody.
                    do {
                        if number < 5 {
                            try write(api, dice: &dice)
                        } else {
                            try check(api, at: number % 3, dice: &dice, found)
                        }
                    } catch is ConnectionFailure { usleep(20_000) }
                }
            }
            defer { stops.change { $0 = true } }
            let end = secondsNow() + seconds
            var round = 0
            while secondsNow() < end {
                try disturb(round)
                round += 1
            }
            stops.change { $0 = true }
            try workers.finish(within: 60)
            try MeshTests.converge(daemons, having: "")
            try apis[0].write("s", #"{"op":"set","document":"end","path":["v"],"value":true}"#)
            try readers.finish(within: 60)
            let seen = found.value
            #expect(seen.wrong.isEmpty, "\(seen.wrong)")
            for (daemon, told) in zip(daemons, seen.checks) {
                #expect(told > 15, "\(told) checks at \(daemon.name) told something")
            }
            return (seen.checks.reduce(0, +), seen.lines)
        }

        @Test("no node shows y without the x that its writer had read, and pairs are never seen apart")
        func causality() throws {
            try DaemonWorld.run { world in
                let daemons = try ["a", "b", "c"].map { try world.started($0) }
                try daemons[0].api.createSpace("s")
                for joiner in daemons.dropFirst() { try joiner.api.join(try daemons[0].api.token("s")) }
                try MeshTests.converge(daemons, having: "")
                let (checks, lines) = try Self.observe(daemons, for: Self.seconds) { _ in
                    usleep(700_000)
                    daemons[2].crash()
                    usleep(200_000)
                    try daemons[2].start()
                }
                FaultRounds.report(
                    "causality: \(checks) reads that told of another, \(lines) lines of streams")
            }
        }

        @Test(
            "the same where each link is slow in turn, so that changes come before what they were made on",
            .namespaces, .enabled(if: Tool.path("chaosrelay") != nil, "chaosrelay was not built"))
        func overtaken() throws {
            try NamespaceWorld.run { world in
                let names = ["a", "b", "c"]
                let daemons = try names.map { try world.daemon($0, arguments: ["--no-discovery"]) }
                let middle = try world.lan.box("relay")
                // Box to box nothing passes. Each link leads through a relay of its own, with its own
                // weather.
                try world.lan.separate(names.map { [$0, "relay"] })
                var peers: [[String]] = [[], [], []]
                let relays = try [(0, 1), (1, 2), (2, 0)].enumerated().map { number, ends in
                    let ports = (22_000 + 2 * number, 22_001 + 2 * number)
                    peers[ends.0] += ["--peer", "\(middle.ip4):\(ports.1)"]
                    peers[ends.1] += ["--peer", "\(middle.ip4):\(ports.0)"]
                    return try Tool.relay(
                        [
                            "tcp:\(middle.ip4):\(ports.0)=\(daemons[ends.0].address)",
                            "tcp:\(middle.ip4):\(ports.1)=\(daemons[ends.1].address)",
                        ], in: middle)
                }
                for (daemon, peers) in zip(daemons, peers) { try daemon.start(extra: peers) }
                try daemons[0].api.createSpace("s")
                for joiner in daemons.dropFirst() {
                    let token = try daemons[0].api.token("s")
                    try eventually("\(joiner.name) to join", within: 60) {
                        try joiner.api.tryJoin(token).lines().last?.has("space") == true
                    }
                }
                try MeshTests.converge(daemons, having: "")
                let (checks, lines) = try Self.observe(daemons, for: Self.seconds + 1) { round in
                    for (number, relay) in relays.enumerated() {
                        try relay.set("delay \(number == round % 3 ? 300 : 0)")
                    }
                    usleep(900_000)
                }
                // What this is about did happen.
                let early = try daemons.map { try $0.api.metric("changes_early_total") }
                #expect(early.reduce(0, +) > 0, "no change came before its context")
                FaultRounds.report(
                    "causality over slow links: \(checks) reads that told of another, \(lines) lines of streams, \(early) changes came early"
                )
            }
        }
    }
}
