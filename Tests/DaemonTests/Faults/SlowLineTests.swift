// Real processes over lines that are slow, with the kernel's own buffers: megabytes that wait in them would
// be a queue behind which no PING is answered in time.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.slowLines) struct SlowLineTests {
        private static let space = "/v1/spaces/s"

        @Test("a newcomer takes a base over 256 KiB/s, nearly as fast as the line carries")
        func base() throws {
            try NamespaceWorld.run { world in
                let file = "\(world.world.folder)/bases.toml"
                try """
                checkpoint-log-bytes = "1TiB"
                checkpoint-seconds = "365d"
                retain-history = 0

                """.write(toFile: file, atomically: true, encoding: .utf8)
                let attic = try world.started("attic", arguments: ["--config", file])
                try attic.api.createSpace("s")
                let count = 24
                for number in 0..<count { try Self.writeNoise(400_000, number, attic) }
                try Self.checkpoint(attic)
                try attic.api.write("s", #"{"op":"set","document":"last","path":["n"],"value":1}"#)
                try Self.checkpoint(attic)
                #expect(try attic.api.post("\(Self.space)/collect", "{}").status == 200)
                // 9.6 MB of letters with 6 bits each: 28 s.
                try world.lan.named("attic").setRate(kilobits: 2_097)
                let shed = try world.started("shed", arguments: ["--config", file])
                let begin = secondsNow()
                try shed.api.join(try attic.api.token("s"))
                try eventually("the base to be here", within: 240, every: 200) {
                    let spaces = try shed.api.json("/v1/spaces")["spaces"].array
                    return try spaces.first?["documents"].integer == Int64(count + 1)
                        && shed.api.get("\(Self.space)/documents/last").status == 200
                }
                FaultRounds.report(
                    "a base of 9.6 MB over 256 KiB/s: \(String(format: "%.0f", secondsNow() - begin)) s")
                #expect(try shed.api.export("s") == attic.api.export("s"))
                let log = shed.log
                #expect(log.contains("base-taken"), "it came as log: \(log.suffix(2_000))")
                // Two may stand at first, when both dial; none is made since one does not answer in time.
                for box in [attic, shed] {
                    #expect(!box.log.contains("link-doubtful"), "\(box.log.suffix(2_000))")
                }
            }
        }

        private static func writeNoise(_ bytes: Int, _ number: Int, _ box: Daemon) throws {
            var dice = FaultDice(seed: UInt64(number))
            let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
            let text = String(decoding: (0..<bytes).map { _ in letters[dice.below(64)] }, as: UTF8.self)
            try box.api.write("s", #"{"op":"set","document":"d\#(number)","path":["t"],"value":"\#(text)"}"#)
        }

        private static func checkpoint(_ box: Daemon) throws {
            let former = try box.api.json("\(space)/checkpoints")["standing"]["id"].string
            let answer = try box.api.post("\(space)/checkpoints", "{}")
            try #require(answer.status == 202, "\(answer)")
            try eventually("the checkpoint to stand", within: 60) {
                try box.api.json("\(space)/checkpoints")["standing"]["id"].string.map { $0 != former }
                    ?? false
            }
        }
    }
}
