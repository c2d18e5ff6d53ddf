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

    /// What is left of the branch from `first` on goes into the log of `other`, which is named after a log
    /// that an earlier stretch of it went into.
    public init(of branch: ReplicaID, from first: SequenceNumber, into other: Reissue) {
        self.branch = branch
        self.first = first
        declaration = other.declaration
        replica = other.replica
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

    /// What a dot of the branch is called in the new log.
    public func renamed(_ dot: Dot) -> Dot { DotRenaming(branch, from: first, to: replica)(dot) }

    /// Operations of a change of the branch as they stand in this log. `before`: the logs that earlier
    /// stretches of the branch went into, ascending.
    public func operations(of change: Change, after before: [Reissue] = []) -> [Operation] {
        let parts = before + [self]
        let ends = parts.dropFirst().map(\.first) + [SequenceNumber.max]
        // Nothing went into a log that is closed from its first change on.
        let renamings = zip(parts, ends).filter { $0.first < $1 }.map { part, end in
            DotRenaming(branch, from: part.first, until: end, to: part.replica)
        }
        return change.operations.map { operation in renamings.reduce(operation) { $0.renamed($1) } }
    }

    /// What a change of the branch was made on, as the new log says it: also the trunk of the old one, which
    /// ends before `closed`, and what went into other logs.
    public func context(of change: Change, closed: SequenceNumber, after before: [Reissue] = [])
        -> VersionVector
    {
        var context = change.context.without(replica)
        context.advance(branch, to: closed.previous)
        let ends = before.dropFirst().map(\.first) + [first]
        for (part, end) in zip(before, ends) {
            context.advance(part.replica, to: SequenceNumber(end.value - part.first.value))
        }
        return context.without(replica)
    }
}
