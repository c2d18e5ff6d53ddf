// One stream connection on POSIX sockets, with a deadline on every call: what the HTTP client and the
// strangers at the peer port are made of. Nothing of the project is used, so the tests see the API as any
// program does.

import Foundation

/// What a socket call met.
enum ConnectionFailure: Error, CustomStringConvertible {
    /// The system call, its errno.
    case failed(String, Int32)
    case timedOut(String)
    /// The other side ended the stream in the middle of something.
    case ended(String)
    case malformed(String)

    var description: String {
        switch self {
        case .failed(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .timedOut(let what): "timed out: \(what)"
        case .ended(let what): "the connection ended: \(what)"
        case .malformed(let what): "no HTTP: \(what)"
        }
    }
}

/// A connected socket. One thread may read while another writes: `buffer` is the reader's.
final class SocketConnection: @unchecked Sendable {
    let descriptor: Int32
    /// Of each read or write, in seconds.
    let timeout: Double
    /// Read from the socket, not yet taken, from `start` on.
    private var buffer: [UInt8] = []
    private var start = 0
    private(set) var hasEnded = false

    private init(descriptor: Int32, timeout: Double) {
        (self.descriptor, self.timeout) = (descriptor, timeout)
    }

    deinit { close(descriptor) }

    /// To a Unix socket.
    convenience init(path: String, timeout: Double) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw ConnectionFailure.failed("connect \(path)", ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try self.init(family: AF_UNIX, address: address, timeout: timeout, name: path)
    }

    /// To a port of this machine.
    convenience init(port: UInt16, timeout: Double) throws {
        try self.init(family: AF_INET, address: Self.loopback(port), timeout: timeout, name: "port \(port)")
    }

    private convenience init<Address>(family: Int32, address: Address, timeout: Double, name: String) throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw ConnectionFailure.failed("socket", errno) }
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw ConnectionFailure.failed("connect \(name)", code)
        }
        self.init(descriptor: descriptor, timeout: timeout)
    }

    /// A port that was free a moment ago. Not one that the kernel gives to outgoing connections: while a
    /// daemon is away, such a connection would take its port.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ConnectionFailure.failed("socket", errno) }
        defer { close(descriptor) }
        for _ in 0..<200 {
            let port = UInt16.random(in: 10_000..<32_768)
            var address = loopback(port)
            let isFree = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { return port }
        }
        throw ConnectionFailure.failed("bind", errno)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    // MARK: Writing

    func write(_ bytes: some Collection<UInt8>) throws {
        var rest = Array(bytes)[...]
        let deadline = secondsNow() + timeout
        while !rest.isEmpty {
            try wait(for: POLLOUT, until: deadline, "writing")
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw ConnectionFailure.failed("send", errno) }
            rest = rest.dropFirst(count)
        }
    }

    func endWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: Reading

    /// The next line without its end, nil at the end of the stream.
    func readLine() throws -> [UInt8]? {
        let deadline = secondsNow() + timeout
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            let held = buffer.count - start
            guard try fill(until: deadline, "reading a line") else {
                guard start < buffer.count else { return nil }
                throw ConnectionFailure.ended("in the middle of a line")
            }
            searched = start + held
        }
    }

    func read(exactly count: Int) throws -> [UInt8] {
        let deadline = secondsNow() + timeout
        while buffer.count - start < count {
            guard try fill(until: deadline, "reading \(count) bytes") else {
                throw ConnectionFailure.ended("\(buffer.count - start) of \(count) bytes came")
            }
        }
        defer { start += count }
        return Array(buffer[start..<start + count])
    }

    /// Everything up to the end of the stream; a reset is an end too.
    func readToEnd() throws -> [UInt8] {
        let deadline = secondsNow() + timeout
        while try fill(until: deadline, "reading to the end") {}
        defer { start = buffer.count }
        return Array(buffer[start...])
    }

    /// False at the end of the stream.
    private func fill(until deadline: Double, _ what: String) throws -> Bool {
        if hasEnded { return false }
        if start > 1 << 20 || start == buffer.count {
            buffer.removeSubrange(..<start)
            start = 0
        }
        try wait(for: POLLIN, until: deadline, what)
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &piece, piece.count, 0)
        if count < 0, errno == EINTR { return true }
        guard count >= 0 || errno == ECONNRESET else { throw ConnectionFailure.failed("recv", errno) }
        hasEnded = count <= 0
        if count > 0 { buffer.append(contentsOf: piece[..<count]) }
        return count > 0
    }

    private func wait(for event: Int32, until deadline: Double, _ what: String) throws {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let left = deadline - secondsNow()
            let result = poll(&entry, 1, Int32(max(0, left) * 1_000))
            if result > 0 { return }
            guard result < 0, errno == EINTR else {
                throw ConnectionFailure.timedOut("\(what), \(timeout) s")
            }
        }
    }
}
