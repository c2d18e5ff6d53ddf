// A member that fills the roster, which everybody keeps for ever: what it may say is bounded, who floods is
// named, and meanwhile others write, join and agree as if nothing were.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Tool.path("hostilepeer") != nil, "hostilepeer was not built"))
    struct RosterFloodTests {
        /// A flood by a device with this role, and what it may leave behind at most.
        struct Flood: CustomStringConvertible, Sendable {
            let attack: String
            let role: String
            let count: Int
            /// Bytes on disk, and of memory; the allowance of the role and what a database makes of it.
            let diskMax: Int
            let memoryMax: Int
            var isPutOff = true
            var description: String { "\(attack) \(count) by a \(role)" }
        }

        static let floods = [
            Flood(
                attack: "roster-chain", role: "relay", count: 20_000, diskMax: 4 << 20, memoryMax: 24 << 20),
            Flood(attack: "roster-fan", role: "relay", count: 20_000, diskMax: 4 << 20, memoryMax: 24 << 20),
            Flood(
                attack: "roster-large", role: "reader", count: 9_000, diskMax: 4 << 20, memoryMax: 24 << 20),
            Flood(
                attack: "roster-fan", role: "writer", count: 20_000, diskMax: 16 << 20, memoryMax: 40 << 20),
            Flood(
                attack: "roster-unknown", role: "writer", count: 600, diskMax: 24 << 20, memoryMax: 48 << 20),
        ]

        @Test("what a flood leaves is bounded, and nobody else is held up by it", arguments: floods)
        func flood(_ flood: Flood) throws {
            try DaemonWorld.run { world in
                let (a, b, c) = (try world.started("a"), try world.started("b"), try world.started("c"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                let token = try a.api.token("s", role: flood.role)
                let tool = try Tool("hostilepeer", ["\(a.port)", token, "51"])
                #expect(try tool.answer() == "done joined")
                let alone = try FaultRounds.latencies(a.api, bursts: FaultRounds.quietBursts)
                let (disk, memory) = (try Self.diskBytes(a), try a.residentBytes())

                let (isOver, samples, api) = (Shared(false), Shared(Sample()), a.api)
                let writer = Workers([0]) { _ in
                    while !isOver.value {
                        let times = try FaultRounds.latencies(api, bursts: 1)
                        samples.change { all in times.values.forEach { all.add($0) } }
                    }
                }
                let answer = try tool.ask("\(flood.attack) \(flood.count)", within: 120)
                #expect(answer.hasPrefix("done \(flood.count) "), "\(answer)")
                #expect(answer.hasSuffix("link over: false"), "what is put off is no fault: \(answer)")
                // While it stands, another device joins and writes, and all three agree.
                try c.api.join(try a.api.token("s"))
                try c.api.write("s", #"{"op":"set","document":"new","path":["a"],"value":1}"#)
                isOver.change { $0 = true }
                try writer.finish(within: 60)
                try MeshTests.converge([a, b, c], having: "\"new\"")
                let lists = try [a, b, c].map {
                    try $0.api.json("/v1/spaces/s/members")["members"].array.map { $0["device"].string ?? "" }
                }
                #expect(lists[0].count == 4 && lists[0] == lists[1] && lists[1] == lists[2])

                try a.api.waitForAlarm("roster-flood", within: 60)
                let alarms = try a.api.json("/v1/status")["alarms"].array
                let alarm = try #require(alarms.first { $0["code"] == "roster-flood" })
                let device = try a.api.json("/v1/spaces/s/members")["members"].array
                    .first { ($0["name"].string ?? "").hasPrefix("mallory") }?["device"].string
                #expect(alarm["device"].string == device, "\(alarm)")
                let grown = (try Self.diskBytes(a) - disk, try a.residentBytes() - memory)
                #expect(grown.0 < flood.diskMax && grown.1 < flood.memoryMax, "\(grown)")
                let beside = samples.value
                FaultRounds.report(
                    "\(flood): p50 \(Self.milliseconds(beside, 0.5)) p99 \(Self.milliseconds(beside, 0.99)) max "
                        + "\(Self.milliseconds(beside, 1)) ms of \(beside.values.count) writes, alone p99 "
                        + "\(Self.milliseconds(alone, 0.99)); disk +\(grown.0 >> 10) KiB, memory "
                        + "+\(grown.1 >> 10) KiB")

                // A restart forgives nothing: the account is kept.
                a.crash()
                try a.start()
                #expect(try a.api.json("/v1/spaces/s/members")["members"].array.count == 4)
                try a.api.write("s", #"{"op":"set","document":"new","path":["a"],"value":2}"#)
            }
        }

        private static func milliseconds(_ sample: Sample, _ share: Double) -> String {
            String(format: "%.1f", sample.percentile(share) * 1_000)
        }

        private static func diskBytes(_ daemon: Daemon) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: daemon.state).reduce(0) { sum, name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: daemon.state + "/" + name)
                return sum + ((attributes?[.size] as? Int) ?? 0)
            }
        }
    }
}
