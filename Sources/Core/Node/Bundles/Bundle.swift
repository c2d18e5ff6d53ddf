// Bundles as programs ask for them and as they are told of them (decision 0238).

public import Causality

/// A program's choice of the changes that a bundle holds.
public enum BundleChoice: Hashable, Sendable {
    case everything
    /// The changes that this member lacks, as far as this node knows what the member holds.
    case member(MemberReference)
    /// The changes that this version does not hold; a `VersionToken`.
    case since(String)
    /// The base of the checkpoint that stands, and what follows it.
    case base
    /// The sync folder's: at most so many bytes of what this node does not know every other active member to
    /// hold.
    case folder(bytesMax: Int)
}

/// The counts of what this node took of a bundle so far.
public struct BundleTally: Hashable, Sendable {
    /// Changes that came.
    public var changes = 0
    /// Of them those that were not here.
    public var new = 0
    /// Of them those that could not be taken: something before them is not here. Below 0 where changes that
    /// waited from elsewhere could go on.
    public var lacking = 0
    /// Roster operations that were not here.
    public var operations = 0
    /// Documents of a base that was taken whole.
    public var baseDocuments = 0

    public init() {}

    public static func += (left: inout BundleTally, right: BundleTally) {
        left.changes += right.changes
        left.new += right.new
        left.lacking += right.lacking
        left.operations += right.operations
        left.baseDocuments += right.baseDocuments
    }
}

/// Why the taking of a bundle ended before its end. What was taken before is kept.
public enum BundleStop: Sendable {
    /// The record that begins at this byte is not what a member would have written; in words.
    case bad(at: UInt64, String)
    /// This device may take nothing more, as what was taken says.
    case refused(NodeError)
}

/// Why there is no bundle, or why one is not taken.
public enum BundleRefusal: Hashable, Sendable {
    /// 409 `nothing-new`: whom it is for, or the version that has it all; the space's name here.
    case nothingNew(space: String)
    /// 409 `no-checkpoint`.
    case noCheckpoint(space: String)
    /// 403 `foreign-bundle`: it is of that space, which is not the one that was named, or none of this node.
    case foreign(SpaceID)
    /// 403 `bundle-not-for-us`: it was sealed for others.
    case sealedForOthers(space: String, members: Int)
}
