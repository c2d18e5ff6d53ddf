// The server over a real Unix socket: these tests must have one, because framing, order and pressure are what
// is tested. Nothing waits for time but the idle line, whose interval is made short.

import Bytes
import Causality
import ControlAPI
import Documents
import Foundation
import NIOCore
import Node
import NodeRuntime
import Testing

@testable import ControlServer
@testable import Identity

private let replica = ReplicaID(raw: Bytes16(high: 0, low: 7))

/// Answers transactions by number, everything else as an empty node.
private func node() -> ScriptedGateway {
    ScriptedGateway { request, id, answer in
        switch request {
        case .transact:
            answer(.transaction(change: Dot(replica, SequenceNumber(id.value)), version: "v", cursor: "c"))
        case .members(let space):
            answer(space.text == "none" ? .failed(.noSuchSpace("none")) : .members([]))
        case .readDocument(_, let key, _, _):
            answer(.document(key: key, value: .plain(.emptyObject), version: "v", cursor: "c"))
        case .spaces: answer(.spaces([]))
        default: answer(.failed(.noSuchSpace("?")))
        }
    }
}

private let transaction = #"{"operations":[{"op":"delete","document":"d","path":[]}]}"#

private func streamHead(_ space: String) -> String {
    "POST /v1/spaces/\(space)/transactions:stream HTTP/1.1\r\nConnection: close\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n"
}

@Suite struct ControlServerTests {
    @Test("requests on one connection are answered in order, also when they come at once")
    func pipelining() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            try await client.send(
                get("/v1/spaces") + post("/v1/spaces/s/transactions", transaction) + get("/nowhere")
                    + "HEAD /v1/spaces HTTP/1.1\r\nHost: x\r\n\r\n"
                    + get("/v1/spaces/s/documents/a", headers: "Connection: close\r\n"))
            let all = try await client.receivedAll()
            let statuses = all.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(statuses == ["200", "200", "404", "200", "200"])
            #expect(all.contains(#"{"spaces":[]}HTTP/1.1 200"#))
            #expect(all.contains("\r\nRepl-Cursor: c\r\n"))
            #expect(all.hasSuffix(#"{"key":"a","value":{},"version":"v"}"#))
        }
    }

    @Test(
        "what the parser refuses has a JSON error too",
        arguments: [
            "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /v1/status HTTP/1.1\r\nBad Header\r\n\r\n",
            "POST /v1/spaces HTTP/1.1\r\nContent-Length: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}",
            "POST /v1/spaces HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "POST /v1/spaces HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        ])
    func parserErrors(text: String) async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            try await client.send(text)
            let all = try await client.receivedAll()
            #expect(all.hasPrefix("HTTP/1.1 400 "))
            #expect(all.contains(#"{"error":{"code":"malformed-http","message":"#))
        }
    }

    @Test("headers over the limit are 413, and a refused header is told after the answers before it")
    func largeHead() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            client.push(
                Array(
                    (get("/v1/spaces") + "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 100_000))
                        .utf8))
            let all = try await client.receivedAll()
            #expect(all.hasPrefix("HTTP/1.1 200 "))
            #expect(all.contains("HTTP/1.1 413 "))
        }
    }

    @Test("a body over the limit is 413, its sender can read why, and the connection goes on")
    func largeBody() async throws {
        #expect(ControlLimits().bodyBytesMax == 16 << 20)
        var limits = ControlLimits()
        limits.bodyBytesMax = 100_000
        try await serving(node(), limits: limits) { path in
            let body = [UInt8](repeating: 0x20, count: 100_001)
            let client = try await SocketClient(path)
            try await client.send(
                "POST /v1/spaces/s/transactions HTTP/1.1\r\nContent-Length: \(body.count)\r\n\r\n")
            try await client.send(body)
            #expect(try await client.received(until: "hint").contains("body-too-large"))
            try await client.send(
                "POST /v1/spaces/s/transactions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await client.send(
                Array((String(body.count, radix: 16) + "\r\n").utf8) + body + Array("\r\n0\r\n\r\n".utf8))
            try await client.send(get("/v1/spaces", headers: "Connection: close\r\n"))
            let all = try await client.receivedAll()
            #expect(all.components(separatedBy: "body-too-large").count == 3)
            #expect(all.hasSuffix(#"{"spaces":[]}"#))
        }
    }

    @Test("Expect: 100-continue is answered before the body, or refused instead of it")
    func expectContinue() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            let head =
                "POST /v1/spaces/s/transactions HTTP/1.1\r\nExpect: 100-continue\r\n"
                + "Content-Length: \(transaction.utf8.count)\r\n"
            try await client.send(head + "\r\n")
            #expect(try await client.received(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send(transaction)
            #expect(try await client.received(until: #""version":"v""#).contains("HTTP/1.1 200 OK"))
            try await client.send(head + "Content-Type: text/html\r\n\r\n")
            let all = try await client.receivedAll()
            #expect(all.contains("HTTP/1.1 415 ") && all.contains("Connection: close"))
        }
    }

    @Test("stream answers come in order while the body still arrives, and an error does not stop later lines")
    func stream() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            try await client.send(
                "POST /v1/spaces/s/transactions:stream HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await client.send(chunk(transaction + "\n" + transaction.prefix(10)))
            let first = try await client.received(until: "version")
            #expect(lines(first).first == "{\"change\":\"\(replica):2\",\"version\":\"v\"}")
            try await client.send(
                chunk(transaction.dropFirst(10) + "\r\n\nnot json\n" + transaction + "\n{}"))
            try await client.send("0\r\n\r\n")
            try await client.send(get("/v1/spaces", headers: "Connection: close\r\n"))
            let answers = lines(try await client.receivedAll())
            #expect(answers.count == 6)
            #expect(answers[1].contains(":3\"") && answers[3].contains(":4\""))
            #expect(answers[2].contains("malformed-json") && answers[4].contains("malformed-transaction"))
            #expect(answers[5].isEmpty)
        }
    }

    @Test("a stream to a space that is not there has a real status")
    func streamNowhere() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            try await client.send(
                streamHead("none")
            )
            try await client.send(chunk(transaction + "\n") + "0\r\n\r\n")
            #expect(try await client.receivedAll().hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("three thousand lines are answered in order, with a bounded number at the node")
    func manyLines() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            try await client.send(
                streamHead("s")
            )
            client.push(
                Array((chunk(String(repeating: transaction + "\n", count: 3_000)) + "0\r\n\r\n").utf8))
            let answers = lines(try await client.receivedAll())
            #expect(answers.count == 3_001)
            let numbers = answers.dropLast().map { Int($0.split(separator: ":")[2].prefix { $0 != "\"" }) }
            #expect(numbers == Array(2...3_001))
        }
    }

    @Test("a client that does not read its answers pauses its input, and gets them all when it reads")
    func pressure() async throws {
        let gateway = ScriptedGateway { request, id, answer in
            if case .transact = request {
                answer(.transaction(change: nil, version: String(repeating: "v", count: 4_000), cursor: "c"))
            } else {
                answer(.members([]))
            }
        }
        #expect(ControlLimits().unreadBytesMax == 16 << 20)
        var limits = ControlLimits()
        limits.unreadBytesMax = 256 << 10
        limits.pendingLinesMax = 32
        try await serving(gateway, limits: limits) { path in
            let client = try await SocketClient(path, autoRead: false)
            try await client.send(
                streamHead("s")
            )
            client.push(
                Array((chunk(String(repeating: transaction + "\n", count: 1_000)) + "0\r\n\r\n").utf8))
            // The unread answers, the lines at the node, and the sockets' buffers: then the node sees no
            // more.
            var (last, same) = (UInt64(0), 0)
            while same < 50 {
                try await Task.sleep(for: .milliseconds(2))
                let count = gateway.state.count
                same = count == last && count > 100 ? same + 1 : 0
                last = count
            }
            #expect(last < 500)
            try await client.startReading()
            #expect(lines(try await client.receivedAll()).count == 1_001)
            #expect(gateway.state.count == 1_001)
        }
    }

    @Test("a line over the limit is answered 413 and the next line is taken")
    func longLine() throws {
        var splitter = LineSplitter(lineBytesMax: 4)
        var got: [StreamLine] = []
        for piece in ["ab\nabcd", "\nabcde", "f", "g\nxy", "\r\n\n\n", "zz"] {
            splitter.append(.init(string: piece))
            while let line = splitter.next() { got.append(line) }
        }
        while let line = splitter.next(atEnd: true) { got.append(line) }
        #expect(
            got == [
                .bytes(Array("ab".utf8)), .bytes(Array("abcd".utf8)), .tooLong, .bytes(Array("xy".utf8)),
                .bytes(Array("zz".utf8)),
            ])
    }

    @Test("a stream whose pieces never end with a line holds no more than what is not handed out")
    func splitterMemory() {
        var splitter = LineSplitter(lineBytesMax: 1_000)
        var count = 0
        for _ in 0..<20_000 {
            splitter.append(.init(string: "b\n" + String(repeating: "a", count: 99)))
            while splitter.next() != nil { count += 1 }
        }
        #expect(count == 20_000)
        #expect(splitter.count == 99)
        #expect(splitter.capacity <= 4_096)
    }

    @Test("an upgrade that is offered is not taken, and the answer ends the connection")
    func upgrade() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            try await client.send(get("/v1/spaces", headers: "Connection: Upgrade\r\nUpgrade: h2c\r\n"))
            #expect(try await client.receivedAll().hasSuffix(#"{"spaces":[]}"#))
        }
    }

    @Test("a body that is cut off is not executed")
    func cutBody() async throws {
        let gateway = node()
        try await serving(gateway) { path in
            let client = try await SocketClient(path)
            let whole = post("/v1/spaces/s/transactions", transaction)
            try await client.send(String(whole.dropLast(1)))
            try await client.finishSending()
            #expect(try await client.receivedAll().isEmpty)
            #expect(gateway.state.count == 0)
        }
    }

    @Test("a client that sends no more still gets its answer")
    func halfClosed() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            try await client.send(post("/v1/spaces/s/transactions", transaction))
            try await client.finishSending()
            #expect(try await client.receivedAll().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("HTTP/1.0 gets a stream without chunks, ended by the close")
    func oldVersion() async throws {
        try await serving(node()) { path in
            let client = try await SocketClient(path)
            try await client.send(
                "POST /v1/spaces/s/transactions:stream HTTP/1.0\r\n"
                    + "Content-Length: \(transaction.utf8.count)\r\n\r\n"
                    + transaction)
            let all = try await client.receivedAll()
            #expect(all.hasPrefix("HTTP/1.0 200 ") && !all.contains("chunked"))
            #expect(all.hasSuffix("\r\n\r\n{\"change\":\"\(replica):2\",\"version\":\"v\"}\n"))
        }
    }

    @Test("connections over the limit are told so and closed, the others go on")
    func tooMany() async throws {
        var limits = ControlLimits()
        limits.connectionsMax = 1
        try await serving(node(), limits: limits) { path in
            let first = try await SocketClient(path)
            try await first.send(get("/v1/spaces"))
            _ = try await first.received(until: "[]}")
            let second = try await SocketClient(path)
            try await second.send(get("/v1/spaces"))
            #expect(try await second.receivedAll().contains("too-many-connections"))
            try await first.send(get("/nowhere"))
            _ = try await first.received(until: "no-such-endpoint")
        }
    }

    @Test("an import restores line by line, and names the line that ends it")
    func importing() async throws {
        try await serving(node()) { path in
            let line = #"{"key":"d","value":{"kind":"map","value":{}}}"#
            let client = try await SocketClient(path)
            try await client.send(post("/v1/spaces/s/import", line + "\n" + line))
            #expect(
                try await client.received(until: "version").hasSuffix(
                    "{\"documents\":2,\"change\":\"\(replica):3\",\"version\":\"v\"}"))
            try await client.send(
                post("/v1/spaces/s/import", line + "\n{}\n" + line, headers: "Connection: close\r\n"))
            let all = try await client.receivedAll()
            #expect(
                all.contains("HTTP/1.1 422 ") && all.contains("line 2, after 1 document was restored: "))
        }
    }

    @Test("an import that meets a document larger than a change says which, how large, and what to do")
    func importingLarge() async throws {
        let size = ChangeTooLarge(.bytes, 2_000_000, limit: 1 << 20)
        let gateway = ScriptedGateway { request, _, answer in
            switch request {
            case .transact: answer(.failed(.transactionTooLarge(size)))
            default: answer(.members([]))
            }
        }
        try await serving(gateway) { path in
            let client = try await SocketClient(path)
            let line = #"{"key":"long/text","value":{"kind":"map","value":{}}}"#
            try await client.send(post("/v1/spaces/s/import", line, headers: "Connection: close\r\n"))
            let all = try await client.receivedAll()
            #expect(all.contains("HTTP/1.1 413 ") && all.contains("document-too-large"), "\(all)")
            #expect(all.contains(#"document \"long/text\" has \#(size.value) bytes"#), "\(all)")
            #expect(all.contains("restore a backup") && !all.contains("never split"), "\(all)")
        }
    }
}
