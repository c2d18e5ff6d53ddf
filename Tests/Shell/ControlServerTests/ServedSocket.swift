// A control server on a socket in a directory of its own, for the length of a test.

import Foundation
import Logging
import NIOCore
import NIOPosix

@testable import ControlServer

/// Runs `body` against a server that asks `gateway`.
func serving(
    _ gateway: ScriptedGateway, limits: ControlLimits = ControlLimits(), _ body: (String) async throws -> Void
) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
        path: "repl-\(UUID().uuidString.prefix(8))")
    let path = directory.appending(path: "control.sock").path
    let server = ControlServer(
        path: path, gateway: gateway, loops: MultiThreadedEventLoopGroup.singleton,
        log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), limits: limits)
    try await server.bind()
    defer { try? FileManager.default.removeItem(at: directory) }
    do {
        try await body(path)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// A request with a body, as bytes.
func post(_ target: String, _ body: String, headers: String = "") -> String {
    "POST \(target) HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}

func get(_ target: String, headers: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n"
}

/// A piece of a chunked body.
func chunk(_ text: String) -> String { String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n" }

/// The lines of a chunked answer.
func lines(_ answer: String) -> [String] {
    guard let start = answer.range(of: "\r\n\r\n") else { return [] }
    var (rest, body) = (Array(answer[start.upperBound...].utf8)[...], [UInt8]())
    while let end = rest.firstIndex(of: 0x0D),
        let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16),
        rest.count >= size + (end - rest.startIndex) + 4
    {
        body += rest[(end + 2)..<(end + 2 + size)]
        rest = rest[(end + 4 + size)...]
    }
    return String(decoding: body, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(
        String.init)
}
