// Which log a branch of a closed log is re-issued into, and what its changes become there. A function of the
// branch alone: whoever holds it and the device's key writes the same bytes (decision 0063).

import Bytes
public import Causality
import Crypto
public import Documents
public import Identity
public import Wire

/// The renaming of one branch.
public struct Reissue: Hashable, Sendable {
    /// The closed log, and where it is closed.
    public let branch: ReplicaID
    public let first: SequenceNumber
    /// Who writes the new log.
    public let declaration: Change.Declaration
    public let replica: ReplicaID

    /// `change` is the branch's first: the one at `first`.
    public init(of change: VerifiedChange, by device: DeviceID, in space: SpaceID) {
        self.init(
            of: change.change.replica, from: change.change.first, change.bytes, by: device, in: space)
    }

    /// `bytes` are the canonical ones of the change at `first`.
    public init(
        of branch: ReplicaID, from first: SequenceNumber, _ bytes: [UInt8], by device: DeviceID,
        in space: SpaceID
    ) {
        self.branch = branch
        self.first = first
        declaration = Change.Declaration(
            device: device, incarnation: Self.incarnation(branch, first, bytes))
        replica = ReplicaID(space: space, declaration: declaration)
    }

    private static func incarnation(_ branch: ReplicaID, _ first: SequenceNumber, _ bytes: [UInt8]) -> UInt64
    {
        var writer = ByteWriter(reserving: 32 + bytes.count)
        branch.raw.encode(into: &writer)
        writer.u64(first.value)
        writer.raw(bytes)
        let hash = Blake2b.hash256(writer.bytes, personal: "repld-reissue-v1")
        return hash.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private var renaming: DotRenaming { DotRenaming(branch, from: first, to: replica) }

    /// What a dot of the branch is called in the new log.
    public func renamed(_ dot: Dot) -> Dot { renaming(dot) }

    /// Operations of a change of the branch as they stand in the new log.
    public func operations(of change: Change) -> [Operation] {
        let renaming = self.renaming
        return change.operations.map { $0.renamed(renaming) }
    }

    /// What a change of the branch was made on, as the new log says it: also the trunk of the old one.
    public func context(of change: Change) -> VersionVector {
        var context = change.context
        context.advance(branch, to: first.previous)
        return context
    }
}
