// HTTP/1.1 by hand: a request with a whole or a chunked body, an answer with Content-Length, chunks, or the
// end of the connection; both bodies may stream at the same time.

import Foundation

/// A whole answer.
struct HTTPAnswer: CustomStringConvertible {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var description: String { "\(status) \(text.prefix(600))" }

    func json() throws -> JSON { try JSON.parse(body) }

    /// NDJSON, without the empty lines that show life.
    func lines() throws -> [JSON] {
        try body.split(separator: 0x0A).filter { !$0.isEmpty }.map { try JSON.parse(Array($0)) }
    }

    /// The code of an error, nil when the body is none.
    var code: String? { try? json()["error"]["code"].string }
}

/// One request and its answer on a connection.
/// One thread may write while another reads; each touches its own half of the state.
final class HTTPExchange: @unchecked Sendable {
    private enum Framing {
        case length(Int)
        case chunks
        case toEnd
    }

    let connection: SocketConnection
    private let method: String
    private(set) var status = 0
    private(set) var headers: [String: String] = [:]
    private var framing = Framing.toEnd
    /// Decoded from the body, not yet taken, from `start` on.
    private var held: [UInt8] = []
    private var start = 0
    private var isWhole = false

    /// Sends the head. `bodyBytes`: the length of the body to come, nil for a chunked one, 0 for none.
    init(
        _ connection: SocketConnection, _ method: String, _ target: String,
        headers: [(String, String)] = [], bodyBytes: Int?
    ) throws {
        (self.connection, self.method) = (connection, method)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let bodyBytes {
            if bodyBytes > 0 || method == "POST" { head += "Content-Length: \(bodyBytes)\r\n" }
        } else {
            head += "Transfer-Encoding: chunked\r\n"
        }
        try connection.write((head + "\r\n").utf8)
    }

    // MARK: Writing a chunked body

    func write(chunk: [UInt8]) throws {
        guard !chunk.isEmpty else { return }
        try connection.write(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [0x0D, 0x0A])
    }

    func write(line: String) throws { try write(chunk: Array(line.utf8) + [0x0A]) }

    func endChunks() throws { try connection.write("0\r\n\r\n".utf8) }

    // MARK: Reading

    /// The head of the answer, 100s passed over.
    func readHead() throws {
        repeat {
            guard let line = try headLine() else { throw ConnectionFailure.ended("before an answer") }
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
                throw ConnectionFailure.malformed("status line \(line)")
            }
            self.status = status
            headers = [:]
            while let line = try headLine(), !line.isEmpty {
                guard let colon = line.firstIndex(of: ":") else {
                    throw ConnectionFailure.malformed("header \(line)")
                }
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                headers[line[..<colon].lowercased()] = value
            }
        } while (100..<200).contains(status)
        if method == "HEAD" || status == 204 {
            framing = .length(0)
        } else if headers["transfer-encoding"]?.lowercased() == "chunked" {
            framing = .chunks
        } else {
            framing = headers["content-length"].flatMap { Int($0) }.map { .length($0) } ?? .toEnd
        }
    }

    private func headLine() throws -> String? {
        guard let line = try connection.readLine() else { return nil }
        let content = line.last == 0x0D ? line.dropLast() : line[...]
        return String(decoding: content, as: UTF8.self)
    }

    /// The next line of the body, nil after its end. Empty lines (they show life) are passed over.
    func readLine() throws -> String? {
        var searched = start
        while true {
            if let end = held[searched...].firstIndex(of: 0x0A) {
                let line = held[start..<end]
                start = end + 1
                searched = start
                if line.isEmpty { continue }
                return String(decoding: line, as: UTF8.self)
            }
            let waiting = held.count - start
            guard let piece = try readPiece() else {
                guard waiting == 0 else {
                    throw ConnectionFailure.ended("in the middle of a line of the body")
                }
                return nil
            }
            held.removeSubrange(..<start)
            start = 0
            held.append(contentsOf: piece)
            searched = waiting
        }
    }

    func readJSONLine() throws -> JSON? { try readLine().map { try JSON($0) } }

    func readRest() throws -> [UInt8] {
        var body = Array(held[start...])
        start = held.count
        while let piece = try readPiece() { body.append(contentsOf: piece) }
        return body
    }

    /// What comes next of the body, nil at its end.
    private func readPiece() throws -> [UInt8]? {
        guard !isWhole else { return nil }
        switch framing {
        case .length(let count):
            isWhole = true
            return count > 0 ? try connection.read(exactly: count) : nil
        case .toEnd:
            isWhole = true
            return try connection.readToEnd()
        case .chunks:
            guard let line = try headLine(), let count = Int(line.prefix { $0 != ";" }, radix: 16) else {
                throw ConnectionFailure.ended("before the last chunk")
            }
            let piece = count > 0 ? try connection.read(exactly: count) : nil
            guard try headLine() == "" else { throw ConnectionFailure.malformed("no line end after a chunk") }
            isWhole = count == 0
            return piece
        }
    }

    func readAnswer() throws -> HTTPAnswer {
        try readHead()
        return HTTPAnswer(status: status, headers: headers, body: try readRest())
    }
}
