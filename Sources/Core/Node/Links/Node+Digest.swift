// When two nodes have held the same for a while, they compare a digest of their documents. A difference is a
// bug or a damaged disk on one of them, never something to repair in silence: an alarm names the first
// document that differs.
//
//     level for a second -> walk over the documents, step by step -> DIGEST
//     digests differ     -> DIGEST_PARTS -> the first part that differs: DIGEST_DOCUMENTS -> the first
//     document: alarm

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// When vectors are equal for so long, the documents are compared.
    private func digestDelay(of space: SpaceID) -> UInt64 {
        let documents = spaces.handle(of: space).map { UInt64(max(0, spaces[$0].documents.count)) } ?? 0
        return ReplicationLimits.digestDelayMilliseconds
            + documents * ReplicationLimits.digestMillisecondsPerDocument
    }

    /// Hashes some more documents where a channel waits for it.
    mutating func advanceDigest(_ index: SpaceHandle, at now: Instant) throws(StoreFailure) {
        let space = spaces[index].id
        let delay = digestDelay(of: space)
        let isWanted = links.channels(of: space).contains {
            links[$0].digest.isDue(after: delay, at: now.monotonic)
        }
        guard isWanted else { return }
        var walk = spaces[index].replication.digest.take() ?? DigestWalk(at: spaces[index].position)
        if let page = walk.nextPage(at: spaces[index].position, now: now.monotonic) {
            try read(page, for: &walk, in: index, at: now)
        }
        spaces[index].replication.digest = walk
    }

    /// Hashes one page of documents, but for those that did not change since they were hashed.
    private mutating func read(
        _ page: DigestWalk.Page, for walk: inout DigestWalk, in index: SpaceHandle, at now: Instant
    ) throws(StoreFailure) {
        let space = spaces[index].id
        let records = try store.documents(space, prefix: "", after: page.after, limit: page.limit)
        // One reader for all of them: documents of one log share its decoded sections.
        var reader = LogReader(space: space)
        for record in records where !walk.addKnown(record.key, changedAt: record.position) {
            do throws(StoreFailure) {
                let line = try digestLine(record.key, in: index, with: &reader)
                walk.add(line, changedAt: record.position)
            } catch {
                guard case .unusable(let reason) = error else { throw error }
                // Nothing can be said of all documents then; changes go on.
                recordUnreadable(record.key, of: space, "\(reason)", at: now)
                return walk.restAfterFailure(at: now.monotonic)
            }
        }
        walk.end(page, last: records.last?.key, count: records.count, at: now.monotonic)
    }

    /// Hashes a document as programs see it: in memory when it is there, else as the store gives it.
    private func digestLine(
        _ key: Key, in index: SpaceHandle, with reader: inout LogReader
    ) throws(StoreFailure) -> StateDigest.Line {
        var document: Document
        if let held = spaces[index].documents.cache.peek(key, { $0.document }) {
            document = held
        } else {
            document = try SpaceDocuments.load(key, of: spaces[index].id, from: store, with: &reader).document
        }
        // Of which what a node collected, or did not, is no part.
        if let standing = spaces[index].documents.bases.standing {
            document.purge(asOf: standing.released)
        }
        return StateDigest.Line(key: key, digest: document.digest())
    }

    /// What to tell of the documents on a channel now, once for each state that both sides hold.
    mutating func nextDigest(
        on channel: inout SpaceChannel, in index: SpaceHandle, _ told: AdvertisedLogs, at now: Instant
    ) -> DigestFrame? {
        guard channel.sync.isLevel(with: told.sealed), told.sealed == spaces[index].durable,
            spaces[index].exceptions.rejudging.isEmpty, spaces[index].documents.bases.applying == nil,
            spaces[index].isJudgedByBase
        else {
            channel.digest.reset()
            return nil
        }
        channel.digest.recordLevel(at: now.monotonic)
        guard channel.digest.told == nil, let walk = spaces[index].replication.digest, walk.isDone,
            walk.position == spaces[index].position
        else { return nil }
        var writer = ByteWriter()
        for entry in told.sealed.entries {
            entry.replica.raw.encode(into: &writer)
            writer.u64(entry.last.value)
        }
        let frame = DigestFrame(
            vectorHash: Blake2b.hash256(writer.bytes), rosterHash: spaces[index].roster.rosterHash,
            exceptionsHash: spaces[index].exceptionsHash, documentsDigest: walk.digest.whole)
        channel.digest.tell(frame)
        return frame
    }

    mutating func digestArrived(_ frame: DigestFrame, _ place: ChannelPlace, at now: Instant) {
        switch links[place.channel].digest.receive(frame) {
        case .incomparable: return
        case .equal:
            let peer = links[place.link].device
            resolveAlarm(code: "digest-differs", space: spaces[place.space].id, device: peer)
        case .different(let mine):
            guard let walk = walk(of: mine, in: place.space), begins(.parts, place) else { return }
            let parts = DigestPartsFrame(of: mine.documentsDigest, parts: walk.digest.partHashes)
            send([LinkFrame(parts, on: place.number)], on: place.link)
        }
    }

    mutating func digestPartsArrived(_ frame: DigestPartsFrame, _ place: ChannelPlace) {
        guard let mine = links[place.channel].digest.told,
            let walk = walk(of: mine, in: place.space),
            let part = StateDigest.firstDifference(walk.digest.partHashes, frame.parts),
            begins(.documents, place)
        else { return }
        do throws(StoreFailure) {
            let lines = try digestLines(of: part, in: place.space).map {
                DigestDocumentsFrame.Line(key: $0.key, digest: $0.digest)
            }
            let body = DigestDocumentsFrame(of: mine.documentsDigest, part: UInt8(part), lines: lines)
            send([LinkFrame(body, on: place.number)], on: place.link)
        } catch {
            transaction.fail(error)
        }
    }

    mutating func digestDocumentsArrived(
        _ frame: DigestDocumentsFrame, _ place: ChannelPlace, at now: Instant
    ) {
        guard let mine = links[place.channel].digest.difference, walk(of: mine, in: place.space) != nil,
            begins(.document, place)
        else { return }
        do throws(StoreFailure) {
            let lines = try digestLines(of: Int(frame.part), in: place.space)
            let others = frame.lines.map { StateDigest.Line(key: $0.key, digest: $0.digest) }
            guard let key = StateDigest.firstDifference(lines, others) else { return }
            raise(
                Alarm(
                    code: "digest-differs",
                    message: "document \(key) of space \(spaces[place.space].name) differs from that of "
                        + "\(named(links[place.link].device)), although both hold the same changes",
                    hint:
                        "keep both state directories and report it; the logs are intact, and documents "
                        + "follow from them",
                    since: now.wall, space: spaces[place.space].id, device: links[place.link].device))
        } catch {
            transaction.fail(error)
        }
    }

    /// True when the step was not made yet since the digest was told.
    private mutating func begins(_ step: DigestExchange.Step, _ place: ChannelPlace) -> Bool {
        links[place.channel].digest.begins(step)
    }

    /// The walk that a digest was told from; nil when the space moved on since.
    private func walk(of told: DigestFrame, in index: SpaceHandle) -> DigestWalk? {
        guard let walk = spaces[index].replication.digest,
            walk.isOrigin(of: told, at: spaces[index].position)
        else { return nil }
        return walk
    }

    /// The documents of one part, ascending by key; the first ones when there are many. Reads every key,
    /// since keys are not kept by part: this happens once a difference, which is once too often.
    private func digestLines(of part: Int, in index: SpaceHandle) throws(StoreFailure) -> [StateDigest.Line] {
        let space = spaces[index].id
        var lines: [StateDigest.Line] = []
        var reader = LogReader(space: space)
        var after: Key?
        while lines.count < ReplicationLimits.digestListMax {
            let records = try store.documents(space, prefix: "", after: after, limit: 1_024)
            for record in records where StateDigest.part(of: record.key) == part {
                if lines.count == ReplicationLimits.digestListMax { break }
                lines.append(try digestLine(record.key, in: index, with: &reader))
            }
            guard records.count == 1_024 else { break }
            after = records.last?.key
        }
        return lines
    }

    /// When the digest of a channel's space has a step to do.
    func digestDeadline(_ channel: SpaceChannel) -> UInt64? {
        guard channel.isFull, channel.digest.told == nil, let index = spaces.handle(of: channel.space) else {
            return nil
        }
        return channel.digest.deadline(
            after: digestDelay(of: channel.space), nextStep: spaces[index].replication.digest?.nextStep)
    }
}
