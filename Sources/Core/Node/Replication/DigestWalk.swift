// The digest of a space's documents, made page by page, so that hashing many of them holds up nothing.
// Whoever reads the store asks for the next page, hands over the documents that changed since they were
// hashed last, and ends the page. A space that moves on begins again; what did not change is not read again.
//
//     begin ─▶ page ─▶ page ─▶ … ─▶ done        position moved, or a document unreadable: from the beginning

import Bytes
import Causality
import Replication
import Wire

/// A digest that is being made, or that was. Times are monotonic milliseconds.
struct DigestWalk: StateMachine {
    /// Documents to read: at most `limit` after a key.
    struct Page: Equatable, Sendable {
        let after: Key?
        let limit: Int
    }

    /// A document with the digest that it had after a commit.
    private struct KnownDocument {
        let position: CommitPosition
        let digest: Bytes32
    }

    /// The state it is of.
    private(set) var position: CommitPosition
    /// Of the documents up to `after`; of all once it is done.
    private(set) var digest = StateDigest()
    /// Documents as they were hashed last, also for earlier states. At most `digestKnownMax`.
    private var known: [Key: KnownDocument] = [:]
    /// The last document hashed.
    private var after: Key?
    private(set) var isDone = false
    /// When the next page may be read.
    private(set) var nextStep: UInt64 = 0

    init(at position: CommitPosition) { self.position = position }

    /// The page to read now of a space that is at `position`; nil: the walk is done, or rests.
    mutating func nextPage(at position: CommitPosition, now: UInt64) -> Page? {
        if self.position != position { restart(at: position, from: 0) }
        guard !isDone, now >= nextStep else { return nil }
        return Page(after: after, limit: ReplicationLimits.digestDocumentsPerStep)
    }

    /// Adds a document that did not change since it was hashed; false: hash it, and `add` it.
    mutating func addKnown(_ key: Key, changedAt position: CommitPosition) -> Bool {
        guard let document = known[key], document.position == position else { return false }
        digest.add(StateDigest.Line(key: key, digest: document.digest))
        return true
    }

    /// Adds a document, and keeps its digest for the next walk. Over the limit new documents are hashed each
    /// time.
    mutating func add(_ line: StateDigest.Line, changedAt position: CommitPosition) {
        digest.add(line)
        guard known.count < ReplicationLimits.digestKnownMax || known[line.key] != nil else { return }
        known[line.key] = KnownDocument(position: position, digest: line.digest)
    }

    /// All documents of a page were added.
    mutating func end(_ page: Page, last: Key?, count: Int, at now: UInt64) {
        precondition(
            count <= page.limit && (count == 0) == (last == nil), "\(count) of \(page.limit) documents")
        after = last ?? after
        isDone = count < page.limit
        nextStep = now + ReplicationLimits.digestPauseMilliseconds
    }

    /// A document cannot be read, so nothing can be said of all of them: from the beginning after a while.
    mutating func restAfterFailure(at now: UInt64) {
        restart(at: position, from: now + ReplicationLimits.digestAgainMilliseconds)
    }

    /// True when the walk is done and `told` was made from it, in the state that the space has now.
    func isOrigin(of told: DigestFrame, at position: CommitPosition) -> Bool {
        isDone && self.position == position && digest.whole == told.documentsDigest
    }

    /// When the next page is due; whether somebody waits for it the channels know.
    var deadline: UInt64? { isDone ? nil : nextStep }

    /// What is remembered is within its bound, and a walk that began has read something.
    func checkInvariants(whole: Bool) {
        precondition(known.count <= ReplicationLimits.digestKnownMax, "\(known.count) digests are remembered")
        precondition(isDone || after != nil || digest == StateDigest() || !whole, "a digest of no documents")
    }

    private mutating func restart(at position: CommitPosition, from step: UInt64) {
        let hashed = known
        self = DigestWalk(at: position)
        known = hashed
        nextStep = step
    }
}
