// Caps on bytes a second, of one link and of all: only changes are held back, and `peers` says so. Under the
// cap of all, links take turns.

import Causality
import Mesh
import Replication

extension Node {
    /// The cap that keeps the next segment of a link back; nil: none.
    mutating func cap(on link: LinkHandle, at now: Instant) -> RateCap? {
        let settings = configuration.settings
        if !links[link].rate.isOpen(rate: settings.linkBytesPerSecond, at: now.monotonic) {
            links.counters.heldBack += 1
            return .link
        }
        guard links.totalRate.isOpen(rate: settings.totalBytesPerSecond, at: now.monotonic) else {
            links.counters.heldBack += 1
            return .total
        }
        return nil
    }

    /// A segment goes out.
    mutating func spend(_ bytes: Int, on link: LinkHandle, at now: Instant) {
        links.counters.segmentsSent += 1
        links.counters.segmentBytesSent += UInt64(bytes)
        let settings = configuration.settings
        links[link].rate.spend(bytes, rate: settings.linkBytesPerSecond, at: now.monotonic)
        links.totalRate.spend(bytes, rate: settings.totalBytesPerSecond, at: now.monotonic)
        links.lastServed = links.connectionID(of: link)
    }

    /// Ascending, beginning after the one that was served last when there is a cap of all.
    var linksInTurn: [LinkHandle] {
        let all = links.connections.linkHandles
        guard configuration.settings.totalBytesPerSecond > 0, let last = links.lastServed else { return all }
        return all.filter { links.connectionID(of: $0) > last }
            + all.filter { links.connectionID(of: $0) <= last }
    }

    /// Canonical bytes aimed at in one segment: at most about a second's worth under a cap.
    var segmentBytesAim: Int {
        let caps = [configuration.settings.linkBytesPerSecond, configuration.settings.totalBytesPerSecond]
        return caps.filter { $0 > 0 }.reduce(ReplicationLimits.segmentBytesAim) { min($0, max(1_024, $1)) }
    }

    /// When a cap lets the next segment of a channel go.
    func rateDeadline(_ channel: SpaceChannel, _ link: PeerLink) -> UInt64? {
        switch channel.heldBackBy {
        case .link: link.rate.opensAt(rate: configuration.settings.linkBytesPerSecond)
        case .total: links.totalRate.opensAt(rate: configuration.settings.totalBytesPerSecond)
        case nil: nil
        }
    }
}
