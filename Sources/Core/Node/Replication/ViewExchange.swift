// One channel's half of what keeps the mesh of a large space together: how many links each side has, and the
// walks of devices that are passed on. A peer pays for its walks, so a flood of them goes no further than
// here.

import Mesh
import Wire

/// What was said of links on one channel of a large space.
struct ViewExchange: Sendable {
    /// How many links the peer said it has; nil before it did.
    var neighbour: NeighbourFrame?
    /// The peer was told how many there are here.
    private var hasTold = false
    /// Until when the peer's walks are paid for, monotonic milliseconds; it may be ahead of now by
    /// `walksOfPeerMax`.
    private var walksUntil: UInt64 = 0

    init() {}

    /// True when the peer is to be told how many links there are here: once, or `again`.
    mutating func tells(again: Bool) -> Bool {
        if hasTold, !again { return false }
        hasTold = true
        return true
    }

    /// Pays for one walk of the peer's; false when it has sent too many.
    mutating func paysWalk(at now: UInt64) -> Bool {
        let until = max(walksUntil, now) + MeshLimits.walkSpendMilliseconds
        guard until <= now + UInt64(MeshLimits.walksOfPeerMax) * MeshLimits.walkSpendMilliseconds else {
            return false
        }
        walksUntil = until
        return true
    }
}
