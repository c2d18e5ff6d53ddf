// A version is a version vector: how far a value knows each writer. Two of them may be concurrent, so
// versions are compared by `covers`, not by `<`. (Not `ReplicatingVersion`: the compiler leaves names that
// begin with the module's and `Version` out of symbol graphs, so it would have no page.)

import Bytes
import Causality

/// Which changes a value holds.
public struct ReplicaVersion: Hashable, Sendable {
    let vector: VersionVector

    /// Holds nothing.
    public init() { vector = VersionVector() }

    init(_ vector: VersionVector) { self.vector = vector }

    /// True when it holds all that `other` does.
    public func covers(_ other: ReplicaVersion) -> Bool { vector.covers(other.vector) }

    /// What both hold: up to here, a value may be forgotten that only two have.
    public func common(with other: ReplicaVersion) -> ReplicaVersion {
        ReplicaVersion(vector.common(with: other.vector))
    }

    /// How many writers it knows.
    public var writerCount: Int { vector.count }
}

extension ReplicaVersion: CustomStringConvertible {
    /// `<writer>:<sequence>` of each, the writers by their first eight digits.
    public var description: String {
        vector.entries.map { "\($0.replica.description.prefix(8)):\($0.last)" }.joined(separator: " ")
    }
}

/// Why changes or values of others were not taken. Nothing has changed then.
public enum ReplicatingError: Error, Hashable, Sendable {
    /// Changes are needed that were forgotten up to this version. The whole value can still be taken by who
    /// holds nothing that it lacks.
    case forgotten(ReplicaVersion)
    /// A change was made on others that are not here; this version has them.
    case early(needs: ReplicaVersion)
    /// What hangs in another value merges with it only.
    case partOfWhole
    /// Bytes that are not what they should be, with the field that is wrong.
    case malformed(String)
}

/// Operations for somebody who lacks them.
public struct ReplicatingChanges: Sendable {
    let operations: [LoggedOperation]

    init(_ operations: [LoggedOperation]) { self.operations = operations }

    public var isEmpty: Bool { operations.isEmpty }
    /// Operations.
    public var count: Int { operations.count }
}
