// Nodes behind a bad network (`chaosrelay`): slow, jittering, throttled, cut, half-open. First the relay
// itself, then three nodes on loopback whose first links lead through it, then five boxes in namespaces that
// reach each other through it only.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Tool.path("chaosrelay") != nil, "chaosrelay was not built")) struct ChaosTests {
        @Test("the relay delays, throttles, holds and cuts a stream, and leaves its bytes as they are")
        func stream() throws {
            let (port, target) = (try SocketConnection.freePort(), try SocketConnection.freePort())
            let listener = try EchoListener(port: target)
            let tool = try Tool.relay(["tcp:127.0.0.1:\(port)=127.0.0.1:\(target)"])
            try tool.set("delay 30", "jitter 10")
            let connection = try SocketConnection(port: port, timeout: 10)
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 3) }
            var start = secondsNow()
            let writer = Workers([0]) { _ in try connection.write(bytes) }
            #expect(try connection.read(exactly: bytes.count) == bytes)
            try writer.finish(within: 10)
            #expect(secondsNow() - start >= 0.06, "there and back")
            try tool.set("delay 0", "jitter 0", "throttle 100000")
            start = secondsNow()
            try connection.write(bytes.prefix(50_000))
            #expect(try connection.read(exactly: 50_000) == Array(bytes.prefix(50_000)))
            let took = secondsNow() - start
            #expect(took > 0.35 && took < 5, "50,000 bytes there and back at 100,000 a second: \(took) s")
            try tool.set("throttle 0", "half-open")
            try connection.write([1, 2, 3])
            usleep(200_000)
            try tool.set("heal")
            #expect(try connection.read(exactly: 3) == [1, 2, 3], "what was held back passes")
            try tool.set("cut")
            #expect(try connection.readToEnd().isEmpty)
            listener.end()
        }

        @Test("the relay loses, doubles and reorders datagrams as its seed says")
        func datagrams() throws {
            /// The answers to a hundred numbered datagrams.
            func run(seed: Int) throws -> [UInt8] {
                let (port, target) = (try SocketConnection.freePort(), try SocketConnection.freePort())
                let far = try DatagramSocket(port: target)
                let near = try DatagramSocket(port: nil)
                let tool = try Tool.relay(["udp:127.0.0.1:\(port)=127.0.0.1:\(target)"], seed: seed)
                try tool.set("loss 20", "duplicate 10", "delay 5", "jitter 60")
                for number in 0..<100 as Range<UInt8> {
                    try near.send([number], to: port)
                    // One at a time, so that the same dice fall for the same datagram.
                    usleep(2_000)
                }
                var heard: [UInt8] = []
                while let datagram = far.receive(within: 400) { heard += datagram }
                return heard
            }
            let heard = try run(seed: 3)
            let lost = 100 - Set(heard).count
            #expect(lost > 5 && lost < 40, "\(lost) lost")
            #expect(heard.count > Set(heard).count, "some came twice")
            #expect(zip(heard, heard.dropFirst()).contains { $0 > $1 }, "some overtook others")
            #expect(Set(try run(seed: 3)) == Set(heard), "the same seed loses the same ones")
            #expect(Set(try run(seed: 4)) != Set(heard))
        }

        @Test("three nodes over a slow, jittering, cut and half-open network end equal")
        func loopback() throws {
            try DaemonWorld.run { world in
                let daemons = try ["a", "b", "c"].map { try world.daemon($0) }
                let ports = try daemons.map { _ in try SocketConnection.freePort() }
                let tool = try Tool.relay(
                    zip(ports, daemons).map { "tcp:127.0.0.1:\($0.0)=\($0.1.address)" })
                try tool.set("delay 20", "jitter 30", "throttle 400000")
                // Each dials the others through the relay.
                for (index, daemon) in daemons.enumerated() {
                    let peers = ports.indices.filter { $0 != index }.flatMap {
                        ["--peer", "127.0.0.1:\(ports[$0])"]
                    }
                    try daemon.launch(daemon.arguments + peers)
                    try eventually("\(daemon.name) to answer", within: 20) {
                        (try? daemon.api.open(1)) != nil
                    }
                }
                try daemons[0].api.createSpace("s")
                for joiner in daemons.dropFirst() { try joiner.api.join(try daemons[0].api.token("s")) }
                let written = try storm(daemons, tool, rounds: FaultRounds.count(sample: 1, whole: 20))
                try MeshTests.converge(daemons, having: "\"n\":\(written)", within: 90)
                for daemon in daemons { #expect(try daemon.api.alarms() == [], "\(daemon.name)") }
            }
        }

        @Test("five boxes that reach each other through a bad network only end equal", .namespaces)
        func namespaces() throws {
            try NamespaceWorld.run { world in
                let names = ["a", "b", "c", "d", "e"]
                let daemons = try names.map { try world.daemon($0) }
                let middle = try world.lan.box("relay")
                // Box to box nothing passes; everybody reaches the relay.
                try world.lan.separate(names.map { [$0, "relay"] })
                let routes = daemons.enumerated().map { index, daemon in
                    "tcp:\(middle.ip4):\(22_000 + index)=\(daemon.address)"
                }
                let tool = try Tool.relay(routes, in: middle)
                try tool.set("delay 20", "jitter 40", "throttle 400000")
                for (index, daemon) in daemons.enumerated() {
                    let peers = names.indices.filter { $0 != index }.flatMap {
                        ["--peer", "\(middle.ip4):\(22_000 + $0)"]
                    }
                    try daemon.launch(daemon.arguments + peers)
                    try eventually("\(daemon.name) to answer", within: 20) {
                        (try? daemon.api.open(1)) != nil
                    }
                }
                try daemons[0].api.createSpace("s")
                for joiner in daemons.dropFirst() {
                    let token = try daemons[0].api.token("s")
                    try eventually("\(joiner.name) to join", within: 60) {
                        try joiner.api.tryJoin(token).lines().last?.has("space") == true
                    }
                }
                let written = try storm(daemons, tool, rounds: FaultRounds.count(sample: 1, whole: 20))
                try MeshTests.converge(daemons, having: "\"n\":\(written)", within: 120)
                for daemon in daemons { #expect(try daemon.api.alarms() == [], "\(daemon.name)") }
                #expect(try tool.count("connections") >= 4)
                FaultRounds.report("five boxes behind the relay: \(try tool.ask("stats"))")
            }
        }

        @Test(
            "two boxes that hear of each other through a relay that loses and doubles datagrams only are linked",
            .namespaces)
        func datagramsOfNodes() throws {
            try NamespaceWorld.run { world in
                let (a, b) = (try world.daemon("a"), try world.daemon("b"))
                let middle = try world.lan.box("relay")
                try world.lan.separate([["a", "relay"], ["b", "relay"]])
                // What a broadcasts comes to b from the relay's address, and there b dials. No address of a
                // is told to b that it could reach: without these datagrams it does not even join.
                let tool = try Tool.relay(
                    ["udp:255.255.255.255:21420=\(b.address)", "tcp:\(middle.ip4):21420=\(a.address)"],
                    in: middle)
                try tool.set("loss 40", "duplicate 40", "delay 30", "jitter 300")
                for daemon in [a, b] { try daemon.start() }
                try a.api.createSpace("s")
                for number in 0..<5 { try a.api.createSpace("beside-\(number)") }
                let token = try a.api.token("s")
                try eventually("b to join", within: 120) {
                    try b.api.tryJoin(token).lines().last?.has("space") == true
                }
                #expect(try tool.count("datagrams") > 0)
                #expect(try tool.count("connections") > 0)
                // Three beacons of each space at its start: now b knows the key of one.
                try a.stop()
                try a.start()
                var last = JSON.null
                try eventually("b to hear a", within: 60, last: { "\(last)" }) {
                    last = try b.api.json("/v1/status")["discovery"]
                    return last["heard"].integer ?? 0 >= 1
                }
                try a.api.write("s", #"{"op":"set","document":"d","path":["of"],"value":"a"}"#)
                try MeshTests.converge([a, b], having: #""of":"a""#)
                try tool.set("cut")
                try b.api.write("s", #"{"op":"set","document":"d","path":["of"],"value":"b"}"#)
                try a.api.write("s", #"{"op":"set","document":"e","path":["x"],"value":1}"#)
                try tool.set("heal")
                try MeshTests.converge([a, b], having: #""of":"b""#, within: 90)
                #expect(try tool.count("dropped") > 0)
                for daemon in [a, b] { #expect(try daemon.api.alarms() == [], "\(daemon.name)") }
                FaultRounds.report("two boxes by datagrams through the relay: \(try tool.ask("stats"))")
            }
        }

        /// Writes everywhere while the weather changes; how many increments were acknowledged.
        private func storm(_ daemons: [Daemon], _ tool: Tool, rounds: Int) throws -> Int {
            let stops = Shared(false)
            let written = Shared(0)
            let apis = daemons.map(\.api)
            let writers = Workers(Array(apis.indices)) { index in
                while !stops.value {
                    try apis[index].write(
                        "s", #"{"op":"increment","document":"c","path":["n"],"by":1}"#,
                        #"{"op":"splice","document":"t\#(index)","path":["t"],"index":0,"insert":"\#(index)"}"#
                    )
                    written.change { $0 += 1 }
                    usleep(20_000)
                }
            }
            defer { stops.change { $0 = true } }
            for _ in 0..<rounds {
                for weather in ["cut", "heal", "half-open", "heal", "delay 120", "jitter 200", "delay 10"] {
                    try tool.set(weather)
                    usleep(700_000)
                }
            }
            try tool.set("heal", "delay 5", "jitter 10", "throttle 0")
            stops.change { $0 = true }
            try writers.finish(within: 30)
            return written.value
        }
    }
}

/// Gives back what it gets, to one client after the other.
private final class EchoListener {
    private let descriptor: Int32
    private let stops = Shared(false)

    init(port: UInt16) throws {
        descriptor = try LoopbackSocket.bound(SOCK_STREAM, port)
        guard listen(descriptor, 8) == 0 else { throw ConnectionFailure.failed("listen", errno) }
        let (descriptor, stops) = (descriptor, stops)
        _ = Workers([0]) { _ in
            while !stops.value {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                var piece = [UInt8](repeating: 0, count: 16 << 10)
                while case let count = recv(client, &piece, piece.count, 0), count > 0 {
                    var sent = 0
                    while sent < count {
                        let done = piece[sent..<count].withUnsafeBytes {
                            send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                        }
                        if done <= 0 { break }
                        sent += done
                    }
                    if sent < count { break }
                }
                close(client)
            }
        }
    }

    func end() {
        stops.change { $0 = true }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    deinit { close(descriptor) }
}

/// A UDP socket on loopback.
private final class DatagramSocket {
    private let descriptor: Int32

    init(port: UInt16?) throws { descriptor = try LoopbackSocket.bound(SOCK_DGRAM, port ?? 0) }
    deinit { close(descriptor) }

    func send(_ bytes: [UInt8], to port: UInt16) throws {
        var address = LoopbackSocket.address(port)
        let sent = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard sent == bytes.count else { throw ConnectionFailure.failed("sendto", errno) }
    }

    /// Nil when none comes within so many milliseconds.
    func receive(within milliseconds: Int32) -> [UInt8]? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 2_048)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count >= 0 ? Array(bytes[..<count]) : nil
    }
}

private enum LoopbackSocket {
    static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func bound(_ type: __socket_type, _ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ConnectionFailure.failed("socket", errno) }
        var address = address(port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw ConnectionFailure.failed("bind", errno)
        }
        return descriptor
    }
}
