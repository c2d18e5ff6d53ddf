// UDP of one family on the beacon port. Not a NIO channel: each beacon leaves on an interface of its own,
// which NIO cannot say, and a flood must wait in the kernel (and be dropped there) instead of taking turns
// with the links on their event loop.
//
// SO_REUSEADDR lets two daemons of one machine share the port: multicast and broadcast reach both. A datagram
// to one address reaches one of them, which beacons never are.

import Glibc
import Node

/// A socket of the LAN's thread; not to be used from another.
final class BeaconSocket {
    enum Family { case ip4, ip6 }

    /// What came in.
    struct Received {
        let bytes: [UInt8]
        /// "ip:port", IPv6 in brackets, link-local with its scope.
        let sender: String
        let interface: UInt32
    }

    static let port = UInt16(ListenAddress.defaultPort)
    /// A beacon, and one byte to see that it is longer.
    private static let bytesMax = 129
    /// About a second's worth of what is looked at; more is dropped by the kernel.
    private static let bufferBytes: Int32 = 64 << 10

    let family: Family
    let descriptor: Int32
    /// Nil: it hears. Else it sends only: why.
    let whyDeaf: SystemFailure?
    /// Interfaces on which it is in the group.
    private(set) var joined: Set<UInt32> = []
    /// Datagrams that the kernel dropped for want of room, as it counts.
    private var kernelDropped: UInt32 = 0
    private var newlyDropped: UInt64 = 0

    init(_ family: Family) throws(SystemFailure) {
        self.family = family
        let domain = family == .ip4 ? AF_INET : AF_INET6
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = socket(domain, type, 0)
        guard descriptor >= 0 else { throw SystemFailure("socket") }
        var deaf: SystemFailure?
        do throws(SystemFailure) {
            try Self.prepare(descriptor, family)
            do throws(SystemFailure) { try Self.bindPort(descriptor, family) } catch { deaf = error }
        } catch {
            close(descriptor)
            throw error
        }
        whyDeaf = deaf
    }

    deinit { close(descriptor) }

    private static func prepare(_ descriptor: Int32, _ family: Family) throws(SystemFailure) {
        func set(_ level: Int32, _ name: Int32, _ value: Int32) throws(SystemFailure) {
            try Self.set(descriptor, level, name, value)
        }
        try set(SOL_SOCKET, SO_REUSEADDR, 1)
        try set(SOL_SOCKET, SO_RCVBUF, bufferBytes)
        try set(SOL_SOCKET, SO_RXQ_OVFL, 1)
        switch family {
        case .ip4:
            try set(SOL_SOCKET, SO_BROADCAST, 1)
            try set(ipLevel, IP_PKTINFO, 1)
            // Only what came on an interface where this socket joined, not what others joined for.
            try set(ipLevel, IP_MULTICAST_ALL, 0)
        case .ip6:
            try set(ip6Level, IPV6_V6ONLY, 1)
            try set(ip6Level, IPV6_RECVPKTINFO, 1)
            try set(ip6Level, IPV6_MULTICAST_ALL, 0)
        }
    }

    private static let ipLevel = Int32(IPPROTO_IP)
    private static let ip6Level = Int32(IPPROTO_IPV6)

    private static func set<Value>(
        _ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Value
    ) throws(SystemFailure) {
        let status = withUnsafePointer(to: value) {
            setsockopt(descriptor, level, name, $0, socklen_t(MemoryLayout<Value>.size))
        }
        guard status == 0 else { throw SystemFailure("setsockopt \(level)/\(name)") }
    }

    private static func bindPort(_ descriptor: Int32, _ family: Family) throws(SystemFailure) {
        let status =
            switch family {
            case .ip4: SocketName(ip4: 0, port: port).with { bind(descriptor, $0, $1) }
            case .ip6: SocketName(ip6: in6_addr(), port: port, scope: 0).with { bind(descriptor, $0, $1) }
            }
        guard status == 0 else { throw SystemFailure("bind") }
    }

    // MARK: Groups

    /// Interfaces, by the kernel's number, on which the system refused to change the membership.
    struct GroupFailures {
        /// Wanted, and what multicast says there is not heard.
        var notJoined: [UInt32: SystemFailure] = [:]
        /// Not wanted any more, and still heard.
        var notLeft: [UInt32: SystemFailure] = [:]
    }

    /// Is in the group on exactly these interfaces from now on, as far as the system lets it; why not where
    /// it does not. What failed is tried again at the next call.
    func join(_ interfaces: Set<UInt32>) -> GroupFailures {
        var failures = GroupFailures()
        for index in joined.subtracting(interfaces).sorted() {
            do throws(SystemFailure) {
                try change(MCAST_LEAVE_GROUP, index)
                joined.remove(index)
            } catch {
                // An interface that is gone took its membership with it.
                if [ENODEV, ENXIO, EADDRNOTAVAIL].contains(error.code) {
                    joined.remove(index)
                } else {
                    failures.notLeft[index] = error
                }
            }
        }
        for index in interfaces.subtracting(joined).sorted() {
            do throws(SystemFailure) {
                try change(MCAST_JOIN_GROUP, index)
                joined.insert(index)
            } catch {
                failures.notJoined[index] = error
            }
        }
        return failures
    }

    private func change(_ option: Int32, _ interface: UInt32) throws(SystemFailure) {
        var request = group_req()
        request.gr_interface = interface
        request.gr_group = group(scope: 0).storage
        try Self.set(descriptor, family == .ip4 ? Self.ipLevel : Self.ip6Level, option, request)
    }

    /// 239.255.82.76 or ff02::5250:4c44, at the beacon port.
    private func group(scope: UInt32) -> SocketName {
        switch family {
        case .ip4: return SocketName(ip4: 0xEFFF_524C, port: Self.port)
        case .ip6:
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) { bytes in
                (bytes[0], bytes[1]) = (0xFF, 0x02)
                (bytes[12], bytes[13], bytes[14], bytes[15]) = (0x52, 0x50, 0x4C, 0x44)
            }
            return SocketName(ip6: address, port: Self.port, scope: scope)
        }
    }

    // MARK: Sending

    /// Leaves on that interface whatever routes say.
    func send(
        _ bytes: [UInt8], to destination: BeaconRoute.Destination, on interface: UInt32
    ) throws(SystemFailure) {
        let name: SocketName
        switch destination {
        case .multicast4:
            try Self.set(
                descriptor, Self.ipLevel, IP_MULTICAST_IF,
                ip_mreqn(imr_multiaddr: in_addr(), imr_address: in_addr(), imr_ifindex: Int32(interface)))
            name = group(scope: 0)
        case .broadcast:
            // 255.255.255.255 takes the interface that is set for what is no multicast.
            try Self.set(descriptor, Self.ipLevel, IP_UNICAST_IF, interface.bigEndian)
            name = SocketName(ip4: 0xFFFF_FFFF, port: Self.port)
        case .multicast6: name = group(scope: interface)
        }
        let sent = name.with { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
        guard sent == bytes.count else { throw SystemFailure("sendto") }
    }

    // MARK: Receiving

    /// The next datagram; nil when none waits.
    func receive() -> Received? {
        var bytes = [UInt8](repeating: 0, count: Self.bytesMax)
        var name = sockaddr_storage()
        var control = [UInt64](repeating: 0, count: 32)
        var count = 0
        var interface: UInt32 = 0
        bytes.withUnsafeMutableBytes { bytes in
            withUnsafeMutablePointer(to: &name) { name in
                control.withUnsafeMutableBytes { control in
                    var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                    withUnsafeMutablePointer(to: &piece) { piece in
                        var header = msghdr()
                        header.msg_name = UnsafeMutableRawPointer(name)
                        header.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
                        header.msg_iov = piece
                        header.msg_iovlen = 1
                        header.msg_control = control.baseAddress
                        header.msg_controllen = control.count
                        count = recvmsg(descriptor, &header, 0)
                        guard count >= 0 else { return }
                        read(UnsafeRawBufferPointer(control).prefix(Int(header.msg_controllen)), &interface)
                    }
                }
            }
        }
        guard count >= 0, let sender = SocketName(name).text(interface: interface) else { return nil }
        return Received(bytes: Array(bytes[..<count]), sender: sender, interface: interface)
    }

    /// What the kernel dropped since the last call.
    func takeDropped() -> UInt64 {
        defer { newlyDropped = 0 }
        return newlyDropped
    }

    /// Control messages: length, level, type, then the data, each aligned to a word (cmsg(3)).
    private func read(_ control: Slice<UnsafeRawBufferPointer>, _ interface: inout UInt32) {
        let bytes = UnsafeRawBufferPointer(rebasing: control)
        let (head, word) = (MemoryLayout<cmsghdr>.size, MemoryLayout<Int>.size)
        var offset = 0
        while offset + head <= bytes.count {
            let message = bytes.loadUnaligned(fromByteOffset: offset, as: cmsghdr.self)
            let (length, data) = (Int(message.cmsg_len), offset + head)
            guard length >= head, offset + length <= bytes.count else { return }
            func number(at place: Int) -> UInt32 {
                guard data + place + 4 <= offset + length else { return 0 }
                return bytes.loadUnaligned(fromByteOffset: data + place, as: UInt32.self)
            }
            switch (message.cmsg_level, message.cmsg_type) {
            // in_pktinfo begins with the interface, in6_pktinfo has it after the address.
            case (Self.ipLevel, IP_PKTINFO): interface = number(at: 0)
            case (Self.ip6Level, IPV6_PKTINFO): interface = number(at: 16)
            case (SOL_SOCKET, SO_RXQ_OVFL):
                let total = number(at: 0)
                newlyDropped += UInt64(total &- kernelDropped)
                kernelDropped = total
            default: break
            }
            offset += (length + word - 1) / word * word
        }
    }
}
