// What logs may forget once a checkpoint stands: everything up to the last boundary within what the one
// before it holds, since every change that is still to come has seen that, and the base has what came of it.
// Sections with a void change stay whole, for that change can be read and adopted as long as somebody wants
// to. A log that ended goes to its end, which becomes a boundary.

import Bytes
import Causality
import Identity
import Wire

/// How much of what could be forgotten is kept all the same (`retain-history`).
struct Retained: Equatable, Sendable {
    /// Sections that ended later than this wall millisecond stay; nil: their age does not matter.
    var since: UInt64?
    /// As long as logs have no more bytes than this together nothing goes; nil: their size does not matter.
    var bytes: Int?
}

extension Retained {
    init(_ retention: Retention, at now: Instant) {
        switch retention {
        case .standard: since = now.wall > Self.standard ? now.wall - Self.standard : 0
        case .seconds(let seconds):
            let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
            since =
                milliseconds.overflow || milliseconds.partialValue > now.wall
                ? 0 : now.wall - milliseconds.partialValue
        case .bytes(let limit): bytes = Int(clamping: limit)
        case .all: since = 0
        case .none: break
        }
    }

    /// 30 days.
    private static let standard: UInt64 = 30 * 24 * 3_600 * 1_000
}

extension Space {
    /// What is void is kept. Until what is late was found it looks like all else.
    var isJudged: Bool {
        exceptions.rejudging.isEmpty && documents.bases.newest.map { $0.id == checkpoints.judged } ?? true
    }

    /// One step; true when it was the last. Nothing is forgotten while documents are being moved to a base.
    mutating func advanceCollecting(
        keeping retained: Retained, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Bool {
        guard documents.bases.applying == nil, let standing = documents.bases.standing else {
            checkpoints.collecting.end()
            return true
        }
        if let limit = retained.bytes, try transaction.store.logBytes(id) <= limit {
            checkpoints.collecting.end()
            return true
        }
        let done = checkpoints.collecting.done
        let next = standing.released.entries.first { entry in done.map { entry.replica > $0 } ?? true }
        guard let next else {
            checkpoints.collecting.end()
            return true
        }
        if checkpoints.collecting.plan == nil {
            checkpoints.collecting.plan = try collectable(
                next.replica, through: next.last, keeping: retained, in: transaction.store)
        }
        guard let found = checkpoints.collecting.plan else {
            checkpoints.collecting.finish(next.replica)
            return false
        }
        if let end = endOfLog(next.replica), end.position.last == found.through,
            logs[next.replica]?.boundary != end
        {
            try beginAtEnd(next.replica, end, in: &transaction)
        }
        // Streams cannot be told any more what goes.
        if let row = try transaction.store.runs(id, next.replica, from: found.through, bytesMax: 1).first {
            let end = CommitPosition(row.position.value + UInt64(row.changes) - 1)
            if end > documents.rebuilt { try documents.forgetPast(at: end, in: &transaction) }
        }
        let before = try transaction.store.logBytes(id)
        let step = try transaction.store.collect(
            id, next.replica, through: found.through, keeping: found.keeping,
            rowsMax: NodeLimits.collectStepRows)
        logs.cut(next.replica, at: found.through)
        checkpoints.collecting.add(
            Collected(
                rows: step.rows, bytes: before - (try transaction.store.logBytes(id)), changes: step.rows))
        if step.isDone { checkpoints.collecting.finish(next.replica) }
        return false
    }

    /// Bytes that collecting would free now. O(runs that it would remove), whose bytes are read.
    func collectableBytes(keeping retained: Retained, in store: some StoreReading) throws(StoreFailure) -> Int
    {
        guard let standing = documents.bases.standing else { return 0 }
        if let limit = retained.bytes, try store.logBytes(id) <= limit { return 0 }
        var bytes = 0
        for entry in standing.released.entries {
            let found = try collectable(entry.replica, through: entry.last, keeping: retained, in: store)
            guard let found else { continue }
            var next = logs.cuts[entry.replica] + 1
            while next <= found.through {
                let rows = try store.runs(id, entry.replica, from: next, bytesMax: WireLimits.boundaryBytes)
                guard let end = rows.last?.last else { break }
                for row in rows where row.last <= found.through {
                    let isKept = found.keeping.contains { $0.first <= row.first && row.last <= $0.last }
                    if !isKept { bytes += row.bytes.count }
                }
                next = end + 1
            }
        }
        return bytes
    }

    /// What a log may forget by now: through a boundary, but for sections in which a void change lies. Nil:
    /// nothing.
    private func collectable(
        _ replica: ReplicaID, through stable: SequenceNumber, keeping retained: Retained,
        in store: some StoreReading
    ) throws(StoreFailure) -> LogCollection? {
        let cut = try store.cut(id, replica)
        let end = try collectableEnd(of: replica, after: cut, through: stable, keeping: retained, in: store)
        // Rows before the cut hold void changes, or a crash ended a collection between two steps.
        let first = try store.runs(id, replica, from: SequenceNumber(1), bytesMax: 1).first?.first
        let isLeft = first.map { $0 <= cut } ?? false
        guard let through = end ?? (isLeft ? cut : nil) else { return nil }
        let keeping = try voidSections(
            of: replica, after: isLeft ? .none : cut, through: through, in: store)
        return LogCollection(replica: replica, through: through, keeping: keeping)
    }

    /// The last boundary that may go; nil: none behind the cut.
    private func collectableEnd(
        of replica: ReplicaID, after cut: SequenceNumber, through stable: SequenceNumber,
        keeping retained: Retained, in store: some StoreReading
    ) throws(StoreFailure) -> SequenceNumber? {
        if let end = endOfLog(replica)?.position, end.last == stable, end.last > cut,
            retained.since.map({ end.timestamp.milliseconds <= $0 }) ?? true
        {
            return end.last
        }
        guard var boundary = try store.boundary(id, replica, before: stable + 1), boundary.last > cut else {
            return nil
        }
        guard let since = retained.since else { return boundary.last }
        // Back to the last one that is old enough.
        while try store.decoded(boundary, of: replica).position.timestamp.milliseconds > since {
            guard let earlier = try store.boundary(id, replica, before: boundary.last), earlier.last > cut
            else { return nil }
            boundary = earlier
        }
        return boundary.last
    }

    /// The sections that hold a void change. Rows never cross a boundary.
    private func voidSections(
        of replica: ReplicaID, after cut: SequenceNumber, through last: SequenceNumber,
        in store: some StoreReading
    ) throws(StoreFailure) -> [DotRange] {
        var kept: [DotRange] = []
        var start = cut
        while start < last {
            // The last section of a log that ended has no boundary behind it yet.
            let end = try sectionEnd(of: replica, after: start, through: last, in: store) ?? last
            var isKept = false
            var next = start + 1
            while next <= end, !isKept {
                let rows = try store.runs(id, replica, from: next, bytesMax: WireLimits.boundaryBytes)
                guard let last = rows.last else { break }
                for row in rows where row.first <= end {
                    let records = try store.commits(
                        id, after: CommitPosition(row.position.value - 1), limit: row.changes)
                    if records.contains(where: { $0.status != .executed }), !isPlanted("void-collected") {
                        isKept = true
                    }
                }
                next = last.last + 1
            }
            if isKept { kept.append(DotRange(replica, start + 1, end)) }
            start = end
        }
        return kept
    }

    /// The first boundary after a place, which lies at the end of a section.
    private func sectionEnd(
        of replica: ReplicaID, after start: SequenceNumber, through last: SequenceNumber,
        in store: some StoreReading
    ) throws(StoreFailure) -> SequenceNumber? {
        var end: SequenceNumber?
        var before = last + 1
        while let boundary = try store.boundary(id, replica, before: before), boundary.last > start {
            (end, before) = (boundary.last, boundary.last)
        }
        return end
    }
}
