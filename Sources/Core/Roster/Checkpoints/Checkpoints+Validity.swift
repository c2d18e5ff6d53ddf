// Which checkpoints may be acknowledged at all. Half of it follows from the roster, half from what the
// checkpoint covers; both are alike wherever they can be asked.

public import Bytes
import Causality
import Wire

extension Checkpoints {
    /// What the roster and what is held say of it. O(covered logs + members × chain to what is agreed on).
    public func verdict(on checkpoint: Bytes32) -> CheckpointVerdict {
        guard let proposal = proposals[checkpoint] else { return .unknown }
        if let fault = faults[checkpoint] { return .invalid(fault) }
        guard let coverage = coverages[checkpoint], coverage.holdsLogs else { return .unknown }
        if let fault = fault(of: proposal, covering: coverage) { return .invalid(fault) }
        // What `previous` covers has to be known before this one can be said to be made on it.
        if let previous = proposal.previous, coverages[previous] == nil { return .unknown }
        return .valid
    }

    func rosterFault(of proposal: CheckpointProposal) -> CheckpointFault? {
        if let previous = proposal.previous {
            guard proposal.seesPrevious, proposals[previous] != nil, faults[previous] == nil else {
                return .previous
            }
        }
        if proposal.body.absent.contains(proposal.author) { return .authorAbsent }
        return hasMajority(proposal.required, of: proposal.previous)
            ? nil : .noMajority(of: proposal.previous)
    }

    private func fault(of proposal: CheckpointProposal, covering coverage: Coverage) -> CheckpointFault? {
        let witness = proposal.body.witness
        guard let row = coverage.table.row(of: witness.replica), row.last == witness.sequence,
            row.declaration.device == proposal.author
        else { return .witness }
        if !coverage.seesViews { return .views }
        guard let previous = proposal.previous else {
            return coverage.released.isEmpty ? nil : .released
        }
        if let before = coverages[previous]?.covered, before != coverage.released { return .released }
        // Who goes on from here knows it, or what follows it, so nothing of theirs is late.
        let known = acknowledgements(ofOrAfter: previous)
        let late = proposal.required.filter { member in
            !known.contains { $0[member]?.contains { coverage.covered.contains($0.dot) } ?? false }
        }
        if let member = late.min() { return .unacknowledged(member) }
        return levels(of: proposal, in: coverage.covered)
            .first { !hasMajority(proposal.required, of: $0) }
            .map { .noMajority(of: $0) }
    }

    /// The checkpoints of whose views (nil: the genesis') it needs a majority: what it follows, and, while
    /// not all that one of them requires had acknowledged it in what is covered, the one before too. Else one
    /// that only newcomers agreed on would make what it follows stand against a rival of that.
    private func levels(of proposal: CheckpointProposal, in covered: VersionVector) -> [Bytes32?] {
        var levels: [Bytes32?] = [proposal.previous]
        var level = proposal.previous
        while let id = level, let before = proposals[id],
            !before.required.allSatisfy({ acknowledged(id, by: $0, in: covered) })
        {
            level = before.previous
            levels.append(level)
        }
        return levels
    }

    /// True when these devices are more than half of the members of a checkpoint's view (nil: of the
    /// genesis'), or half of them with the most senior one.
    func hasMajority(_ devices: Set<DeviceID>, of level: Bytes32?) -> Bool {
        let proposal = level.flatMap { proposals[$0] }
        let members = level == nil ? [founder] : proposal?.members ?? []
        let senior = level == nil ? founder : proposal?.senior
        let count = devices.intersection(members).count
        if 2 * count > members.count { return true }
        return 2 * count == members.count && count > 0 && senior.map { devices.contains($0) } ?? false
    }

    func acknowledged(_ checkpoint: Bytes32, by device: DeviceID, in covered: VersionVector) -> Bool {
        acknowledgements[checkpoint]?[device]?.contains { covered.contains($0.dot) } ?? false
    }
}
