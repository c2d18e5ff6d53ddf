// What is told of a space's checkpoints: the one that stands, the one that is open and whom it waits for, and
// how much of the log is kept because of that. Plain values; times are milliseconds since 1970.

public import Bytes

/// The checkpoints of a space, as this node knows them.
public struct CheckpointsReport: Hashable, Sendable {
    /// The newest checkpoint that stands; nil before the first.
    public let standing: Standing?
    /// The checkpoint that is being acknowledged; nil when none is.
    public let open: Open?
    public let log: Log
    /// Required members that did not acknowledge the open checkpoint in time, or are not linked. Ascending by
    /// device.
    public let waitingFor: [Unseen]

    public init(
        standing: Standing? = nil, open: Open? = nil, log: Log, waitingFor: [Unseen] = []
    ) {
        self.standing = standing
        self.open = open
        self.log = log
        self.waitingFor = waitingFor
    }

    public struct Standing: Hashable, Sendable {
        public let id: Bytes32
        /// When it was proposed, by its author's clock.
        public let atMs: UInt64
        public let author: NamedDevice
        /// Changes that it holds.
        public let changes: Int
        /// Visible documents of its base.
        public let documents: Int
        /// Of its base.
        public let bytes: Int

        public init(
            id: Bytes32, atMs: UInt64, author: NamedDevice, changes: Int, documents: Int, bytes: Int
        ) {
            self.id = id
            self.atMs = atMs
            self.author = author
            self.changes = changes
            self.documents = documents
            self.bytes = bytes
        }
    }

    public struct Open: Hashable, Sendable {
        public let id: Bytes32
        public let author: NamedDevice
        /// When it was proposed, by its author's clock.
        public let sinceMs: UInt64
        /// Ascending by device, as is `waitingFor`; together they are the required members.
        public let acknowledged: [NamedDevice]
        public let waitingFor: [Waiting]

        public init(
            id: Bytes32, author: NamedDevice, sinceMs: UInt64, acknowledged: [NamedDevice],
            waitingFor: [Waiting]
        ) {
            self.id = id
            self.author = author
            self.sinceMs = sinceMs
            self.acknowledged = acknowledged
            self.waitingFor = waitingFor
        }
    }

    /// A required member that has not acknowledged the open checkpoint.
    public struct Waiting: Hashable, Sendable {
        public let device: NamedDevice
        public let why: WaitingWhy

        public init(_ device: NamedDevice, _ why: WaitingWhy) {
            self.device = device
            self.why = why
        }
    }

    /// Why a member has not acknowledged, as far as this node knows; the first that applies. Raw values are
    /// those of the API.
    public enum WaitingWhy: String, CaseIterable, Sendable {
        /// It is not known to run a version that has checkpoints.
        case olderVersion = "older-version"
        case notLinked = "not-linked"
        /// A document of it is damaged, or it came to another state.
        case cannotCompute = "cannot-compute"
        /// It lacks changes that the checkpoint holds, or was put back to an older state and was not level
        /// with a member since.
        case catchingUp = "catching-up"
        /// It has all of them, and has not had time yet.
        case computing
        /// It has had time, and says nothing.
        case silent
    }

    public struct Log: Hashable, Sendable {
        /// Canonical bytes of the changes that are held as log.
        public let bytes: Int
        /// Those of them that may be forgotten now.
        public let collectable: Int
        /// The version up to which the log was forgotten; that of the empty state where it is whole.
        public let since: String

        public init(bytes: Int, collectable: Int, since: String) {
            self.bytes = bytes
            self.collectable = collectable
            self.since = since
        }

        /// Of which nothing was forgotten, and nothing may be.
        static func whole(bytes: Int) -> Log {
            Log(bytes: bytes, collectable: 0, since: VersionToken(frontier: []).text)
        }
    }

    public struct Unseen: Hashable, Sendable {
        public let device: NamedDevice
        /// How long it was not heard; 0 of a linked one.
        public let unseenMs: UInt64

        public init(_ device: NamedDevice, unseenMs: UInt64) {
            self.device = device
            self.unseenMs = unseenMs
        }
    }
}

/// What `collect` forgot.
public struct CollectReport: Hashable, Sendable {
    public let bytes: Int
    public let changes: Int

    public init(bytes: Int, changes: Int) {
        self.bytes = bytes
        self.changes = changes
    }
}

/// How far a base that is being taken came.
public struct BootstrapReport: Hashable, Sendable {
    public let documents: Int
    public let ofDocuments: Int
    public let bytes: Int
    public let ofBytes: Int
    /// Who gives it. Ascending by device.
    public let from: [NamedDevice]

    public init(documents: Int, ofDocuments: Int, bytes: Int, ofBytes: Int, from: [NamedDevice]) {
        precondition(
            documents <= ofDocuments && bytes <= ofBytes,
            "\(documents) of \(ofDocuments) documents, \(bytes) of \(ofBytes) bytes")
        self.documents = documents
        self.ofDocuments = ofDocuments
        self.bytes = bytes
        self.ofBytes = ofBytes
        self.from = from
    }

    /// 0 to 100; 100 only when all of it is here.
    public var percent: Int { ofBytes == 0 ? 100 : Int(Int64(bytes) * 100 / Int64(ofBytes)) }
}
