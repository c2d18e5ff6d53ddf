// The kernel says when interfaces, addresses or routes change (rtnetlink(7)). What changed is then read anew
// as a whole: the messages are only the bell. A sandbox may refuse the socket; then the machine is looked at
// every few seconds instead.

import Glibc

/// A socket of the LAN's thread.
final class NetlinkSocket {
    /// What the bell said.
    struct News: Equatable {
        var interfaces = false
        var routes = false
    }

    let descriptor: Int32

    // linux/netlink.h and linux/rtnetlink.h, which Swift's Glibc does not show.
    private static let routeProtocol: Int32 = 0
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    private static let (overrun, newLink, delAddress, newRoute, delRoute):
        (UInt16, UInt16, UInt16, UInt16, UInt16) =
            (4, 16, 21, 24, 25)
    private static let headBytes = 16
    /// rtm_type of a route to somewhere, and rtm_flags of one that is a cache entry.
    private static let (unicast, cloned): (UInt8, UInt32) = (1, 0x200)

    init() throws(SystemFailure) {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_NETLINK, type, Self.routeProtocol)
        guard descriptor >= 0 else { throw SystemFailure("socket") }
        // struct sockaddr_nl: family, padding, port id (the kernel's choice), groups.
        var name = (UInt16(AF_NETLINK), UInt16(0), UInt32(0), Self.groups)
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, 12) }
        }
        guard status == 0 else {
            let failure = SystemFailure("bind")
            close(descriptor)
            throw failure
        }
    }

    deinit { close(descriptor) }

    /// Empties the socket.
    func drain() -> News {
        var news = News()
        var bytes = [UInt8](repeating: 0, count: 32 << 10)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count > 0 {
                Self.read(bytes[..<count], &news)
            } else if count < 0, errno == ENOBUFS {
                // More happened than the kernel could keep for us.
                news = News(interfaces: true, routes: true)
            } else if count < 0, errno == EINTR {
                continue
            } else {
                return news
            }
        }
    }

    /// Messages: length u32, type u16, flags u16, sequence u32, port u32, then the body; each aligned to 4.
    static func read(_ bytes: ArraySlice<UInt8>, _ news: inout News) {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + headBytes <= bytes.count {
                let length = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                let type = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)
                guard length >= headBytes, offset + length <= bytes.count else { return }
                switch type {
                case newLink...delAddress: news.interfaces = true
                case newRoute, delRoute:
                    // struct rtmsg: 8 bytes of which the last is the type, then flags.
                    guard length >= headBytes + 12 else { break }
                    let kind = bytes[offset + headBytes + 7]
                    let flags = bytes.loadUnaligned(fromByteOffset: offset + headBytes + 8, as: UInt32.self)
                    if kind == unicast, flags & cloned == 0 { news.routes = true }
                case overrun: news = News(interfaces: true, routes: true)
                default: break
                }
                offset += (length + 3) / 4 * 4
            }
        }
    }
}
