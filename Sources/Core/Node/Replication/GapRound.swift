// One step of the repair of gaps: the channels as they are at its beginning and as its own actions change
// them.

import Causality
import Replication

/// Channels, by their places in `peers`, and the actions of one step.
struct GapRound {
    private(set) var peers: [GapPeer]
    private let heads: LogHeads
    /// Monotonic milliseconds.
    let now: UInt64
    private(set) var actions: [GapRepair.Action] = []

    init(
        peers: [GapPeer], heads: LogHeads = LogHeads(held: VersionVector(), logs: [:]), at now: UInt64
    ) {
        (self.peers, self.heads, self.now) = (peers, heads, now)
    }

    /// Channels on which both sides may say what they hold.
    var ready: [Int] { peers.indices.filter { peers[$0].isReady } }

    /// True while something of it is missing.
    func isMissing(_ dots: [VersionVector.Entry]) -> Bool { dots.contains { heads[$0.replica] < $0.last } }

    /// What a peer holds and is missing here; at most one more than a GRAFT names.
    func missing(_ place: Int) -> [VersionVector.Entry] {
        guard let theirs = peers[place].have else { return [] }
        return heads.missing(of: theirs.entries(beyond: heads.held))
    }

    /// The nearest of these peers that holds some of what is missing of the gap.
    func nearest(_ places: [Int], holding dots: [VersionVector.Entry]) -> Int? {
        let missing = dots.filter { heads[$0.replica] < $0.last }
        let holders = places.filter { place in
            guard let have = peers[place].have else { return false }
            return missing.contains { have[$0.replica] > heads[$0.replica] }
        }
        return holders.min { peers[$0].distance < peers[$1].distance }
    }

    /// How long eager links get to bring what a lazy one names; nothing when there are none.
    func delay(for peer: GapPeer, dice: inout SeededGenerator) -> UInt64 {
        guard peers.contains(where: \.tree.pushesSome) else { return 0 }
        let wait = min(
            max(
                ReplicationLimits.graftRoundTrips * (peer.roundTrip ?? 0),
                ReplicationLimits.graftMillisecondsMin),
            ReplicationLimits.graftMillisecondsMax)
        // Not all who lack it at the same moment.
        return wait + UInt64.random(in: 0..<wait, using: &dice)
    }

    /// Makes another link eager while few are. Chance decides which, so that the whole is one piece. A peer
    /// that says nothing will bring nothing, so it is none of those few.
    mutating func widen(_ places: [Int], dice: inout SeededGenerator) {
        let heard = places.filter { peers[$0].have != nil && peers[$0].isTold }
        let lazy = heard.filter { !peers[$0].tree.isEager }
        guard !lazy.isEmpty, heard.count - lazy.count < ReplicationLimits.eagerLinks else { return }
        graft([], lazy[Int.random(in: 0..<lazy.count, using: &dice)])
    }

    /// GRAFT: all logs when much is missing or nothing is pushed here yet, else those that are missing.
    mutating func ask(_ place: Int, isAgain: Bool = false) {
        let dots = missing(place)
        let isAll = dots.count > ReplicationLimits.graftLogsMax || !peers.contains(where: \.tree.isEager)
        graft(isAll ? [] : dots.map(\.replica), place, isAgain: isAgain)
    }

    mutating func graft(_ logs: [ReplicaID], _ place: Int, isAgain: Bool = false) {
        // The HAVE that goes with it tells what is held.
        peers[place].isTold = true
        peers[place].tree.graft(logs)
        actions.append(.graft(peers[place].channel, logs, isAgain: isAgain))
    }

    mutating func setAhead(_ place: Int, _ isAhead: Bool) {
        guard peers[place].isAhead != isAhead else { return }
        peers[place].isAhead = isAhead
        actions.append(.setAhead(peers[place].channel, isAhead))
    }
}
