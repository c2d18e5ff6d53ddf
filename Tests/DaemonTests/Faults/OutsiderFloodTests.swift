// Strangers in numbers: floods of connections, handshakes that drip, garbage without end. They get no byte;
// memory and descriptors stay in bounds, the log says it once, and members are served as fast as before.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct OutsiderFloodTests {
        private static let preamble = Array("RPLD".utf8) + [1, 1, 0, 0] + [UInt8](repeating: 0, count: 16)

        /// One stranger from first to last byte; what it heard. Nil: it was not let in by the system.
        private static func visit(_ port: UInt16, _ number: Int) throws -> Int? {
            guard let connection = try? SocketConnection(port: port, timeout: 8) else { return nil }
            let noise = (0..<300).map { UInt8(truncatingIfNeeded: ($0 &+ number) &* 167 &+ 13) }
            do {
                switch number % 5 {
                case 0: try connection.write(noise)
                case 1: try connection.write(preamble + [0, 48] + noise.prefix(48))
                case 2: try connection.write(preamble + [0xFF, 0xFF] + noise)
                case 3:
                    // A byte at a time.
                    for byte in preamble.prefix(10) {
                        try connection.write([byte])
                        usleep(20_000)
                    }
                default: break
                }
            } catch ConnectionFailure.failed {
                // It was closed before all of it was out.
            }
            return try connection.readToEnd().count
        }

        /// Thirty at a time: so many strangers, and on as long as a member's writes are measured, but 20
        /// times as many at most.
        private struct Flood {
            let strangers: Workers
            /// Numbers that were given out, bytes that anybody heard, visits that the system let through.
            let next = Shared(0)
            let heard = Shared(0)
            let visits = Shared(0)
            let isMeasured = Shared(false)

            init(of port: UInt16, _ count: Int) {
                let (next, heard, visits, isMeasured) = (next, heard, visits, isMeasured)
                strangers = Workers(Array(0..<30)) { _ in
                    while case let number = next.change({ count -> Int in
                        count += 1
                        return count
                    }), number <= count || !isMeasured.value && number <= 20 * count {
                        let bytes = try OutsiderFloodTests.visit(port, number)
                        heard.change { $0 += bytes ?? 0 }
                        if bytes != nil { visits.change { $0 += 1 } }
                        usleep(30_000)
                    }
                }
            }
        }

        @Test(
            "a flood of strangers hears nothing, and leaves memory, descriptors, log and members as they were"
        )
        func flood() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                try MeshTests.converge([a, b], having: "")
                for number in 0..<20 { #expect(try Self.visit(a.port, number % 3) == 0) }
                var alone = try FaultRounds.latencies(a.api, bursts: FaultRounds.quietBursts)
                let (memory, descriptors) = (try a.residentBytes(), try a.descriptors())
                let count = FaultRounds.count(sample: 150, whole: 1_000)
                let port = a.port
                let failed = try a.api.metric("handshakes_failed_total")
                let refused = try a.api.metric("handshakes_refused_total")
                let flood = Flood(of: port, count)
                let crowded = try FaultRounds.latencies(a.api, bursts: 10)
                flood.isMeasured.change { $0 = true }
                let isLong = flood.next.value <= 20 * count
                try flood.strangers.finish(within: FaultRounds.isWhole ? 600 : 60)
                #expect(flood.heard.value == 0, "strangers heard \(flood.heard.value) bytes")
                let came = flood.next.value - 30
                #expect(isLong, "the flood ended before the writes")
                #expect(
                    came >= count && flood.visits.value >= came * 9 / 10,
                    "\(flood.visits.value) of \(came) got through")
                // The daemon met them: at the door for their number, or in a handshake that failed.
                try eventually("the daemon to have counted them", within: 15) {
                    try a.api.metric("handshakes_failed_total") - failed
                        + a.api.metric("handshakes_refused_total") - refused >= came * 9 / 10
                }
                try eventually("descriptors to come back", within: 15) {
                    try a.descriptors() <= descriptors + 2
                }
                let growth = try a.residentBytes() - memory
                #expect(growth <= 16 << 20, "\(growth) bytes more")
                // Before and after: neighbours come and go.
                try FaultRounds.latencies(a.api, bursts: FaultRounds.quietBursts).values.forEach {
                    alone.add($0)
                }
                let (before, during) = (alone.percentile(0.5), crowded.percentile(0.5))
                #expect(
                    during <= 2 * before + FaultRounds.slack,
                    "a write takes \(during) s in the flood, \(before) s alone")
                #expect(a.log.utf8.count < 20_000, "\(a.log.utf8.count) bytes of log: \(a.log.suffix(600))")
                try b.api.write("s", #"{"op":"set","document":"d","path":["x"],"value":"through"}"#)
                try MeshTests.converge([a, b], having: "through")
                #expect(try a.api.alarms() == [])
                FaultRounds.report(
                    "strangers: \(flood.visits.value), \(growth >> 10) KiB more, a write \(Int(before * 1e6)) µs alone and \(Int(during * 1e6)) µs in the flood, \(a.log.utf8.count) bytes of log"
                )
            }
        }
    }
}
