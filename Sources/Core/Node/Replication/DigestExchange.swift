// One channel's half of the comparison of documents: since when both sides hold the same, which digest each
// side told, and how far the search for the document in which they differ has come.
//
//     not level ──vectors equal──▶ level ──for a while──▶ told ──the peer's digest differs──▶ parts,
//         ▲                          │                     │                                  documents,
//         └──────a vector advances───┴─────────────────────┘                                  the first key

import Replication
import Wire

/// What was said of documents on one channel. Times are monotonic milliseconds.
struct DigestExchange: Sendable {
    /// The steps by which two sides find the document in which they differ.
    enum Step: Sendable {
        case parts
        case documents
        case document
    }

    /// What follows from a digest that the peer told.
    enum Verdict: Sendable {
        /// It is of another state than the one told here, or none was told.
        case incomparable
        case equal
        /// The digest told here.
        case different(DigestFrame)
    }

    /// Since when both sides hold the same; nil while they do not.
    private var levelSince: UInt64?
    /// The digest that this side sent last, of the state that both hold.
    private(set) var told: DigestFrame?
    /// The digest that the peer sent last.
    private var heard: DigestFrame?
    /// What the peer was answered about `told`: each step once, since it may cost a walk over all documents.
    private var steps: Set<Step> = []

    init() {}

    /// Both sides hold the same.
    mutating func recordLevel(at now: UInt64) {
        if levelSince == nil { levelSince = now }
    }

    /// One side holds more, or a log was closed: what was said is of a former state.
    mutating func reset() { self = DigestExchange() }

    /// True when the documents are to be hashed for this channel: level for `delay`, and nothing told yet.
    func isDue(after delay: UInt64, at now: UInt64) -> Bool {
        told == nil && levelSince.map { now >= $0 + delay } ?? false
    }

    /// This side's digest goes out.
    mutating func tell(_ frame: DigestFrame) {
        precondition(levelSince != nil, "a digest is told on a channel that is not level")
        (told, steps) = (frame, [])
    }

    /// The peer's digest came.
    mutating func receive(_ frame: DigestFrame) -> Verdict {
        heard = frame
        guard let told, told.isComparable(to: frame) else { return .incomparable }
        return told.documentsDigest == frame.documentsDigest ? .equal : .different(told)
    }

    /// The digest told here when both told theirs of one state and they differ; nil otherwise.
    var difference: DigestFrame? {
        guard let told, let heard, told.isComparable(to: heard), told.documentsDigest != heard.documentsDigest
        else { return nil }
        return told
    }

    /// True when the step was not made yet since the digest was told.
    mutating func begins(_ step: Step) -> Bool { steps.insert(step).inserted }

    /// When the documents are to be hashed next; nil: nothing waits for it. `nextStep`: when a walk that has
    /// begun goes on.
    func deadline(after delay: UInt64, nextStep: UInt64?) -> UInt64? {
        guard told == nil, let since = levelSince else { return nil }
        return max(since + delay, nextStep ?? 0)
    }
}
