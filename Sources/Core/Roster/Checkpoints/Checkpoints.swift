// Agreement on what is final: which checkpoints of a space stand (decision 0186, LIFECYCLE "Agreement"). A
// value that is told what the roster says, what tables say and which acknowledgements are stored, in any
// order in which they can come, and answers as a function of the set of what it was told.
//
//   genesis --- C1 --- C2 --- C4      each names the one that it follows
//                 \--- C3             C3 is a rival of C2 and of C4: neither follows the other
//
// A checkpoint *stands* when all whom it requires acknowledged it, or when one that follows it stands. Two
// rivals cannot both stand while nobody signs both ways: their required members have one in common, and who
// acknowledged one acknowledges the other only if the first can stand no more (+Acknowledging).
//
// Files: +Validity, +Acknowledging, +Proposing, +Fence, +Invariants.

public import Bytes
public import Causality
public import Wire

/// The checkpoints of one space.
public struct Checkpoints: Sendable {
    /// The only member of the genesis' view.
    let founder: DeviceID
    var proposals: [Bytes32: CheckpointProposal] = [:]
    /// The proposals that follow each one directly (nil: the first ones).
    var followers: [Bytes32?: Set<Bytes32>] = [:]
    /// What the roster alone says against one; only such proposals have an entry.
    var faults: [Bytes32: CheckpointFault] = [:]
    /// Of proposals without fault, by device: one of each log, the first.
    var acknowledgements: [Bytes32: [DeviceID: [Acknowledgement]]] = [:]
    var coverages: [Bytes32: Coverage] = [:]
    /// Those that all required members acknowledged. Grows only.
    public internal(set) var agreed: Set<Bytes32> = []
    /// The last one that stands: of rivals that do, the branch of the greater counts.
    public internal(set) var newest: Bytes32?
    /// True when rivals stand: somebody signed both ways.
    public private(set) var isParted = false

    /// What a checkpoint covers, and what is held of it.
    struct Coverage: Sendable {
        let table: CheckpointTable
        let covered: VersionVector
        let released: VersionVector
        /// True where all logs in it are held as far, with their acknowledgements.
        var holdsLogs: Bool
        /// True when the views of all changes in it are in the checkpoint's.
        let seesViews: Bool
    }

    public init(founder: DeviceID) { self.founder = founder }

    // MARK: What is told

    /// A checkpoint of the roster; those in its view were told before.
    public mutating func add(_ proposal: CheckpointProposal) {
        guard proposals[proposal.id] == nil else { return }
        proposals[proposal.id] = proposal
        followers[proposal.previous, default: []].insert(proposal.id)
        faults[proposal.id] = rosterFault(of: proposal)
    }

    /// The table of a checkpoint, which has the hash that the checkpoint names. `holdsLogs`: it was made of
    /// logs that are held; else it came from a peer, and only what stands is asked of it.
    public mutating func learn(
        _ table: CheckpointTable, of checkpoint: Bytes32, holdsLogs: Bool, seesViews: Bool
    ) {
        if coverages[checkpoint]?.holdsLogs == true { return }
        coverages[checkpoint] = Coverage(
            table: table, covered: table.covered, released: table.released, holdsLogs: holdsLogs,
            seesViews: seesViews)
    }

    /// A stored acknowledgement. Of a checkpoint that is none it says nothing.
    public mutating func add(_ acknowledgement: Acknowledgement) {
        let (checkpoint, device) = (acknowledgement.checkpoint, acknowledgement.device)
        guard proposals[checkpoint] != nil, faults[checkpoint] == nil else { return }
        var known = acknowledgements[checkpoint]?[device] ?? []
        if let index = known.firstIndex(where: { $0.dot.replica == acknowledgement.dot.replica }) {
            if known[index].dot.sequence <= acknowledgement.dot.sequence { return }
            known[index] = acknowledgement
        } else {
            known.append(acknowledgement)
        }
        acknowledgements[checkpoint, default: [:]][device] = known
        if unacknowledged(checkpoint).isEmpty { agree(on: checkpoint) }
    }

    /// What was agreed on before a restart, or is by the acknowledgements that a newcomer verified. It stays
    /// so whatever is held of them.
    public mutating func agree(on checkpoint: Bytes32) {
        guard proposals[checkpoint] != nil, faults[checkpoint] == nil,
            agreed.insert(checkpoint).inserted
        else { return }
        // Of any two rivals one is a rival of `newest`: what `newest` follows lies in one line.
        if let newest, areRivals(checkpoint, newest) { isParted = true }
        if newest.map({ counts(checkpoint, before: $0) }) ?? true { newest = checkpoint }
    }

    // MARK: Chains

    public func proposal(_ id: Bytes32) -> CheckpointProposal? { proposals[id] }

    /// True when the one is made on the other, directly or not. O(chain between).
    public func follows(_ later: Bytes32, _ earlier: Bytes32) -> Bool {
        guard let end = proposals[earlier]?.depth else { return false }
        var next = proposals[later]?.previous
        while let id = next, let proposal = proposals[id], proposal.depth >= end {
            if id == earlier { return true }
            next = proposal.previous
        }
        return false
    }

    public func areRivals(_ one: Bytes32, _ other: Bytes32) -> Bool {
        one != other && !follows(one, other) && !follows(other, one)
    }

    /// True when it is final, for ever.
    public func stands(_ id: Bytes32) -> Bool {
        if newest == id || agreed.contains(id) { return true }
        if let newest, follows(newest, id) { return true }
        return agreed.contains { follows($0, id) }
    }

    func standingRival(of id: Bytes32) -> Bytes32? { agreed.filter { areRivals($0, id) }.min() }

    /// From the first to this one.
    public func chain(to id: Bytes32) -> [Bytes32] {
        var chain: [Bytes32] = []
        var next: Bytes32? = id
        while let id = next, let proposal = proposals[id] {
            chain.append(id)
            next = proposal.previous
        }
        return chain.reversed()
    }

    /// True when this one counts, of two that stand: it follows the other, or its branch is the greater where
    /// they part. So a branch that counts goes on counting however long the other becomes.
    private func counts(_ one: Bytes32, before other: Bytes32) -> Bool {
        let (mine, its) = (chain(to: one), chain(to: other))
        for (left, right) in zip(mine, its) where left != right {
            guard let left = proposals[left], let right = proposals[right] else { return false }
            return right.precedes(left)
        }
        return mine.count > its.count
    }

    /// True when documents that are made on the other one are to be made on this one instead: it follows it,
    /// or both stand since somebody signed both ways, and this one counts. What stands also takes the place
    /// of a base that was taken and is not known to stand.
    public func replaces(_ one: Bytes32, _ other: Bytes32) -> Bool {
        if follows(one, other) { return true }
        guard one != other, stands(one), !follows(other, one) else { return false }
        return counts(one, before: other) || !stands(other)
    }

    /// True when its table was made of logs that are held.
    public func holdsLogs(of id: Bytes32) -> Bool { coverages[id]?.holdsLogs ?? false }

    // MARK: Who acknowledged

    /// The acknowledgements of a checkpoint and of those that follow it.
    public func acknowledgements(ofOrAfter checkpoint: Bytes32) -> [[DeviceID: [Acknowledgement]]] {
        acknowledgements.filter { $0.key == checkpoint || follows($0.key, checkpoint) }.map(\.value)
    }

    /// True when the device did so in a log that goes on in what the checkpoint covers: what stands behind
    /// the end of another one is not held by who takes its base.
    public func hasAcknowledged(_ checkpoint: Bytes32, _ device: DeviceID) -> Bool {
        acknowledgements[checkpoint]?[device]?.contains { !ends($0.dot.replica, by: checkpoint) } ?? false
    }

    /// True when whoever holds this holds the acknowledgement of each whom the checkpoint requires.
    public func isShown(_ checkpoint: Bytes32, to vector: VersionVector) -> Bool {
        guard let proposal = proposals[checkpoint] else { return false }
        return proposal.required.allSatisfy { device in
            acknowledgements[checkpoint]?[device]?.contains { vector.contains($0.dot) } ?? false
        }
    }

    /// True when the table of the checkpoint is known and says that the log ended.
    public func ends(_ log: ReplicaID, by checkpoint: Bytes32) -> Bool {
        coverages[checkpoint]?.table.row(of: log)?.hasEnded ?? false
    }

    /// The required members that did not acknowledge it, ascending.
    public func unacknowledged(_ checkpoint: Bytes32) -> [DeviceID] {
        guard let proposal = proposals[checkpoint] else { return [] }
        return proposal.required.filter { !hasAcknowledged(checkpoint, $0) }.sorted()
    }

    /// True when it will never be agreed on unless somebody signs both ways: a rival stands, or a member that
    /// it requires, and that did not acknowledge it, acknowledged a greater rival, or made one; it takes no
    /// lesser one any more. What is held of the member shows that: acknowledgements are stored after all that
    /// they were made on, and a rival speaks for its author only where what it covers is held.
    public func isAbandoned(_ checkpoint: Bytes32) -> Bool {
        guard let proposal = proposals[checkpoint], !stands(checkpoint) else { return false }
        if standingRival(of: checkpoint) != nil { return true }
        let silent = unacknowledged(checkpoint)
        return proposals.values.contains { rival in
            proposal.precedes(rival) && faults[rival.id] == nil && areRivals(rival.id, checkpoint)
                && silent.contains { member in
                    hasAcknowledged(rival.id, member)
                        || rival.author == member && coverages[rival.id]?.holdsLogs == true
                }
        }
    }
}
