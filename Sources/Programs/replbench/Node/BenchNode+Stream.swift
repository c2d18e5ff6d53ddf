// Answers without a Content-Length: exports, logs, imports. They come in chunks, on a connection of their
// own.

import Bytes
import JSON

extension BenchNode {
    /// The whole body of an answer that must be 200.
    func body(_ method: String, _ path: String, body: [UInt8] = [], type: String = "application/json")
        throws(BenchFailure) -> [UInt8]
    {
        let connection = try Connection(.unix(socket))
        let content = body.isEmpty ? "" : "Content-Type: \(type)\r\n"
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(content)"
            + "Content-Length: \(body.count)\r\n\r\n"
        try connection.send(Array(head.utf8) + body)
        while try connection.fill() {}
        let answer = connection.buffer
        guard Self.isFine(answer), let end = Self.headEnd(of: answer) else {
            throw BenchFailure("\(method) \(path): \(String(decoding: answer.prefix(600), as: UTF8.self))")
        }
        let text = String(decoding: answer[..<end], as: UTF8.self).lowercased()
        guard text.contains("transfer-encoding: chunked") else { return Array(answer[end...]) }
        return try Self.unchunked(answer[end...])
    }

    /// The JSON of an answer that must be 200.
    func json(_ path: String) throws(BenchFailure) -> PlainValue {
        let reply = try reply("GET", path)
        guard let end = Self.headEnd(of: reply) else { throw BenchFailure("GET \(path): no body") }
        do throws(JSONFault) { return try JSONReader.read(Array(reply[end...])) } catch {
            throw BenchFailure("GET \(path): \(error)")
        }
    }

    private static func headEnd(of answer: [UInt8]) -> Int? {
        var line = 0
        while let feed = answer[line...].firstIndex(of: 10) {
            if feed - line <= 1 { return feed + 1 }
            line = feed + 1
        }
        return nil
    }

    private static func unchunked(_ bytes: ArraySlice<UInt8>) throws(BenchFailure) -> [UInt8] {
        var (result, rest) = ([UInt8](), bytes)
        result.reserveCapacity(bytes.count)
        while let feed = rest.firstIndex(of: 10) {
            let digits = String(decoding: rest[rest.startIndex..<feed].dropLast(), as: UTF8.self)
            guard let count = Int(digits, radix: 16), rest.endIndex - feed > count else { break }
            if count == 0 { return result }
            result += rest[(feed + 1)..<(feed + 1 + count)]
            rest = rest[(feed + 1 + count + 2)...]
        }
        throw BenchFailure("an answer ends in the middle")
    }
}

extension PlainValue {
    var integer: Int? { if case .scalar(.integer(let number)) = self { Int(number) } else { nil } }
}
