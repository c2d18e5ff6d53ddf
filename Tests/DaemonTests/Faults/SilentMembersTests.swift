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

        /// Which is where no honest node is linked to another one for long: visits carry a change on.
        @Test(
            "among 30 members that keep links to all and pass nothing on, a write reaches all honest ones"
        )
        func hoarders() throws {
            try DaemonWorld.run { world in
                let honest = try ["a", "b", "c", "d", "e"].map { try world.started($0) }
                try honest[0].api.createSpace("s")
                // All come from one address, which is let in five times at once and 20 times a second.
                for other in honest.dropFirst() {
                    try other.api.join(try honest[0].api.token("s"))
                    usleep(500_000)
                }
                let ports = honest.map { "\($0.port)" }.joined(separator: ",")
                var tools: [Tool] = []
                for number in 0..<30 {
                    let token = try honest[0].api.token("s")
                    let tool = try Tool(
                        "hostilepeer", ["\(honest[0].port)", token, "\(700 + number)", ports])
                    #expect(try tool.answer() == "done joined")
                    tools.append(tool)
                    usleep(50_000)
                }
                for tool in tools { try tool.begin("hoard 240") }
                // Until links among the honest ones are lost, and the nodes have noticed.
                usleep(45_000_000)
                var times: [Double] = []
                for number in 0..<6 where times.reduce(0, +) < 150 {
                    let start = secondsNow()
                    try honest[number % 5].api.write(
                        "s", #"{"op":"set","document":"d\#(number)","path":["n"],"value":\#(number)}"#)
                    try eventually("write \(number) everywhere after \(times) s", within: 90) {
                        try honest.allSatisfy {
                            try $0.api.get("/v1/spaces/s/documents/d\(number)").status == 200
                        }
                    }
                    times.append(secondsNow() - start)
                    usleep(2_000_000)
                }
                FaultRounds.report(
                    "30 members linked to all: a write is everywhere after "
                        + times.map { String(format: "%.1f", $0) }.joined(separator: ", ") + " s")
                #expect(times.count >= 2)
                for tool in tools {
                    let answer = try tool.answer(within: 300)
                    #expect(answer.hasPrefix("done 240 "), "\(answer)")
                }
            }
        }
    }
}
