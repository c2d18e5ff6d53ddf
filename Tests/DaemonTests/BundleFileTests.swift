// Two daemons that never meet, by replctl and files alone; what is read when the reader is killed; files that
// are no bundles, and those for others.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct BundleFileTests {
        private func replctl(_ box: Daemon, _ arguments: String...) throws -> (code: Int32, output: String) {
            let result = try ChildProcess.run(
                try Programs.path("replctl"), arguments + ["--socket", box.socket], within: 120)
            guard case .exit(let code) = result.end else {
                Issue.record("\(arguments): \(result.end)")
                return (-1, "")
            }
            return (code, String(decoding: result.output, as: UTF8.self))
        }

        /// Two members of "s" that knew each other, and now have addresses that the other never heard.
        private func strangers(_ world: DaemonWorld) throws -> (a: Daemon, b: Daemon) {
            let a = try world.started("a")
            try a.api.createSpace("s")
            let b = try world.started("b", peers: [a])
            _ = try b.api.join(try a.api.token("s"))
            try eventually("both to be level", within: 20) {
                try b.api.get("/v1/spaces/s").json()["members"] == 2
            }
            try a.stop()
            try b.stop()
            let moved = (try world.daemon("a"), try world.daemon("b"))
            try moved.0.start()
            try moved.1.start()
            return moved
        }

        private func fill(_ box: Daemon, _ documents: Int, _ name: String) throws {
            var dice = FaultDice(seed: 11)
            for part in 0..<(documents / 50) {
                let lines = (0..<50).map { number -> String in
                    let noise = (0..<120).map { _ in String(dice.below(1_000_000), radix: 36) }.joined()
                    let key = "\(name)/\(part)-\(number)"
                    return #"{"op":"set","document":"\#(key)","path":["v"],"value":"\#(noise)"}"#
                }
                #expect(try box.api.transact("s", lines).status == 200)
            }
        }

        @Test("a file each way makes two boxes equal that never meet, though its reader is killed on the way")
        func killed() throws {
            try DaemonWorld.run { world in
                let (a, b) = try strangers(world)
                try fill(a, 8_000, "from-a")
                try fill(b, 500, "from-b")
                let file = world.folder + "/for-b.bundle"
                let written = try replctl(a, "bundle", "write", "s", file, "--for", "b")
                #expect(written.code == 0, "\(written)")
                for round in 0..<4 {
                    let reading = try ChildProcess(
                        try Programs.path("replctl"), ["bundle", "read", file, "--socket", b.socket],
                        output: world.folder + "/reading.log")
                    usleep(UInt32(40_000 + round * 60_000))
                    b.crash()
                    _ = try reading.waitForEnd(within: 30, "the reading of a bundle")
                    try b.start()
                }
                let read = try replctl(b, "bundle", "read", file)
                #expect(read.code == 0 && read.output.contains("160 changes"), "\(read)")
                #expect(!read.output.contains("could not"), "\(read)")
                let again = try replctl(b, "bundle", "read", file, "--json")
                #expect(again.code == 0 && again.output.contains(#""new":0"#), "\(again)")
                let back = world.folder + "/for-a.bundle"
                #expect(try replctl(b, "bundle", "write", "s", back, "--for", "a").code == 0)
                #expect(try replctl(a, "bundle", "read", back).code == 0)
                #expect(try a.api.export("s") == b.api.export("s"))
                #expect(try a.api.get("/v1/status").json()["links"] == 0)
                // a knows by now what b has: the bundle said it.
                let none = try replctl(a, "bundle", "write", "s", world.folder + "/none", "--for", "b")
                #expect(none.code == 4 && none.output.contains("holds all"), "\(none)")
                #expect(!FileManager.default.fileExists(atPath: world.folder + "/none"))
                #expect(try a.api.alarms() == [] && b.api.alarms() == [])
            }
        }

        @Test("what is no bundle, damaged, or for others is refused with the reason, and changes nothing")
        func refused() throws {
            try DaemonWorld.run { world in
                let (a, b) = try strangers(world)
                let c = try world.started("c")
                try fill(a, 200, "from-a")
                let file = world.folder + "/all.bundle"
                #expect(try replctl(a, "bundle", "write", "s", file).code == 0)
                #expect(try replctl(a, "bundle", "write", "s", file).code == 3, "it is there")
                let whole = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
                func damaged(_ name: String, _ bytes: [UInt8]) throws -> String {
                    let path = world.folder + "/" + name
                    try Data(bytes).write(to: URL(fileURLWithPath: path))
                    return path
                }
                let foreign = try replctl(c, "bundle", "read", file)
                #expect(foreign.code == 4 && foreign.output.contains("not the one"), "\(foreign)")
                let none = try replctl(b, "bundle", "read", try damaged("none", Array("repldbdl".utf8)))
                #expect(none.code == 3 && none.output.contains("no bundle"), "\(none)")
                var bent = whole
                bent[whole.count - 30] ^= 1
                let bad = try replctl(b, "bundle", "read", try damaged("bent", bent), "--json")
                #expect(bad.code != 0 && bad.output.contains("bad-bundle"), "\(bad)")
                #expect(bad.output.contains(#""position":"#), "\(bad)")
                let cut = try replctl(b, "bundle", "read", try damaged("cut", Array(whole.dropLast(9))))
                #expect(cut.code != 0 && cut.output.contains("byte \(whole.count - 9)"), "\(cut)")
                let answer = try b.api.request(
                    "POST", "/v1/spaces/s/bundle", [UInt8](repeating: 0x72, count: 3 << 20),
                    headers: [("Content-Type", "application/octet-stream")])
                #expect(answer.status == 422 && answer.code == "bad-bundle", "\(answer)")
                #expect(try replctl(b, "bundle", "read", file).code == 0)
                #expect(try a.api.export("s") == b.api.export("s"))
                for choice in ["for=nobody", "since=x", "base=true", "for=b&base=true", "for=b"] {
                    let answer = try a.api.get("/v1/spaces/s/bundle?\(choice)")
                    let expected = [
                        "for=nobody": 404, "since=x": 400, "base=true": 409, "for=b&base=true": 400,
                    ]
                    #expect(answer.status == expected[choice] ?? 200, "\(choice): \(answer.status)")
                }
            }
        }
    }
}
