// Who proposes what. A proposal costs everybody a computation and, while it is open, holds others back, so
// one admin proposes at once and the others wait; which one follows from what is to be followed, so it
// changes from time to time and needs no election (Thaler, Ravishankar 1998).

public import Bytes
public import Causality
import Crypto
import Wire

/// What a device may propose now.
public enum ProposalChoice: Hashable, Sendable {
    /// Nothing is open: one that follows what stands (nil: the first).
    case follow(Bytes32?)
    /// The device's own is open and it did not acknowledge it yet: a greater rival that names who is silent
    /// absent, at any time.
    case replace(Bytes32, following: Bytes32?)
    /// Another's is open, which the device did not acknowledge: a rival, if that one is stuck.
    case outbid(Bytes32, following: Bytes32?)
    /// The device acknowledged this one, which is open: what follows it, if it is stuck, with all absent who
    /// did not acknowledge it. It stands when its follower does.
    case succeed(Bytes32)

    /// What the new one follows.
    public var previous: Bytes32? {
        switch self {
        case .follow(let previous), .replace(_, let previous), .outbid(_, let previous): previous
        case .succeed(let open): open
        }
    }
}

extension Checkpoints {
    /// Those that may still be agreed on, ascending in the one order: they follow what stands, and no roster
    /// speaks against them.
    public var open: [CheckpointProposal] {
        proposals.values.filter { proposal in
            faults[proposal.id] == nil && !stands(proposal.id)
                && (newest.map { follows(proposal.id, $0) } ?? true) && !isAbandoned(proposal.id)
        }
        .sorted { $0.precedes($1) }
    }

    /// True when something is lacking that a checkpoint holds which another one follows: whoever made that
    /// one held it, so nobody is level with the space who does not. O(proposals).
    public func isBehind(holding isHeld: (Dot) -> Bool) -> Bool {
        followers.contains { id, next in
            guard let proposal = id.flatMap({ proposals[$0] }), faults[proposal.id] == nil,
                next.contains(where: { faults[$0] == nil })
            else { return false }
            return !isHeld(proposal.body.witness) && !isAbandoned(proposal.id)
        }
    }

    public func choice(of device: DeviceID) -> ProposalChoice {
        let open = open
        if let bound = open.last(where: { hasAcknowledged($0.id, device) }) { return .succeed(bound.id) }
        if let own = open.last(where: { $0.author == device }) {
            return .replace(own.id, following: newest)
        }
        if let other = open.last { return .outbid(other.id, following: newest) }
        return .follow(newest)
    }

    /// Of the members of a view, those whom a checkpoint that follows this one has to name absent: they did
    /// not acknowledge it, or what follows it, in what is held. Ascending.
    public func absentees(of members: Set<DeviceID>, following previous: Bytes32?) -> [DeviceID] {
        guard let previous else { return [] }
        let known = acknowledgements(ofOrAfter: previous)
        return members.filter { member in !known.contains { $0[member] != nil } }.sorted()
    }

    /// True when a checkpoint that requires these devices, and covers all that is held, would be valid by
    /// their number.
    public func isMajority(_ required: Set<DeviceID>, following previous: Bytes32?) -> Bool {
        var level = previous
        while hasMajority(required, of: level) {
            guard let id = level, let proposal = proposals[id], !unacknowledged(id).isEmpty else {
                return true
            }
            level = proposal.previous
        }
        return false
    }

    /// Devices in the order in which they propose what follows this one: the first at once, the others each
    /// after a delay.
    public static func proposers(_ admins: [DeviceID], following previous: Bytes32?) -> [DeviceID] {
        let ranked = admins.map { device in
            var writer = ByteWriter(reserving: 64)
            device.publicKey.encode(into: &writer)
            (previous ?? .zero).encode(into: &writer)
            return (rank: Blake2b.hash256(writer.bytes, personal: "repld-propose-v1"), device: device)
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.device)
    }
}
