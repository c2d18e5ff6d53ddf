// Beacons as strangers on the LAN see and send them: captured in a box of their own, replayed, and by the
// thousand. In network namespaces only.

import Foundation
import Testing

/// Everything that reaches a box on the beacon port, and by which way.
private final class BeaconCapture {
    let (multicast4, multicast6, broadcast): (Datagrams, Datagrams, Datagrams)

    init(in box: NamespaceBox) throws {
        (multicast4, multicast6, broadcast) = try box.inside {
            let index = if_nametoindex("eth0")
            let four = try Datagrams(AF_INET, port: 21_420, isSharing: true, at: "239.255.82.76")
            try four.join("239.255.82.76", interface: index)
            let six = try Datagrams(AF_INET6, port: 21_420, isSharing: true, at: "ff02::5250:4c44%eth0")
            try six.join("ff02::5250:4c44", interface: index)
            return (four, six, try Datagrams(AF_INET, port: 21_420, isSharing: true, at: "255.255.255.255"))
        }
    }

    var all: [Datagrams] { [multicast4, multicast6, broadcast] }

    /// What waits at each, after it was quiet for a moment.
    func take(within seconds: Double = 0.1) throws -> [[Datagrams.Received]] {
        try all.map { socket in
            var received: [Datagrams.Received] = []
            while let one = try socket.receive(within: seconds) { received.append(one) }
            return received
        }
    }
}

extension DaemonTests {
    @Suite(.namespaces) struct BeaconTests {
        @Test("1,000 captured beacons are 128 bytes each, come by three ways, and share no 8 bytes in a row")
        func capture() throws {
            try NamespaceWorld.run { world in
                let capture = try BeaconCapture(in: try world.lan.box("stranger"))
                let a = try world.daemon("a")
                try a.start()
                for number in 0..<20 { try a.api.createSpace("s\(number)") }
                var captured: [[[UInt8]]] = [[], [], []]
                func collect() throws {
                    for (way, received) in try capture.take().enumerated() {
                        captured[way] += received.map(\.bytes)
                    }
                }
                // Each start sends three for each of 20 spaces by each way.
                for _ in 0..<8 where captured.reduce(0, { $0 + $1.count }) < 1_000 {
                    try a.stop()
                    try a.start()
                    try eventually("three fast beacons", within: 10) {
                        try collect()
                        return try a.api.json("/v1/status")["discovery"]["sent"].integer ?? 0 >= 180
                    }
                    try collect()
                }
                let beacons = captured.flatMap { $0 }
                #expect(beacons.count >= 1_000)
                for (way, ones) in captured.enumerated() { #expect(ones.count > 300, "way \(way)") }
                #expect(beacons.allSatisfy { $0.count == 128 && $0.prefix(4) == [1, 1, 0, 0] })
                var seen: [UInt64: Int] = [:]
                for (number, beacon) in beacons.enumerated() {
                    var run: UInt64 = 0
                    for (offset, byte) in beacon.dropFirst(4).enumerated() {
                        run = run << 8 | UInt64(byte)
                        guard offset >= 7 else { continue }
                        if let other = seen.updateValue(number, forKey: run) {
                            Issue.record("beacons \(other) and \(number) share 8 bytes")
                        }
                    }
                }
            }
        }

        @Test("a replayed beacon gets no answer, by UDP or TCP")
        func replay() throws {
            try NamespaceWorld.run { world in
                let stranger = try world.lan.box("stranger")
                let capture = try BeaconCapture(in: stranger)
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                // Of b, before it goes: a has heard them, and has been linked to it.
                try eventually("beacons of both", within: 10) {
                    try b.api.json("/v1/status")["discovery"]["sent"].integer ?? 0 >= 9
                        && a.api.json("/v1/status")["discovery"]["heard"].integer ?? 0 >= 3
                }
                let box = try #require(b.box)
                let recorded = try capture.take().flatMap { $0 }.filter {
                    $0.sender.hasPrefix(box.ip4 + ":")
                }.map(\.bytes)
                #expect(recorded.count >= 6)
                try b.stop()
                _ = try capture.take()
                // Whoever answers would do it here.
                let (speaker, listener) = try stranger.inside {
                    (try Datagrams(AF_INET, port: 0), try TCPListener(port: 21_420))
                }
                let before = try a.api.json("/v1/status")["discovery"]
                let target = try #require(a.box).ip4
                for beacon in recorded {
                    try speaker.send(beacon, to: target, 21_420)
                    try speaker.send(beacon, to: target, 21_420)
                }
                var after = JSON.null
                try eventually("them to be counted as replays", within: 10, last: { "\(after)" }) {
                    after = try a.api.json("/v1/status")["discovery"]
                    let count =
                        (after["dropped"]["replayed"].integer ?? 0)
                        - (before["dropped"]["replayed"].integer ?? 0)
                    return count >= 2 * recorded.count
                }
                #expect(after["heard"] == before["heard"])
                #expect(try speaker.receive(within: 2) == nil, "nothing comes back by UDP")
                #expect(try !listener.hasCaller(within: 1), "nobody dials the replayer")
                #expect(try a.api.get("/v1/status").status == 200)
            }
        }

        @Test("10,000 datagrams in a few seconds: 50 a second are looked at, none is answered, work goes on")
        func flood() throws {
            try NamespaceWorld.run { world in
                let stranger = try world.lan.box("stranger")
                let a = try world.started("a")
                try a.api.createSpace("s")
                let speaker = try stranger.inside { try Datagrams(AF_INET) }
                let target = try #require(a.box).ip4
                let before = try a.api.json("/v1/status")["discovery"]
                let start = secondsNow()
                var generator = SystemRandomNumberGenerator()
                var slowest = 0.0
                for number in 0..<10_000 {
                    var bytes = (0..<128).map { _ in UInt8.random(in: 0...255, using: &generator) }
                    if number % 2 == 0 { bytes.replaceSubrange(0..<4, with: [1, 1, 0, 0]) }
                    if number % 10 == 9 { bytes += [0] }
                    try speaker.send(bytes, to: target, 21_420)
                    if number % 500 == 0 {
                        let asked = secondsNow()
                        try a.api.write(
                            "s", #"{"op":"set","document":"d","path":["x"],"value":\#(number)}"#)
                        slowest = max(slowest, secondsNow() - asked)
                    }
                    if number % 25 == 0 { usleep(5_000) }
                }
                let took = secondsNow() - start
                #expect(took < 30 && slowest < 2, "\(took) s, slowest write \(slowest) s")
                #expect(try speaker.receive(within: 1) == nil)
                let after = try a.api.json("/v1/status")["discovery"]
                func count(_ name: String) -> Int64 {
                    (after["dropped"][name].integer ?? 0) - (before["dropped"][name].integer ?? 0)
                }
                let processed = (after["processed"].integer ?? 0) - (before["processed"].integer ?? 0)
                #expect(Double(processed) <= 50 * (secondsNow() - start + 1), "\(processed) in \(took) s")
                #expect(count("foreign") > 0 && count("malformed") > 0 && count("flooded") > 0, "\(after)")
                #expect(try a.api.alarms() == [])
                // It still finds and is found.
                let b = try world.started("b")
                try b.api.join(try a.api.token("s"))
                try MeshTests.converge([a, b], having: #""x":9500"#)
            }
        }
    }
}
