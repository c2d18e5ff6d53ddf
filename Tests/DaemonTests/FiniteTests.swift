// Logs end, on the real programs: checkpoints come by themselves, old log goes, the file shrinks, and a box
// that comes later takes the documents and not what they were made of.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct FiniteTests {
        private static let settings = """
            checkpoint-log-bytes = "64KiB"
            checkpoint-seconds = "2s"
            retain-history = 0

            """
        private static let space = "/v1/spaces/s"

        private static func box(_ name: String, in world: DaemonWorld, peers: [Daemon] = []) throws -> Daemon
        {
            let file = "\(world.folder)/finite.toml"
            try settings.write(toFile: file, atomically: true, encoding: .utf8)
            return try world.daemon(name, arguments: ["--config", file]).start(peers: peers)
        }

        /// 300 changes of 1 KiB each, in ten documents.
        private static func write(_ box: Daemon, round: Int) throws {
            let text = String(repeating: "\(round % 10)", count: 1_000)
            for number in 0..<300 {
                try box.api.write(
                    "s",
                    #"{"op":"set","document":"\#(box.name)/\#(number % 10)","path":["x"],"#
                        + #""value":"\#(text)\#(number)"}"#,
                    #"{"op":"increment","document":"shared","path":["n"],"by":1}"#)
            }
        }

        private static func standing(_ box: Daemon) throws -> String? {
            try box.api.json("\(space)/checkpoints")["standing"]["id"].string
        }

        /// Of the database without its write-ahead log, whose size has a bound of its own.
        private static func fileBytes(_ box: Daemon) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: box.state + "/repld.db")
            return try #require(attributes[.size] as? Int)
        }

        @Test("log goes and the file shrinks; a box that comes later takes a base and shows the same")
        func finite() throws {
            try DaemonWorld.run { world in
                let attic = try Self.box("attic", in: world)
                let cellar = try Self.box("cellar", in: world, peers: [attic])
                try attic.api.createSpace("s")
                try cellar.api.join(try attic.api.token("s"))
                var before: String?
                for round in 1...4 {
                    for box in [attic, cellar] { try Self.write(box, round: round) }
                    try eventually("checkpoint \(round) to stand at both", within: 60) {
                        let now = try Self.standing(attic)
                        let other = try Self.standing(cellar)
                        return now != nil && now != before && now == other
                    }
                    before = try Self.standing(attic)
                    if round == 3 {
                        attic.crash()
                        try attic.start()
                    }
                }
                // Whole, the log of all that takes twice as much.
                let written = 4 * 2 * 300 * 1_000
                for box in [attic, cellar] {
                    try eventually("log and file of \(box.name) to be small", within: 90) {
                        let log = try box.api.json("\(Self.space)/checkpoints")["log"]
                        return try (log["bytes"].integer ?? .max) < Int64(written)
                            && Self.fileBytes(box) < written + 500_000
                    }
                    let log = try box.api.get("\(Self.space)/log").lines()
                    #expect(log.first?["collected"] == true, "\(String(describing: log.first))")
                }
                let export = try attic.api.export("s")
                try eventually("both to show the same", within: 20) { try cellar.api.export("s") == export }
                #expect(try attic.api.value("s", "shared")["n"].integer == 2_400)

                let shed = try Self.box("shed", in: world, peers: [attic, cellar])
                try shed.api.join(try attic.api.token("s"))
                try eventually("the newcomer to show the same", within: 40) {
                    let answer = try shed.api.get("\(Self.space)/export")
                    return answer.status == 200 && answer.body == export
                }
                try eventually("the newcomer to write", within: 20) {
                    try shed.api.post(
                        "\(Self.space)/transactions",
                        #"{"operations":[{"op":"increment","document":"shared","path":["n"],"by":1}]}"#
                    ).status == 200
                }
                for box in [attic, cellar, shed] {
                    try eventually("\(box.name) to count it", within: 20) {
                        try box.api.value("s", "shared")["n"].integer == 2_401
                    }
                    #expect(try box.api.alarms().isEmpty)
                }
            }
        }
    }
}
