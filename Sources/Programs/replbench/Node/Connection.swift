// Blocking bytes over a Unix or TCP socket, and the two protocols' replies. Both servers get the same client,
// so that its own cost is in both figures.

import Glibc

/// One connection; requests go out whole, replies are cut by a `ReplyEnd`.
final class Connection {
    enum Address {
        case unix(String)
        case tcp(port: UInt16)
    }

    let descriptor: CInt
    private(set) var buffer: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)

    init(_ address: Address) throws(BenchFailure) {
        switch address {
        case .unix(let path):
            descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            let room = MemoryLayout.size(ofValue: name.sun_path)
            guard bytes.count < room else { throw BenchFailure("the path \(path) is too long for a socket") }
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
            let code = withUnsafePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try Self.check(code, descriptor, path)
        case .tcp(let port):
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var one: CInt = 1
            setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
            let code = withUnsafePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try Self.check(code, descriptor, "127.0.0.1:\(port)")
        }
    }

    deinit { close(descriptor) }

    private static func check(_ code: CInt, _ descriptor: CInt, _ what: String) throws(BenchFailure) {
        guard code != 0 else { return }
        let reason = String(cString: strerror(errno))
        close(descriptor)
        throw BenchFailure("\(what): \(reason)")
    }

    func send(_ bytes: [UInt8]) throws(BenchFailure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw BenchFailure("send: \(String(cString: strerror(errno)))") }
            sent += count
        }
    }

    /// Reads once; false when the other side closed.
    func fill() throws(BenchFailure) -> Bool {
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count >= 0 else { throw BenchFailure("recv: \(String(cString: strerror(errno)))") }
        buffer += chunk[..<count]
        return count > 0
    }

    /// The next reply, when it is whole.
    func take(_ end: ReplyEnd) -> [UInt8]? {
        guard let count = end.length(of: buffer) else { return nil }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    func reply(_ end: ReplyEnd) throws(BenchFailure) -> [UInt8] {
        while true {
            if let reply = take(end) { return reply }
            guard try fill() else { throw BenchFailure("the server closed the connection") }
        }
    }

    func ask(_ request: [UInt8], _ end: ReplyEnd) throws(BenchFailure) -> [UInt8] {
        try send(request)
        return try reply(end)
    }
}

/// Where a reply ends.
enum ReplyEnd {
    /// HTTP/1.1 with Content-Length.
    case http
    /// A RESP simple string, integer, error or bulk string.
    case redis
    /// One line.
    case line

    func length(of buffer: [UInt8]) -> Int? {
        switch self {
        case .line: return buffer.firstIndex(of: 10).map { $0 + 1 }
        case .redis:
            guard let end = buffer.firstIndex(of: 10) else { return nil }
            guard buffer.first == UInt8(ascii: "$") else { return end + 1 }
            let count = Int(String(decoding: buffer[1..<max(1, end - 1)], as: UTF8.self)) ?? -1
            let whole = count < 0 ? end + 1 : end + 1 + count + 2
            return buffer.count >= whole ? whole : nil
        case .http:
            guard let head = Self.head(of: buffer) else { return nil }
            let whole = head.end + head.contentLength
            return buffer.count >= whole ? whole : nil
        }
    }

    /// Where the head ends, and its Content-Length.
    private static func head(of buffer: [UInt8]) -> (end: Int, contentLength: Int)? {
        var (line, length, index) = (0, 0, 0)
        while let feed = buffer[index...].firstIndex(of: 10) {
            if feed - line <= 1 { return (feed + 1, length) }
            let text = String(decoding: buffer[line..<feed - 1], as: UTF8.self)
            if text.lowercased().hasPrefix("content-length:") {
                length = Int(text.dropFirst(15).drop(while: { $0 == " " })) ?? 0
            }
            line = feed + 1
            index = line
        }
        return nil
    }
}
