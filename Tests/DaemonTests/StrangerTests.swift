// Silence to strangers: whoever cannot finish the handshake gets no byte, and is closed in 6 seconds.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct StrangerTests {
        @Test("garbage, silence and a handshake that looks right get no byte and are closed in 6 seconds")
        func silence() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                try daemon.api.createSpace("s")
                _ = try daemon.api.token("s")
                let mesh = Array("RPLD".utf8) + [1, 1, 0, 0] + [UInt8](repeating: 0, count: 16)
                let join = Array("RPLD".utf8) + [1, 1, 1, 0] + [UInt8](repeating: 7, count: 16)
                let noise = (0..<48).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
                let sent: [(String, [UInt8])] = [
                    ("nothing", []),
                    ("one byte", [0x52]),
                    ("garbage", (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 101) }),
                    ("HTTP", Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)),
                    ("a preamble", mesh),
                    ("a preamble and half a message", mesh + [0, 48] + noise.prefix(20)),
                    ("a preamble and a message under no key", mesh + [0, 48] + noise),
                    ("a joining preamble of no invite", join + [0, 48] + noise),
                    ("another version", Array("RPLD".utf8) + [9, 8] + mesh.dropFirst(6)),
                    ("a long message", mesh + [0xFF, 0xFF] + [UInt8](repeating: 1, count: 65_535)),
                ]
                let port = daemon.port
                let workers = Workers(sent.map(\.0)) { name in
                    let bytes = sent.first { $0.0 == name }?.1 ?? []
                    let start = secondsNow()
                    let connection = try SocketConnection(port: port, timeout: 10)
                    do { try connection.write(bytes) } catch ConnectionFailure.failed {
                        // It was closed before all of it was out.
                    }
                    let answer = try connection.readToEnd()
                    let took = secondsNow() - start
                    #expect(answer.isEmpty, "\(name) got \(answer.count) bytes")
                    #expect(took <= 6, "\(name) was closed after \(took) s")
                }
                try workers.finish(within: 30)
                #expect(try daemon.api.get("/v1/status").status == 200)
                #expect(try daemon.api.alarms() == [])
            }
        }

        @Test("hundreds of strangers who say nothing keep nobody out")
        func crowd() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                let token = try a.api.token("s")
                let crowd = (0..<200).compactMap { _ in try? SocketConnection(port: a.port, timeout: 10) }
                #expect(!crowd.isEmpty)
                // The crowd is closed in time; then a joiner gets in, on its first or second try.
                for connection in crowd { #expect(try connection.readToEnd().isEmpty) }
                try eventually("the joiner to get in", within: 30) {
                    try b.api.tryJoin(token).lines().last?.has("space") == true
                }
                try a.api.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                try MeshTests.converge([a, b], having: #""x":1"#)
            }
        }
    }
}
