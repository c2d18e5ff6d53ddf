// Ports for servers that must be found again at the same place after a restart.

import Glibc

enum LoopbackPort {
    /// One of 127.0.0.1 that nobody listens on now.
    static func free() throws(BenchFailure) -> UInt16 {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) | getsockname(descriptor, $0, &size)
            }
        }
        guard code == 0 else { throw BenchFailure("no free port: \(String(cString: strerror(errno)))") }
        return UInt16(bigEndian: name.sin_port)
    }
}
