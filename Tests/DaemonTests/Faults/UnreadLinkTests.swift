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
