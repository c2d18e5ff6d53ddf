// What the newest standing checkpoint decides about changes: what is final, where logs end, and what comes
// too late. All of it follows from its table and from the acknowledgements that are stored.

public import Bytes
public import Causality
public import Wire

extension Checkpoints {
    /// What the newest standing checkpoint covers; nil: none stands, or its table is not known yet.
    public var covered: VersionVector? { newest.flatMap { coverages[$0]?.covered } }
    /// What it lets go, and what contexts outside it are read joined with.
    public var released: VersionVector? { newest.flatMap { coverages[$0]?.released } }

    /// True for a change that counts as the checkpoint's view and table say, whatever becomes known.
    public func isFinal(_ change: Dot) -> Bool { covered?.contains(change) ?? false }

    /// The table of a checkpoint, where it is known.
    public func table(of checkpoint: Bytes32) -> CheckpointTable? { coverages[checkpoint]?.table }

    /// The first sequence of the log that never counts. `proven`: by the fork proofs that are held. What is
    /// covered stays, so a later proof closes the log behind it at the least. `by`: the checkpoint that says
    /// so; nil: the newest that stands.
    public func closing(
        of log: ReplicaID, proven: SequenceNumber?, by checkpoint: Bytes32? = nil
    ) -> SequenceNumber? {
        guard let checkpoint = checkpoint ?? newest, let row = coverages[checkpoint]?.table.row(of: log)
        else { return proven }
        let later = proven.map { max($0, row.last + 1) }
        return [row.closedAt, later].compactMap { $0 }.min()
    }

    /// True for a change that is void because its author may not have known what was let go: it is not
    /// covered, nothing before it in its log acknowledges the checkpoint before or what follows that, and its
    /// context does not cover what that one covers. So is all that stands behind the end of a log that ended,
    /// whatever it was made on: who let the log go cannot read it. `by`: the checkpoint that says so; nil:
    /// the newest that stands.
    public func isLate(
        _ log: ReplicaID, from first: SequenceNumber, context: VersionVector, by checkpoint: Bytes32? = nil
    ) -> Bool {
        guard let checkpoint = checkpoint ?? newest, let previous = proposals[checkpoint]?.previous,
            let coverage = coverages[checkpoint]
        else {
            // The first one lets nothing go.
            return false
        }
        if coverage.covered[log] >= first || isPlanted("late-executed") { return false }
        let row = coverage.table.row(of: log)
        if row?.hasEnded == true, !isPlanted("ended-log-open") { return true }
        if row?.acknowledged == previous { return false }
        if isAcknowledged(previous, in: log, before: first) { return false }
        return !context.covers(coverage.released.without(log))
    }

    /// The same for a change that a checkpoint may hold: it is late as the last one before says that does not
    /// hold it, as far as tables are known.
    public func isLate(
        _ log: ReplicaID, from first: SequenceNumber, context: VersionVector, within checkpoint: Bytes32
    ) -> Bool {
        var next: Bytes32? = checkpoint
        while let id = next, let coverage = coverages[id], coverage.covered[log] >= first {
            next = proposals[id]?.previous
        }
        return next.map { isLate(log, from: first, context: context, by: $0) } ?? false
    }

    /// Logs that ended in what this checkpoint covers, ascending: their device acknowledged `previous` in
    /// another log of its own, after it had seen them to their end here. They are closed behind that end, and
    /// stay so. `logs`: the logs that are covered, with their devices.
    public func endedLogs(
        in covered: VersionVector, following previous: Bytes32?, logs: [ReplicaID: DeviceID]
    ) -> [ReplicaID] {
        guard let previous else { return [] }
        let devices = acknowledgements[previous] ?? [:]
        let before = coverages[previous]?.table
        return covered.entries.filter { entry in
            if let row = before?.row(of: entry.replica), row.hasEnded, row.last == entry.last { return true }
            guard let device = logs[entry.replica], let known = devices[device] else { return false }
            return known.contains { acknowledgement in
                acknowledgement.dot.replica != entry.replica && covered.contains(acknowledgement.dot)
                    && acknowledgement.ends[entry.replica] >= entry.last
            }
        }
        .map(\.replica)
    }

    /// What is covered of a checkpoint that follows this one: of logs that ended, nothing behind their end.
    public func clamped(_ covered: VersionVector, following previous: Bytes32?) -> VersionVector {
        guard let table = previous.flatMap({ coverages[$0]?.table }) else { return covered }
        var result = covered
        for row in table.ended { result.lower(row.replica, to: row.last) }
        return result
    }

    /// What a row says of acknowledgements: the newest among those that a checkpoint with this `previous`
    /// follows which the log acknowledges up to `last`, itself or by one that follows it. Of a log that
    /// begins at a base, what it acknowledged before is known by the table of `previous` only.
    public func acknowledged(
        in log: ReplicaID, through last: SequenceNumber, following previous: Bytes32?
    ) -> Bytes32? {
        guard let previous else { return nil }
        let chain = chain(to: previous)
        let stored = chain.lastIndex { isAcknowledged($0, in: log, before: last + 1) }
        let told = coverages[previous]?.table.row(of: log)?.acknowledged.flatMap(chain.lastIndex)
        return [stored, told].compactMap(\.self).max().map { chain[$0] }
    }
}
