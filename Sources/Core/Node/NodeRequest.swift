// What programs ask of the node, as the control API understands it. Requests are inputs like bytes from a
// peer: their answers are effects of the batch they were handled in, so nobody is told what is not durable.

public import Bytes
public import Causality
public import Documents
public import Wire

/// Names one request for its answers; unique for the life of the process.
public struct RequestID: Hashable, Comparable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }
    public static func < (left: RequestID, right: RequestID) -> Bool { left.value < right.value }
}

/// A space as a program names it: by local name or by its 64-digit id.
public struct SpaceReference: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }
}

/// Which form of a value is wanted.
public enum DocumentView: Hashable, Sendable {
    case plain
    case typed
}

/// `Repl-At-Least`: wait until this version is held, at most this long.
public struct AtLeast: Hashable, Sendable {
    public let version: String
    public let timeoutSeconds: UInt64

    public init(version: String, timeoutSeconds: UInt64) {
        self.version = version
        self.timeoutSeconds = timeoutSeconds
    }
}

/// A condition of a transaction.
public struct Condition: Hashable, Sendable {
    public let document: Key
    public let test: Test

    public enum Test: Hashable, Sendable {
        case equals(path: [PathElement], PlainValue)
        case exists(path: [PathElement], Bool)
        /// Fails if the document changed since.
        case version(String)
    }

    public init(document: Key, test: Test) {
        self.document = document
        self.test = test
    }
}

/// One transaction of a program.
public struct Transaction: Hashable, Sendable {
    /// Not empty; at most `DocumentLimits.transactionOperationsMax`.
    public let operations: [OperationRequest]
    public let conditions: [Condition]
    public let idempotency: Idempotency?

    /// The key, and the hash of the request body that came with it.
    public struct Idempotency: Hashable, Sendable {
        public let key: Key
        public let bodyHash: Bytes32

        public init(key: Key, bodyHash: Bytes32) {
            self.key = key
            self.bodyHash = bodyHash
        }
    }

    public init(operations: [OperationRequest], conditions: [Condition], idempotency: Idempotency?) {
        self.operations = operations
        self.conditions = conditions
        self.idempotency = idempotency
    }
}

/// Where a change stream begins.
public enum WatchStart: Hashable, Sendable {
    case now
    /// The current state as set lines first.
    case begin
    case cursor(String)
}

/// A request of the control API. Each gets exactly one final answer, `watch` and `join` several before it.
public enum NodeRequest: Sendable {
    case status
    case peers
    /// Asks a linked peer for a sign of life. Answer: `.pinged`.
    case ping(MemberReference)
    case spaces
    case createSpace(name: String)
    case space(SpaceReference)
    /// `isForced`: also when something is lost by it. Answer: `.done`.
    case leaveSpace(SpaceReference, isForced: Bool)
    case members(SpaceReference)
    /// Of this device itself: leaves. `isDryRun`: only tells what would come of it. Answer: `.memberRemoved`.
    case removeMember(SpaceReference, MemberReference, isDryRun: Bool, isForced: Bool = false)
    /// Answer: `.members` of one.
    case changeRole(SpaceReference, MemberReference, Role, isForced: Bool = false)
    /// Answers: `.keyEpochs`, `.keysRotated`.
    case keyEpochs(SpaceReference)
    case rotateKeys(SpaceReference, isForced: Bool = false)
    /// Answer: `.checkpoints`.
    case checkpoints(SpaceReference)
    /// An admin's; `absent` nil: who is not waited for is found by `absent-after`. Answer:
    /// `.checkpointProposed`.
    case proposeCheckpoint(SpaceReference, absent: [MemberReference]?)
    /// Forgets now what may be forgotten of the log on this node. Answer: `.collected`.
    case collect(SpaceReference)
    case invite(SpaceReference, role: Role, expiresSeconds: UInt64)
    case invites(SpaceReference)
    case revokeInvite(SpaceReference, id: String)
    /// Logs that were closed. Answer: `.forks`.
    case forks(SpaceReference)
    /// Changes that are held and not executed. Answer: `.skipped`.
    case skipped(SpaceReference)
    /// Indexes that are declared on this node. Answers: `.indexes`, `.index`, `.index`, `.done`.
    case indexes(SpaceReference)
    case index(SpaceReference, name: String)
    case declareIndex(SpaceReference, name: String, IndexDefinition)
    case dropIndex(SpaceReference, name: String)
    /// Answers: `.joinStage`…, then `.joined` or `.failed`.
    case join(token: String, name: String?)
    case listDocuments(SpaceReference, prefix: Key, after: Key?, limit: Int, atLeast: AtLeast?)
    /// Answer: `.listing`, whose pages are read beside the node.
    case list(SpaceReference, ListingQuery)
    case readDocument(SpaceReference, key: Key, view: DocumentView, atLeast: AtLeast?)
    case transact(SpaceReference, Transaction)
    /// Answers: `.watching`, then `.watchLine`…, `.ended` with `follow` false. Give credit with
    /// `Input.watchCredit` as lines are written out; the first `WatchLimits.eventsMax` need none.
    /// With a filter only documents that match before or after a change are told.
    case watch(SpaceReference, start: WatchStart, prefix: Key, follow: Bool, filter: Filter? = nil)
    /// Answer: `.reading`.
    case export(SpaceReference, view: DocumentView, prefix: Key = "")
    /// Values that lost to concurrent ones. Answer: `.reading`.
    case conflicts(SpaceReference, ConflictQuery)
    /// Answer: `.reading`.
    case log(SpaceReference, after: Dot?, document: Key?)
    /// Changes that are held and have no effect. Answer: `.reading`.
    case void(SpaceReference, VoidQuery)
    /// Makes void changes again. Answer: `.adopted`.
    case adopt(SpaceReference, AdoptionChoice)
    /// What others lack, for boxes that never meet. Answer: `.reading`.
    case writeBundle(SpaceReference, BundleChoice)
    /// The head of a bundle came. Answer: `.bundleOpened`.
    case openBundle(SpaceReference, BundleHead)
    /// Records of it, in order, each once. Answer: `.bundleTaken`.
    case takeBundle(SpaceReference, [BundlePiece])
    /// It was read as far as it is here, or given up. Answer: `.reading`, of one line that says what was
    /// taken since it was opened at `position`.
    case endBundle(SpaceReference, since: CommitPosition, BundleTally)
    /// How the sync folder is, as the shell's task found it; nil: there is none any more. Answer:
    /// `.syncFolder`.
    case syncFolder(SyncFolderReport?)
    /// `on` nil: all active members.
    case wait(SpaceReference, change: Dot, on: [MemberReference]?, timeoutSeconds: UInt64)
    /// Why something is not there yet, here and at peers; `peer` nil: at all active members. Answer:
    /// `.explained`.
    case explain(SpaceReference, ExplainSubject, peer: MemberReference?)
    /// Answer: `.backup`, made by the runtime.
    case backup
    /// Answer: `.reloaded`, made by the shell, which knows the config file. `isCheck`: only say what would
    /// become of it.
    case reload(isCheck: Bool)
    case metrics
    /// Of a caller whom `[access]` names: judged before it is answered.
    indirect case restricted(to: AccessGrants, NodeRequest)
}

extension NodeRequest {
    /// A change stream of the same space, named otherwise.
    func naming(_ space: SpaceReference) -> NodeRequest {
        guard case .watch(_, let start, let prefix, let follow, let filter) = self else { return self }
        return .watch(space, start: start, prefix: prefix, follow: follow, filter: filter)
    }

    var isTransaction: Bool {
        switch self {
        case .transact: true
        case .restricted(_, let request): request.isTransaction
        default: false
        }
    }

    /// It writes nothing: asked twice, it is answered twice.
    var isRead: Bool {
        switch self {
        case .status, .peers, .ping, .spaces, .space, .members, .invites, .forks, .skipped, .listDocuments,
            .list,
            .readDocument, .watch, .export, .conflicts, .log, .void, .wait, .explain, .metrics, .indexes,
            .index,
            .keyEpochs, .checkpoints, .writeBundle, .openBundle:
            true
        case .createSpace, .leaveSpace, .removeMember, .changeRole, .rotateKeys, .invite, .revokeInvite,
            .join, .transact, .adopt, .takeBundle, .endBundle, .syncFolder,
            .backup,
            .reload, .declareIndex, .dropIndex, .proposeCheckpoint, .collect:
            false
        case .restricted(_, let request): request.isRead
        }
    }
}
