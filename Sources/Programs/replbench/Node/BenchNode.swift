// A repld of the benchmark's own, on loopback, spoken to as programs do.

import Bytes
import Documents
import Glibc

/// A running daemon.
final class BenchNode {
    let process: ChildProcess
    let socket: String
    /// The state directory.
    let state: String
    let connection: Connection

    /// Goes on in what one of that name left in the directory. `port` 0: any. `options`: more words.
    init(
        _ name: String, program: String, in directory: TemporaryDirectory, port: UInt16 = 0,
        options: [String] = []
    ) throws(BenchFailure) {
        socket = "\(directory.path)/\(name).sock"
        state = "\(directory.path)/\(name)"
        process = try ChildProcess(
            name,
            [
                program, "--state", state, "--socket", socket, "--listen", "127.0.0.1:\(port)",
                "--no-discovery", "--name", name, "--log-level", "warning",
            ] + options, output: "\(directory.path)/\(name).log")
        connection = try Self.connected(socket)
    }

    private static func connected(_ socket: String) throws(BenchFailure) -> Connection {
        let end = microseconds() + 20e6
        while true {
            do throws(BenchFailure) {
                return try Connection(.unix(socket))
            } catch {
                guard microseconds() < end else { throw error }
                usleep(5_000)
            }
        }
    }

    func connections(_ count: Int) throws(BenchFailure) -> [Connection] {
        var result: [Connection] = []
        for _ in 0..<count { result.append(try Connection(.unix(socket))) }
        return result
    }

    static func request(_ method: String, _ path: String, body: String = "", headers: String = "") -> [UInt8]
    {
        let type = body.isEmpty ? "" : "Content-Type: application/json\r\n"
        let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(type)\(headers)"
        return Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    /// The transaction that writes one record.
    static func write(_ space: String, _ number: Int) -> [UInt8] {
        request("POST", "/v1/spaces/\(space)/transactions", body: line(number))
    }

    static func line(_ number: Int) -> String {
        #"{"operations":[{"op":"set","document":"record/\#(number)","path":["value"],"#
            + #""value":"\#(payload(number))"}]}"#
    }

    /// 32 bytes; the same for Redis.
    static func payload(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "x", count: max(0, 32 - digits.utf8.count)) + digits
    }

    /// Asks what must succeed; the text member of that name in its answer.
    @discardableResult
    func ask(_ method: String, _ path: String, body: String = "", headers: String = "", member: String? = nil)
        throws(BenchFailure) -> String
    {
        let reply = try self.reply(method, path, body: body, headers: headers)
        guard let member else { return "" }
        guard let value = Self.member(member, of: reply) else {
            let text = String(decoding: reply.prefix(600), as: UTF8.self)
            throw BenchFailure("\(method) \(path) answers no \(member): \(text)")
        }
        return value
    }

    /// The same; head and body as they came.
    func reply(_ method: String, _ path: String, body: String = "", headers: String = "") throws(BenchFailure)
        -> [UInt8]
    {
        let reply = try connection.ask(Self.request(method, path, body: body, headers: headers), .http)
        guard Self.isFine(reply) else {
            throw BenchFailure("\(method) \(path): \(String(decoding: reply.prefix(600), as: UTF8.self))")
        }
        return reply
    }

    /// A text member of the JSON object that ends a reply.
    static func member(_ name: String, of reply: [UInt8]) -> String? {
        guard let start = reply.firstIndex(of: UInt8(ascii: "{")),
            case .object(let members)? = try? JSONReader.read(Array(reply[start...])),
            let value = members.first(where: { $0.key.description == name })?.value,
            case .scalar(.string(let text)) = value
        else { return nil }
        return text.description
    }

    /// Joins with a token; returns when the daemon said that all endpoints of the space answer.
    func join(_ token: String) throws(BenchFailure) {
        let joining = try Connection(.unix(socket))
        try joining.send(
            Self.request(
                "POST", "/v1/join", body: #"{"token":"\#(token)"}"#, headers: "Connection: close\r\n"))
        while try joining.fill() {}
        let answer = String(decoding: joining.buffer, as: UTF8.self)
        guard answer.contains(#"{"space":"#) else { throw BenchFailure("join: \(answer.suffix(600))") }
    }

    static func isFine(_ reply: [UInt8]) -> Bool { reply.starts(with: Array("HTTP/1.1 20".utf8)) }
}
