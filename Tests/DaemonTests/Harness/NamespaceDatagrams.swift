// A plain UDP socket for tests: made inside a box (`NamespaceBox.inside`) it stays on that box's network,
// whoever uses it.

import Foundation

/// A bound UDP socket of one family.
final class Datagrams {
    struct Received: Equatable {
        var bytes: [UInt8]
        /// "ip:port", IPv6 in brackets.
        var sender: String
    }

    let descriptor: Int32
    let family: Int32
    /// The port it is bound to.
    private(set) var port: UInt16 = 0

    /// Port 0: any. Sharing allows several sockets on the port, each of which hears multicast and broadcast.
    /// `ip`: hears only what is sent to that address; nil: to any.
    init(_ family: Int32, port wanted: UInt16 = 0, isSharing: Bool = false, at ip: String? = nil) throws {
        self.family = family
        descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ConnectionFailure.failed("socket", errno) }
        if family == AF_INET6 { try set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        if isSharing { try set(SOL_SOCKET, SO_REUSEADDR, 1) }
        try set(SOL_SOCKET, SO_RCVBUF, 4 << 20)
        var (address, size) = try Self.address(ip ?? (family == AF_INET ? "0.0.0.0" : "::"), wanted)
        guard Self.rebound(&address, { bind(descriptor, $0, size) }) == 0 else {
            throw ConnectionFailure.failed("bind", errno)
        }
        _ = Self.rebound(&address) { getsockname(descriptor, $0, &size) }
        port = Self.text(address).port
    }

    deinit { close(descriptor) }

    func set(_ level: Int32, _ name: Int32, _ value: Int32) throws {
        var value = value
        guard setsockopt(descriptor, level, name, &value, 4) == 0 else {
            throw ConnectionFailure.failed("setsockopt \(level) \(name)", errno)
        }
    }

    /// Joins a group on the interface of this index.
    func join(_ group: String, interface: UInt32) throws {
        var request = group_req()
        request.gr_interface = interface
        request.gr_group = try Self.address(group, 0).0
        let level = family == AF_INET ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6)
        let size = socklen_t(MemoryLayout<group_req>.size)
        guard setsockopt(descriptor, level, MCAST_JOIN_GROUP, &request, size) == 0 else {
            throw ConnectionFailure.failed("joining \(group)", errno)
        }
    }

    func send(_ bytes: [UInt8], to ip: String, _ port: UInt16) throws {
        var (address, size) = try Self.address(ip, port)
        let sent = Self.rebound(&address) { sendto(descriptor, bytes, bytes.count, 0, $0, size) }
        guard sent == bytes.count else { throw ConnectionFailure.failed("sendto \(ip)", errno) }
    }

    /// The next datagram; nil when none came in time.
    func receive(within seconds: Double) throws -> Received? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(seconds * 1_000)) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = Self.rebound(&address) { recvfrom(descriptor, &bytes, bytes.count, 0, $0, &size) }
        guard count >= 0 else { throw ConnectionFailure.failed("recvfrom", errno) }
        let (ip, port) = Self.text(address)
        return Received(
            bytes: Array(bytes[..<count]), sender: ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)")
    }

    private static func rebound<Result>(
        _ address: inout sockaddr_storage, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    private static func address(_ ip: String, _ port: UInt16) throws -> (sockaddr_storage, socklen_t) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(ip, "\(port)", &hints, &found) == 0, let first = found else {
            throw ConnectionFailure.malformed("address \(ip)")
        }
        defer { freeaddrinfo(first) }
        var storage = sockaddr_storage()
        memcpy(&storage, first.pointee.ai_addr, Int(first.pointee.ai_addrlen))
        return (storage, first.pointee.ai_addrlen)
    }

    private static func text(_ address: sockaddr_storage) -> (ip: String, port: UInt16) {
        var address = address
        var (host, service) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 8))
        let size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = rebound(&address) {
            getnameinfo($0, size, &host, 64, &service, 8, NI_NUMERICHOST | NI_NUMERICSERV)
        }
        func string(_ text: [CChar]) -> String {
            String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return (string(host), UInt16(string(service)) ?? 0)
    }
}

/// A TCP port that counts who connects.
final class TCPListener {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ConnectionFailure.failed("socket", errno) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0, listen(descriptor, 16) == 0 else {
            throw ConnectionFailure.failed("listen", errno)
        }
    }

    deinit { close(descriptor) }

    func hasCaller(within seconds: Double) throws -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(seconds * 1_000)) > 0
    }
}
