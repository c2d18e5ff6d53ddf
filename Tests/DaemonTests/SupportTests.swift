// The support tar of a real daemon: every tar reads it, it says what is inside, and no secret that was
// planted is in its bytes.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct SupportTests {
        /// A daemon with documents, a declared index, an invite, peers and conditions that are refused.
        private struct Planted {
            let daemon: Daemon
            /// Must be in no tar.
            var secrets: [(String, [UInt8])] = []
            /// Only where they are asked for.
            let addresses = ["192.0.2.77", "secret-host.example", "2001:db8::4711", "198.51.100.9"]

            init(_ world: DaemonWorld) throws {
                let config = world.folder + "/repld.toml"
                try """
                peers = ["192.0.2.77:9", "secret-host.example:21420"]
                advertise = ["[2001:db8::4711]:21420", "198.51.100.9:21420"]
                """.write(toFile: config, atomically: false, encoding: .utf8)
                daemon = try world.daemon("a", arguments: ["--config", config, "--log-level", "debug"])
                    .start()
                let api = daemon.api
                try api.createSpace("s")
                try api.write(
                    "s",
                    #"{"op":"set","document":"planted-key","path":["planted-path"],"value":"planted text"}"#,
                    #"{"op":"splice","document":"planted-key","path":["t"],"index":0,"delete":0,"#
                        + #""insert":"planted-splice"}"#
                )
                let index = #"{"path":["planted-path"],"prefix":"planted-key"}"#
                let declared = try api.request("PUT", "/v1/spaces/s/indexes/i", Array(index.utf8))
                try #require(declared.status == 201, "\(declared)")
                let token = try api.token("s")
                _ = try api.get("/v1/spaces/s/documents/planted-nothing")
                let key = try Data(contentsOf: URL(fileURLWithPath: daemon.state + "/device.key"))
                try #require(key.count >= 32)
                for text in [
                    "planted-key", "planted-path", "planted text", "planted-splice", "planted-nothing",
                ] {
                    secrets.append((text, Array(text.utf8)))
                }
                secrets.append(("the token", Array(token.utf8)))
                secrets.append(("the token's end", Array(token.utf8.suffix(30))))
                secrets.append(("the device key", Array(key.suffix(32))))
                secrets.append(
                    (
                        "the device key in hex",
                        Array(key.suffix(32).map { String(format: "%02x", $0) }.joined().utf8)
                    ))
                secrets.append(("the device key in base64", Array(key.suffix(32).base64EncodedString().utf8)))
            }
        }

        private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
            Data(bytes).range(of: Data(part)) != nil
        }

        private static func list(_ tar: String) throws -> [String] {
            let listed = try ChildProcess.run("/bin/tar", ["tf", tar], within: 20)
            try #require(listed.end == .exit(0), "tar tf: \(String(decoding: listed.output, as: UTF8.self))")
            return String(decoding: listed.output, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        @Test("nothing that was planted is in the tar, and what helps is")
        func planted() throws {
            try DaemonWorld.run { world in
                let planted = try Planted(world)
                // The addresses were tried, so the log and the peers speak of them.
                try eventually("a dial that failed", within: 20) {
                    try planted.daemon.api.get("/v1/peers").text.contains("secret-host.example")
                }
                let answer = try planted.daemon.api.get("/v1/support")
                #expect(answer.status == 200 && answer.headers["content-type"] == "application/x-tar")
                for (name, secret) in planted.secrets {
                    let isIn = Self.contains(answer.body, secret)
                    #expect(!isIn, "\(name) is in the tar")
                }
                for address in planted.addresses {
                    let isIn = Self.contains(answer.body, Array(address.utf8))
                    #expect(!isIn, "\(address) is in the tar")
                }
                let own = Self.contains(answer.body, Array("127.0.0.1".utf8))
                #expect(!own, "its own address is in the tar")
                let tar = world.folder + "/s.tar"
                try Data(answer.body).write(to: URL(fileURLWithPath: tar))
                let names = try Self.list(tar)
                let wanted = [
                    "README.txt", "status.json", "peers.json", "metrics.txt", "spaces.json", "config.txt",
                    "log.txt",
                    "process.txt", "files.txt", "schema.txt", "space-1/members.json",
                    "space-1/checkpoints.json",
                ]
                #expect(Set(wanted.map { "repld-support/" + $0 }).isSubset(of: names), "\(names)")
                let page = try ChildProcess.run(
                    "/bin/tar", ["xOf", tar, "repld-support/README.txt"], within: 20)
                let text = String(decoding: page.output, as: UTF8.self)
                for name in names where !name.hasSuffix("README.txt") {
                    #expect(text.contains(name.dropFirst("repld-support/".count)), "README.txt names \(name)")
                }
                let all = try ChildProcess.run("/bin/tar", ["xOf", tar], within: 20)
                let told = String(decoding: all.output, as: UTF8.self)
                for part in [
                    "\"sync\"", "peers = [\"[address]\"", "user_version", "ready: state", "repld.db\t",
                ] {
                    #expect(told.contains(part), "\(part) is missing")
                }
            }
        }

        @Test("with addresses they are in it, and nothing else that was planted")
        func withAddresses() throws {
            try DaemonWorld.run { world in
                let planted = try Planted(world)
                let file = world.folder + "/with.tar"
                let arguments = ["support", file, "--with-addresses", "--socket", planted.daemon.socket]
                let run = try ChildProcess.run(try Programs.path("replctl"), arguments, within: 60)
                #expect(run.end == .exit(0), "\(String(decoding: run.output, as: UTF8.self))")
                let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
                for address in planted.addresses {
                    let isIn = Self.contains(bytes, Array(address.utf8))
                    #expect(isIn, "\(address)")
                }
                for (name, secret) in planted.secrets {
                    let isIn = Self.contains(bytes, secret)
                    #expect(!isIn, "\(name)")
                }
                #expect(try Self.list(file).contains("repld-support/config.txt"))
                var status = stat()
                #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
                let again = try ChildProcess.run(try Programs.path("replctl"), arguments, within: 60)
                #expect(again.end == .exit(3))
            }
        }
    }
}
