// What systemd says to a service and hears from it, without libsystemd: environment variables in, datagrams
// out (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3); the protocol is one text datagram to a Unix
// socket). The variables are for this process alone: they are removed, so that no child speaks in its name.

import Glibc
import NodeRuntime

/// The service manager that started this process, if one did.
struct Supervisor: Sendable {
    /// Nil when nobody wants to hear anything.
    let notifier: ServiceNotifier?
    /// Beaten at half of what the manager waits for.
    let watchdogMilliseconds: UInt64?
    /// Sockets that the manager listens on for us; close-on-exec, not checked yet.
    let sockets: [PassedSocket]

    /// Takes the variables. Before any thread is started: the environment has no lock.
    static func take(from environment: Environment) -> Supervisor {
        defer { for name in variables { unsetenv(name) } }
        let own = "\(getpid())"
        let notifier = environment["NOTIFY_SOCKET"].flatMap { ServiceNotifier(address: $0) }
        var watchdog: UInt64?
        if environment["WATCHDOG_PID"] ?? own == own, notifier != nil {
            watchdog = environment["WATCHDOG_USEC"].flatMap { UInt64($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        return Supervisor(
            notifier: notifier, watchdogMilliseconds: watchdog.map { max(1, $0 / 2_000) },
            sockets: environment["LISTEN_PID"] == own
                ? PassedSocket.all(
                    count: environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0,
                    names: environment["LISTEN_FDNAMES"])
                : [])
    }

    private static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]

    /// For the node's thread.
    var pulse: Pulse? {
        guard let notifier, let watchdogMilliseconds else { return nil }
        return Pulse(everyMilliseconds: watchdogMilliseconds) { notifier.send("WATCHDOG=1") }
    }
}

/// Sends state to the service manager. Never blocks: the node's own thread feeds the watchdog with it, and
/// what a manager does not take is not worth waiting for.
final class ServiceNotifier: Sendable {
    private let descriptor: Int32
    /// The `sockaddr_un` up to its last byte in use.
    private let address: [UInt8]

    /// `address` is a path, or a name in the abstract namespace behind "@"; nil for any other.
    init?(address text: String) {
        let name = Array(text.utf8)
        let offset = MemoryLayout<sockaddr_un>.offset(of: \sockaddr_un.sun_path) ?? 2
        let room = MemoryLayout<sockaddr_un>.size - offset
        guard let first = name.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            name.count > 1,
            name.count < room
        else { return nil }
        var family = sa_family_t(AF_UNIX)
        var bytes = withUnsafeBytes(of: &family) { Array($0) }
        bytes += [UInt8](repeating: 0, count: offset - bytes.count)
        // An abstract name begins with a zero and has no end but its length.
        bytes += first == UInt8(ascii: "@") ? [0] + name.dropFirst() : name + [0]
        self.address = bytes
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// One datagram of `NAME=value` lines.
    func send(_ lines: String...) {
        let text = Array(lines.joined(separator: "\n").utf8)
        address.withUnsafeBytes { address in
            guard let name = address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
            _ = sendto(
                descriptor, text, text.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), name,
                socklen_t(address.count))
        }
    }

    func ready() { send("READY=1") }
    func stopping() { send("STOPPING=1", "STATUS=closing links and streams") }

    /// A reload begins; `ready` says that it is over.
    func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1", "MONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000)")
    }

    func status(_ text: String) {
        send("STATUS=\(text.map { $0.isNewline ? " " : $0 }.map(String.init).joined())")
    }
}

/// A socket that was open when the process started (sd_listen_fds(3)).
struct PassedSocket: Sendable, Equatable {
    let descriptor: Int32
    /// FileDescriptorName= of its unit; "unknown" when nobody named it.
    let name: String

    private static let first: Int32 = 3
    /// More than any unit of ours passes.
    private static let countMax: Int32 = 64

    static func all(count: Int32, names: String?) -> [PassedSocket] {
        let names = names?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
        return (0..<max(0, min(count, countMax))).map { index in
            let descriptor = first + index
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return PassedSocket(
                descriptor: descriptor, name: Int(index) < names.count ? names[Int(index)] : "unknown")
        }
    }

    /// The control socket among those passed: the one named "control", else the only one; nil without any.
    static func control(among sockets: [PassedSocket]) throws(SupervisorFault) -> PassedSocket? {
        if sockets.isEmpty { return nil }
        let named = sockets.filter { $0.name == "control" }
        guard let found = named.count == 1 ? named.first : sockets.count == 1 ? sockets.first : nil else {
            throw .severalSockets(sockets.map(\.name))
        }
        try found.check()
        return found
    }

    private func check() throws(SupervisorFault) {
        func option(_ name: Int32) -> Int32? {
            var (value, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        guard option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            option(SO_ACCEPTCONN) == 1
        else { throw .notListening(descriptor: descriptor, name: name) }
    }

    /// The path it is bound to; nil for an abstract or unnamed one.
    var path: String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

/// What is wrong with the sockets that the service manager passed.
enum SupervisorFault: Error, Equatable, CustomStringConvertible {
    case severalSockets([String])
    case notListening(descriptor: Int32, name: String)

    var description: String {
        switch self {
        case .severalSockets(let names):
            "\(names.count) sockets were passed (\(names.joined(separator: ", "))): pass one, or name one of "
                + "them \"control\" (FileDescriptorName=)"
        case .notListening(let descriptor, let name):
            "the passed socket \(descriptor) (\(name)) is no Unix stream socket that listens: use "
                + "ListenStream= with a path and Accept=no"
        }
    }
}
