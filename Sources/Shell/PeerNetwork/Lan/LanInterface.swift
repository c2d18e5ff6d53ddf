// The machine's network interfaces as the kernel lists them, and what each is good for: taking links, and
// beacons.

import Glibc
import Node

/// A system call that failed.
struct SystemFailure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    init(_ call: String) { (self.call, code) = (call, errno) }
    var reason: String { String(cString: strerror(code)) }
    var description: String { "\(call): \(reason)" }
}

/// One interface with its addresses, in the kernel's order.
struct LanInterface: Equatable, Sendable {
    let name: String
    /// The kernel's number of it.
    let index: UInt32
    /// Up, with a carrier, and not loopback.
    var isLive = false
    var canMulticast = false
    var canBroadcast = false
    /// Without prefix length.
    var ip4: [String] = []
    /// Without scope.
    var ip6: [String] = []

    /// All interfaces, ascending by index.
    static func all() throws(SystemFailure) -> [LanInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { throw SystemFailure("getifaddrs") }
        defer { freeifaddrs(first) }
        var found: [String: LanInterface] = [:]
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let name = String(cString: entry.ifa_name)
            let index = if_nametoindex(name)
            // It went away while we looked.
            guard index > 0 else { continue }
            var interface = found[name] ?? LanInterface(name: name, index: index)
            interface.take(flags: entry.ifa_flags)
            if let address = entry.ifa_addr { interface.take(address) }
            found[name] = interface
        }
        return found.values.sorted { $0.index < $1.index }
    }

    private mutating func take(flags: UInt32) {
        func has(_ flag: Int) -> Bool { flags & UInt32(truncatingIfNeeded: flag) != 0 }
        isLive = has(IFF_UP) && has(IFF_RUNNING) && !has(IFF_LOOPBACK)
        canMulticast = has(IFF_MULTICAST)
        canBroadcast = has(IFF_BROADCAST)
    }

    private mutating func take(_ address: UnsafeMutablePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let ip = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
            if let text = Self.text(AF_INET, ip) { ip4.append(text) }
        case AF_INET6:
            let ip = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            if let text = Self.text(AF_INET6, ip) { ip6.append(text) }
        default: break
        }
    }

    /// The usual text of an in_addr or in6_addr.
    static func text<Address>(_ family: Int32, _ address: Address) -> String? {
        var text = [CChar](repeating: 0, count: 64)
        let isWritten = withUnsafePointer(to: address) {
            inet_ntop(family, $0, &text, socklen_t(text.count)) != nil
        }
        guard isWritten else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: What it is good for

    /// "ip:port" under which others on the network reach us at these listeners, ascending. Loopback leads
    /// back here; link-local addresses need a zone, which is another number on every machine.
    static func usableAddresses(_ interfaces: [LanInterface], bound: [ListenAddress]) -> [String] {
        var usable: Set<String> = []
        for listener in bound {
            guard listener.isUnspecified else {
                usable.insert("\(listener)")
                continue
            }
            for interface in interfaces {
                for ip in listener.isIPv6 ? interface.ip6 : interface.ip4 where isUsable(ip) {
                    usable.insert(HostAndPort.join(ip, listener.port))
                }
            }
        }
        return usable.sorted()
    }

    private static func isUsable(_ ip: String) -> Bool {
        !(ip.hasPrefix("127.") || ip == "::1" || ip.hasPrefix("169.254.")
            || ip.lowercased().hasPrefix("fe80"))
    }

    /// Where beacons go out on this interface: only where a link can come back to the address that they are
    /// sent from.
    func routes(bound: [ListenAddress], _ settings: DiscoverySettings) -> [BeaconRoute] {
        guard isLive, settings.sends(on: name) else { return [] }
        var routes: [BeaconRoute] = []
        func add(_ destination: BeaconRoute.Destination, _ port: Int?) {
            guard let port = port.flatMap(UInt16.init(exactly:)), port > 0 else { return }
            routes.append(BeaconRoute(interface: name, destination: destination, port: port))
        }
        // Datagrams are sent from the first address of the interface.
        let port4 = bound.first { !$0.isIPv6 && !ip4.isEmpty && ($0.isUnspecified || $0.host == ip4[0]) }?
            .port
        let isLinkLocal = ip6.contains { $0.lowercased().hasPrefix("fe80") }
        let port6 = bound.first { $0.isIPv6 && $0.isUnspecified && isLinkLocal }?.port
        if canMulticast, settings.multicasts(on: name) {
            add(.multicast4, port4)
            add(.multicast6, port6)
        }
        if canBroadcast, settings.broadcasts(on: name) { add(.broadcast, port4) }
        return routes
    }
}
