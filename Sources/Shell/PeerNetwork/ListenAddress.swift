// Where to listen: an IP and a port. Names are not taken: what a name means may change under a running
// daemon.

import NIOCore

/// "ADDR:PORT" of `--listen`; IPv6 in brackets.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    public let host: String
    /// 0: any free one.
    public let port: Int

    /// The port that repld has when nothing else is said.
    public static let defaultPort = 21_420

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Nil unless it is an IP address, ":" and a port from 0 to 65535.
    public init?(_ text: String) {
        guard let (host, port) = HostAndPort.split(text), port >= 0 else { return nil }
        do { _ = try SocketAddress(ipAddress: host, port: port) } catch { return nil }
        self.init(host: host, port: port)
    }

    /// All addresses of both families.
    public static func all(port: Int = defaultPort) -> [ListenAddress] {
        [ListenAddress(host: "0.0.0.0", port: port), ListenAddress(host: "::", port: port)]
    }

    var isIPv6: Bool { host.contains(":") }
    var isUnspecified: Bool { host == "0.0.0.0" || host == "::" }

    public var description: String { HostAndPort.join(host, port) }
}

enum HostAndPort {
    /// Host without brackets, and port; nil when the text has no such form.
    static func split(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        return host.isEmpty ? nil : (String(host), Int(port))
    }

    static func join(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    static func text(of address: SocketAddress?) -> String {
        guard let address, let ip = address.ipAddress, let port = address.port else { return "unknown" }
        return join(ip, port)
    }
}

/// Why peers cannot be listened for.
public enum PeerNetworkFailure: Error, Equatable, CustomStringConvertible {
    case inUse(ListenAddress)
    case cannotListen(ListenAddress, reason: String)

    public var description: String {
        switch self {
        case .inUse(let address):
            "port \(address.port) is in use (\(address)): stop what listens there, or choose another --listen"
        case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
        }
    }
}
