// A change of which it is certain that its log's author made it, in this place of its log. Only `LogState`
// makes one, so applying what was not verified does not compile.

public import Wire

/// A change whose chain and seal hold, or that was authored here.
public struct VerifiedChange: Hashable, Sendable {
    public let change: Change
    /// Its canonical bytes, length first, as they are hashed and kept.
    public let bytes: [UInt8]
    /// The boundary that lies after it, if one does.
    public let endsSection: LogBoundary?

    public var isBoundary: Bool { endsSection != nil }

    init(change: Change, bytes: [UInt8], endsSection: LogBoundary?) {
        self.change = change
        self.bytes = bytes
        self.endsSection = endsSection
    }
}

/// A change that its log's own author has just written: true once the log is sealed. Only `LogState.author`
/// makes one, so what a peer sent cannot pass for it.
public struct AuthoredChange: Hashable, Sendable {
    public let verified: VerifiedChange

    init(_ verified: VerifiedChange) { self.verified = verified }

    public var change: Change { verified.change }
    public var bytes: [UInt8] { verified.bytes }
}

/// What a sealed run added to a log.
public struct VerifiedRun: Hashable, Sendable {
    /// Those that were not known, in order.
    public let changes: [VerifiedChange]
    /// The seals among them, ascending; the last one at the new head. To be kept with the changes.
    public let seals: [Seal]

    init(changes: [VerifiedChange], seals: [Seal]) {
        self.changes = changes
        self.seals = seals
    }
}
