// A newcomer takes a base from two members, of which one is killed on the way, while a third one lies about
// the base, and it is killed itself at 20 moments. 150,000 documents in every run, 1,000,000 by command: of
// fewer so few lie between two kills that what the liar gives is often lost with one of them.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Tool.path("hostilepeer") != nil, "hostilepeer was not built"))
    struct BootstrapTests {
        private static let space = "/v1/spaces/s"
        private static let documents = FaultRounds.count(sample: 150_000, whole: 1_000_000)
        private static let kills = 20
        private static let together = 1_000
        /// Of the longest wait: by command a million documents are written and moved to a base.
        private static let patience = FaultRounds.isWhole ? 900.0 : 90.0

        /// Checkpoints only when they are asked for, so that it is known what is taken.
        private static let settings = """
            checkpoint-log-bytes = "1TiB"
            checkpoint-seconds = "365d"
            retain-history = 0

            """

        @Test("a newcomer that is killed again and again takes a base from two, while one dies and one lies")
        func bootstrap() throws {
            try DaemonWorld.run { world in
                let file = "\(world.folder)/bases.toml"
                try Self.settings.write(toFile: file, atomically: true, encoding: .utf8)
                let box = { (name: String) in try world.daemon(name, arguments: ["--config", file]) }
                let attic = try box("attic").start()
                let cellar = try box("cellar").start(peers: [attic])
                try attic.api.createSpace("s")
                try cellar.api.join(try attic.api.token("s"))
                try Self.fill(attic)
                try Self.checkpoint(by: attic, at: [attic, cellar])
                // The second lets go what the first holds.
                try attic.api.write("s", #"{"op":"set","document":"last","path":["n"],"value":1}"#)
                try Self.checkpoint(by: attic, at: [attic, cellar])
                for box in [attic, cellar] {
                    let answer = try box.api.post("\(Self.space)/collect", "{}")
                    try #require(answer.status == 200, "\(answer)")
                }
                let shed = try box("shed")
                let liar = try Tool(
                    "hostilepeer",
                    ["\(attic.port)", try attic.api.token("s"), "11", "\(attic.port),\(shed.port)"])
                try #require(try liar.answer() == "done joined")
                try liar.begin("bases 1")

                let inside = try Self.takeUnderFire(shed, from: attic, cellar)
                #expect(inside >= 3, "\(inside) of \(Self.kills) kills while it took the base")
                let told = try liar.answer(within: 200)
                #expect(told == "done 1 lies", "\(told)")
                #expect(shed.log.contains("bytes that do not have the hash"), "the liar was not named")
                try attic.start(peers: [cellar])
                try Self.equal([attic, cellar, shed], in: world)
                for box in [attic, cellar, shed] {
                    #expect(try box.api.alarms() == [], "\(box.name) raises nothing")
                }
                FaultRounds.report(
                    "a base of \(Self.documents) documents: \(Self.kills) kills of the newcomer, \(inside) while it took it"
                )
            }
        }

        private static func fill(_ box: Daemon) throws {
            for start in stride(from: 0, to: documents, by: together) {
                let operations = (start..<start + together).map {
                    #"{"op":"set","document":"note/\#($0)","path":["text"],"value":"written once, \#($0)"}"#
                }
                let answer = try box.api.transact("s", operations)
                try #require(answer.status == 200, "\(answer)")
            }
        }

        private static func standing(_ box: Daemon) throws -> String? {
            try box.api.json("\(space)/checkpoints")["standing"]["id"].string
        }

        private static func checkpoint(by author: Daemon, at boxes: [Daemon]) throws {
            let former = try standing(author)
            let answer = try author.api.request(
                "POST", "\(space)/checkpoints", Array("{}".utf8), timeout: patience)
            try #require(answer.status == 202, "\(answer)")
            for box in boxes {
                try eventually("the checkpoint to stand at \(box.name)", within: patience) {
                    try standing(box).map { $0 != former } ?? false
                }
            }
        }

        /// Documents that a newcomer has of the base; nil: it shows them.
        private static func taken(by box: Daemon) throws -> Int64? {
            if try box.api.get("\(space)/documents?limit=1").status == 200 { return nil }
            let spaces = try box.api.json("/v1/status")["spaces"].array
            return spaces.first?["bootstrap"]["documents"].integer ?? 0
        }

        /// Starts the newcomer, kills it each time that it has come a bit further, and one of the givers in
        /// between; how often it was killed before it showed anything. It runs at the end, and is level.
        private static func takeUnderFire(_ box: Daemon, from giver: Daemon, _ other: Daemon) throws -> Int {
            try box.start(peers: [giver, other])
            try box.api.join(try giver.api.token("s"))
            var (dice, inside) = (FaultDice(seed: 16), 0)
            for round in 0..<kills {
                let part = round * 1_000 + dice.below(1_000)
                let goal = Int64(documents * part / (1_000 * kills))
                var now: Int64? = 0
                try eventually("the newcomer to have \(goal) documents", within: patience, every: 1) {
                    now = try taken(by: box)
                    return now.map { $0 >= goal } ?? true
                }
                usleep(UInt32(dice.below(3_000)))
                box.crash()
                if now != nil { inside += 1 }
                if round == kills / 2 { giver.crash() }
                try box.start(peers: [giver, other])
            }
            try eventually("the newcomer to show the documents", within: patience) {
                try taken(by: box) == nil
            }
            return inside
        }

        /// All show the same documents and export the same bytes, compared as files.
        private static func equal(_ boxes: [Daemon], in world: DaemonWorld) throws {
            for box in boxes {
                try eventually("\(box.name) to count all documents", within: patience) {
                    let spaces = try box.api.json("/v1/spaces")["spaces"].array
                    return spaces.first?["documents"].integer == Int64(documents + 1)
                }
            }
            let replctl = try Programs.path("replctl")
            for view in [[], ["--typed"]] {
                var files: [String] = []
                for box in boxes {
                    files.append("\(world.folder)/\(box.name)-export\(view.count)")
                    let child = try ChildProcess(
                        replctl, ["export", "s", "--json", "--socket", box.socket] + view,
                        output: files[files.count - 1])
                    #expect(try child.waitForEnd(within: patience, "the export of \(box.name)") == .exit(0))
                }
                for other in files.dropFirst() {
                    let same = try ChildProcess.run("/usr/bin/cmp", [files[0], other], within: 60)
                    #expect(same.end == .exit(0), "\(String(decoding: same.output, as: UTF8.self))")
                }
            }
        }
    }
}
