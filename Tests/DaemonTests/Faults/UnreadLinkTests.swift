// Links of which the other end reads slowly or never: an honest one on a bad line keeps its link however much
// it is sent, and one that never reads costs a bounded memory.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Tool.path("hostilepeer") != nil, "hostilepeer was not built"))
    struct UnreadLinkTests {
        @Test("a member that reads slowly gets a roster of twice the bytes that may wait for a connection")
        func slow() throws {
            try DaemonWorld.run { world in
                let box = try world.started("a")
                try box.api.createSpace("s")
                // Two admins fill their allowances.
                for seed in [61, 62] {
                    let token = try box.api.token("s", role: "admin")
                    let tool = try Tool("hostilepeer", ["\(box.port)", token, "\(seed)"])
                    #expect(try tool.answer() == "done joined")
                    let answer = try tool.ask("roster-unknown 270", within: 180)
                    #expect(answer.hasSuffix("link over: false"), "\(answer)")
                }
                let reader = try Tool("hostilepeer", ["\(box.port)", try box.api.token("s"), "63"])
                #expect(try reader.answer(within: 120) == "done joined")
                let answer = try reader.ask("slow 30", within: 180)
                #expect(answer.hasPrefix("done 30 MB") && answer.hasSuffix("link over: false"), "\(answer)")
                #expect(!box.log.contains("it does not read"), "\(box.log)")
            }
        }

        /// Where the system holds several megabytes of a connection itself, which is why it is so much more.
        @Test("a box on a slow line takes a base of twice the bytes that may wait for a connection")
        func slowBase() throws {
            try DaemonWorld.run { world in
                let settings = "\(world.folder)/finite.toml"
                try "checkpoint-log-bytes = \"64KiB\"\ncheckpoint-seconds = \"2s\"\nretain-history = 0\n"
                    .write(toFile: settings, atomically: true, encoding: .utf8)
                // All others know the relay as its address.
                let line = try SocketConnection.freePort()
                let box = try world.daemon("a", arguments: ["--config", settings])
                let tool = try Tool.relay(["tcp:127.0.0.1:\(line)=\(box.address)"])
                try "advertise = [\"127.0.0.1:\(line)\"]\n".write(
                    toFile: settings, atomically: true, encoding: .utf8)
                try box.start()
                try box.api.createSpace("s")
                let texts = try Self.fill(box)
                try eventually("a checkpoint to stand, and the log to be gone", within: 120) {
                    let answer = try box.api.json("/v1/spaces/s/checkpoints")
                    return try answer["standing"]["id"].string != nil
                        && box.api.get("/v1/spaces/s/log").lines().first?["collected"] == true
                }
                let rate = FaultRounds.count(sample: 1 << 20, whole: 256 << 10)
                try tool.set("throttle \(rate)")
                let other = try world.daemon("b", arguments: ["--config", settings])
                try other.start()
                try other.api.join(try box.api.token("s"))
                let start = secondsNow()
                try eventually("all of it at the other", within: 400) {
                    try other.api.get("/v1/spaces/s/documents/d0").status == 200
                }
                let export = try box.api.export("s")
                try eventually("both to show the same", within: 20) { try other.api.export("s") == export }
                #expect(export.count > texts)
                #expect(!box.log.contains("it does not read"), "\(box.log)")
                FaultRounds.report(
                    "a base of \(texts >> 20) MiB over \(rate >> 10) KiB/s: \(Int(secondsNow() - start)) s")
            }
        }

        /// 40 documents with a text of nearly a mebibyte each that can hardly be packed; how many bytes.
        private static func fill(_ box: Daemon) throws -> Int {
            var dice = SystemRandomNumberGenerator()
            var bytes = 0
            for number in 0..<40 {
                let text = Data((0..<96_000).flatMap { _ in withUnsafeBytes(of: dice.next()) { Array($0) } })
                    .base64EncodedString()
                bytes += text.utf8.count
                try box.api.write(
                    "s", #"{"op":"set","document":"d\#(number)","path":["t"],"value":"\#(text)"}"#)
            }
            return bytes
        }

        @Test("members that ask for everything and never read cost a bounded memory, and honest ones go on")
        func never() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                let text = String(repeating: "0123456789abcdef", count: 4_000)
                for number in 0..<160 {
                    try a.api.write(
                        "s",
                        #"{"op":"set","document":"d\#(number)","path":["t"],"value":"\#(number)\#(text)"}"#)
                }
                try eventually("all of it at the other", within: 60) {
                    try b.api.get("/v1/spaces/s/documents/d159").status == 200
                }
                let tool = try Tool("hostilepeer", ["\(a.port)", try a.api.token("s"), "64"])
                #expect(try tool.answer() == "done joined")
                let before = try a.residentBytes()
                try tool.begin("unread 8")
                var most = before
                for number in 0..<20 {
                    usleep(300_000)
                    most = max(most, try a.residentBytes())
                    try a.api.write(
                        "s", #"{"op":"set","document":"e","path":["n"],"value":\#(number)}"#)
                }
                try eventually("a write of now at the other", within: 20) {
                    try b.api.value("s", "e")["n"] == 19
                }
                let answer = try tool.answer(within: 120)
                #expect(answer.hasPrefix("done 8 "), "\(answer)")
                most = max(most, try a.residentBytes())
                // A window of changes, a piece of the roster and a megabyte of answers for each of 8 links.
                #expect(most - before < 48 << 20, "\((most - before) >> 10) KiB")
                FaultRounds.report("8 links of which nothing is read: \((most - before) >> 10) KiB of memory")
            }
        }
    }
}
