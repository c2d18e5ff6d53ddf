// When this node calls out: three times fast when there is news (it started, the network changed, it gained a
// space, a link was lost by silence), then every 30 s, each time a fifth earlier or later, so that boxes that
// got power at once do not call in step for ever. News that keeps coming (an interface that flaps, a peer
// that comes and goes) makes one fast series in ten seconds and no more (decision 0050).

import Causality

/// The moments of beacons. Times are monotonic milliseconds.
public struct BeaconSchedule: Sendable {
    private var dice: SeededGenerator
    /// Nil: nothing was news yet, so nothing is sent.
    private var next: UInt64?
    /// Beacons of the fast series that are still to be sent.
    private var fastLeft = 0
    /// When the last fast series begins or began.
    private var seriesStart: UInt64?
    /// When the series after it begins, for news that came too soon for one.
    private var queued: UInt64?

    public init(seed: UInt64) { dice = SeededGenerator(seed: seed) }

    /// When `take` is due; nil: not before there is news.
    public var deadline: UInt64? { next.map { min($0, queued ?? .max) } }

    /// There is news: a fast series begins, at once or when the last one is ten seconds old.
    public mutating func announce(at now: UInt64) {
        guard let last = seriesStart, now < last + MeshLimits.beaconSeriesMilliseconds else {
            // Boxes on one cable see it come back in the same moment.
            let start = now + UInt64.random(in: 0...MeshLimits.beaconStartSpread, using: &dice)
            (seriesStart, fastLeft) = (start, MeshLimits.beaconsFast)
            next = min(next ?? .max, start)
            return
        }
        // One that has not begun tells this too.
        if last <= now { queued = last + MeshLimits.beaconSeriesMilliseconds }
    }

    /// True when beacons are to be sent now; plans the next ones.
    public mutating func take(at now: UInt64) -> Bool {
        guard let deadline, deadline <= now else { return false }
        if let start = queued, start <= now {
            (seriesStart, fastLeft, queued) = (now, MeshLimits.beaconsFast, nil)
        }
        fastLeft = max(0, fastLeft - 1)
        next = now + spread(fastLeft > 0 ? MeshLimits.beaconFastInterval : MeshLimits.beaconInterval)
        return true
    }

    /// The interval, a fifth more or less.
    private mutating func spread(_ interval: UInt64) -> UInt64 {
        UInt64.random(in: interval * 4 / 5...interval * 6 / 5, using: &dice)
    }
}
