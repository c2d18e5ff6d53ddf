// The protocol of all replicating values, and what they share: versions, changes, merging, forgetting and
// coding (decision 0200).

import Bytes
import Causality
import Documents

/// A value that several devices edit on their own and merge later. All that hold the same changes show the
/// same, in whatever order they got them.
///
/// Structures conform by ``Replicating()``, the macro; the types of this module conform by themselves.
public protocol Replicating: ReplicatingContent, Codable {
    /// Holds nothing.
    init()
    var part: ReplicatingPart { get set }
    static var kind: ReplicatingKind { get }
}

/// Of what kind a replicating value is in a document.
public struct ReplicatingKind: Sendable {
    /// Nil for a register.
    let container: ContainerKind?

    /// Of a type that is no register.
    var required: ContainerKind {
        guard let container else { preconditionFailure("a register is no container") }
        return container
    }

    /// A structure, or a dictionary.
    public static let structure = ReplicatingKind(container: .map)
    static let register = ReplicatingKind(container: nil)
}

extension Replicating {
    public var lentPart: ReplicatingPart? { part }

    public var shown: ReplicatingShown {
        guard let kind = Self.kind.container else { preconditionFailure("registers say what they show") }
        if part.path.isEmpty {
            return part.document.typed.map { ReplicatingShown($0) } ?? .nothing(of: kind)
        }
        guard part.document.kind(at: part.path) == kind, let typed = part.document.typed(at: part.path) else {
            return .nothing(of: kind)
        }
        return ReplicatingShown(typed)
    }

    // MARK: Versions and changes

    /// Which changes it holds. A part has the version of its whole.
    public var version: ReplicaVersion { ReplicaVersion(part.history.held.version) }

    /// Up to which version the changes are forgotten: they can be handed to nobody any more.
    public var forgottenVersion: ReplicaVersion { ReplicaVersion(part.history.held.forgotten) }

    /// The changes that a version lacks, for whoever is at it. O(changes since then).
    public func changes(since version: ReplicaVersion) throws(ReplicatingError) -> ReplicatingChanges {
        guard let operations = part.history.held.operations(beyond: version.vector) else {
            throw .forgotten(forgottenVersion)
        }
        return ReplicatingChanges(operations)
    }

    /// Applies the changes that are new here; those that are known already change nothing. All of them, or
    /// none when it throws.
    public mutating func apply(_ changes: ReplicatingChanges) throws(ReplicatingError) {
        guard part.isWhole else { throw .partOfWhole }
        try part.apply(changes.operations)
    }

    /// Takes over all that `other` holds. Commutative, associative and idempotent.
    public mutating func merge(_ other: Self) throws(ReplicatingError) {
        guard part.isWhole, other.part.isWhole else { throw .partOfWhole }
        try part.merge(other.part)
        mergeInitial(other)
    }

    /// Both in one.
    public func merged(with other: Self) throws(ReplicatingError) -> Self {
        var result = self
        try result.merge(other)
        return result
    }

    /// Drops the changes up to a version from what can be handed on. Nothing that it shows changes. Choose a
    /// version that everybody is known to hold (``ReplicaVersion/common(with:)``).
    public mutating func forget(through version: ReplicaVersion) throws(ReplicatingError) {
        guard part.isWhole else { throw .partOfWhole }
        part.forget(through: version.vector)
    }

    /// A value of its own that shows the same, with no history but its making.
    public func detached() -> Self {
        var value = Self()
        let shown = shown
        value.part.show(shown)
        value.showInitially(self)
        return value
    }
}

extension ReplicatingPart {
    mutating func merge(_ other: ReplicatingPart) throws(ReplicatingError) {
        if history === other.history { return }
        let (mine, theirs) = (history.held.version, other.history.held.version)
        if mine.covers(theirs) { return }
        if theirs.covers(mine) {
            history = other.history
            return
        }
        let missing = other.history.held.operations(beyond: mine)
        if let missing, missing.count < Self.manyOperations {
            append(missing)
        } else if let own = history.held.operations(beyond: theirs), own.count < missing?.count ?? .max {
            // Ours on top of a copy of theirs: less to do, or the only way.
            history = other.history
            append(own)
        } else if let missing {
            append(missing)
        } else {
            throw .forgotten(ReplicaVersion(other.history.held.forgotten))
        }
    }

    /// So many operations are applied in the time in which a small document is copied.
    private static let manyOperations = 64

    mutating func apply(_ operations: [LoggedOperation]) throws(ReplicatingError) {
        var version = history.held.version
        var covered: VersionVector?
        var new: [LoggedOperation] = []
        for logged in operations {
            let dot = logged.stamp.dot
            if version.contains(dot) { continue }
            let isCovered = covered.map { $0.sharesEntries(with: logged.stamp.context) } ?? false
            guard version[dot.replica] + 1 == dot.sequence,
                isCovered || version.covers(logged.stamp.context)
            else {
                var needed = logged.stamp.context
                needed.advance(dot.replica, to: dot.sequence.previous)
                throw .early(needs: ReplicaVersion(needed))
            }
            covered = logged.stamp.context
            version.advance(dot.replica, to: logged.last)
            new.append(logged)
        }
        append(new)
    }

    private mutating func append(_ operations: [LoggedOperation]) {
        if operations.isEmpty { return }
        if !isKnownUniquelyReferenced(&history) { history = History(history.held) }
        for logged in operations { history.held.apply(logged) }
    }

    mutating func forget(through version: VersionVector) {
        if !isKnownUniquelyReferenced(&history) { history = History(history.held) }
        history.held.forget(through: version)
    }
}

extension Replicating {
    /// Registers by themselves have initial values, which merge too.
    mutating func mergeInitial(_ other: Self) {
        if Self.kind.container == nil { showInitially(other) }
    }
}
