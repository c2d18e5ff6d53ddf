// The protocol of the service manager without one: what is taken from the environment, which passed socket is
// the control socket, what the status line says, and who gets more time to start.

import Bytes
import Causality
import Foundation
import Node
import Synchronization
import Testing
import Wire

@testable import repld

/// A datagram socket with a name in the abstract namespace.
private struct Listener {
    let descriptor: Int32
    let address = "@repld-unit-\(UUID().uuidString)"

    init() throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(address.utf8.dropFirst())
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(result == 0)
    }

    /// The datagrams that are there.
    func read() -> [String] {
        var (found, bytes) = ([String](), [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return found }
            found.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
    }
}

/// What a process is said to have used.
private final class Used: Sendable {
    private let state = Mutex(StartExtension.Use())
    var value: StartExtension.Use { state.withLock { $0 } }

    func add(microseconds: Int = 0, blocks: Int = 0) {
        state.withLock {
            $0.microseconds += microseconds
            $0.blocks += blocks
        }
    }
}

@Suite(.serialized) struct SupervisorTests {
    private func take(_ variables: [String: String]) -> Supervisor {
        for (name, value) in variables { setenv(name, value, 1) }
        return Supervisor.take(from: Environment())
    }

    @Test("the variables are taken once: no child speaks in this process's name")
    func taken() throws {
        let listener = try Listener()
        defer { close(listener.descriptor) }
        let supervisor = take([
            "NOTIFY_SOCKET": listener.address, "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())",
            "LISTEN_PID": "1", "LISTEN_FDS": "1",
        ])
        supervisor.notifier?.send("READY=1", "STATUS=x")
        #expect(listener.read() == ["READY=1\nSTATUS=x"])
        supervisor.notifier?.status("two\nlines")
        #expect(listener.read() == ["STATUS=two lines"])
        #expect(supervisor.watchdogMilliseconds == 1_500, "half of what the manager waits")
        #expect(supervisor.sockets.isEmpty, "they were meant for another process")
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS"] {
            #expect(getenv(name) == nil, "\(name)")
        }
        let alone = take([:])
        #expect(alone.notifier == nil && alone.pulse == nil && alone.sockets.isEmpty)
    }

    @Test("a watchdog of another process, of no time, or without a socket to feed it is none")
    func watchdog() throws {
        let listener = try Listener()
        defer { close(listener.descriptor) }
        let socket = ["NOTIFY_SOCKET": listener.address]
        for variables in [
            ["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "0"],
            ["WATCHDOG_USEC": "-1"],
            ["WATCHDOG_USEC": "soon"], [:],
        ] { #expect(take(socket.merging(variables) { $1 }).pulse == nil, "\(variables)") }
        #expect(take(["WATCHDOG_USEC": "1000000"]).pulse == nil)
        #expect(take(socket.merging(["WATCHDOG_USEC": "1"]) { $1 }).watchdogMilliseconds == 1)
    }

    @Test("addresses that are neither a path nor an abstract name are not spoken to")
    func addresses() {
        for address in ["", "/", "@", "run/notify", "vsock:2:1", "/" + String(repeating: "x", count: 107)] {
            #expect(ServiceNotifier(address: address) == nil, "\(address)")
        }
        #expect(ServiceNotifier(address: "/" + String(repeating: "x", count: 106)) != nil)
    }

    @Test("the control socket is the one of that name, else the only one; what does not listen is refused")
    func passed() throws {
        #expect(try PassedSocket.control(among: []) == nil)
        let (a, b) = (PassedSocket(descriptor: -1, name: "a"), PassedSocket(descriptor: -1, name: "b"))
        #expect(throws: SupervisorFault.severalSockets(["a", "b"])) {
            try PassedSocket.control(among: [a, b])
        }
        #expect(throws: SupervisorFault.notListening(descriptor: -1, name: "a")) {
            try PassedSocket.control(among: [a])
        }
        let path = "/tmp/repld-unit-\(UUID().uuidString.prefix(8)).sock"
        let stream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(stream)
            unlink(path)
        }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(stream, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        let ours = PassedSocket(descriptor: stream, name: "control")
        #expect(throws: SupervisorFault.notListening(descriptor: stream, name: "control")) {
            try PassedSocket.control(among: [ours])
        }
        try #require(listen(stream, 1) == 0)
        let found = try #require(try PassedSocket.control(among: [a, ours, b]))
        #expect(found == ours && found.path == path)
    }

    @Test(
        "the status line counts spaces, links and alarms, and what the furthest peer of each space is ahead")
    func status() {
        func sync(_ space: UInt8, _ behind: UInt64) -> PeerReport.Sync {
            let id = SpaceID(raw: Bytes32([UInt8](repeating: space, count: 32)))
            return PeerReport.Sync(space: id, behindChanges: behind, aheadChanges: 3, treeRole: nil)
        }
        #expect(StatusLine.behind([]) == 0)
        #expect(StatusLine.behind([sync(1, 7), sync(2, 1), sync(1, 9), sync(2, 0)]) == 10)
        #expect(StatusLine.text(spaces: 1, links: 2, behind: 0, alarms: 0) == "1 space, 2 links, not behind")
        #expect(
            StatusLine.text(spaces: 0, links: 1, behind: 10, alarms: 1)
                == "0 spaces, 1 link, 10 behind, 1 alarm")
    }

    @Test("a start that works gets more time, one that hangs does not")
    func extends() throws {
        let listener = try Listener()
        defer { close(listener.descriptor) }
        let used = Used()
        let working = StartExtension(ServiceNotifier(address: listener.address)) { used.value }
        for _ in 0..<3 { working.look() }
        #expect(listener.read().isEmpty)
        used.add(microseconds: 50_000)
        working.look()
        used.add(blocks: 1)
        working.look()
        #expect(listener.read() == ["EXTEND_TIMEOUT_USEC=30000000", "EXTEND_TIMEOUT_USEC=30000000"])
        working.look()
        used.add(microseconds: 1_000)
        working.look()
        #expect(listener.read().isEmpty, "asking is not working")
        working.finish()
        used.add(microseconds: 50_000)
        working.look()
        #expect(listener.read().isEmpty)
    }
}
