// A base that is being taken from others: its table, its manifest, then its pages, several peers at once.
// What is asked for is named by hashes that follow from the checkpoint, so nobody is believed: bytes that do
// not have the hash are their sender's fault, and are asked of another (decision 0191).
//
//     table ─▶ manifest ─▶ pages ─▶ complete            a restart goes on with the pages that are not here
//
// A hash is asked of one peer at a time, in full, from where its bytes so far end.

import Bytes
import Causality
import Wire

/// Where the taking of a base stands. Times are monotonic milliseconds.
struct BaseTaking: Sendable {
    /// What came of a piece.
    enum Outcome: Equatable, Sendable {
        /// Not asked for here any more.
        case unasked
        case more
        /// All bytes of the hash, which they have.
        case whole([UInt8])
        /// They do not have it.
        case wrong
    }

    /// What a peer was asked for and has not sent.
    private struct Asked: Sendable {
        let peer: DeviceID
        var bytes: [UInt8] = []
    }

    let checkpoint: Bytes32
    /// Peers that said they have it, as long as they are linked and have not failed.
    private(set) var sources: Set<DeviceID> = []
    /// Hashes that are lacking and asked of nobody; the one that is wanted first is last, since a base has
    /// tens of thousands.
    private var wanted: [Bytes32] = []
    private var asked: [Bytes32: Asked] = [:]
    /// What came so far in a file of the content that came last; no hash is zero.
    private var piece: (hash: Bytes32, bytes: [UInt8]) = (.zero, [])
    /// When what a peer was asked for is asked of others: it sends one content after the other, so a part of
    /// any shows that the rest is on its way, however slow that is. Of each peer that is asked for something.
    private var deadlines: [DeviceID: UInt64] = [:]
    /// Which peers said that they lack what.
    private var lacking: [Bytes32: Set<DeviceID>] = [:]

    init(checkpoint: Bytes32) { self.checkpoint = checkpoint }

    var isIdle: Bool { wanted.isEmpty && asked.isEmpty }
    /// Hashes that are lacking.
    var missing: Int { wanted.count + asked.count }

    /// These are lacking, in the order in which they are wanted.
    mutating func want(_ hashes: [Bytes32]) {
        let known = Set(wanted)
        wanted = hashes.filter { asked[$0] == nil && !known.contains($0) }.reversed() + wanted
    }

    mutating func offered(by peer: DeviceID) { sources.insert(peer) }

    /// The peer is gone, or failed: what it was asked for is asked of others.
    mutating func drop(_ peer: DeviceID) {
        sources.remove(peer)
        deadlines[peer] = nil
        let lost = asked.filter { $0.value.peer == peer }.keys.sorted()
        for hash in lost { asked[hash] = nil }
        wanted += lost.reversed()
    }

    /// What to ask of a peer now, at most as much as it may have under way.
    mutating func next(for peer: DeviceID, at now: UInt64) -> [BaseAskFrame.Want] {
        guard sources.contains(peer) else { return [] }
        var room = NodeLimits.baseAskedMax - asked.values.count { $0.peer == peer }
        guard room > NodeLimits.baseAskedMax / 2, !wanted.isEmpty else { return [] }
        var (wants, passed) = ([BaseAskFrame.Want](), [Bytes32]())
        while room > 0, let hash = wanted.popLast() {
            if lacking[hash]?.contains(peer) == true {
                passed.append(hash)
                continue
            }
            asked[hash] = Asked(peer: peer)
            wants.append(.init(hash))
            room -= 1
        }
        wanted += passed.reversed()
        if !wants.isEmpty { deadlines[peer] = now + NodeLimits.baseAskMilliseconds }
        return wants
    }

    /// A piece from a peer. `hash`: of the bytes of a table, a manifest or a page.
    mutating func received(
        _ part: BasePartFrame, _ bytes: [UInt8], from peer: DeviceID, at now: UInt64,
        hash: ([UInt8]) -> Bytes32
    ) -> Outcome {
        guard var piece = asked[part.hash], piece.peer == peer, UInt64(piece.bytes.count) == part.offset
        else {
            return .unasked
        }
        piece.bytes += bytes
        deadlines[peer] = now + NodeLimits.baseAskMilliseconds
        guard UInt64(piece.bytes.count) >= part.total else {
            asked[part.hash] = piece
            return .more
        }
        end(part.hash, of: peer)
        guard hash(piece.bytes) == part.hash else {
            wanted.append(part.hash)
            drop(peer)
            return .wrong
        }
        return .whole(piece.bytes)
    }

    /// A piece that nobody was asked for came in a file, in order. It is taken where its content is lacking,
    /// whoever was asked for that; what they send of it later is not asked for any more.
    mutating func brought(_ part: BasePartFrame, _ bytes: [UInt8], hash: ([UInt8]) -> Bytes32) -> Outcome {
        let place = asked[part.hash] == nil ? wanted.lastIndex(of: part.hash) : nil
        guard asked[part.hash] != nil || place != nil else { return .unasked }
        if part.offset == 0 { piece = (part.hash, []) }
        guard piece.hash == part.hash, UInt64(piece.bytes.count) == part.offset else { return .unasked }
        piece.bytes += bytes
        guard UInt64(piece.bytes.count) >= part.total else { return .more }
        defer { piece = (.zero, []) }
        guard hash(piece.bytes) == part.hash else { return .wrong }
        if let peer = asked[part.hash]?.peer { end(part.hash, of: peer) }
        if let place { wanted.remove(at: place) }
        return .whole(piece.bytes)
    }

    /// A peer does not have it any more.
    mutating func refused(_ hash: Bytes32, by peer: DeviceID) {
        guard asked[hash]?.peer == peer else { return }
        end(hash, of: peer)
        lacking[hash, default: []].insert(peer)
        wanted.append(hash)
    }

    private mutating func end(_ hash: Bytes32, of peer: DeviceID) {
        asked[hash] = nil
        if !asked.values.contains(where: { $0.peer == peer }) { deadlines[peer] = nil }
    }

    /// Nobody of those that have the rest has this: it is not waited for.
    mutating func giveUp(_ hash: Bytes32) {
        guard !sources.isEmpty, sources.isSubset(of: lacking[hash] ?? []) else { return }
        wanted.removeAll { $0 == hash }
    }

    /// It is here, and was not asked for: nobody was known to have it yet.
    mutating func found(_ hash: Bytes32) { wanted.removeAll { $0 == hash } }

    /// What was in no file and no peer offers: it is not waited for.
    mutating func giveUpUnoffered(_ hashes: Set<Bytes32>) {
        if sources.isEmpty { wanted.removeAll { hashes.contains($0) } }
    }

    /// Peers that sent nothing of what they were asked for in time: they are asked no more on this link.
    mutating func expire(at now: UInt64) -> [DeviceID] {
        let late = deadlines.filter { $0.value <= now }.keys.sorted()
        for peer in late { drop(peer) }
        return late
    }

    var deadline: UInt64? { deadlines.values.min() }

    func checkInvariants(whole: Bool) {
        guard whole else { return }
        for (hash, piece) in asked {
            precondition(sources.contains(piece.peer), "\(hash) is asked of who is no source")
        }
        precondition(Set(asked.values.map(\.peer)) == Set(deadlines.keys), "asked without a deadline")
        precondition(Set(wanted).count == wanted.count, "a hash is wanted twice")
        precondition(wanted.allSatisfy { asked[$0] == nil }, "a hash is wanted and asked for")
    }
}
