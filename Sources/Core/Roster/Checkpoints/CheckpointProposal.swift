// What the roster alone says of a checkpoint: a function of the operation's ancestors, so alike on every node
// that holds it. Who counts is who was a member in its author's view, whatever became of them since.

public import Bytes
public import Causality
public import Wire

/// A checkpoint as its author signed it, and who belonged in its view.
public struct CheckpointProposal: Hashable, Sendable {
    public let id: Bytes32
    /// Longest way to the genesis.
    public let depth: Int
    public let author: DeviceID
    public let body: CheckpointBody
    /// Readers or more in its view.
    public let members: Set<DeviceID>
    /// The most senior admin there; nil: there is none.
    public let senior: DeviceID?
    /// True when the checkpoint that it follows is in its view, or it follows none.
    public let seesPrevious: Bool

    public init(
        id: Bytes32, depth: Int, author: DeviceID, body: CheckpointBody, members: Set<DeviceID>,
        senior: DeviceID?, seesPrevious: Bool
    ) {
        self.id = id
        self.depth = depth
        self.author = author
        self.body = body
        self.members = members
        self.senior = senior
        self.seesPrevious = seesPrevious
    }

    public var previous: Bytes32? { body.previous }
    /// Those who must acknowledge it.
    public var required: Set<DeviceID> { members.subtracting(body.absent) }

    /// The one order of operations.
    func precedes(_ other: CheckpointProposal) -> Bool {
        depth == other.depth ? id < other.id : depth < other.depth
    }
}

/// An acknowledgement in a log that is held, whatever became of its change. It counts if its change's view
/// holds the checkpoint, so none is known before what it names.
public struct Acknowledgement: Hashable, Sendable {
    public let checkpoint: Bytes32
    public let device: DeviceID
    /// The operation.
    public let dot: Dot
    /// What the change's context names of the device's other logs.
    public let ends: VersionVector

    public init(of checkpoint: Bytes32, by device: DeviceID, at dot: Dot, ends: VersionVector = .init()) {
        self.checkpoint = checkpoint
        self.device = device
        self.dot = dot
        self.ends = ends
    }
}

/// Why a checkpoint can never be acknowledged.
public enum CheckpointFault: Hashable, Sendable {
    /// Its view lacks what it follows, or that is no checkpoint that could stand.
    case previous
    case authorAbsent
    /// Too few of the members of this checkpoint's view (nil: of the genesis) are required.
    case noMajority(of: Bytes32?)
    /// The witness is no whole change of the author, or what it was made on is not all covered.
    case witness
    /// It does not cover what `previous` covers, or lets go something else.
    case released
    /// Changes that it covers were made on roster operations that its author had not seen.
    case views
    /// This member is required, and had not acknowledged `previous`, or what follows it, in what is covered.
    case unacknowledged(DeviceID)
}

/// What can be said of a checkpoint by what is held.
public enum CheckpointVerdict: Hashable, Sendable {
    /// Not all that it covers is held.
    case unknown
    case valid
    case invalid(CheckpointFault)
}
