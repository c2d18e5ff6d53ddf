// An action is the effect of an operation in its container. Kinds share actions (maps and lists write
// registers, two kinds of set add), so each action is defined once, here: its case, its number, its parts in
// their order. Every form of an operation (in a log, in a block, with other dots, in memory) follows from the
// parts.
//
//   kind of container   actions
//   map                 make · write · clear
//   list                make · write · clear (a slot) · insertElements · deleteElements · moveElement
//   ordered set         make · insertMembers · remove · moveMember
//   set, remove-wins    make · add · remove
//   text                make · insertText · deleteText
//   counter             make · increment

package import Bytes
public import Causality

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

/// The effect of an operation in its container. Origins are dots of *positions*: an inserted scalar, element
/// or member has its own dot as its first position; a move makes a new position at the move's dot. A nil left
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
}

extension Action {
    /// The number of an action in logs and blocks (WIRE.md). They are never reused.
    public enum Tag: UInt64, Sendable {
        case make = 2
        case write = 3
        case clear = 4
        case increment = 5
        case add = 6
        case remove = 7
        case insertElements = 8
        case deleteElements = 9
        case moveElement = 10
        case insertMembers = 11
        case moveMember = 12
        case insertText = 13
        case deleteText = 14
    }

    @inlinable public var tag: Tag {
        switch self {
        case .make: .make
        case .write: .write
        case .clear: .clear
        case .increment: .increment
        case .add: .add
        case .remove: .remove
        case .insertElements: .insertElements
        case .deleteElements: .deleteElements
        case .moveElement: .moveElement
        case .insertMembers: .insertMembers
        case .moveMember: .moveMember
        case .insertText: .insertText
        case .deleteText: .deleteText
        }
    }

    /// Sequences consumed, at least 1: one per inserted scalar, element or member.
    @inlinable public var sequenceCount: Int {
        switch self {
        case .insertElements(_, _, let contents): contents.count
        case .insertMembers(_, _, let members): members.count
        case .insertText(_, _, let text): Self.scalarCount(of: text)
        default: 1
        }
    }

    @usableFromInline static func scalarCount(of text: String) -> Int { TextRope.scalarCount(of: text) }

    /// True for the operations that keep a container live (DESIGN 6): make, write, add, insert, increment.
    public var isEdit: Bool {
        switch self {
        case .make, .write, .increment, .add, .insertElements, .insertMembers, .insertText: true
        case .clear, .remove, .deleteElements, .moveElement, .moveMember, .deleteText: false
        }
    }

    // MARK: Parts

    /// Writes the parts in their order; `init(_:from:_:)` reads them back.
    package func write<Writer: ActionWriter>(to writer: inout Writer, _ output: inout Writer.Output) {
        switch self {
        case .make: break
        case .write(let slot, let value, let generation):
            writer.write(slot, to: &output)
            writer.write(value, to: &output)
            writer.write(generation, to: &output)
        case .clear(let slot, let observed):
            writer.write(slot, to: &output)
            writer.write(observed, to: &output)
        case .increment(let amount): writer.write(amount, to: &output)
        case .add(let value), .remove(let value): writer.write(value, to: &output)
        case .insertElements(let left, let right, let contents):
            writer.write(left, right, to: &output)
            writer.write(contents, to: &output)
        case .deleteElements(let ranges), .deleteText(let ranges):
            writer.write(ranges, to: &output)
        case .moveElement(let element, let left, let right):
            writer.write(element, to: &output)
            writer.write(left, right, to: &output)
        case .insertMembers(let left, let right, let members):
            writer.write(left, right, to: &output)
            writer.write(members, to: &output)
        case .moveMember(let member, let left, let right):
            writer.write(member, to: &output)
            writer.write(left, right, to: &output)
        case .insertText(let left, let right, let text):
            writer.write(left, right, to: &output)
            writer.write(text, to: &output)
        }
    }

    /// Reads the parts of the action with this number.
    package init<Reader: ActionReader & ~Copyable>(
        _ tag: Tag, from reader: inout Reader, _ input: inout Reader.Input
    ) throws(DecodeFault) {
        switch tag {
        case .make: self = .make
        case .write:
            let slot = try reader.readSlot(from: &input)
            let value = try reader.readScalar(from: &input)
            let generation = try reader.readGeneration(from: &input)
            self = .write(slot: slot, value: value, generation: generation)
        case .clear:
            let slot = try reader.readSlot(from: &input)
            self = .clear(slot: slot, observed: try reader.readObserved(from: &input))
        case .increment: self = .increment(by: try reader.readAmount(from: &input))
        case .add: self = .add(try reader.readScalar(from: &input))
        case .remove: self = .remove(try reader.readScalar(from: &input))
        case .insertElements:
            let (left, right) = try reader.readOrigins(from: &input)
            self = .insertElements(
                left: left, right: right, try reader.readContents(from: &input))
        case .deleteElements: self = .deleteElements(try reader.readRanges(from: &input))
        case .moveElement:
            let element = try reader.readElement(from: &input)
            let (left, right) = try reader.readOrigins(from: &input)
            self = .moveElement(element, left: left, right: right)
        case .insertMembers:
            let (left, right) = try reader.readOrigins(from: &input)
            self = .insertMembers(left: left, right: right, try reader.readMembers(from: &input))
        case .moveMember:
            let member = try reader.readScalar(from: &input)
            let (left, right) = try reader.readOrigins(from: &input)
            self = .moveMember(member, left: left, right: right)
        case .insertText:
            let (left, right) = try reader.readOrigins(from: &input)
            self = .insertText(left: left, right: right, try reader.readText(from: &input))
        case .deleteText: self = .deleteText(try reader.readRanges(from: &input))
        }
    }

    /// The same action with other dots. Everything that names a dot is here, so that a new action which names
    /// one does not compile without.
    func renamed(_ rename: DotRenaming) -> Action {
        switch self {
        case .make, .increment, .add, .remove: self
        case .write(let slot, let value, let generation):
            .write(slot: slot.renamed(rename), value: value, generation: generation)
        case .clear(let slot, let observed): .clear(slot: slot.renamed(rename), observed: observed)
        case .insertElements(let left, let right, let contents):
            .insertElements(left: left.map { rename($0) }, right: right.map { rename($0) }, contents)
        case .deleteElements(let ranges): .deleteElements(rename(ranges))
        case .moveElement(let dot, let left, let right):
            .moveElement(rename(dot), left: left.map { rename($0) }, right: right.map { rename($0) })
        case .insertMembers(let left, let right, let members):
            .insertMembers(left: left.map { rename($0) }, right: right.map { rename($0) }, members)
        case .moveMember(let member, let left, let right):
            .moveMember(member, left: left.map { rename($0) }, right: right.map { rename($0) })
        case .insertText(let left, let right, let text):
            .insertText(left: left.map { rename($0) }, right: right.map { rename($0) }, text)
        case .deleteText(let ranges): .deleteText(rename(ranges))
        }
    }
}

// MARK: Memory

extension Action {
    /// Roughly the bytes of what it says: for bounds, never for anything that replicas must agree on.
    var payloadBytes: Int {
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

    /// Bytes on the heap, counted as the allocator does; see `Operation.heldBytes`.
    var heldBytes: Int {
        switch self {
        case .make, .increment, .moveElement: 0
        case .write(let slot, let value, _): slot.heldBytes + value.heldBytes
        case .clear(let slot, let observed):
            slot.heldBytes + Operation.blockBytes
                + observed.count * MemoryLayout<ObservedContainer>.stride
        case .add(let value), .remove(let value), .moveMember(let value, _, _): value.heldBytes
        case .insertElements(_, _, let contents):
            contents.reduce(Operation.blockBytes) { sum, content in
                let own = if case .register(let value) = content { value.heldBytes } else { 0 }
                return sum + MemoryLayout<ElementContent>.stride + own
            }
        case .insertMembers(_, _, let members):
            members.reduce(Operation.blockBytes) {
                $0 + MemoryLayout<Scalar>.stride + $1.heldBytes
            }
        case .insertText(_, _, let text): Operation.blockBytes + text.utf8.count
        case .deleteElements(let ranges), .deleteText(let ranges):
            Operation.blockBytes + ranges.count * MemoryLayout<DotRange>.stride
        }
    }
}

extension Scalar {
    fileprivate var stringBytes: Int { if case .string(let text) = self { text.utf8Count } else { 0 } }
}
