// Makes the base of a document for a checkpoint C: what a newcomer gets instead of the log, what everybody
// goes on from, and what the manifest is a hash of. It comes from the base of the previous checkpoint, the
// executed operations of W∖V that touch the document, and V. Equal inputs give equal bytes, in any causal
// order (decision 0180).
//
//     base(previous) ── apply W∖V, noting what is named ── purge as of V ── drop what was dead ── base(C)

public import Bytes
public import Causality

/// A base in the making.
public struct BaseBuilder: Sendable {
    private var document: Document
    private var dead: DeadParts

    /// Begins from the base of the previous checkpoint, nil when it had none; throws when those bytes are no
    /// document of this key.
    public init(_ key: Key, from previous: [UInt8]?) throws(DecodeFault) {
        let document = try previous.map { bytes throws(DecodeFault) in try Document(snapshot: bytes) }
        if let document, document.key != key { throw .notCanonical(field: "document key") }
        self.init(key, from: document)
    }

    /// The same from a document that was decoded already.
    public init(_ key: Key, from previous: Document?) {
        precondition(previous.map { $0.key == key } ?? true, "a base of \(key) begins from another document")
        document = previous ?? Document(key: key)
        dead = DeadParts(of: document.state)
    }

    /// The operations of one change of W∖V that touch the document, as `Document.apply` takes them.
    public mutating func apply(_ operations: [Operation], stamps: [OperationStamp]) {
        for operation in operations where !isPlanted("named-purged") {
            dead.name(by: operation, in: document.state)
        }
        _ = document.apply(operations, stamps: stamps, wantsPatches: false)
    }

    /// As `Document.heldBytes`. O(1).
    public var heldBytes: Int { document.heldBytes }

    /// The base, in normal form as of the checkpoint's V; nil when nothing is left of the document. Its
    /// snapshot is what the checkpoint holds. O(size) when something was dead, else as `Document.purge`.
    public consuming func finish(asOf stable: VersionVector) -> Document? {
        if dead.isWhole { return nil }
        document.purge(asOf: stable)
        if !dead.isEmpty { document.state = Survivors.state(of: document.state, without: dead) }
        return document.state[DocumentState.root].holdsNothing ? nil : document
    }
}
