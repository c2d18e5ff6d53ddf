// What is stored of one log, as links need it: canonical bytes of whole changes, hashes of the chain, and
// sealed runs. Rows of the store hold several changes each; a stretch of a log is cut out of them by counting
// changes, so nothing is decoded. Whoever asks has written the open run.

import Bytes
import Causality
import Identity
import Replication
import Wire

/// A stretch of a log: whole changes that stand one after the other.
struct LogStretch: Sendable, Equatable {
    /// The first and the last sequence of the changes, which may begin later than was asked for: the log may
    /// be cut. An empty stretch ends before it begins.
    var first: SequenceNumber
    var last = SequenceNumber.none
    /// Canonical bytes.
    var bytes: [UInt8] = []
}

extension StoreReading {
    /// The changes of a log that hold sequences from `first` through `last`. O(bytes of them).
    func stretch(
        of log: LogID, from first: SequenceNumber, through last: SequenceNumber
    ) throws(StoreFailure) -> LogStretch {
        var result = LogStretch(first: first)
        var from = first
        while from <= last {
            let rows = try runs(
                log.space, log.replica, from: from, bytesMax: ReplicationLimits.segmentBytesAim)
            if rows.isEmpty { break }
            for row in rows where row.first <= last {
                // Before the cut of a log there may be holes.
                if !result.bytes.isEmpty, row.first > result.last + 1 { return result }
                var (skipped, kept) = (0, row.changes)
                if result.bytes.isEmpty { result.first = max(first, row.first) }
                if row.first < first || row.last > last {
                    let records = try commits(
                        log.space, after: CommitPosition(row.position.value - 1), limit: row.changes)
                    skipped = records.filter { $0.last < first }.count
                    kept = records.filter { $0.first <= last }.count
                    if skipped < kept { result.first = min(result.first, records[skipped].first) }
                    result.last = kept > 0 ? records[kept - 1].last : result.last
                } else {
                    result.last = row.last
                }
                result.bytes += Self.changes(skipped..<max(skipped, kept), of: row.bytes)
                from = row.last + 1
            }
            if let row = rows.last, row.last >= last { break }
        }
        return result
    }

    /// Some of the changes of a row, which stand one after the other, each with its length in front.
    private static func changes(_ range: Range<Int>, of bytes: [UInt8]) -> [UInt8] {
        var reader = ByteReader(bytes)
        var start = 0
        do throws(DecodeFault) {
            for number in 0..<range.upperBound {
                if number == range.lowerBound { start = reader.offset }
                if reader.isAtEnd { break }
                try reader.skip(try reader.count(limit: WireLimits.changeBytesMax, field: "change"))
            }
        } catch {
            preconditionFailure("a row of the store is no run of changes: \(error)")
        }
        return range.isEmpty ? [] : Array(bytes[start..<reader.offset])
    }

    // MARK: Hashes

    /// The chain hash of a log after `last`, made again from its bytes: at most a section of them. Zeros,
    /// which are no log's, when no change ends there.
    func chainHash(of log: LogID, through last: SequenceNumber) throws(StoreFailure) -> Bytes32 {
        let stored = try boundary(log.space, log.replica, before: last)
        let part = try stretch(of: log, from: (stored?.last ?? .none) + 1, through: last)
        guard part.last == last else { return .zero }
        do {
            let boundary = try stored.map { try LogBoundary(decoding: $0.state) }
            return try LogState(recovering: log.replica, in: log.space, from: boundary, [part.bytes])
                .chainHash
        } catch {
            throw .unreadable(.log(log.replica), error)
        }
    }

    /// The last seal of a log at or before `last`; nil: there is none. `known`: one that was found before.
    func lastSeal(
        of log: LogID, through last: SequenceNumber, after known: SequenceNumber
    ) throws(StoreFailure) -> Seal? {
        if let seal = try seals(log.space, log.replica, from: last, limit: 1).first, seal.last == last {
            return seal
        }
        // The log ends between two seals: the last one before its end.
        var found: Seal?
        var from = max(known, try boundary(log.space, log.replica, before: last)?.last ?? .none)
        while true {
            let page = try seals(log.space, log.replica, from: max(from, LogExtent.beginning), limit: 256)
            let inside = page.filter { $0.last <= last }
            if let newest = inside.last { found = newest }
            guard inside.count == 256, let newest = inside.last else { return found }
            from = newest.last + 1
        }
    }

    // MARK: Boundaries

    /// What is stored of a boundary, decoded. It was checked when it was written.
    func decoded(_ stored: BoundaryRecord, of replica: ReplicaID) throws(StoreFailure) -> LogBoundary {
        do throws(DecodeFault) {
            return try LogBoundary(decoding: stored.state)
        } catch {
            throw .unreadable(.boundary(replica, last: stored.last), error)
        }
    }

    /// The chain hash at a boundary of what is held of a log, zeros at its beginning; nil: none is there.
    func boundaryHash(of log: LogID, at last: SequenceNumber) throws(StoreFailure) -> Bytes32? {
        if last == .none { return .zero }
        guard let stored = try boundary(log.space, log.replica, before: last + 1), stored.last == last else {
            return nil
        }
        return try decoded(stored, of: log.replica).chainHash
    }

    /// The last boundary held of a log before a sequence.
    func lastBoundary(
        of log: LogID, before end: SequenceNumber
    ) throws(StoreFailure) -> ForkBoundariesFrame.Entry? {
        guard let stored = try boundary(log.space, log.replica, before: end) else { return nil }
        return ForkBoundariesFrame.Entry(
            last: stored.last, chainHash: try decoded(stored, of: log.replica).chainHash)
    }

    /// All boundaries held of a log between two sequences, ascending. A log has one in 4,096 sequences or 64
    /// KiB, and this is asked once a fork.
    func boundaries(
        of log: LogID, after first: SequenceNumber, before end: SequenceNumber
    ) throws(StoreFailure) -> [ForkBoundariesFrame.Entry] {
        var found: [ForkBoundariesFrame.Entry] = []
        var before = end
        while let stored = try boundary(log.space, log.replica, before: before), stored.last > first {
            let hash = try decoded(stored, of: log.replica).chainHash
            found.append(ForkBoundariesFrame.Entry(last: stored.last, chainHash: hash))
            before = stored.last
        }
        return found.reversed()
    }

    /// The seal of the next boundary after one, or else the last seal held of the section between them: some
    /// stand within it.
    private func sectionSeal(
        of log: LogID, after last: SequenceNumber
    ) throws(StoreFailure) -> Seal? {
        var (found, from) = (Seal?.none, last + 1)
        while true {
            let page = try seals(log.space, log.replica, from: from, limit: 16)
            for seal in page {
                let next = try boundary(log.space, log.replica, before: seal.last + 1)?.last ?? .none
                if next == seal.last { return seal }
                // Its section lies behind the next boundary, of which no seal is kept.
                if next > last { return found }
                found = seal
            }
            guard page.count == 16, let newest = page.last else { return found }
            from = newest.last + 1
        }
    }

    /// What is held of a log after a boundary, through the next one or the last seal, with the hash at its
    /// beginning; nil when nothing sealed is.
    func sealedRun(
        of log: LogID, by declaration: Change.Declaration, after last: SequenceNumber
    ) throws(StoreFailure) -> (base: Bytes32, run: SealedRun)? {
        guard let base = try boundaryHash(of: log, at: last), let seal = try sectionSeal(of: log, after: last)
        else { return nil }
        let part = try stretch(of: log, from: last + 1, through: seal.last)
        guard part.last == seal.last, part.first == last + 1 else { return nil }
        let run = Run(replica: log.replica, first: part.first, last: part.last, bytes: part.bytes)
        return (base, SealedRun(declaration: declaration, run: run, seals: [seal]))
    }
}
