// A base that is being taken from others: its table, its manifest, then its pages, several peers at once.
// What is asked for is named by hashes that follow from the checkpoint, so nobody is believed: bytes that do
// not have the hash are their sender's fault, and are asked of another (decision 0191).
//
//     table ─▶ manifest ─▶ pages ─▶ complete            a restart goes on with the pages that are not here
//
// A hash is asked on one link at a time. A link that ends takes what was asked on it along: it is asked on
// others, and of the same device from where its bytes so far end, since a line may be cut more often than a
// large content needs.

import Bytes
import Causality
import Wire

/// Who offers a base, and on which of its links: what is asked on one is not sent on another.
struct BaseSource: Hashable, Comparable, Sendable {
    let device: DeviceID
    let link: ConnectionID

    static func < (left: BaseSource, right: BaseSource) -> Bool {
        (left.device, left.link) < (right.device, right.link)
    }
}

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

    /// What a source was asked for and has not sent.
    private struct Asked: Sendable {
        let source: BaseSource
        var bytes: [UInt8] = []
    }

    /// What a device had sent of a content when its link ended.
    private struct Begun: Sendable {
        let device: DeviceID
        let bytes: [UInt8]
    }

    let checkpoint: Bytes32
    /// Who said that it is to be had there, as long as the link stands and has not failed.
    private(set) var sources: Set<BaseSource> = []
    /// Hashes that are lacking and asked of nobody; the one that is wanted first is last, since a base has
    /// tens of thousands.
    private var wanted: [Bytes32] = []
    private var asked: [Bytes32: Asked] = [:]
    /// Of each source that was lost one at most, and of the last few.
    private var begun: [Bytes32: Begun] = [:]
    /// Hashes that may be asked for at a time on one link.
    private var askedMax = NodeLimits.baseAskedMin
    /// What came so far in a file of the content that came last; no hash is zero.
    private var piece: (hash: Bytes32, bytes: [UInt8]) = (.zero, [])
    /// When what a source was asked for is asked of others: it sends one content after the other, so a part
    /// of any shows that the rest is on its way, however slow that is. Of each that is asked for something.
    private var deadlines: [BaseSource: UInt64] = [:]
    /// Who said to lack what.
    private var lacking: [Bytes32: Set<BaseSource>] = [:]

    init(checkpoint: Bytes32) { self.checkpoint = checkpoint }

    var isIdle: Bool { wanted.isEmpty && asked.isEmpty }
    /// True while something that is lacking is asked for, or could be asked of somebody: a source may have
    /// gone on to what follows.
    var isServed: Bool {
        !asked.isEmpty
            || sources.contains { source in wanted.contains { lacking[$0]?.contains(source) != true } }
    }
    /// Hashes that are lacking.
    var missing: Int { wanted.count + asked.count }

    /// These are lacking, in the order in which they are wanted.
    mutating func want(_ hashes: [Bytes32]) {
        let known = Set(wanted)
        wanted = hashes.filter { asked[$0] == nil && !known.contains($0) }.reversed() + wanted
    }

    /// The same for contents that have so many bytes all together: the smaller they are, the more of them are
    /// asked for at a time.
    mutating func want(_ hashes: [Bytes32], of bytes: Int) {
        want(hashes)
        let fitting = hashes.count * NodeLimits.baseAskedBytes / max(1, bytes)
        askedMax = min(max(fitting, NodeLimits.baseAskedMin), NodeLimits.baseAskedMax)
    }

    mutating func offered(by source: BaseSource) { sources.insert(source) }

    /// The link ended, or who is at its other end failed: what was asked there is asked of others.
    mutating func drop(_ source: BaseSource) {
        sources.remove(source)
        deadlines[source] = nil
        let lost = asked.filter { $0.value.source == source }.sorted { $0.key < $1.key }
        for (hash, piece) in lost {
            asked[hash] = nil
            guard !piece.bytes.isEmpty else { continue }
            if begun.count == NodeLimits.baseBegunMax { begun = [:] }
            begun[hash] = Begun(device: source.device, bytes: piece.bytes)
        }
        wanted += lost.map(\.key).reversed()
    }

    /// What to ask of a source now, at most as much as it may have under way.
    mutating func next(for source: BaseSource, at now: UInt64) -> [BaseAskFrame.Want] {
        guard sources.contains(source) else { return [] }
        var room = askedMax - asked.values.count { $0.source == source }
        guard room > askedMax / 2, !wanted.isEmpty else { return [] }
        var (wants, passed) = ([BaseAskFrame.Want](), [Bytes32]())
        while room > 0, let hash = wanted.popLast() {
            if lacking[hash]?.contains(source) == true {
                passed.append(hash)
                continue
            }
            // Of bytes from two devices nobody could say whose are wrong.
            let known = begun.removeValue(forKey: hash).flatMap {
                $0.device == source.device ? $0.bytes : nil
            }
            asked[hash] = Asked(source: source, bytes: known ?? [])
            wants.append(.init(hash, from: UInt64(known?.count ?? 0)))
            room -= 1
        }
        wanted += passed.reversed()
        if !wants.isEmpty { deadlines[source] = now + NodeLimits.baseAskMilliseconds }
        return wants
    }

    /// A piece from a source. `hash`: of the bytes of a table, a manifest or a page.
    mutating func received(
        _ part: BasePartFrame, _ bytes: [UInt8], from source: BaseSource, at now: UInt64,
        hash: ([UInt8]) -> Bytes32
    ) -> Outcome {
        // Not the bytes themselves: a second reference would copy them with each part.
        guard let known = asked[part.hash].map({ (source: $0.source, count: $0.bytes.count) }),
            known.source == source, UInt64(known.count) == part.offset
        else {
            return .unasked
        }
        asked[part.hash]?.bytes += bytes
        deadlines[source] = now + NodeLimits.baseAskMilliseconds
        guard UInt64(known.count + bytes.count) >= part.total else { return .more }
        let whole = asked[part.hash]?.bytes ?? []
        end(part.hash, of: source)
        guard hash(whole) == part.hash else {
            wanted.append(part.hash)
            drop(source)
            return .wrong
        }
        return .whole(whole)
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
        if let source = asked[part.hash]?.source { end(part.hash, of: source) }
        if let place { wanted.remove(at: place) }
        begun[part.hash] = nil
        return .whole(piece.bytes)
    }

    /// A source does not have it any more.
    mutating func refused(_ hash: Bytes32, by source: BaseSource) {
        guard asked[hash]?.source == source else { return }
        end(hash, of: source)
        lacking[hash, default: []].insert(source)
        wanted.append(hash)
    }

    private mutating func end(_ hash: Bytes32, of source: BaseSource) {
        asked[hash] = nil
        if !asked.values.contains(where: { $0.source == source }) { deadlines[source] = nil }
    }

    /// Nobody of those that have the rest has this: it is not waited for.
    mutating func giveUp(_ hash: Bytes32) {
        guard !sources.isEmpty, sources.isSubset(of: lacking[hash] ?? []) else { return }
        wanted.removeAll { $0 == hash }
        begun[hash] = nil
    }

    /// It is here, and was not asked for: nobody was known to have it yet.
    mutating func found(_ hash: Bytes32) {
        wanted.removeAll { $0 == hash }
        begun[hash] = nil
    }

    /// What was in no file and no peer offers: it is not waited for.
    mutating func giveUpUnoffered(_ hashes: Set<Bytes32>) {
        guard sources.isEmpty else { return }
        wanted.removeAll { hashes.contains($0) }
        for hash in hashes { begun[hash] = nil }
    }

    /// Sources that sent nothing of what they were asked for in time: they are asked no more on this link.
    mutating func expire(at now: UInt64) -> [BaseSource] {
        let late = deadlines.filter { $0.value <= now }.keys.sorted()
        for source in late { drop(source) }
        return late
    }

    var deadline: UInt64? { deadlines.values.min() }

    func checkInvariants(whole: Bool) {
        guard whole else { return }
        for (hash, piece) in asked {
            precondition(sources.contains(piece.source), "\(hash) is asked of who is no source")
        }
        precondition(Set(asked.values.map(\.source)) == Set(deadlines.keys), "asked without a deadline")
        precondition(Set(wanted).count == wanted.count, "a hash is wanted twice")
        precondition(wanted.allSatisfy { asked[$0] == nil }, "a hash is wanted and asked for")
        precondition(Set(begun.keys).isSubset(of: wanted), "what is kept of a content is asked for by nobody")
    }
}
