// What `explain` tells: where a change or a document stands, here and at each peer, and the one reason why it
// is not there yet. A program looks at the code, a person at the sentence.

public import Bytes
public import Causality

/// What `explain` is asked about.
public enum ExplainSubject: Hashable, Sendable {
    case change(Dot)
    case document(Key)
}

/// Where it stands. Raw values are the API's words.
public enum WhereaboutsReason: String, Hashable, Sendable, CaseIterable {
    // Of a change here.

    case executed
    /// Held without effect: its log was written in two ways and is closed before it.
    case voidFork = "void-fork"
    /// Held without effect: its author had lost the right to write.
    case voidRight = "void-right"
    /// Held without effect: its operations break the rules.
    case voidInvalid = "void-invalid"
    /// Held without effect: a checkpoint stands that did not wait for it.
    case voidLate = "void-late"
    /// A part of the base: its log was let go there.
    case collected
    case quarantined
    /// Held and not executed: a document that it touches cannot be read here.
    case unreadable
    case newerVersion = "newer-version"
    /// Arrived, and not all of what it was made on did.
    case early
    /// Arrived, and operations of the roster that its author had seen did not.
    case earlyRoster = "early-roster"
    /// Not held; a linked member holds it.
    case onItsWay = "on-its-way"
    /// Not held; a linked member holds it, and it is not taken in while the disk is full.
    case diskFull = "disk-full"
    /// Not held; only members that are not linked are known to hold it.
    case holderNotLinked = "holder-not-linked"
    /// Not held; no member said that it holds it.
    case notKnown = "not-known"

    // Of a document here.

    case shown
    case deleted
    /// It is shown without changes that are not executed here.
    case incomplete
    /// No change that is held here touched it.
    case absent

    // Of a peer.

    case held
    /// This node does not hold it, nor does it say that it does.
    case notHere = "not-here"
    case left
    case removed
    /// A relay is sent no changes.
    case relay
    case notLinked = "not-linked"
    case refused
    /// Nothing is heard on its link.
    case silent
    /// Linked, and this space is not spoken of on the link.
    case notOpened = "not-opened"
    /// Rosters are exchanged first.
    case rosterFirst = "roster-first"
    /// Linked, and it has not said yet what it holds.
    case notHeard = "not-heard"
    /// The seal that covers it has not come: unsealed changes do not travel.
    case notSealed = "not-sealed"
    /// A cap on bytes a second.
    case heldBack = "held-back"
    /// As much as may be under way is.
    case window
    /// Sent, and the peer has not said that it is on its disk.
    case underWay = "under-way"
    /// Other links bring it changes of this log.
    case lazy
    case queued
}

/// The answer.
public struct ExplainReport: Hashable, Sendable {
    public let subject: ExplainSubject
    public let here: Whereabouts
    /// The change; or those that the document's version consists of, those of it that wait, and those that
    /// are not executed. At most `NodeLimits.explainedChangesMax`.
    public let changes: [ChangeWhereabouts]
    /// How many more there are.
    public let omitted: Int
    /// Other members, ascending by device; those that left or were removed only when asked for.
    public let peers: [PeerWhereabouts]

    public struct Whereabouts: Hashable, Sendable {
        public let reason: WhereaboutsReason
        public let message: String

        public init(_ reason: WhereaboutsReason, _ message: String) {
            self.reason = reason
            self.message = message
        }
    }

    public init(
        subject: ExplainSubject, here: Whereabouts, changes: [ChangeWhereabouts], omitted: Int,
        peers: [PeerWhereabouts]
    ) {
        self.subject = subject
        self.here = here
        self.changes = changes
        self.omitted = omitted
        self.peers = peers
    }
}

/// A change here.
public struct ChangeWhereabouts: Hashable, Sendable {
    public let change: Dot
    /// Nil when nothing of its log is held.
    public let author: NamedDevice?
    public let whereabouts: ExplainReport.Whereabouts
    /// What an early change waits for, by log; at most `NodeLimits.explainedDotsMax`.
    public let waitsFor: [Dot]
    /// What a void branch's change was written again as.
    public let issuedAgainAs: Dot?

    public init(
        change: Dot, author: NamedDevice?, whereabouts: ExplainReport.Whereabouts, waitsFor: [Dot] = [],
        issuedAgainAs: Dot? = nil
    ) {
        self.change = change
        self.author = author
        self.whereabouts = whereabouts
        self.waitsFor = waitsFor
        self.issuedAgainAs = issuedAgainAs
    }
}

/// What is known of one peer.
public struct PeerWhereabouts: Hashable, Sendable {
    public let device: DeviceID
    public let name: String
    /// On its disk, as far as it said; nil when it said nothing since this node started.
    public let isHeld: Bool?
    /// Those of the changes that it did not say it holds; at most `NodeLimits.explainedChangesMax`.
    public let lacks: [Dot]
    public let whereabouts: ExplainReport.Whereabouts

    public init(
        device: DeviceID, name: String, isHeld: Bool?, lacks: [Dot], whereabouts: ExplainReport.Whereabouts
    ) {
        self.device = device
        self.name = name
        self.isHeld = isHeld
        self.lacks = lacks
        self.whereabouts = whereabouts
    }
}
