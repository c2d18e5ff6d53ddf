// The service manager's end of sd_notify: a datagram socket that remembers what a daemon sent, and when.

import Foundation
import Testing

final class NotifySocket {
    struct Line: Equatable {
        let text: String
        let seconds: Double
    }

    private let descriptor: Int32
    /// For NOTIFY_SOCKET.
    let address: String
    private(set) var lines: [Line] = []

    /// Bound to a path, or with "@" in front to a name in the abstract namespace.
    init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = address.hasPrefix("@") ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard descriptor >= 0, result == 0 else { throw ConnectionFailure.failed("bind \(address)", errno) }
    }

    deinit { close(descriptor) }

    /// Takes what has arrived.
    func collect() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return }
            for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
                lines.append(Line(text: String(line), seconds: secondsNow()))
            }
        }
    }

    func count(_ prefix: String) -> Int {
        collect()
        return lines.count { $0.text.hasPrefix(prefix) }
    }

    /// Waits until so many lines with this beginning have come.
    func wait(for prefix: String, count wanted: Int = 1, within seconds: Double = 20) throws {
        try eventually(
            "\(wanted) × \(prefix)", within: seconds, every: 5,
            last: { self.lines.suffix(5).map(\.text).description }
        ) { count(prefix) >= wanted }
    }
}
