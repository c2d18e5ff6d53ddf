// kill -9 in the middle of writing: what was acknowledged is there, and once.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct CrashTests {
        @Test("ten times kill -9 under four writers: every acknowledged increment is there, none twice")
        func increments() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                let stops = Shared(false)
                let acknowledged = Shared([0, 0, 0, 0])
                let total = { acknowledged.value.reduce(0, +) }
                let writers = Workers([0, 1, 2, 3]) { writer in
                    try Self.write(writer, api, until: stops) { acknowledged.change { $0[writer] += 1 } }
                }
                defer { stops.change { $0 = true } }
                for round in 0..<10 {
                    let before = total()
                    let wanted = 5 + round * 7
                    try eventually(
                        "\(wanted) increments in round \(round)", within: 30, last: { "\(total() - before)" }
                    ) {
                        total() >= before + wanted
                    }
                    daemon.crash()
                    try daemon.start()
                }
                let before = total()
                try eventually("increments after the last start", within: 30) { total() > before }
                stops.change { $0 = true }
                try writers.finish(within: 40)
                // A writer ends only with an answer, so nothing is in doubt.
                let value = try api.value("s", "c")
                #expect(
                    acknowledged.value.enumerated().map { value["w\($0.offset)"].integer ?? 0 }
                        == acknowledged.value.map { Int64($0) })
                #expect(try api.alarms() == [], "plain restarts raise nothing")
            }
        }

        /// Increments under ever new keys, each repeated until it is acknowledged.
        private static func write(
            _ writer: Int, _ api: ControlClient, until stops: Shared<Bool>, acknowledged: () -> Void
        ) throws {
            var number = 0
            while !stops.value {
                let operation = #"{"op":"increment","document":"c","path":["w\#(writer)"],"by":1}"#
                try eventually("increment \(number) of writer \(writer)", within: 30) {
                    guard let answer = try? api.transact("s", [operation], key: "\(writer)-\(number)") else {
                        return false
                    }
                    if answer.status == 503 { return false }
                    try #require(answer.status == 200, "\(answer)")
                    return true
                }
                acknowledged()
                number += 1
            }
        }

        @Test("a daemon that is killed while changes arrive goes on where it was")
        func receiver() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                for round in 0..<4 {
                    let stream = try a.api.stream("s")
                    for number in 0..<200 {
                        try stream.write(
                            line: """
                                {"operations":[{"op":"increment","document":"n","path":["n"],"by":1},\
                                {"op":"set","document":"d\(number)","path":["r"],"value":\(round)}]}
                                """)
                    }
                    b.crash()
                    try stream.endChunks()
                    #expect(try stream.readAnswer().lines().allSatisfy { $0["change"].string != nil })
                    try b.start()
                }
                try MeshTests.converge([a, b], having: #""key":"n","value":{"n":800}"#)
                #expect(try b.api.alarms() == [])
            }
        }
    }
}
