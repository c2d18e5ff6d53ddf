// When beacons are sent: three fast on news, then every half a minute and never in step.

import Mesh
import Testing

@Suite struct BeaconScheduleTests {
    /// Lets time pass from deadline to deadline; the moments at which beacons were sent.
    private func moments(_ schedule: inout BeaconSchedule, until end: UInt64) -> [UInt64] {
        var sent: [UInt64] = []
        while let due = schedule.deadline, due < end {
            let isSent = schedule.take(at: due)
            #expect(isSent, "a deadline is when something is due")
            sent.append(due)
        }
        return sent
    }

    @Test("nothing is sent before there is news")
    func silent() {
        var schedule = BeaconSchedule(seed: 1)
        #expect(schedule.deadline == nil)
        let isSent = schedule.take(at: 1_000_000)
        #expect(!isSent)
    }

    @Test(
        "three fast ones, then one every 30 s, each a fifth earlier or later",
        arguments: 0..<40 as Range<UInt64>)
    func rhythm(seed: UInt64) {
        var schedule = BeaconSchedule(seed: seed)
        schedule.announce(at: 5_000)
        let sent = moments(&schedule, until: 1_000_000)
        #expect(sent.count > 25)
        #expect(sent[0] >= 5_000 && sent[0] <= 5_250)
        for (index, gap) in zip(sent, sent.dropFirst()).map({ $1 - $0 }).enumerated() {
            let range: ClosedRange<UInt64> = index < 2 ? 800...1_200 : 24_000...36_000
            #expect(range.contains(gap), "gap \(index) is \(gap) ms")
        }
    }

    @Test("two nodes do not go in step, and the intervals use their whole range")
    func spread() {
        var gaps: [UInt64] = []
        for seed in 0..<20 as Range<UInt64> {
            var schedule = BeaconSchedule(seed: seed)
            schedule.announce(at: 0)
            let sent = moments(&schedule, until: 600_000)
            gaps += zip(sent.dropFirst(2), sent.dropFirst(3)).map { $1 - $0 }
        }
        let mean = gaps.reduce(0, +) / UInt64(gaps.count)
        #expect((28_500...31_500).contains(mean))
        #expect(gaps.min() ?? .max < 25_000 && gaps.max() ?? 0 > 35_000)
    }

    @Test("news that never stops makes one fast series in ten seconds", arguments: 0..<20 as Range<UInt64>)
    func flapping(seed: UInt64) {
        var schedule = BeaconSchedule(seed: seed)
        var sent: [UInt64] = []
        for now in stride(from: 0, to: 100_000, by: 50) as StrideTo<UInt64> {
            schedule.announce(at: now)
            if schedule.take(at: now) { sent.append(now) }
        }
        #expect((28...33).contains(sent.count), "\(sent.count) in 100 s")
        for (first, fourth) in zip(sent, sent.dropFirst(3)) { #expect(fourth - first >= 7_000) }
    }

    @Test("news that comes too soon for a series gets one of three when the last is ten seconds old")
    func queued() {
        var schedule = BeaconSchedule(seed: 3)
        schedule.announce(at: 0)
        _ = moments(&schedule, until: 4_000)
        schedule.announce(at: 4_000)
        let later = moments(&schedule, until: 20_000)
        #expect(later.count == 3, "\(later)")
        #expect(later.allSatisfy { $0 >= 10_000 && $0 <= 13_000 }, "\(later)")
    }
}
