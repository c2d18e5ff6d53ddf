// All bytes or nothing: a write may be cut short by a signal or by a pipe that is full.

import Glibc

/// Descriptors of this process.
public enum Descriptor {
    /// False when nothing more can be written there.
    @discardableResult
    public static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                start += count
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// All there is up to the end; nil, and `errno`, when it cannot be read.
    public static func readAll(_ descriptor: CInt) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }
}
