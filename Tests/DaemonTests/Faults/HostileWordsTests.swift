// What a member in wrong hands says of itself, and what an operator's tools make of it: numbers at their
// ends, text that steers a terminal, keys that nobody has, seals over nonsense.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Tool.path("hostilepeer") != nil, "hostilepeer was not built"))
    struct HostileWordsTests {
        /// All that read, but for those that go on until they are stopped.
        private static let commands = [
            "status", "peers", "peers --wide", "spaces", "space show s", "members s", "members s --wide",
            "space members s", "space invites s", "space keys s", "doctor", "explain s d", "log s", "void s",
            "forks s", "quarantine s", "conflicts s", "index ls s", "ls s", "find s a>0", "get s d",
            "export s",
        ].map { $0.split(separator: " ").map(String.init) }

        private func scene(_ world: DaemonWorld) throws -> (box: Daemon, tool: Tool) {
            let box = try world.started("a")
            try box.api.createSpace("s")
            let tool = try Tool("hostilepeer", ["\(box.port)", try box.api.token("s"), "41"])
            #expect(try tool.answer() == "done joined")
            return (box, tool)
        }

        @Test("the greatest numbers that a peer can say break no command of the operator's")
        func extremes() throws {
            try DaemonWorld.run { world in
                let (box, member) = try scene(world)
                try box.api.write("s", #"{"op":"set","document":"d","path":["a"],"value":1}"#)
                let isOver = Shared(false)
                // One thread at a time talks to it.
                nonisolated(unsafe) let tool = member
                let attack = Workers([0]) { _ in
                    defer { isOver.change { $0 = true } }
                    let answer = try tool.ask("extremes 40", within: 240)
                    #expect(answer.hasPrefix("done 40 "), "\(answer)")
                }
                try eventually("the peer to say how far this box is behind", within: 15) {
                    let peers = try box.api.json("/v1/peers")["peers"].array
                    return peers.contains {
                        $0["spaces"].array.contains { ($0["behindChanges"].integer ?? 0) > 1_000_000 }
                    }
                }
                let change = try #require(
                    try box.api.write("s", #"{"op":"set","document":"d","path":["a"],"value":2}"#)["change"]
                        .string)
                for words in Self.commands + [["wait", "s", change, "--timeout", "1"]] {
                    for json in [[], ["--json"]] {
                        let run = try ChildProcess.run(
                            try Programs.path("replctl"), words + json + ["--socket", box.socket], within: 20)
                        let said = String(decoding: run.output, as: UTF8.self)
                        #expect(!said.contains("out of range"), "\(words): \(said)")
                        guard case .exit(let code) = run.end else {
                            throw ConnectionFailure.failed("\(words)", 0)
                        }
                        #expect([0, 1, 5].contains(code), "\(words) ends with \(code): \(said)")
                    }
                }
                let top = try ChildProcess.run(
                    "/usr/bin/timeout", ["3", try Programs.path("replctl"), "top", "--socket", box.socket],
                    within: 20)
                let shown = String(decoding: top.output, as: UTF8.self)
                #expect(shown.contains("BEHIND") && !shown.contains("out of range"), "\(shown)")
                #expect(!isOver.value, "the link stood while the commands ran")
                let offset = try box.api.json("/v1/status")["clock"]["offsetMs"].integer
                #expect(offset == (1 << 53) - 1, "\(String(describing: offset))")
                try attack.finish(within: 240)
            }
        }

        @Test("the reason of a CLOSE reaches the log without what steers a terminal")
        func steer() throws {
            try DaemonWorld.run { world in
                let (box, tool) = try scene(world)
                let answer = try tool.ask("steer 1")
                #expect(answer.hasPrefix("done 1 "), "\(answer)")
                try eventually("the reason in the log", within: 10) {
                    box.log.contains("closed by the peer: ")
                }
                #expect(box.log.contains(#"\u{202e}gnp.\u{9b}31mred\u{85}line\u{2028}line"#), "\(box.log)")
                for scalar in ["\u{202E}", "\u{9B}", "\u{85}", "\u{2028}"] {
                    #expect(!box.log.contains(scalar))
                }
            }
        }

        @Test("segments under a key that nobody has are named once, and honest work goes on")
        func strangeKeys() throws {
            try DaemonWorld.run { world in
                let (box, tool) = try scene(world)
                let answer = try tool.ask("strange-keys 50")
                #expect(answer.hasSuffix("link over: false"), "\(answer)")
                try box.api.waitForAlarm("key-lacking", within: 10)
                #expect(box.log.components(separatedBy: "key-lacking: ").count == 2, "\(box.log)")
                #expect(try box.api.metric("segments_unknown_key_total") >= 50)
                try box.api.write("s", #"{"op":"set","document":"d","path":["a"],"value":1}"#)
            }
        }

        @Test("a relay, which has no content key by its role, raises no alarm for what it cannot read")
        func relay() throws {
            try DaemonWorld.run { world in
                let (a, relay) = (try world.started("a"), try world.started("relay"))
                try a.api.createSpace("s")
                try relay.api.join(try a.api.token("s", role: "relay"))
                for number in 0..<5 {
                    try a.api.write("s", #"{"op":"set","document":"d","path":["a"],"value":\#(number)}"#)
                }
                try eventually("the relay to be linked", within: 10) {
                    try relay.api.json("/v1/peers")["peers"].array.contains { $0["state"] == "connected" }
                }
                usleep(1_000_000)
                #expect(try relay.api.json("/v1/status")["alarms"].array.isEmpty, "\(relay.log)")
                #expect(!relay.log.contains("key-lacking"))
            }
        }

        @Test(
            "a seal over what is no change, behind a log that is held, is a fault of its author and no fork")
        func nonsense() throws {
            try DaemonWorld.run { world in
                let (box, tool) = try scene(world)
                let answer = try tool.ask("nonsense 2")
                #expect(answer.hasSuffix("2 links ended"), "\(answer)")
                #expect(try box.api.metric("peer_faults_total") == 2)
                #expect(box.log.contains("sealed what is no change behind log"), "\(box.log)")
                #expect(!box.log.contains("fork-suspicion"), "\(box.log)")
                #expect(try box.api.value("s", "sane")["n"] == 2, "what came before counts")
            }
        }
    }
}
