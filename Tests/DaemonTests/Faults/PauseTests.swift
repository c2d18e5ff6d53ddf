// A node that stands still (SIGSTOP: a laptop that sleeps, a hypervisor that moves it) and goes on: the
// others go on meanwhile, nobody is taken for a clone, and what it was asked is done afterwards.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct PauseTests {
        @Test("a node that stood still goes on where it was, and everybody is equal")
        func pause() throws {
            try DaemonWorld.run { world in
                let (a, b, c) = (try world.started("a"), try world.started("b"), try world.started("c"))
                try a.api.createSpace("s")
                for joiner in [b, c] { try joiner.api.join(try a.api.token("s")) }
                try MeshTests.converge([a, b, c], having: "")
                for round in 0..<FaultRounds.count(sample: 2, whole: 20) {
                    // Long enough by command that the others take it for gone.
                    let seconds = FaultRounds.isWhole && round % 5 == 4 ? 40.0 : 2.0
                    let process = try #require(b.process)
                    process.signal(SIGSTOP)
                    let api = b.api
                    let asked = Workers([0, 1, 2]) { number in
                        let text =
                            #"{"op":"add","document":"d","path":["asked"],"value":"\#(round)-\#(number)"}"#
                        let answer = try api.request(
                            "POST", "/v1/spaces/s/transactions", Array("{\"operations\":[\(text)]}".utf8),
                            timeout: 90)
                        #expect(answer.status == 200, "\(answer)")
                    }
                    let until = secondsNow() + seconds
                    var number = 0
                    while secondsNow() < until {
                        for daemon in [a, c] {
                            try daemon.api.write(
                                "s",
                                #"{"op":"set","document":"d","path":["\#(daemon.name)"],"value":"\#(round)-\#(number)"}"#
                            )
                        }
                        number += 1
                        usleep(50_000)
                    }
                    process.signal(SIGCONT)
                    try asked.finish(within: 60)
                    try MeshTests.converge([a, b, c], having: "\"\(round)-2\"")
                    for daemon in [a, b, c] { #expect(try daemon.api.alarms() == [], "\(daemon.name)") }
                }
            }
        }
    }
}
