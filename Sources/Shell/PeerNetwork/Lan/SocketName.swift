// An IP address and port in the form that system calls take.

import Glibc

/// A `sockaddr` of either family.
struct SocketName {
    private(set) var storage = sockaddr_storage()
    private var length: socklen_t

    /// `ip4` as one number, 127.0.0.1 being 0x7F000001.
    init(ip4: UInt32, port: UInt16) {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = ip4.bigEndian
        length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in.self) }
    }

    /// `scope` is the interface of a link-local address.
    init(ip6: in6_addr, port: UInt16, scope: UInt32) {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        name.sin6_addr = ip6
        name.sin6_scope_id = scope
        length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in6.self) }
    }

    /// As a system call filled it.
    init(_ storage: sockaddr_storage) {
        self.storage = storage
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    }

    func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// "ip:port", IPv6 in brackets, a link-local address with the name of its interface; nil when it is no
    /// IP.
    func text(interface: UInt32) -> String? {
        withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let name = bytes.load(as: sockaddr_in.self)
                guard let ip = LanInterface.text(AF_INET, name.sin_addr) else { return nil }
                return "\(ip):\(UInt16(bigEndian: name.sin_port))"
            case AF_INET6:
                let name = bytes.load(as: sockaddr_in6.self)
                guard var ip = LanInterface.text(AF_INET6, name.sin6_addr) else { return nil }
                if ip.lowercased().hasPrefix("fe80") {
                    let index = name.sin6_scope_id > 0 ? name.sin6_scope_id : interface
                    guard let scope = Self.interfaceName(index) else { return nil }
                    ip += "%\(scope)"
                }
                return "[\(ip)]:\(UInt16(bigEndian: name.sin6_port))"
            default: return nil
            }
        }
    }

    /// Nil when it is gone.
    static func interfaceName(_ index: UInt32) -> String? {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &name) != nil else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
