// The segments of one round of sending. What the peer of a channel lacks is found in commit order, in which a
// context stands before what was made on it; a segment goes from what the peer lacks of a log on to the next
// seal. Links that are level read the same pages and get the same bytes: each segment is packed and encrypted
// once a round.

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Wire

/// Segments and pages of one round, for all links.
struct SegmentRound {
    /// What a space has to send, as values of this round.
    struct Source {
        let space: SpaceID
        let epoch: KeyEpochName
        /// Its content key, under which segments are encrypted.
        let content: Secret
        var advertised: AdvertisedLogs
        let logs: [ReplicaID: LogState]
        /// Where logs begin that were cut: before it there is only the base.
        let cuts: VersionVector
        /// Canonical bytes aimed at in one segment.
        var bytesAim: Int
        /// A planted bug: the nonce follows from the sequence.
        let derivesNonce: Bool
    }

    /// A segment for one channel.
    struct Outgoing {
        let replica: ReplicaID
        let bytes: [UInt8]
        /// It was made for this channel, not for one before it.
        let isNew: Bool
        /// Canonical bytes of the changes in it.
        var run: [UInt8] = []

        /// How many changes are in it. O(changes).
        var changes: Int {
            var (reader, count) = (ByteReader(run), 0)
            do throws(DecodeFault) {
                while !reader.isAtEnd {
                    try reader.skip(try reader.count(limit: WireLimits.changeBytesMax, field: "change"))
                    count += 1
                }
            } catch {
                preconditionFailure("a stretch of a stored log is no run of changes: \(error)")
            }
            return count
        }
    }

    /// `last` as it was asked for; the segment goes on to the next seal.
    private struct SegmentKey: Hashable {
        let log: LogID
        let epoch: KeyEpochName
        let first: SequenceNumber
        let last: SequenceNumber
    }

    private struct PageKey: Hashable {
        let space: SpaceID
        let cursor: UInt64
    }

    private var made: [SegmentKey: (last: SequenceNumber, bytes: [UInt8])] = [:]
    /// Of `made`; over a bound segments are made again, which is only slower.
    private var byteCount = 0
    /// Pages of commit records by where they begin.
    private var pages: [PageKey: [CommitRecord]] = [:]

    init() {}

    /// The next segment that a peer lacks, in commit order; nil: nothing more is known to be missing there.
    mutating func next(
        for sync: inout SpaceSync, of source: Source, from store: some StoreReading,
        entropy: inout Entropy
    ) throws(StoreFailure) -> Outgoing? {
        let end = source.advertised.position.value
        guard sync.isBehind(end) else { return nil }
        if sync.cursor == nil { try Self.rewind(&sync, of: source, from: store) }
        while let cursor = sync.cursor, cursor < end {
            let records = try page(of: source.space, after: cursor, from: store)
            // Positions at the end may be those of rebuilds, which nobody is sent.
            guard !records.isEmpty else {
                sync.pass(end)
                return nil
            }
            for (offset, record) in records.enumerated() {
                if sync.needs(record.replica, record.last),
                    record.last <= source.advertised.sealed[record.replica]
                {
                    let last = Self.lastInOrder(
                        records[offset...], sync, upTo: source.advertised.sealed[record.replica])
                    let segment = try segment(
                        record.replica, through: last, for: &sync, of: source, from: store,
                        entropy: &entropy)
                    if let segment { return segment }
                }
                sync.pass(record.position.value)
            }
        }
        return nil
    }

    private mutating func page(
        of space: SpaceID, after cursor: UInt64, from store: some StoreReading
    ) throws(StoreFailure) -> [CommitRecord] {
        let key = PageKey(space: space, cursor: cursor)
        if let known = pages[key], !known.isEmpty { return known }
        let records = try store.commits(
            space, after: CommitPosition(cursor), limit: ReplicationLimits.commitsPerPage)
        if pages.count < ReplicationLimits.commitPagesMax { pages[key] = records }
        return records
    }

    /// The last change of the first record's log, as far as it is named, before a change of another log that
    /// the peer lacks as well.
    private static func lastInOrder(
        _ records: ArraySlice<CommitRecord>, _ sync: SpaceSync, upTo end: SequenceNumber
    ) -> SequenceNumber {
        guard let first = records.first else { return .none }
        var last = first.last
        for record in records.dropFirst() {
            if record.replica == first.replica {
                if record.last > end { break }
                last = record.last
            } else if sync.needs(record.replica, record.last) {
                break
            }
        }
        return last
    }

    /// Sending begins before the first change, in commit order, that the peer lacks.
    private static func rewind(
        _ sync: inout SpaceSync, of source: Source, from store: some StoreReading
    ) throws(StoreFailure) {
        var start = source.advertised.position.value
        for missing in sync.missing(of: source.advertised.sealed) {
            let run = try store.runs(source.space, missing.replica, from: missing.sequence, bytesMax: 1).first
            if let run { start = min(start, run.position.value - 1) }
        }
        sync.rewind(to: start)
    }

    /// A segment of a log from what the peer lacks through `last`, and on to the next seal; nil without a
    /// seal.
    private mutating func segment(
        _ replica: ReplicaID, through last: SequenceNumber, for sync: inout SpaceSync, of source: Source,
        from store: some StoreReading, entropy: inout Entropy
    ) throws(StoreFailure) -> Outgoing? {
        guard let declaration = source.logs[replica]?.declaration else { return nil }
        let log = LogID(source.space, replica)
        let first = max(sync.sent[replica], sync.peerHave?[replica] ?? .none) + 1
        if first <= source.cuts[replica] { return nil }
        let key = SegmentKey(log: log, epoch: source.epoch, first: first, last: last)
        if let made = made[key] {
            sync.recordSent(replica, to: made.last, bytes: made.bytes.count)
            return Outgoing(replica: replica, bytes: made.bytes, isNew: false)
        }
        var seals = try store.seals(source.space, replica, from: first, limit: WireLimits.segmentSealsMax)
        guard var end = (seals.first { $0.last >= last } ?? seals.last)?.last else { return nil }
        // Not more at once than is aimed at: the first seal after so many bytes is far enough.
        let aim = try store.runs(source.space, replica, from: first, bytesMax: source.bytesAim).last
        if let aim, let near = seals.first(where: { $0.last >= aim.last }) { end = min(end, near.last) }
        let part = try store.stretch(of: log, from: first, through: end)
        precondition(part.last == end, "the log \(replica) ends at \(part.last), its seal at \(end)")
        seals.removeAll { $0.last > end }
        let run = Run(replica: replica, first: part.first, last: end, bytes: part.bytes)
        let sealed = SealedRun(declaration: declaration, run: run, seals: seals)
        let random = entropy.bytes(24)
        let derived = replica.raw.bytes + [UInt8](repeating: UInt8(truncatingIfNeeded: first.value), count: 8)
        let segment = Segment.seal(
            sealed, in: source.space, contentKey: source.content,
            nonce: source.derivesNonce ? derived : random)
        var writer = ByteWriter(reserving: segment.body.count + 512)
        segment.encode(into: &writer)
        keep(writer.bytes, through: end, as: key)
        sync.recordSent(replica, to: end, bytes: writer.count)
        return Outgoing(replica: replica, bytes: writer.bytes, isNew: true, run: part.bytes)
    }

    private mutating func keep(_ bytes: [UInt8], through last: SequenceNumber, as key: SegmentKey) {
        guard byteCount + bytes.count <= ReplicationLimits.roundBytesMax else { return }
        made[key] = (last, bytes)
        byteCount += bytes.count
    }
}
