// Bases for others: offered to whoever lacks what the log has let go, and poured out as the connection takes
// it.

import Bytes
import Causality
import Identity
import Replication
import Roster
import SecureLink
import Wire

/// What is said of bases on one channel.
struct BaseExchange: Sendable {
    /// What was offered last.
    var offered: BaseOfferFrame?
    /// What the peer wants of it, in order.
    var asked: [BaseAskFrame.Want] = []
    /// What was made of the first of that and is not sent yet.
    var ahead: MadeContent?
    /// Pages that were read with one before them and are not sent yet, by their hashes: at most
    /// `ReplicationLimits.pagesAheadBytesMax`.
    var pagesAhead: [Bytes32: [UInt8]] = [:]
    /// When it asked last, monotonic milliseconds: changes wait meanwhile, which it would drop.
    var askedAt: UInt64?
    /// What the peer offered.
    var offer: BaseOfferFrame?
    /// The checkpoint that the peer is known to have come to, by what it holds.
    var past: Bytes32?
}

extension Node {
    /// Offers the base where the peer lacks something that this node's log has let go, or never had since it
    /// holds another branch; where a fork lies below it, to whoever may hold another branch; where rivals
    /// stand, to everybody; and where a log ended by it, to whoever is not shown that it stands: what was
    /// made on what stands behind the end waits there for what nobody gives.
    mutating func baseOffer(on channel: inout SpaceChannel, in index: SpaceHandle) throws(StoreFailure)
        -> BaseOfferFrame?
    {
        let space = spaces[index]
        guard let standing = space.documents.bases.standing, space.documents.bases.applying == nil,
            let theirs = channel.sync.peerHave, !space.isSeeding
        else { return nil }
        let gone = space.exceptions.gone
        let isCut =
            !theirs.covers(space.closings.clamped(cutsOfSegments(of: index)))
            || !gone.isEmpty && !channel.sync.holdsGone(gone)
                && !isPast(standing.id, theirs, in: space, &channel)
        let collected = isCut ? standing.id : nil
        if let offered = channel.base.offered, offered.checkpoint == standing.id,
            offered.collected == collected || offered.collected != nil
        {
            return nil
        }
        let agreement = space.checkpoints.agreement
        guard
            isCut || space.isForked(below: standing.covered)
                || agreement.isParted
                || !space.exceptions.ended.isEmpty && !agreement.isShown(standing.id, to: theirs)
        else { return nil }
        let offer = BaseOfferFrame(
            checkpoint: standing.id, collected: collected,
            logBytes: UInt64(try store.logBytes(space.id)), baseBytes: UInt64(standing.summary.bytes))
        channel.base.offered = offer
        return offer
    }

    /// True when the peer came to the base that stands here: then it has the logs that are gone.
    private func isPast(
        _ base: Bytes32, _ theirs: VersionVector, in space: Space, _ channel: inout SpaceChannel
    ) -> Bool {
        if channel.base.past == base { return true }
        guard space.isPastBase(theirs) else { return false }
        channel.base.past = base
        return true
    }

    mutating func baseAskArrived(_ frame: BaseAskFrame, _ place: ChannelPlace, at now: Instant) {
        let wants = links[place.channel].base.asked
        links[place.channel].base.asked = Array((wants + frame.wants).suffix(2 * WireLimits.baseAsksMax))
        links[place.channel].base.askedAt = now.monotonic
        spaces[place.space].checkpoints.givenAt = now.monotonic
        pourBase(place)
    }

    /// Sends what was asked for, as far as the connection takes it.
    mutating func pourBase(_ place: ChannelPlace) {
        let connection = links[place.link].connection
        do throws(StoreFailure) {
            while links[connection].pour.isOpen, let want = links[place.channel].base.asked.first {
                links[place.channel].base.asked.removeFirst()
                if let rest = try pour(want, place) { links[place.channel].base.asked.insert(rest, at: 0) }
            }
        } catch {
            batch.log(.error, "store-read", "reading a base for a peer failed (\(error))")
        }
    }

    /// Sends of one content as much as may wait for a peer that does not read; what is left of it.
    private mutating func pour(
        _ want: BaseAskFrame.Want, _ place: ChannelPlace
    ) throws(StoreFailure) -> BaseAskFrame.Want? {
        let connection = links[place.link].connection
        let ahead = links[place.channel].base.ahead?.beginning(want)
        links[place.channel].base.ahead = nil
        let found = if let ahead { ahead } else { try make(want, place) }
        guard var made = found else {
            let frame = LinkFrame(BaseNoneFrame(hash: want.hash), on: place.number)
            send([frame], on: place.link)
            note(frame.body.count, pouredOn: connection)
            return nil
        }
        while links[connection].pour.isOpen, let part = made.next() {
            send([LinkFrame(part.frame, on: place.number)], on: place.link)
            note(ReplicationLimits.pourBaseWeight * part.bytes, pouredOn: connection)
        }
        if !made.isSent { links[place.channel].base.ahead = made }
        return made.rest
    }

    /// What a peer wants, from where it wants it on; nil: it is not here.
    private mutating func make(_ want: BaseAskFrame.Want, _ place: ChannelPlace) throws(StoreFailure)
        -> MadeContent?
    {
        var bytes = links[place.channel].base.pagesAhead.removeValue(forKey: want.hash)
        if bytes == nil {
            let next = links[place.channel].base.asked.lazy.map(\.hash)
            var pages = try spaces[place.space].pages(from: want.hash, next, in: transaction.store)
            bytes = pages.removeValue(forKey: want.hash)
            links[place.channel].base.pagesAhead = pages
        }
        if bytes == nil { bytes = try spaces[place.space].kept(want.hash, in: transaction.store) }
        return bytes.flatMap { MadeContent($0, want) }
    }
}

extension Space {
    /// A table, a manifest or a page of the base that stands here, by its hash.
    mutating func content(named hash: Bytes32, in store: some StoreReading) throws(StoreFailure) -> [UInt8]? {
        if let page = try pages(from: hash, [], in: store)[hash] { return page }
        return try kept(hash, in: store)
    }

    /// A table or a manifest.
    fileprivate func kept(_ hash: Bytes32, in store: some StoreReading) throws(StoreFailure) -> [UInt8]? {
        try store.meta(NodeMeta.content(id, hash))
    }

    /// A page of the base that stands here, by its hash, and those of `next` that follow it there; nothing:
    /// it is none.
    fileprivate mutating func pages(
        from hash: Bytes32, _ next: some Sequence<Bytes32>, in store: some StoreReading
    ) throws(StoreFailure) -> [Bytes32: [UInt8]] {
        guard let standing = documents.bases.standing, documents.bases.applying == nil,
            hash != standing.summary.manifest
        else { return [:] }
        if checkpoints.given?.name != standing.summary.manifest {
            checkpoints.given = GivenBase(
                standing.summary.manifest, try standingManifest(in: store).entries)
        }
        guard let run = checkpoints.given?.run(from: hash, next) else { return [:] }
        let pages = try store.encodedPages(id, after: run.after, counts: run.pages.map(\.documentCount))
        return Dictionary(zip(run.pages.map(\.hash), pages)) { first, _ in first }
    }
}

/// A content on its way to a peer. One that is large, as a page is that holds one large document, goes out in
/// many pieces, and each waits until the one before is written: so some of it is kept, and it is made again
/// only for what lies beyond.
struct MadeContent: Sendable {
    private let hash: Bytes32
    private let total: Int
    /// Where `bytes` begin, and how many of them are sent.
    private let start: Int
    private var sent = 0
    /// At most `ReplicationLimits.baseAheadBytesMax`.
    private let bytes: [UInt8]

    /// Nil: the peer wants what lies behind the end.
    init?(_ whole: [UInt8], _ want: BaseAskFrame.Want) {
        guard want.offset < UInt64(whole.count) else { return nil }
        (hash, total, start) = (want.hash, whole.count, Int(want.offset))
        let end = min(total, start + ReplicationLimits.baseAheadBytesMax)
        bytes = start == 0 && end == total ? whole : Array(whole[start..<end])
    }

    /// All that is kept was sent.
    var isSent: Bool { sent == bytes.count }

    /// What is still to be sent of the whole; nil: nothing.
    var rest: BaseAskFrame.Want? {
        start + sent < total ? BaseAskFrame.Want(hash, from: UInt64(start + sent)) : nil
    }

    /// Itself, if it goes on where the peer wants it.
    func beginning(_ want: BaseAskFrame.Want) -> MadeContent? { rest == want && !isSent ? self : nil }

    /// The next piece of what is kept, and how many bytes it holds.
    mutating func next() -> (frame: BasePartFrame, bytes: Int)? {
        guard !isSent else { return nil }
        let piece = Array(bytes[sent..<min(bytes.count, sent + WireLimits.basePartBytesMax)])
        defer { sent += piece.count }
        return (BasePartFrame(piece, at: start + sent, of: total, hash: hash), piece.count)
    }
}

/// Where the pages of a base lie that is being given to somebody: a manifest of a million documents takes
/// longer to read than a page. Kept while it is asked for; some 100 bytes a page.
struct GivenBase: Sendable {
    /// The hash of the manifest.
    let name: Bytes32
    private let entries: [BaseManifest.Entry]
    private let places: [Bytes32: Int]

    init(_ name: Bytes32, _ entries: [BaseManifest.Entry]) {
        (self.name, self.entries) = (name, entries)
        places = Dictionary(entries.enumerated().map { ($1.hash, $0) }) { first, _ in first }
    }

    /// The page, those of `next` that follow it one behind the other, as far as they are read with it, and
    /// the document before them; nil: it is of another base.
    func run(
        from hash: Bytes32, _ next: some Sequence<Bytes32>
    ) -> (after: Key?, pages: ArraySlice<BaseManifest.Entry>)? {
        guard let index = places[hash] else { return nil }
        var (end, bytes) = (index + 1, entries[index].byteCount)
        for following in next {
            guard places[following] == end else { break }
            bytes += entries[end].byteCount
            if bytes > ReplicationLimits.pagesAheadBytesMax { break }
            end += 1
        }
        return (index == 0 ? nil : entries[index - 1].lastKey, entries[index..<end])
    }
}
