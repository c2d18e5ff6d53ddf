// A connection to the node under attack: a blocking socket and the project's own link.

import Bytes
import Causality
import Crypto
import Glibc
import SecureLink

/// A TCP connection to this machine.
final class Connection {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw HostileFailure.system("socket", errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw HostileFailure.system("connect", errno)
        }
    }

    deinit { close(descriptor) }

    /// False once the other side does not take it any more.
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 10_000) > 0 else { return false }
            let count = bytes.withUnsafeBytes {
                send(
                    descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// What came within the time: empty when nothing did, nil at the end.
    func read(within milliseconds: Int32) -> [UInt8]? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}

/// A link that stands, and what was heard on it.
struct HostileLink {
    private(set) var secure: SecureLink
    private let connection: Connection
    private var replays = ReplayGuard()
    /// Frames not looked at yet.
    private(set) var heard: [LinkFrame] = []
    private(set) var isOver = false
    /// What the handshake began with.
    private(set) var firstBytes: [UInt8] = []

    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let monotonic = UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(
            monotonic: monotonic, wall: UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000)
    }

    /// Shakes hands; throws when the node does not.
    init(port: UInt16, _ candidate: PSKCandidate, _ identity: LinkIdentity, ephemeral: Secret) throws {
        connection = try Connection(port: port)
        secure = SecureLink(initiating: candidate, identity: identity, ephemeral: ephemeral, at: Self.now)
        let outputs = secure.start()
        for case .send(let bytes) in outputs { firstBytes += bytes }
        take(outputs)
        let deadline = Self.now.monotonic + 6_000
        while secure.established == nil, !isOver, Self.now.monotonic < deadline { listen(100) }
        if secure.established == nil { throw HostileFailure.refused("no handshake") }
    }

    private mutating func take(_ outputs: [LinkOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes): if !connection.write(bytes) { isOver = true }
            case .frame(let frame): heard.append(frame)
            case .close: isOver = true
            case .established, .pinged: continue
            }
        }
    }

    /// Hears what comes within the time.
    mutating func listen(_ milliseconds: Int32) {
        guard !isOver else { return }
        guard let bytes = connection.read(within: milliseconds) else {
            isOver = true
            return
        }
        if !bytes.isEmpty { take(secure.receive(bytes, replays: &replays, at: Self.now)) }
    }

    /// The next frame of a type, among those heard or within the time; what came before it is forgotten.
    mutating func wait(for type: UInt8, within milliseconds: UInt64) -> LinkFrame? {
        let deadline = Self.now.monotonic + milliseconds
        repeat {
            if let index = heard.firstIndex(where: { $0.type == type }) {
                let frame = heard[index]
                heard.removeSubrange(...index)
                return frame
            }
            if isOver { return nil }
            listen(50)
        } while Self.now.monotonic < deadline
        return nil
    }

    /// Until the node has read all that was said before: it answers a PING in its order, or ended the link.
    mutating func settle() throws {
        heard = []
        say(LinkFrame(type: LinkFrame.ping, body: [UInt8](repeating: 0, count: 8)))
        guard wait(for: LinkFrame.pong, within: 15_000) != nil || isOver else {
            throw HostileFailure.broken("the node neither answers nor ends the link")
        }
    }

    /// False once the link is over.
    @discardableResult
    mutating func say(_ frame: LinkFrame) -> Bool {
        guard !isOver, secure.established != nil else { return false }
        return sayRaw(secure.send(frame))
    }

    /// Bytes as they are.
    @discardableResult
    mutating func sayRaw(_ bytes: [UInt8]) -> Bool {
        if !connection.write(bytes) { isOver = true }
        return !isOver
    }

    mutating func seal(_ frame: LinkFrame) -> [UInt8] { secure.send(frame) }
    mutating func forget() { heard = [] }
}
