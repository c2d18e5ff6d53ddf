// A member that forks its own logs on purpose, over and over: everybody closes them and makes the documents
// again, and whoever writes meanwhile does not wait for it.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Tool.path("hostilepeer") != nil, "hostilepeer was not built"))
    struct ForkFloodTests {
        @Test("100 forks of one device, on a document that everybody writes: honest writes go on, all agree")
        func flood() throws {
            let forks = FaultRounds.count(sample: 100, whole: 1_000)
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                for _ in 0..<20 {
                    let operation = #"{"op":"increment","document":"shared","path":["n"],"by":1}"#
                    for _ in 0..<100 { try a.api.write("s", operation) }
                }
                let tool = try Tool("hostilepeer", ["\(a.port)", try a.api.token("s"), "61"])
                #expect(try tool.answer() == "done joined")
                let alone = try FaultRounds.latencies(a.api, bursts: FaultRounds.quietBursts)
                let (isOver, samples, reads, api) = (Shared(false), Shared(Sample()), Shared(Sample()), a.api)
                let writer = Workers([0]) { _ in
                    while !isOver.value {
                        let times = try FaultRounds.latencies(api, bursts: 1)
                        samples.change { all in times.values.forEach { all.add($0) } }
                    }
                }
                let reader = Workers([0]) { _ in
                    while !isOver.value {
                        let start = secondsNow()
                        _ = try api.value("s", "shared")
                        reads.change { $0.add(secondsNow() - start) }
                        usleep(20_000)
                    }
                }
                let answer = try tool.ask("forks \(forks)", within: 300)
                #expect(answer == "done \(forks) proofs, link over: false", "\(answer)")
                try eventually("all logs to be closed on both", within: 120) {
                    try [a, b].allSatisfy {
                        try $0.api.json("/v1/spaces/s/forks")["forks"].array.count == forks
                    }
                }
                isOver.change { $0 = true }
                try writer.finish(within: 60)
                try reader.finish(within: 60)
                // Nothing of the forked logs counts: not one of their increments.
                try MeshTests.converge([a, b], having: "\"shared\",\"value\":{\"n\":2000}")
                let (writes, gets) = (samples.value, reads.value)
                FaultRounds.report(
                    "\(forks) forks on 2,000 changes: writes p50 \(Self.milliseconds(writes, 0.5)) p99 "
                        + "\(Self.milliseconds(writes, 0.99)) max \(Self.milliseconds(writes, 1)) ms of "
                        + "\(writes.values.count), alone p99 \(Self.milliseconds(alone, 0.99)); reads p99 "
                        + "\(Self.milliseconds(gets, 0.99)) max \(Self.milliseconds(gets, 1)) ms")
            }
        }

        private static func milliseconds(_ sample: Sample, _ share: Double) -> String {
            String(format: "%.1f", sample.percentile(share) * 1_000)
        }
    }
}
