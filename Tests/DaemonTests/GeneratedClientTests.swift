// A Python client, generated from the document that the daemon serves (Tests/Interop/openapi_client.py), used
// against that daemon: each answer is held against the type that the document promises.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.needs("python3")) struct GeneratedClientTests {
        private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Interop").standardized.path

        /// Writes the client of this document into the world's folder.
        private func generate(_ document: Data, in world: DaemonWorld) throws -> ChildProcess.End {
            let path = world.folder + "/openapi.json"
            try document.write(to: URL(fileURLWithPath: path))
            let command =
                "python3 '\(Self.folder)/openapi_client.py' < '\(path)' > '\(world.folder)/repl_client.py'"
            return try ChildProcess.run("/bin/sh", ["-c", command], within: 30).end
        }

        @Test(
            "a client that is generated from the document reads and writes, and every answer is of its type")
        func uses() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let document = try attic.api.get("/v1/openapi.json").body
                try #require(try generate(Data(document), in: world) == .exit(0))
                let said = try ChildProcess.run(
                    "/usr/bin/env",
                    ["python3", "\(Self.folder)/openapi_use.py", world.folder, attic.socket], within: 60)
                let text = String(decoding: said.output, as: UTF8.self)
                #expect(said.end == .exit(0), "\(text)")
                let counts = text.matches(of: /\d+/).compactMap { Int($0.0) }
                #expect(counts.count == 2 && counts.allSatisfy { $0 > 40 }, "\(text)")
            }
        }

        @Test("the generator refuses a document that says what it does not know")
        func refuses() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let text = String(decoding: try attic.api.get("/v1/openapi.json").body, as: UTF8.self)
                for (known, unknown) in [
                    (#""maxItems":"#, #""notItems":"#), (#""in":"query""#, #""in":"cookie""#),
                    (#""openapi":"3.1"#, #""openapi":"2.0"#),
                ] {
                    try #require(text.contains(known), "\(known)")
                    let end = try generate(
                        Data(text.replacing(known, with: unknown, maxReplacements: 1).utf8), in: world)
                    #expect(end != .exit(0), "\(unknown)")
                }
            }
        }
    }
}
