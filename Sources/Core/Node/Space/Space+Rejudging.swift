// Changes that are held become void, or take effect again, when an operation of the roster says so. What is
// judged is what admission judged when they came: the change, its view, and the roster; so in the end every
// node has the statuses of one that knew from the start.

import Bytes
import Causality
import Identity
import Replication
import Roster
import Wire

extension Space {
    /// Judges all changes of these devices again, from the next step on.
    mutating func rejudge(
        _ devices: Set<DeviceID>, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let authors = devices.filter { !logs.written(by: $0).isEmpty }
        if authors.isEmpty { return }
        exceptions.rejudging.add(authors)
        checkpoints.work?.isDoubtful = true
        try storeRejudging(in: &transaction)
    }

    /// The next step: a part of a log.
    mutating func advanceRejudging(
        at now: Instant, cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        guard let (device, place) = exceptions.rejudging.current else { return }
        // What the batch collected goes to the store: the log is read from there.
        if hasUnwritten { try transaction.beginWriting() }
        try writeDocuments(to: &transaction)
        let remaining = logs.written(by: device).filter { replica in
            place.map { replica >= $0.replica } ?? true
        }
        guard let replica = remaining.first else {
            exceptions.rejudging.finish(device)
            return try storeRejudging(in: &transaction)
        }
        let first = place.flatMap { $0.replica == replica ? $0.next : nil } ?? SequenceNumber(1)
        let judged: Judged
        do throws(StoreFailure) {
            judged = try judge(replica, of: device, from: first, in: transaction.store)
        } catch {
            // The rest of a log that is damaged cannot be judged, and need not stop the others.
            guard case .unusable = error else { throw error }
            judged = Judged()
        }
        if !judged.turned.isEmpty { try transaction.beginWriting() }
        for (turn, flips) in judged.turned.sorted(by: { $0.value.first < $1.value.first }) {
            let rebuild = Rebuild(
                change: Dot(replica, flips.first), author: device, cause: turn.name, wall: now.wall)
            try change(flips.records, to: turn.status, rebuild, cursors: epoch, in: &transaction)
            if device == membership.device, turn.name == VoidReason.late.rawValue {
                try setOwnLate(true, in: &transaction)
            }
            for record in flips.records where turn.status == .skipped {
                try recordSkipped(record, turn.reason, at: now, to: &transaction)
            }
        }
        if let next = judged.next {
            exceptions.rejudging.advance(device, to: replica, next)
        } else if let after = remaining.dropFirst().first {
            exceptions.rejudging.advance(device, to: after, SequenceNumber(1))
        } else {
            exceptions.rejudging.finish(device)
        }
        // Where nothing turned nothing is to be kept: after a restart it is only looked at again.
        if judged.turned.isEmpty, judged.next != nil { return }
        try storeRejudging(in: &transaction)
        try transaction.store.put(record)
    }

    private func storeRejudging(in transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure)
    {
        try transaction.beginWriting()
        let bytes = exceptions.rejudging.isEmpty ? nil : exceptions.rejudging.encoded()
        try transaction.store.setMeta(NodeMeta.rejudging(id), bytes)
    }

    /// What a change is to become, and why.
    private struct Turn: Hashable {
        let status: ChangeStatus
        /// As watchers hear it.
        let name: String
        var reason = SkippedRecord.Reason.unknown
    }

    /// As watchers hear that a change counts again: by the kind of operation that it comes from.
    private static var standsAgain: String { VoidCause.Kind.removed.name }

    private struct Judged {
        var turned: [Turn: (first: SequenceNumber, records: [CommitRecord])] = [:]
        /// Where the log is to be judged on; nil: it was judged to its end.
        var next: SequenceNumber?
    }

    /// Judges a log from `first` to the end of its section, or until enough changes turned.
    private mutating func judge(
        _ replica: ReplicaID, of device: DeviceID, from first: SequenceNumber, in store: some StoreReading
    ) throws(StoreFailure) -> Judged {
        var judged = Judged()
        // Changes before the cut are final.
        let first = max(first, logs.cuts[replica] + 1)
        let boundary = try store.boundary(id, replica, before: first)
        var coder = try LogSection.coder(of: replica, from: boundary)
        let begin = coder.boundary
        var heads: [Bytes32] = []
        var count = 0
        while let run = try store.runs(id, replica, from: coder.next, bytesMax: 1).first {
            if coder.boundary != begin {
                judged.next = run.first
                return judged
            }
            var changes: [Change] = []
            try LogSection.decode(run, with: &coder, into: &changes)
            let records = try store.commits(
                id, after: CommitPosition(run.position.value - 1), limit: run.changes)
            precondition(
                records.count == changes.count, "\(records.count) records of \(changes.count) changes")
            for (change, record) in zip(changes, records) {
                if !change.rosterHeads.isEmpty { heads = change.rosterHeads }
                if change.first < first { continue }
                if count == NodeLimits.rejudgedMax {
                    judged.next = change.first
                    return judged
                }
                guard let turn = try turn(of: change, record, by: device, on: heads, in: store) else {
                    continue
                }
                count += 1
                judged.turned[turn, default: (change.first, [])].records.append(record)
            }
        }
        return judged
    }

    /// What the change is to become; nil: it is that.
    private mutating func turn(
        of change: Change, _ record: CommitRecord, by author: DeviceID, on heads: [Bytes32],
        in store: some StoreReading
    ) throws(StoreFailure) -> Turn? {
        // Void for another cause, whatever the roster says.
        if forks.closed.isClosed(change.id) || !Admission.isStaticallyValid(change) { return nil }
        // What a checkpoint that stands holds is final.
        if documents.bases.newest?.covered.contains(change.id) == true { return nil }
        if isLate(change) {
            return record.status == .void ? nil : Turn(status: .void, name: VoidReason.late.rawValue)
        }
        guard let view = membership.roster.view(heads: heads) else { return nil }
        let range = DotRange(change.replica, change.first, change.last)
        if let cause = roster.voidCause(of: range, by: author, in: view, needing: change.right) {
            return record.status == .void ? nil : Turn(status: .void, name: cause.kind.name)
        }
        guard record.status == .void else { return nil }
        if exceptions.quarantined.contains(change.id) {
            return Turn(status: .skipped, name: Self.standsAgain, reason: .quarantined)
        }
        let isReadable = try documents.unreadable(in: change, from: store).isEmpty
        if Admission.hasUnknownOperations(change) || !isReadable {
            return Turn(
                status: .skipped, name: Self.standsAgain, reason: isReadable ? .unknown : .unreadable)
        }
        return Turn(status: .executed, name: Self.standsAgain)
    }

    private mutating func recordSkipped(
        _ record: CommitRecord, _ reason: SkippedRecord.Reason, at now: Instant,
        to transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let marked = CommitRecord(
            position: record.position, replica: record.replica, first: record.first, last: record.last,
            status: .skipped)
        let skipped = SkippedRecord(change: marked, reason: reason, since: now.wall)
        try transaction.store.put(id, skipped)
        exceptions.skip(skipped)
    }
}

extension VoidCause.Kind {
    /// As the API names it.
    var name: String { VoidReason(self).rawValue }
}
