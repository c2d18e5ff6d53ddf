// The server over a real node with a store in memory: every endpoint of one node by plain HTTP, so that what
// the scripted tests assume of the node is true.

import Bytes
import Causality
import ControlAPI
import Crypto
import Documents
import Foundation
import Logging
import NIOCore
import NIOPosix
import Node
import NodeRuntime
import Simulator
import Testing

@testable import ControlServer

private struct Answer {
    let status: Int
    let text: String
    /// The chunks of a streamed body, joined; else the body.
    var body: String {
        let head = text.range(of: "\r\n\r\n").map { text[..<$0.lowerBound] } ?? ""
        if head.contains("chunked") { return lines(text).joined(separator: "\n") }
        return text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
    }
    func member(_ path: Key...) throws -> PlainValue? {
        path.reduce(try JSONReader.read(Array(body.utf8))) { $0?[$1] }
    }
}

private func ask(
    _ path: String, _ method: String, _ target: String, _ body: String = "", headers: String = ""
) async throws -> Answer {
    let client = try await SocketClient(path)
    try await client.send(
        "\(method) \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    let text = try await client.receivedAll()
    return Answer(status: Int(text.dropFirst(9).prefix(3)) ?? 0, text: text)
}

/// Runs `body` against a node of its own.
private func node(_ body: (String) async throws -> Void) async throws {
    func secret(_ byte: UInt8) -> Secret { Secret(copying: [UInt8](repeating: byte, count: 32)) }
    let configuration = NodeConfiguration(
        device: SigningKey(seed: secret(1)), box: AgreementKey(secret: secret(2)), deviceName: "box",
        version: "test", entropySeed: secret(3), discontinuity: nil, staticPeers: [], advertise: [])
    let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    let runtime = NodeRuntime(log: log, errands: Errands(backup: { throw CancellationError() }))
    let machine = try Node(store: MemoryStore(), configuration: configuration, at: SystemClock.now())
    runtime.start(machine, peers: nil)
    let directory = FileManager.default.temporaryDirectory.appending(
        path: "repl-\(UUID().uuidString.prefix(8))")
    let path = directory.appending(path: "control.sock").path
    let server = ControlServer(
        path: path, gateway: runtime, loops: MultiThreadedEventLoopGroup.singleton, log: log)
    try await server.bind()
    let result: Result<Void, any Error>
    do { result = .success(try await body(path)) } catch { result = .failure(error) }
    await server.stop()
    runtime.stop()
    try await runtime.run()
    try FileManager.default.removeItem(at: directory)
    try result.get()
}

private let everyKind = #"""
    {"operations":[
    {"op":"set","document":"note/1","path":["title"],"value":"Groc\u00e9ries"},
    {"op":"set","document":"note/1","path":["n"],"value":1.5},
    {"op":"increment","document":"note/1","path":["views"],"by":3},
    {"op":"add","document":"note/1","path":["tags"],"value":"work"},
    {"op":"insert","document":"note/1","path":["items"],"index":0,"values":[1,{"a":[true]},"x"]},
    {"op":"move","document":"note/1","path":["items"],"from":2,"to":0},
    {"op":"splice","document":"note/1","path":["body"],"index":0,"delete":0,"insert":"abc"},
    {"op":"make","document":"note/1","path":["seen"],"kind":"remove-wins-set"},
    {"op":"make","document":"note/1","path":["order"],"kind":"ordered-set"},
    {"op":"insert","document":"note/1","path":["order"],"index":0,"values":["b","a"]},
    {"op":"set","document":"empty","path":[],"value":{}}]}
    """#

@Suite struct WholeNodeTests {
    @Test("a space is made, written, read, listed, exported and logged")
    func roundTrip() async throws {
        try await node { path in
            #expect(try await ask(path, "POST", "/v1/spaces", #"{"name":"work"}"#).status == 201)
            #expect(try await ask(path, "POST", "/v1/spaces", #"{"name":"work"}"#).status == 409)
            let written = try await ask(path, "POST", "/v1/spaces/work/transactions", everyKind)
            #expect(written.status == 200, "\(written.text)")
            let document = try await ask(path, "GET", "/v1/spaces/work/documents/note%2F1")
            let expected =
                #"{"key":"note/1","value":{"body":"abc","items":["x",1,{"a":[true]}],"n":1.5,"#
                + #""order":["b","a"],"seen":[],"tags":["work"],"title":"Grocéries","views":3},"version":"#
            #expect(document.body.hasPrefix(expected), "\(document.text)")
            #expect(document.text.contains("Repl-Cursor: "))
            #expect(
                try await ask(path, "GET", "/v1/spaces/work/documents/empty").body.contains(#""value":{}"#))
            #expect(try await ask(path, "GET", "/v1/spaces/work/documents/none").status == 404)
            let page = try await ask(path, "GET", "/v1/spaces/work/documents?limit=1")
            #expect(page.body.hasPrefix(#"{"documents":[{"key":"empty","version":""#))
            guard case .scalar(.string(let cursor))? = try page.member("next") else {
                return #expect(Bool(false), "\(page.body)")
            }
            let more = try await ask(path, "GET", "/v1/spaces/work/documents?cursor=\(cursor)")
            #expect(more.body.hasPrefix(#"{"documents":[{"key":"note/1""#), "\(more.body)")
            #expect(more.body.hasSuffix(#""next":null}"#), "\(more.body)")
            #expect(try await ask(path, "GET", "/v1/spaces/work/documents?cursor=\(cursor)").status == 410)
            let log = try await ask(path, "GET", "/v1/spaces/work/log")
            #expect(log.status == 200 && log.body.contains(#""status":"executed""#), "\(log.text)")
            for target in [
                "status", "peers", "spaces", "metrics", "spaces/work/members", "spaces/work/invites",
            ] {
                #expect(try await ask(path, "GET", "/v1/" + target).status == 200, "\(target)")
            }
            let change = try #require(try written.member("change"))
            guard case .scalar(.string(let id)) = change else { return #expect(Bool(false), "\(change)") }
            #expect(try await ask(path, "GET", "/v1/spaces/work/wait?change=\(id)").status == 200)
        }
    }

    @Test("a typed export that is imported elsewhere gives the same export, both views")
    func importing() async throws {
        try await node { path in
            for name in ["a", "b"] { _ = try await ask(path, "POST", "/v1/spaces", "{\"name\":\"\(name)\"}") }
            _ = try await ask(path, "POST", "/v1/spaces/a/transactions", everyKind)
            let typed = try await ask(path, "GET", "/v1/spaces/a/export?view=typed").body
            let imported = try await ask(path, "POST", "/v1/spaces/b/import", typed)
            #expect(
                imported.status == 200 && imported.body.hasPrefix(#"{"documents":2,"#), "\(imported.text)")
            let plain = try await ask(path, "GET", "/v1/spaces/a/export").body
            #expect(plain.hasPrefix("{\"key\":\"empty\",\"value\":{}}\n{\"key\":\"note/1\","))
            #expect(try await ask(path, "GET", "/v1/spaces/b/export").body == plain)
            func kinds(_ text: String) -> [Substring] { text.matches(of: /"kind":"[a-z-]+"/).map(\.output) }
            let again = try await ask(path, "GET", "/v1/spaces/b/export?view=typed").body
            #expect(kinds(again) == kinds(typed) && kinds(typed).count > 8)
            let repeated = try await ask(path, "POST", "/v1/spaces/b/import", typed)
            #expect(repeated.body.hasPrefix(#"{"documents":2,"change":null"#), "\(repeated.body)")
        }
    }

    @Test(
        "what does not fit the document has the status of API.md, and writes nothing",
        arguments: [
            (#"[{"op":"increment","document":"note/1","path":["body"],"by":1}]"#, "[]", 409, "wrong-kind"),
            (#"[{"op":"set","document":"note/1","path":["views"],"value":1}]"#, "[]", 409, "wrong-kind"),
            (
                #"[{"op":"splice","document":"note/1","path":["body"],"index":9}]"#, "[]", 422,
                "index-past-end"
            ),
            (#"[{"op":"set","document":"note/1","path":[],"value":1}]"#, "[]", 422, "not-for-document"),
            (
                #"[{"op":"delete","document":"note/1","path":[]},"#
                    + #"{"op":"set","document":"d","path":["title","x"],"value":[{"id":"#, "[]", 400,
                "malformed-json"
            ),
            (
                #"[{"op":"delete","document":"note/1","path":[]}]"#,
                #"[{"document":"note/1","path":["title"],"equals":"other"}]"#, 412, "condition-failed"
            ),
            (
                #"[{"op":"delete","document":"note/1","path":[]}]"#,
                #"[{"document":"none","path":[],"exists":true}]"#, 412, "condition-failed"
            ),
        ])
    func refused(operations: String, conditions: String, status: Int, code: String) async throws {
        try await node { path in
            _ = try await ask(path, "POST", "/v1/spaces", #"{"name":"s"}"#)
            _ = try await ask(path, "POST", "/v1/spaces/s/transactions", everyKind)
            let before = try await ask(path, "GET", "/v1/spaces/s/export").body
            let answer = try await ask(
                path, "POST", "/v1/spaces/s/transactions",
                "{\"operations\":\(operations),\"if\":\(conditions)}")
            #expect(answer.status == status && answer.body.contains("\"code\":\"\(code)\""), "\(answer.text)")
            #expect(try await ask(path, "GET", "/v1/spaces/s/export").body == before)
        }
    }

    @Test("a watcher sees the state, then every transaction, as patches; a cursor resumes after it")
    func watching() async throws {
        try await node { path in
            _ = try await ask(path, "POST", "/v1/spaces", #"{"name":"s"}"#)
            _ = try await ask(path, "POST", "/v1/spaces/s/transactions", everyKind)
            let watcher = try await SocketClient(path)
            try await watcher.send(get("/v1/spaces/s/changes?since=begin"))
            _ = try await watcher.received(until: "note/1")
            let set = #"{"operations":[{"op":"set","document":"note/1","path":["title"],"value":"new"}]}"#
            let written = try await ask(path, "POST", "/v1/spaces/s/transactions", set)
            let seen = try await watcher.received(until: #""set":"new""#)
            #expect(seen.contains(#""path":["title"]"#) && seen.contains(#""name":"box""#))
            let line = try #require(
                written.text.components(separatedBy: "\r\n").first { $0.hasPrefix("Repl-C") })
            let cursor = line.dropFirst("Repl-Cursor: ".count)
            let resumed = try await ask(path, "GET", "/v1/spaces/s/changes?follow=false&since=\(cursor)")
            #expect(resumed.status == 200 && !resumed.body.contains("note/1"), "\(resumed.text)")
            await watcher.close()
        }
    }

    @Test("the same idempotency key gives the same answer, another body 422")
    func idempotency() async throws {
        try await node { path in
            _ = try await ask(path, "POST", "/v1/spaces", #"{"name":"s"}"#)
            let body = #"{"operations":[{"op":"increment","document":"d","path":["n"],"by":1}]}"#
            let other = #"{"operations":[{"op":"increment","document":"d","path":["n"],"by":2}]}"#
            func send(_ body: String) async throws -> Answer {
                try await ask(
                    path, "POST", "/v1/spaces/s/transactions", body, headers: "Idempotency-Key: k\r\n")
            }
            let first = try await send(body)
            #expect(try await send(body).body == first.body)
            #expect(try await send(other).status == 422)
            #expect(try await ask(path, "GET", "/v1/spaces/s/documents/d").body.contains(#"{"n":1}"#))
        }
    }
}
