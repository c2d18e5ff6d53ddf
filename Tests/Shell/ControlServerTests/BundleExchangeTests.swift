// A bundle on its way in: what the node is given at once, when it is given more, that it hears of the end.

import Bytes
import Causality
import ControlAPI
import Crypto
import NIOConcurrencyHelpers
import Node
import Testing
import Wire

@testable import ControlServer

/// What a node of a script was asked.
private struct Asked {
    var records: [Int] = []
    var ends: [BundleTally] = []
    /// Answers that the test gives.
    var waiting: [@Sendable (NodeAnswer) -> Void] = []
}

@Suite struct BundleExchangeTests {
    private static let box = AgreementKey(secret: Secret(copying: [UInt8](repeating: 2, count: 32)))

    /// A bundle with so many segments of so many bytes.
    private func bundle(_ count: Int, bytes: Int) -> [UInt8] {
        var entropy = Entropy(seed: Secret(copying: [UInt8](repeating: 3, count: 32)))
        let (head, key) = BundleHead.make(
            for: [Self.box.publicKey], in: SpaceID(raw: .zero), from: &entropy)
        var writer = BundleWriter(key: key)
        let body = [UInt8](repeating: 7, count: bytes)
        return (0..<count).reduce(head.encoded()) { file, _ in
            file + writer.seal(.segment(changes: 1, body))
        } + writer.end()
    }

    private func gateway(_ asked: NIOLockedValueBox<Asked>) -> ScriptedGateway {
        ScriptedGateway { request, _, answer in
            switch request {
            case .openBundle(_, let head):
                guard let key = head.recordKey(with: Self.box) else { return }
                answer(.bundleOpened(key: key, space: head.space, position: .start))
            case .takeBundle(_, let pieces):
                asked.withLockedValue {
                    $0.records.append(pieces.count)
                    $0.waiting.append(answer)
                }
            case .endBundle(_, _, let tally):
                asked.withLockedValue { $0.ends.append(tally) }
                answer(.reading(Pieces(), cursor: "c"))
            default: break
            }
        }
    }

    private final class Pieces: ReadJob {
        private let isDone = NIOLockedValueBox(false)
        func next() throws(StoreFailure) -> [UInt8]? {
            isDone.withLockedValue { done in
                defer { done = true }
                return done ? nil : Array("{}\n".utf8)
            }
        }
    }

    private func head(_ count: Int) -> [UInt8] {
        Array(
            ("POST /v1/spaces/s/bundle HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n"
                + "Content-Length: \(count)\r\n\r\n").utf8)
    }

    /// The answer to the records that were given last, once they were.
    private func next(_ asked: NIOLockedValueBox<Asked>) async throws -> @Sendable (NodeAnswer) -> Void {
        while true {
            if let answer = asked.withLockedValue({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
                return answer
            }
            await Task.yield()
        }
    }

    @Test("the node is given a portion at a time, and the next when it has answered")
    func portions() async throws {
        let asked = NIOLockedValueBox(Asked())
        var limits = ControlLimits()
        (limits.bundleBytesAim, limits.bundleWaitingBytesMax) = (4_000, 8_000)
        let file = bundle(60, bytes: 1_000)
        try await serving(gateway(asked), limits: limits) { path in
            let client = try await SocketClient(path)
            try await client.send(head(file.count))
            client.push(file)
            var given = 0
            while given < 61 {
                let answer = try await next(asked)
                // Nobody is asked again before the answer.
                let last = asked.withLockedValue { $0.records }
                #expect(last.reduce(0, +) > given && (last.last ?? 0) <= 5, "\(last)")
                given = last.reduce(0, +)
                var tally = BundleTally()
                tally.changes = last.last ?? 0
                answer(.bundleTaken(tally, stop: nil))
            }
            let text = try await client.received(until: "0\r\n\r\n")
            #expect(text.hasPrefix("HTTP/1.1 200") && text.contains("Repl-Cursor: c"), "\(text)")
            #expect(asked.withLockedValue { $0.ends.map(\.changes) } == [61])
        }
    }

    @Test(
        "what is wrong is said with its byte when what stands before it was taken, and the node hears the end"
    )
    func wrong() async throws {
        let asked = NIOLockedValueBox(Asked())
        var file = bundle(3, bytes: 100)
        let offset = file.count - 10
        file[offset] ^= 1
        try await serving(gateway(asked)) { path in
            let client = try await SocketClient(path)
            try await client.send(head(file.count) + file)
            let answer = try await next(asked)
            #expect(asked.withLockedValue { $0.records } == [3])
            answer(.bundleTaken(BundleTally(), stop: nil))
            let text = try await client.received(until: "position")
            #expect(text.hasPrefix("HTTP/1.1 422") && text.contains("bad-bundle"), "\(text)")
            while asked.withLockedValue({ $0.ends.isEmpty }) { await Task.yield() }
        }
    }

    @Test("a record that the node refuses ends the reading, and one whose client went away is ended too")
    func refused() async throws {
        let asked = NIOLockedValueBox(Asked())
        let file = bundle(3, bytes: 100)
        try await serving(gateway(asked)) { path in
            let client = try await SocketClient(path)
            try await client.send(head(file.count) + file)
            let answer = try await next(asked)
            answer(.bundleTaken(BundleTally(), stop: .bad(at: 149, "no seal")))
            let text = try await client.received(until: "position")
            #expect(text.contains(#""position":149"#) && text.contains("no seal"), "\(text)")
            let gone = try await SocketClient(path)
            try await gone.send(head(file.count + 1) + file)
            _ = try await next(asked)
            await gone.close()
            while asked.withLockedValue({ $0.ends.count < 2 }) { await Task.yield() }
        }
    }
}
