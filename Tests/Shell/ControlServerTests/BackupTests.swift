// What becomes of the copy that a backup is: it is read and gone, whatever its client does, and there is one
// at a time.

import Foundation
import NIOConcurrencyHelpers
import Node
import Testing

@Suite struct BackupTests {
    private typealias Answer = @Sendable (NodeAnswer) -> Void

    private func copy(bytes: Int) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "repl-copy-\(UUID().uuidString)")
            .path
        try Data(repeating: 0x61, count: bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private let ask = post("/v1/backup", "", headers: "Connection: close\r\n")

    /// Asks until it is no longer the turn of another.
    private func status(_ path: String, until wanted: String) async throws {
        while true {
            let client = try await SocketClient(path)
            try await client.send(ask)
            let answer = try await client.receivedAll()
            if answer.hasPrefix("HTTP/1.1 \(wanted) ") { return }
            try #require(answer.hasPrefix("HTTP/1.1 429 ") && answer.contains("too-many"), "\(answer)")
        }
    }

    @Test("a copy that nobody waits for any more is removed when it is made, and then the next is made")
    func clientGone() async throws {
        let (late, next) = (try copy(bytes: 100), try copy(bytes: 100))
        let asked = NIOLockedValueBox<[Answer]>([])
        let gateway = ScriptedGateway { _, _, answer in
            let isFirst = asked.withLockedValue {
                $0.append(answer)
                return $0.count == 1
            }
            if !isFirst { answer(.backup(path: next)) }
        }
        try await serving(gateway) { path in
            let client = try await SocketClient(path)
            try await client.send(ask)
            while asked.withLockedValue(\.isEmpty) { await Task.yield() }
            try await status(path, until: "429")
            await client.close()
            while gateway.state.cancelled.isEmpty { await Task.yield() }
            // Its client is gone, and still it is being written.
            try await status(path, until: "429")
            asked.withLockedValue { $0.removeFirst() }(.backup(path: late))
            asked.withLockedValue { $0 = [{ _ in }] }
            try await status(path, until: "200")
            #expect(!FileManager.default.fileExists(atPath: late))
            #expect(!FileManager.default.fileExists(atPath: next))
        }
    }

    @Test("a client that does not read its copy keeps others from making more, until it goes away")
    func unread() async throws {
        let copies = [try copy(bytes: 8 << 20), try copy(bytes: 100)]
        let next = NIOLockedValueBox(0)
        let gateway = ScriptedGateway { _, _, answer in
            let path = next.withLockedValue {
                $0 += 1
                return copies[$0 - 1]
            }
            answer(.backup(path: path))
        }
        try await serving(gateway) { path in
            let client = try await SocketClient(path, autoRead: false)
            try await client.send(ask)
            while FileManager.default.fileExists(atPath: copies[0]) { await Task.yield() }
            try await status(path, until: "429")
            await client.close()
            try await status(path, until: "200")
            #expect(!FileManager.default.fileExists(atPath: copies[1]))
        }
    }

    @Test("a backup that fails, or whose copy is not there, leaves the turn to the next")
    func failed() async throws {
        let last = try copy(bytes: 100)
        let answers: [NodeAnswer] = [
            .failed(.storeFull(.floor(freeBytes: 1, floorBytes: 2))), .backup(path: "/nonexistent/copy"),
            .backup(path: last),
        ]
        let next = NIOLockedValueBox(0)
        let gateway = ScriptedGateway { _, _, answer in
            answer(
                answers[
                    next.withLockedValue {
                        $0 += 1
                        return $0 - 1
                    }])
        }
        try await serving(gateway) { path in
            for wanted in ["507", "500", "200"] { try await status(path, until: wanted) }
        }
    }
}
