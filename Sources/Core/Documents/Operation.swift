// The operations of a change: what is logged, signed, sent and applied. They are written by `author` from
// requests and mean the same on every replica whatever the order of delivery (within causal order).
//
//   kind of container   operations that act in it
//   map                 make · write · clear
//   list                make · write · clear (a slot) · insertElements · deleteElements · moveElement
//   ordered set         make · insertMembers · remove · moveMember
//   set, remove-wins    make · add · remove
//   text                make · insertText · deleteText
//   counter             make · increment

public import Bytes
public import Causality

/// One mutation of one document. It consumes `sequenceCount` consecutive sequences of its author's log.
public struct Operation: Hashable, Sendable {
    public let document: Key
    public let body: Body

    public init(document: Key, body: Body) {
        self.document = document
        self.body = body
    }

    public enum Body: Hashable, Sendable {
        /// Deletes the document: the generations of its root map that the author saw live, ascending, at
        /// least one.
        case deleteDocument(observed: [Generation])
        case act(in: ContainerPath, Action)
        /// From a newer version: kept and relayed, never executed. `payload` is opaque.
        case unknown(tag: UInt64, sequenceCount: Int, payload: [UInt8])
    }

    /// Sequences consumed, at least 1.
    public var sequenceCount: Int {
        switch body {
        case .deleteDocument: 1
        case .act(_, let action): action.sequenceCount
        case .unknown(_, let count, _): count
        }
    }
}

extension Operation {
    /// The memory that it needs, roughly: for bounds, never for anything that replicas must agree on.
    public var estimatedBytes: Int {
        switch body {
        case .deleteDocument(let observed): 32 + 8 * observed.count
        case .act(_, let action): 32 + action.payloadBytes
        case .unknown(_, _, let payload): 32 + payload.count
        }
    }
}

extension Action {
    fileprivate var payloadBytes: Int {
        switch self {
        case .write(_, let value, _), .add(let value), .remove(let value), .moveMember(let value, _, _):
            8 + value.stringBytes
        case .insertElements(_, _, let contents):
            contents.reduce(0) { sum, content in
                if case .register(let value) = content { sum + 8 + value.stringBytes } else { sum + 8 }
            }
        case .insertMembers(_, _, let members): members.reduce(0) { $0 + 8 + $1.stringBytes }
        case .insertText(_, _, let text): 8 + text.utf8.count
        case .deleteElements(let ranges), .deleteText(let ranges): 16 * ranges.count
        case .clear(_, let observed): 16 * observed.count
        case .make, .increment, .moveElement: 8
        }
    }
}

extension Scalar {
    fileprivate var stringBytes: Int { if case .string(let text) = self { text.utf8Count } else { 0 } }
}

/// A container that a `clear` observed live in the slot.
public struct ObservedContainer: Hashable, Comparable, Sendable {
    public let kind: ContainerKind
    public let generation: Generation

    public init(_ kind: ContainerKind, _ generation: Generation) {
        self.kind = kind
        self.generation = generation
    }

    public static func < (left: ObservedContainer, right: ObservedContainer) -> Bool {
        (left.generation.value, left.kind.rawValue) < (right.generation.value, right.kind.rawValue)
    }
}

/// The first content of an inserted list element.
public enum ElementContent: Hashable, Sendable {
    /// A register written by the insertion itself, in generation 1, at the element's own dot.
    case register(Scalar)
    /// Nothing yet: a container follows in the same change, named by (.element(dot), kind, generation 1).
    case container
}

/// What an operation does in its container. Origins are dots of *positions*: an inserted scalar, element or
/// member has its own dot as its first position; a move makes a new position at the move's dot. A nil left
/// origin is the start, a nil right origin the end.
public enum Action: Hashable, Sendable {
    /// The container exists; nothing in it changes. An edit.
    case make
    /// Writes a register; covers every register write of the slot in its context. `generation`: what a new
    /// container would have got in the author's view.
    case write(slot: Slot, value: Scalar, generation: Generation)
    /// Deletes what is in a slot: the registers in its context, and the containers observed (ascending, may
    /// be empty). Not an edit. The element that is the slot stays.
    case clear(slot: Slot, observed: [ObservedContainer])
    case increment(by: Int64)
    /// `set` and `removeWinsSet`. An edit.
    case add(Scalar)
    /// `set`, `removeWinsSet` and `orderedSet`. Not an edit.
    case remove(Scalar)
    /// Element i has dot (this operation's dot + i); element 0 has the origins given, element i+1 has element
    /// i as its left origin and the same right origin. Never empty. An edit.
    case insertElements(left: Dot?, right: Dot?, [ElementContent])
    /// Ascending by replica then sequence, disjoint, never empty. Not an edit.
    case deleteElements([DotRange])
    /// A new position for the element; covers the positions in its context. Not an edit.
    case moveElement(Dot, left: Dot?, right: Dot?)
    /// Adds members (adds of present values too) at new positions, chained as in `insertElements`. An edit.
    case insertMembers(left: Dot?, right: Dot?, [Scalar])
    /// A new position for a member. Not an edit.
    case moveMember(Scalar, left: Dot?, right: Dot?)
    /// Scalar i has dot + i, chained as in `insertElements`. Never empty. An edit.
    case insertText(left: Dot?, right: Dot?, String)
    /// As `deleteElements`; a deleted character stays deleted. Not an edit.
    case deleteText([DotRange])

    /// Sequences consumed, at least 1: one per inserted scalar, element or member.
    public var sequenceCount: Int {
        switch self {
        case .insertElements(_, _, let contents): contents.count
        case .insertMembers(_, _, let members): members.count
        case .insertText(_, _, let text): TextRope.scalarCount(of: text)
        default: 1
        }
    }

    /// True for the operations that keep a container live (DESIGN 6): make, write, add, insert, increment.
    public var isEdit: Bool {
        switch self {
        case .make, .write, .increment, .add, .insertElements, .insertMembers, .insertText: true
        case .clear, .remove, .deleteElements, .moveElement, .moveMember, .deleteText: false
        }
    }
}

/// When and on what an operation was made.
public struct OperationStamp: Hashable, Sendable {
    /// The operation's first dot.
    public let dot: Dot
    public let timestamp: Timestamp
    /// The context of its change; `covers` adds the earlier sequences of its own log.
    public let context: VersionVector

    public init(dot: Dot, timestamp: Timestamp, context: VersionVector) {
        self.dot = dot
        self.timestamp = timestamp
        self.context = context
    }

    /// True when the author of this operation had seen `other`.
    public func covers(_ other: Dot) -> Bool {
        if other.replica == dot.replica { return other.sequence < dot.sequence }
        return context.contains(other)
    }

    public var priority: Priority { Priority(timestamp, dot) }
}
