// After each commit: every channel gets what its peer lacks. One function computes it for catching up and for
// live push alike, so there is no second path to get wrong. Only what is durable is named or sent.

import Bytes
import Causality
import Crypto
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

/// Segments made in one round, for all links: each is packed and encrypted once.
struct SegmentRound {
    var made: [SegmentKey: (last: SequenceNumber, bytes: [UInt8])] = [:]
    /// Pages of commit records by where they begin: links that are level read the same ones.
    var records: [PageKey: [CommitRecord]] = [:]
    /// Their bytes; over a bound they are made again, which is only slower.
    var byteCount = 0

    /// `last` as it was asked for; the segment goes on to the next seal.
    struct SegmentKey: Hashable {
        let log: LogID
        let first: SequenceNumber
        let last: SequenceNumber
    }

    struct PageKey: Hashable {
        let space: SpaceID
        let cursor: UInt64
    }

    mutating func keep(_ bytes: [UInt8], through last: SequenceNumber, as key: SegmentKey) {
        guard byteCount + bytes.count <= 8 << 20 else { return }
        made[key] = (last, bytes)
        byteCount += bytes.count
    }
}

extension Node {
    /// Sends on every channel what is due. Called after the store's commit returned.
    mutating func pump(at now: Instant) {
        guard !links.connections.isEmpty else { return }
        var round = SegmentRound()
        do throws(StoreFailure) {
            for index in spaces.indices {
                try advertise(index)
                try advanceDigest(index, at: now)
                mendGap(index, at: now)
            }
            for index in spaces.indices {
                tellHave(index, at: now)
                tellNeighbours(index, again: false, at: now)
            }
            for link in linksInTurn {
                for channel in links[link].channels { try pump(channel.handle, &round, at: now) }
            }
        } catch {
            // Nothing was changed in the store; what was not sent is computed again after the next commit.
            batch.log(.error, "store-read", "reading for peers failed (\(error)); it is tried again")
        }
    }

    private mutating func pump(
        _ handle: ChannelHandle, _ round: inout SegmentRound, at now: Instant
    ) throws(StoreFailure) {
        guard let index = spaces.handle(of: links[handle].space),
            let told = spaces[index].replication.advertised
        else { return }
        let (link, number) = (links[handle].link, links[handle].number)
        let peer = links[link].device
        var channel = links.connections.withdraw(handle)
        defer {
            links[handle] = channel
            if isPlanted("need-remembered") {
                spaces[index].peerVectors[peer, default: VersionVector()].join(channel.sync.sent)
            }
        }
        guard channel.isReady else { return }
        var frames = forksToTell(on: &channel, number, in: index)
        // 1. What I took in, and what others bring me. What I hold was told by `tellHave`.
        if !links.pause.isOn(at: now.monotonic), let total = channel.sync.acknowledgement() {
            frames.append(LinkFrame(ReceivedFrame(bytes: total), on: number))
        }
        if let frame = channel.supply.nextPrune(at: now.monotonic) {
            frames.append(LinkFrame(frame, on: number))
        }
        // 2. Addresses of others, when they changed.
        if channel.addresses.advances(to: reachability.addressesVersion) {
            if let peers = channel.addresses.news(among: peersToTell(peer, in: index)) {
                frames.append(LinkFrame(peers, on: number))
            }
        }
        // 3. Changes, while the window and the caps are open.
        channel.heldBackBy = nil
        while channel.sync.hasRoom, channel.sync.isBehind(told.position.value) {
            channel.heldBackBy = cap(on: link, at: now)
            guard channel.heldBackBy == nil,
                let segment = try nextSegment(for: &channel.sync, in: index, told, &round)
            else { break }
            spend(segment.count, on: link, at: now)
            frames.append(LinkFrame(type: FrameType.segment.rawValue, channel: number, body: segment))
        }
        if let backlog = try backlogToTell(on: &channel, in: index, told, at: now) {
            frames.append(LinkFrame(backlog, on: number))
        }
        if let digest = digestToTell(on: &channel, in: index, told, at: now) {
            frames.append(LinkFrame(digest, on: number))
        }
        send(frames, on: link)
    }

    /// The next segment that the peer lacks, in commit order; nil: nothing more is known to be lacking.
    private mutating func nextSegment(
        for sync: inout SpaceSync, in index: SpaceHandle, _ told: AdvertisedLogs, _ round: inout SegmentRound
    ) throws(StoreFailure) -> [UInt8]? {
        let space = spaces[index].id
        guard spaces[index].keys.current.content != nil, sync.isBehind(told.position.value) else {
            return nil
        }
        if sync.cursor == nil { try rewind(&sync, in: space, told) }
        while let cursor = sync.cursor, cursor < told.position.value {
            let page = SegmentRound.PageKey(space: space, cursor: cursor)
            var records = round.records[page] ?? []
            if records.isEmpty {
                records = try store.commits(space, after: CommitPosition(cursor), limit: 256)
                if round.records.count < 64 { round.records[page] = records }
            }
            // Positions at the end may be those of rebuilds, which nobody is sent.
            guard !records.isEmpty else {
                sync.pass(told.position.value)
                return nil
            }
            for (offset, record) in records.enumerated() {
                if sync.needs(record.replica, record.last), record.last <= told.sealed[record.replica] {
                    let last = Self.lastInOrder(records[offset...], sync)
                    if let segment = try segment(record.replica, through: last, for: &sync, in: index, &round)
                    {
                        return segment
                    }
                }
                sync.pass(record.position.value)
            }
        }
        return nil
    }

    /// The last change of the first record's log before a change of another log that the peer lacks as well.
    private static func lastInOrder(_ records: ArraySlice<CommitRecord>, _ sync: SpaceSync) -> SequenceNumber
    {
        guard let first = records.first else { return .none }
        var last = first.last
        for record in records.dropFirst() {
            if record.replica == first.replica {
                last = record.last
            } else if sync.needs(record.replica, record.last) {
                break
            }
        }
        return last
    }

    /// Sending begins before the first change, in commit order, that the peer lacks.
    private func rewind(_ sync: inout SpaceSync, in space: SpaceID, _ told: AdvertisedLogs)
        throws(StoreFailure)
    {
        var start = told.position.value
        for missing in sync.missing(of: told.sealed) {
            let run = try store.runs(space, missing.replica, from: missing.sequence, bytesMax: 1).first
            if let run { start = min(start, run.position.value - 1) }
        }
        sync.rewind(to: start)
    }

    /// A segment of a log from what the peer lacks through `last`, and on to the next seal; nil without a
    /// seal.
    private mutating func segment(
        _ replica: ReplicaID, through last: SequenceNumber, for sync: inout SpaceSync, in index: SpaceHandle,
        _ round: inout SegmentRound
    ) throws(StoreFailure) -> [UInt8]? {
        let space = spaces[index].id
        guard let content = spaces[index].keys.current.content, let log = spaces[index].logs[replica] else {
            return nil
        }
        let first = max(sync.sent[replica], sync.peerHave?[replica] ?? .none) + 1
        let key = SegmentRound.SegmentKey(log: LogID(space, replica), first: first, last: last)
        if let made = round.made[key] {
            sync.noteSent(replica, to: made.last, bytes: made.bytes.count)
            return made.bytes
        }
        var seals = try store.seals(space, replica, from: first, limit: WireLimits.segmentSealsMax)
        guard var end = (seals.first { $0.last >= last } ?? seals.last)?.last else { return nil }
        // Not more at once than is aimed at: the first seal after so many bytes is far enough.
        let aim = try store.runs(space, replica, from: first, bytesMax: segmentBytesAim).last
        if let aim, let near = seals.first(where: { $0.last >= aim.last }) { end = min(end, near.last) }
        let part = try logBytes(of: replica, from: first, through: end, in: index)
        precondition(part.last == end, "the log \(replica) ends at \(part.last), its seal at \(end)")
        seals.removeAll { $0.last > end }
        let run = Run(replica: replica, first: part.first, last: end, bytes: part.bytes)
        let sealed = SealedRun(declaration: log.declaration, run: run, seals: seals)
        let random = entropy.bytes(24)
        let derived = replica.raw.bytes + [UInt8](repeating: UInt8(truncatingIfNeeded: first.value), count: 8)
        let nonce = isPlanted("nonce-from-sequence") ? derived : random
        let segment = Segment.seal(sealed, in: space, contentKey: content, nonce: nonce)
        var writer = ByteWriter(reserving: segment.body.count + 512)
        segment.encode(into: &writer)
        round.keep(writer.bytes, through: end, as: key)
        sync.noteSent(replica, to: end, bytes: writer.count)
        if replica == spaces[index].ownReplica { spaces[index].replication.gossip.budget.earn(writer.count) }
        return writer.bytes
    }

    /// Canonical bytes of whole changes of a log: those that hold sequences from `first` through `last`. Rows
    /// of the store are cut by counting changes, so nothing is decoded.
    func logBytes(
        of replica: ReplicaID, from first: SequenceNumber, through last: SequenceNumber, in index: SpaceHandle
    ) throws(StoreFailure) -> (first: SequenceNumber, last: SequenceNumber, bytes: [UInt8]) {
        let space = spaces[index].id
        var result: (first: SequenceNumber, last: SequenceNumber, bytes: [UInt8]) = (first, .none, [])
        var from = first
        while from <= last {
            let rows = try store.runs(space, replica, from: from, bytesMax: ReplicationLimits.segmentBytesAim)
            if rows.isEmpty { break }
            for row in rows where row.first <= last {
                var (skipped, kept) = (0, row.changes)
                if row.first < first || row.last > last {
                    let records = try store.commits(
                        space, after: CommitPosition(row.position.value - 1), limit: row.changes)
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
}
