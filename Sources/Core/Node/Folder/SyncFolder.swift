// The sync folder as the node and the shell's task speak of it: what the task found and did there, and what
// the node would have it do. The node touches no file, the task knows no member (decisions 0240 to 0242).

public import Bytes
public import Causality
import Crypto

/// The names of files in a sync folder.
public enum FolderFileName {
    public static let suffix = ".replbundle"

    /// Who knows the space's id and the device's finds it; to anybody else it says nothing.
    public static func name(of device: DeviceID, in space: SpaceID) -> String {
        let hash = Blake2b.hash256(space.raw.bytes + device.publicKey.bytes, personal: "repld-folder-v1")
        return Base32.encode(hash.bytes.prefix(16)) + suffix
    }
}

/// What the node knows of one space that matters to the folder.
public struct FolderSpacePlan: Hashable, Sendable {
    public let space: SpaceID
    /// Of this device, for this space.
    public let file: String
    /// Differs when this node holds something else than before.
    public let content: Bytes32
    /// Differs when others are known to lack something else than before.
    public let need: Bytes32
    /// Some member is not known to hold all that this node holds.
    public let isNeeded: Bool
    /// Files of the other active members.
    public let members: [String]
    /// Files of devices that are no members any more.
    public let gone: [String]

    public init(
        space: SpaceID, file: String, content: Bytes32, need: Bytes32, isNeeded: Bool, members: [String],
        gone: [String]
    ) {
        (self.space, self.file, self.content, self.need) = (space, file, content, need)
        (self.isNeeded, self.members, self.gone) = (isNeeded, members, gone)
    }
}

/// What is in a bundle that was written.
public struct BundleAccount: Hashable, Sendable {
    public var bytes = 0
    public var changes = 0
    /// Not everything that somebody lacks did fit.
    public var isCut = false
    /// Somebody needs the base, and it did not fit, or there is none now; in words.
    public var missingBase: String?

    public init() {}
}

/// A bundle that says what was written of it, once it has ended.
public protocol FolderBundle: ReadJob {
    var account: BundleAccount { get }
}

/// How the folder is, as of the last look at it, and what is in it.
public struct SyncFolderReport: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Files there are read, and this node's are what they should be or will be in time.
        case ready
        /// There is no such folder now.
        case missing
        /// It cannot be listed or written.
        case refused
        case full
        /// The file system does not do what it is asked for.
        case failed
    }

    /// A file of this node.
    public struct Own: Hashable, Sendable {
        public let file: String
        public let space: SpaceID
        public let account: BundleAccount
        /// Milliseconds since 1970.
        public let writtenAt: UInt64

        public init(file: String, space: SpaceID, account: BundleAccount, writtenAt: UInt64) {
            (self.file, self.space, self.account, self.writtenAt) = (file, space, account, writtenAt)
        }
    }

    /// A file of somebody else.
    public struct Other: Hashable, Sendable {
        public let file: String
        /// As its head says; nil: it has none.
        public let space: SpaceID?
        public let bytes: UInt64
        /// Milliseconds since 1970; nil: it was not read to its end.
        public let readAt: UInt64?
        /// Of the last reading.
        public let tally: BundleTally
        /// Why it was not read, or not all of it taken.
        public let problem: String?

        public init(
            file: String, space: SpaceID?, bytes: UInt64, readAt: UInt64?, tally: BundleTally,
            problem: String?
        ) {
            (self.file, self.space, self.bytes) = (file, space, bytes)
            (self.readAt, self.tally, self.problem) = (readAt, tally, problem)
        }
    }

    /// Since the start.
    public struct Counters: Hashable, Sendable {
        public var filesWritten: UInt64 = 0
        public var bytesWritten: UInt64 = 0
        public var filesRead: UInt64 = 0
        public var bytesRead: UInt64 = 0
        public var filesRefused: UInt64 = 0
        public var filesRemoved: UInt64 = 0
        public var changesTaken: UInt64 = 0

        public init() {}
    }

    public let path: String
    public var state = State.ready
    /// What is wrong, and what to do; empty while it is ready.
    public var problem = ""
    public var hint = ""
    public var own: [Own] = []
    public var others: [Other] = []
    /// Files that are bundles of spaces that this node has no part in.
    public var foreign = 0
    /// There is more in the folder than is looked at.
    public var isCrowded = false
    public var counters = Counters()
    /// When the node heard of it, milliseconds since 1970.
    public internal(set) var lookedAt: UInt64 = 0

    public init(path: String) { self.path = path }
}

/// The report as `status` tells it, with the devices whose files they are.
public struct SyncFolderStatus: Hashable, Sendable {
    public let report: SyncFolderReport
    /// By file.
    public let writers: [String: Writer]

    /// Whose file it is.
    public struct Writer: Hashable, Sendable {
        public let device: DeviceID
        public let name: String
        public let isMember: Bool
    }
}
