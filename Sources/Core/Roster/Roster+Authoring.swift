// Making operations. They are checked as a peer would check them before they exist, so that a node never
// signs what others refuse; the caller adds and stores the result in one transaction.

public import Bytes
public import Causality
public import Crypto
public import Wire

extension Roster {
    /// The first operation of a new space, whose hash is the SpaceID. `nonce` is 32 random bytes.
    public static func genesis(
        name: SpaceName, creator: DeviceDescription, nonce: [UInt8], at timestamp: Timestamp,
        by key: SigningKey
    ) -> RosterOperation {
        let content = RosterBody.Genesis(name: name, creator: creator, nonce: Bytes32(nonce))
        return RosterOperation(.genesis(content), on: [], at: timestamp, by: key)
    }

    /// Signs an operation on what is known, or on `heads`. Throws what every replica would refuse it for;
    /// adds nothing.
    public mutating func author(
        _ body: RosterBody, on heads: [Bytes32]? = nil, at timestamp: Timestamp, by key: SigningKey
    ) throws(RosterFault) -> RosterOperation {
        let author = DeviceID(publicKey: key.publicKey)
        let named = heads ?? headsToName(for: body, by: author)
        let operation = RosterOperation(body, on: named, at: timestamp, by: key)
        _ = try judge(operation)
        return operation
    }

    // What is named must arrive before what names it counts. So that nobody's flood delays the operations and
    // changes of others, they name as little of it as they can: of authors that are not calm only what the
    // operation itself needs.

    /// The heads that a change by this device names, ascending: what is known of everybody's membership, and
    /// what gives the device its own.
    /// `operation`: one that the change speaks of.
    public mutating func headsToName(
        inChangesOf device: DeviceID, speakingOf operation: Bytes32? = nil
    ) -> [Bytes32] {
        let spokenOf = operation.flatMap { indices[$0] }.map { [$0] } ?? []
        return reduced(standingHeads, and: (membership[device] ?? []) + spokenOf)
    }

    /// The heads that an operation names: all, without those of flooding authors, and what it needs: its
    /// author's own, and those that it speaks of. Each operation joins what it names, so heads that somebody
    /// made many of become few again.
    mutating func headsToName(for body: RosterBody, by author: DeviceID) -> [Bytes32] {
        var needed = (membership[author] ?? []) + (latestBy[author].map { [$0] } ?? [])
        switch body {
        case .add(let add): needed += (invites[add.invite] ?? []) + (membership[add.device] ?? [])
        case .remove(let remove): needed += membership[remove.device] ?? []
        case .role(let change): needed += membership[change.device] ?? []
        case .revokeInvite(let id): needed += invites[id] ?? []
        default: break
        }
        let calm =
            flooding.isEmpty
            ? heads
            : heads.filter { head in
                indices[head].map { !flooding.contains(entries[Int($0)].author) } ?? false
            }
        return reduced(calm, and: needed)
    }

    /// At most `RosterLimits.headsMax`, ascending: `needed` first, where the rest does not hold them.
    private mutating func reduced(_ wanted: [Bytes32], and needed: [Int32]) -> [Bytes32] {
        let limit = RosterLimits.headsMax
        var named = Array(wanted.prefix(limit))
        while true {
            guard let view = view(heads: named) else { preconditionFailure("heads that are not held") }
            // The last first: it mostly holds the others.
            let lacking = needed.filter { !view.reachable.contains(Int($0)) }.max()
            guard let lacking else { return view.heads.isEmpty ? [space.raw] : view.heads }
            if named.count == limit {
                let taken = Set(needed.map { entries[Int($0)].id })
                guard let spare = named.lastIndex(where: { !taken.contains($0) }) else { return named }
                named.remove(at: spare)
            }
            let id = entries[Int(lacking)].id
            named.insert(id, at: named.partitioningIndex { $0 > id })
        }
    }
}
