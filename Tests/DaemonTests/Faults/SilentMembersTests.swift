// Members that are linked and say nothing: a large space must not choose them for its few links, and wait.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Tool.path("hostilepeer") != nil, "hostilepeer was not built"))
    struct SilentMembersTests {
        @Test(
            "with 30 silent members, which take every link they can get, honest ones find each other",
            arguments: ["silent", "polite"])
        func silent(_ attack: String) throws {
            try DaemonWorld.run { world in
                let honest = try ["a", "b", "c"].map { try world.started($0) }
                try honest[0].api.createSpace("s")
                for other in honest.dropFirst() { try other.api.join(try honest[0].api.token("s")) }
                // All joined at one, and linked to each in turn.
                var tools: [Tool] = []
                for number in 0..<30 {
                    let token = try honest[0].api.token("s")
                    let tool = try Tool(
                        "hostilepeer",
                        ["\(honest[0].port)", token, "\(70 + number)", "\(honest[number % 3].port)"])
                    #expect(try tool.answer() == "done joined")
                    tools.append(tool)
                }
                for tool in tools { try tool.begin("\(attack) 25") }
                usleep(4_000_000)
                var times: [Double] = []
                for number in 0..<8 {
                    let start = secondsNow()
                    let writer = honest[number % 3]
                    try writer.api.write(
                        "s", #"{"op":"set","document":"d\#(number)","path":["n"],"value":\#(number)}"#)
                    try eventually("write \(number) everywhere", within: 30) {
                        try honest.allSatisfy {
                            try $0.api.get("/v1/spaces/s/documents/d\(number)").status == 200
                        }
                    }
                    times.append(secondsNow() - start)
                    usleep(300_000)
                }
                FaultRounds.report(
                    "30 \(attack) members: a write is everywhere after "
                        + times.map { String(format: "%.2f", $0) }.joined(separator: ", ") + " s")
                for tool in tools {
                    let answer = try tool.answer(within: 60)
                    #expect(answer.hasPrefix("done 25 "), "\(answer)")
                }
            }
        }
    }
}
