// What the node tells programs. Plain values: `ControlAPI` writes them as JSON.

public import Bytes
public import Causality
public import Crypto
public import Documents
public import Wire

/// An answer to a request.
public enum NodeAnswer: Sendable {
    case status(StatusReport)
    /// Devices, and the addresses behind which none is known yet.
    case peers([PeerReport], unassigned: [AddressReport])
    /// How long a sign of life took, and where it came from: "ip:port".
    case pinged(rttMilliseconds: UInt64, address: String)
    case spaces([SpaceReport])
    /// Of `createSpace` (201) and `space`.
    case space(SpaceReport)
    /// Of `leaveSpace` and `revokeInvite`.
    case done
    case members([MemberReport])
    case invite(id: String, token: String)
    case invites([InviteReport])
    case forks([ForkReport])
    case skipped([SkippedReport])
    case indexes([IndexReport])
    /// Of `declareIndex` (201 when it is new) and `index`.
    case index(IndexReport, isNew: Bool)
    /// A stage of joining, e.g. "dialling 127.0.0.1:21420"; more answers follow.
    case joinStage(String)
    case joined(SpaceReport)
    case documents([DocumentListing], next: Key?, cursor: String)
    /// To be read page by page by the server, on its own threads.
    case listing(any Listing)
    case document(key: Key, value: DocumentValue, version: String, cursor: String)
    /// `change` is nil when nothing changed.
    case transaction(change: Dot?, version: String, cursor: String)
    /// The watcher is registered; every commit after `cursor` is seen. More answers follow.
    case watching(cursor: String)
    case watchLine(WatchLine)
    /// A watch without `follow` has shown all that is held.
    case ended
    /// A job to be read piece by piece by the server, on its own thread, from one committed state.
    case reading(any ReadJob, cursor: String)
    /// Of `openBundle`: the key of its records, and where the space stands.
    case bundleOpened(key: Secret, space: SpaceID, position: CommitPosition)
    /// Of `takeBundle`, and durable. `stop`: nothing behind that was looked at.
    case bundleTaken(BundleTally, stop: BundleStop?)
    /// Of `writeBundle` for the sync folder; read like `.reading`.
    case folderBundle(any FolderBundle)
    /// Of `syncFolder`: every space that this node may carry there.
    case syncFolder([FolderSpacePlan])
    /// `complete` false: the time ran out (408).
    case waited(change: Dot, on: [HeldBy], complete: Bool)
    case explained(ExplainReport)
    /// The path of a consistent copy that the receiver streams and then removes.
    case backup(path: String)
    case reloaded(ReloadReport)
    case metrics(String)
    case memberRemoved(RemovalReport)
    /// `noneGoodSince`: since when no epoch is good, as far as this node knows since its start, milliseconds
    /// since 1970; nil while one is.
    case keyEpochs([KeyEpochReport], noneGoodSince: UInt64?)
    case keysRotated(KeyEpochID)
    case checkpoints(CheckpointsReport)
    /// It is in the roster, and waits for the required members.
    case checkpointProposed(Bytes32)
    case collected(CollectReport)
    case member(MemberReport)
    case adopted(AdoptionReport)
    case failed(NodeError)

    /// True when no further answer to this request comes.
    public var isFinal: Bool {
        switch self {
        case .joinStage, .watching, .watchLine: false
        default: true
        }
    }
}

public enum DocumentValue: Sendable {
    case plain(PlainValue)
    case typed(TypedValue)
}

public struct DocumentListing: Hashable, Sendable {
    public let key: Key
    public let version: String

    public init(key: Key, version: String) {
        self.key = key
        self.version = version
    }
}

/// One line of a change stream.
public enum WatchLine: Sendable {
    /// A committed change that touched documents the watcher wants.
    case change(ChangeEvent)
    /// The current state, of `since=begin`: one document as set patches.
    case state(cursor: String, key: Key, patches: [Patch])
    /// Nothing matched for a while; there is more to look at. It is credited as others are.
    case idle
    /// Read again: events were dropped, or the cursor is too old or foreign.
    case resync(cursor: String)
}

/// Whether a document matched a filter before a change, and whether it does after.
public struct FilterMatches: Hashable, Sendable {
    public let before: Bool
    public let after: Bool

    public init(before: Bool, after: Bool) {
        self.before = before
        self.after = after
    }
}

public struct ChangeEvent: Sendable {
    public let cursor: String
    public let change: Dot
    public let author: DeviceID
    public let authorName: String
    public let timestamp: Timestamp
    public let documents: [DocumentPatches]
    /// Set when documents were rebuilt: "forked", "removed", "demoted", "not-admitted", "upgrade" or
    /// "checkpoint" (somebody made anew what a checkpoint lets go, before this node came to it).
    public let cause: String?

    public struct DocumentPatches: Sendable {
        public let key: Key
        public let patches: [Patch]
        /// Of a stream with a filter.
        public let matches: FilterMatches?

        public init(key: Key, patches: [Patch], matches: FilterMatches? = nil) {
            self.key = key
            self.patches = patches
            self.matches = matches
        }
    }

    public init(
        cursor: String, change: Dot, author: DeviceID, authorName: String, timestamp: Timestamp,
        documents: [DocumentPatches], cause: String?
    ) {
        self.cursor = cursor
        self.change = change
        self.author = author
        self.authorName = authorName
        self.timestamp = timestamp
        self.documents = documents
        self.cause = cause
    }
}

/// What became of the settings that differ from those the node ran with, by key.
public struct ReloadReport: Hashable, Sendable {
    public let applied: [String]
    public let needsRestart: [String]

    public init(applied: [String], needsRestart: [String]) {
        self.applied = applied
        self.needsRestart = needsRestart
    }
}

public struct HeldBy: Hashable, Sendable {
    public let device: DeviceID
    public let name: String
    public let held: Bool

    public init(device: DeviceID, name: String, held: Bool) {
        self.device = device
        self.name = name
        self.held = held
    }
}

public struct SpaceReport: Hashable, Sendable {
    public let id: SpaceID
    public let name: String
    /// Of this device; the one that it had where it was removed.
    public let role: Role
    public let members: Int
    public let documents: Int
    /// "active", or "removed" where this device was, or where its admission does not stand.
    public let state: String
    /// In `status` only.
    public let sync: SyncReport?
    /// While a base is being taken, in `status` only.
    public let bootstrap: BootstrapReport?

    public init(
        id: SpaceID, name: String, role: Role, members: Int, documents: Int, state: String = "active",
        sync: SyncReport? = nil, bootstrap: BootstrapReport? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.state = state
        self.members = members
        self.documents = documents
        self.sync = sync
        self.bootstrap = bootstrap
    }
}

public struct MemberReport: Hashable, Sendable {
    public let device: DeviceID
    public let name: String
    public let role: Role
    /// Nil for the creator.
    public let addedBy: NamedDevice?
    /// "active", "left", "removed".
    public let state: String
    /// Wall milliseconds; now of this box, nil of one that was never seen.
    public let lastSeenAt: UInt64?
    /// Changes that it lacks, as far as it said lately; nil when it is not linked.
    public let behindChanges: UInt64?
    /// What it runs; nil where that is not known.
    public let software: String?
    /// Who removed it, and when by that one's clock.
    public let removedBy: NamedDevice?
    public let removedAt: UInt64?
    /// When it was made admin, by the clock of who did.
    public let adminSince: UInt64?

    public init(
        device: DeviceID, name: String, role: Role, addedBy: NamedDevice?, state: String,
        lastSeenAt: UInt64? = nil, behindChanges: UInt64? = nil, software: String? = nil,
        removedBy: NamedDevice? = nil, removedAt: UInt64? = nil, adminSince: UInt64? = nil
    ) {
        self.device = device
        self.name = name
        self.role = role
        self.addedBy = addedBy
        self.state = state
        self.lastSeenAt = lastSeenAt
        self.behindChanges = behindChanges
        self.software = software
        self.removedBy = removedBy
        self.removedAt = removedAt
        self.adminSince = adminSince
    }
}

/// An epoch of a space's keys, as everybody sees it: no secret.
public struct KeyEpochReport: Hashable, Sendable {
    public let id: KeyEpochID
    public let number: UInt32
    public let author: NamedDevice
    /// When it began, milliseconds by the author's clock.
    public let timestamp: UInt64
    /// All who can open it are active members with the right to.
    public let isGood: Bool
    /// This node seals what is new under it.
    public let isCurrent: Bool

    public init(
        id: KeyEpochID, number: UInt32, author: NamedDevice, timestamp: UInt64, isGood: Bool, isCurrent: Bool
    ) {
        self.id = id
        self.number = number
        self.author = author
        self.timestamp = timestamp
        self.isGood = isGood
        self.isCurrent = isCurrent
    }
}

/// What came of removing a member, or would come of it.
public struct RemovalReport: Hashable, Sendable {
    public let removed: NamedDevice
    /// Held here, and counting no more; mostly none, since the removal names what is held.
    public let changes: Int
    public let documents: Int
    /// Active members that are left.
    public let members: Int
    /// The key epoch that began with it; nil when none did.
    public let rotated: KeyEpochID?

    public init(
        removed: NamedDevice, changes: Int, documents: Int, members: Int, rotated: KeyEpochID? = nil
    ) {
        self.removed = removed
        self.changes = changes
        self.documents = documents
        self.members = members
        self.rotated = rotated
    }

    func rotated(to epoch: KeyEpochID?) -> RemovalReport {
        RemovalReport(
            removed: removed, changes: changes, documents: documents, members: members, rotated: epoch)
    }
}

public struct InviteReport: Hashable, Sendable {
    public let id: String
    public let role: Role
    /// Seconds since 1970.
    public let expires: UInt64
    /// "open", "spent", "revoked" (also of an issuer that is no admin any more), "expired", "burned".
    public let state: String
    /// Who came by it, as the roster says.
    public let spentBy: NamedDevice?

    public init(id: String, role: Role, expires: UInt64, state: String, spentBy: NamedDevice? = nil) {
        self.id = id
        self.role = role
        self.expires = expires
        self.state = state
        self.spentBy = spentBy
    }
}

/// Something that a person should look at; stays until it is resolved.
public struct Alarm: Hashable, Sendable {
    /// kebab-case, stable: "restored", "cloned", "fork", "fork-suspicion", "quarantined", "digest-differs",
    /// "clock-far", "disk-low" …
    public let code: String
    public let message: String
    public let hint: String
    /// Milliseconds since 1970.
    public let since: UInt64
    public let space: SpaceID?
    public let device: DeviceID?
    /// The device's, as reports show it.
    public var deviceName: String?

    public init(
        code: String, message: String, hint: String, since: UInt64, space: SpaceID? = nil,
        device: DeviceID? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.since = since
        self.space = space
        self.device = device
    }
}

public struct StatusReport: Sendable {
    public let device: DeviceID
    public let name: String
    public let version: String
    /// 16 hexadecimal digits, random per start.
    public let instance: String
    public let spaces: [SpaceReport]
    /// Live links.
    public let links: Int
    /// Addresses that the node listens on for peers.
    public let listening: [String]
    /// Greatest difference to a linked peer's wall clock, milliseconds; nil without links.
    public let clockOffsetMilliseconds: Int64?
    public let wallMilliseconds: UInt64
    public let alarms: [Alarm]
    public let discovery: DiscoveryReport
    /// Over all spaces.
    public let sync: SyncReport
    /// Nil before it is known.
    public let disk: DiskReport?
    /// Nil without one, and for who sees only some spaces.
    public var syncFolder: SyncFolderStatus?

    public init(
        device: DeviceID, name: String, version: String, instance: String, spaces: [SpaceReport], links: Int,
        listening: [String], clockOffsetMilliseconds: Int64?, wallMilliseconds: UInt64, alarms: [Alarm],
        discovery: DiscoveryReport = DiscoveryReport(), sync: SyncReport = SyncReport(),
        disk: DiskReport? = nil
    ) {
        self.device = device
        self.name = name
        self.version = version
        self.instance = instance
        self.spaces = spaces
        self.links = links
        self.listening = listening
        self.clockOffsetMilliseconds = clockOffsetMilliseconds
        self.wallMilliseconds = wallMilliseconds
        self.alarms = alarms
        self.discovery = discovery
        self.sync = sync
        self.disk = disk
    }
}

/// Bytes of the store's file system: what is free, and below what local writes stop.
public struct DiskReport: Hashable, Sendable {
    public let free: UInt64
    public let floor: UInt64

    public init(free: UInt64, floor: UInt64) {
        self.free = free
        self.floor = floor
    }
}
