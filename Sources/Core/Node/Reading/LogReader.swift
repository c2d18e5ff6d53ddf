// Finds changes in the stored logs again. A change can be decoded only from its log's last boundary on, so
// this reader decodes whole sections (64 KiB, or one change that is larger) and keeps the last few: loading
// many documents of one log decodes each section once.

import Bytes
import Causality
import Documents
import Identity
import Wire

/// Reads changes of one space from a store or one of its read snapshots.
struct LogReader: Sendable {
    private struct Section: Hashable {
        let replica: ReplicaID
        /// The last sequence before it.
        let after: SequenceNumber
    }

    private let space: SpaceID
    private var sections: [Section: (changes: [Change], bytes: Int)] = [:]
    /// Oldest first.
    private var order: [Section] = []
    /// Stored bytes of `sections`.
    private(set) var bytes = 0
    /// Stored bytes of all that was decoded.
    private(set) var decodedBytes = 0
    private static let sectionsMax = 256
    private static let bytesMax = sectionsMax * WireLimits.boundaryBytes
    /// Entries of the contexts in `sections`, of each and together: a hostile author can make those of one
    /// section thirty megabytes, so the oldest go when they are more than this.
    private var entries: [Section: Int] = [:]
    private var entryCount = 0
    private static let entriesMax = 1 << 20
    /// What the last few changes do to each document, of changes that touch many.
    private var parts = ChangeParts()

    init(space: SpaceID) { self.space = space }

    /// The change of a commit record, which must be in the store.
    mutating func change(_ record: CommitRecord, from store: some StoreReading) throws(StoreFailure) -> Change
    {
        let changes = try section(around: record.first, through: record.last, of: record.replica, from: store)
        guard let index = Self.index(of: record.first, in: changes), changes[index].last == record.last else {
            throw .unusable(.notInLog(Dot(record.replica, record.last)))
        }
        return changes[index]
    }

    /// What a change does to one document, with its stamps, in order.
    mutating func operations(of change: Change, touching key: Key) -> ([Operation], [OperationStamp]) {
        parts.operations(of: change, touching: key)
    }

    /// The change that holds a dot, and where it was committed; nil when the log does not reach that far, or
    /// was let go there.
    mutating func find(_ dot: Dot, from store: some StoreReading) throws(StoreFailure)
        -> (change: Change, position: CommitPosition)?
    {
        guard let run = try store.runs(space, dot.replica, from: dot.sequence, bytesMax: 1).first else {
            return nil
        }
        let changes = try section(around: run.first, through: run.last, of: dot.replica, from: store)
        guard let begin = Self.index(of: run.first, in: changes) else {
            throw .unusable(.notInLog(Dot(dot.replica, run.first)))
        }
        for index in begin..<changes.count where changes[index].last >= dot.sequence {
            // Of a log that begins behind it the first run is another change's.
            if changes[index].first > dot.sequence { return nil }
            let position = CommitPosition(run.position.value + UInt64(index - begin))
            return (changes[index], position)
        }
        return nil
    }

    /// The roster heads that the view of a change is made of: its own, or the last named before it in its
    /// section. O(section).
    mutating func rosterHeads(of change: Change, from store: some StoreReading) throws(StoreFailure)
        -> [Bytes32]
    {
        let changes = try section(
            around: change.first, through: change.last, of: change.replica, from: store)
        return changes.last { $0.first <= change.first && !$0.rosterHeads.isEmpty }?.rosterHeads ?? []
    }

    /// The decoded changes of the section that a sequence lies in, at least through `last`.
    private mutating func section(
        around first: SequenceNumber, through last: SequenceNumber, of replica: ReplicaID,
        from store: some StoreReading
    ) throws(StoreFailure) -> [Change] {
        let boundary = try store.boundary(space, replica, before: first)
        let section = Section(replica: replica, after: boundary?.last ?? .none)
        if let known = sections[section]?.changes, let head = known.last?.last, head >= last { return known }
        let decoded = try decode(section, boundary, from: store)
        if let old = sections.updateValue(decoded, forKey: section) {
            bytes -= old.bytes
        } else {
            order.append(section)
        }
        bytes += decoded.bytes
        decodedBytes += decoded.bytes
        let count = Self.contextEntries(of: decoded.changes)
        entryCount += count - (entries.updateValue(count, forKey: section) ?? 0)
        while order.count > Self.sectionsMax
            || order.count > 1 && (bytes > Self.bytesMax || entryCount > Self.entriesMax)
        {
            dropFirst()
        }
        return decoded.changes
    }

    private static func contextEntries(of changes: [Change]) -> Int {
        var count = 0
        for (index, change) in changes.enumerated() {
            count += change.contextEntries(beside: index == 0 ? nil : changes[index - 1])
        }
        return count
    }

    /// Forgets the oldest sections until those that stay have so many bytes.
    mutating func trim(to limit: Int) {
        while bytes > limit, !order.isEmpty { dropFirst() }
    }

    private mutating func dropFirst() {
        let first = order.removeFirst()
        bytes -= sections.removeValue(forKey: first)?.bytes ?? 0
        entryCount -= entries.removeValue(forKey: first) ?? 0
    }

    /// Decodes from a boundary to the next one, to the end of the log, or to where rows before its cut end.
    /// Rows never cross a boundary (`OpenRun`).
    private func decode(_ section: Section, _ boundary: BoundaryRecord?, from store: some StoreReading)
        throws(StoreFailure) -> (changes: [Change], bytes: Int)
    {
        var coder = try LogSection.coder(of: section.replica, from: boundary)
        let begin = coder.boundary
        var changes: [Change] = []
        var bytes = 0
        while true {
            let runs = try store.runs(
                space, section.replica, from: coder.next, bytesMax: WireLimits.boundaryBytes)
            if runs.isEmpty { return (changes, bytes) }
            for run in runs {
                // A base began the log behind what was held of it: the rows of before end there.
                if run.first > coder.next, coder.next <= (try store.cut(space, section.replica)) {
                    return (changes, bytes)
                }
                try LogSection.decode(run, with: &coder, into: &changes)
                bytes += run.bytes.count
                if coder.boundary != begin { return (changes, bytes) }
            }
        }
    }

    private static func index(of first: SequenceNumber, in changes: [Change]) -> Int? {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].first < first { low = middle + 1 } else { high = middle }
        }
        return low < changes.count && changes[low].first == first ? low : nil
    }
}

/// Decoding of stored rows: what is on disk was checked when it came, so a fault here means a damaged store.
enum LogSection {
    static func coder(of replica: ReplicaID, from boundary: BoundaryRecord?) throws(StoreFailure) -> LogCoder
    {
        guard let boundary else { return LogCoder(replica: replica) }
        do throws(DecodeFault) {
            return LogCoder(replica: replica, at: try LogBoundary(decoding: boundary.state).position)
        } catch {
            throw .unreadable(.boundary(replica, last: boundary.last), error)
        }
    }

    static func decode(_ run: StoredRun, with coder: inout LogCoder, into changes: inout [Change])
        throws(StoreFailure)
    {
        guard run.first == coder.next else {
            throw .unusable(.misplaced(run.replica, first: run.first, expected: coder.next))
        }
        var reader = ByteReader(run.bytes)
        do throws(DecodeFault) {
            while !reader.isAtEnd { changes.append(try coder.decode(from: &reader)) }
        } catch {
            throw .unreadable(.section(run.replica, from: run.first), error)
        }
    }
}
