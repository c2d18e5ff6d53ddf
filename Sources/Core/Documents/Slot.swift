// Containers are named by place: (parent, slot, kind, generation), not by who made them, so two boxes that
// both create `tags` offline share one set (DESIGN 6).

public import Bytes
public import Causality

/// Which life of a slot a container belongs to: 1 + the greatest generation of that slot whose delete its
/// author had observed. The first is 1.
public struct Generation: Hashable, Comparable, Sendable {
    public let value: UInt32

    public init(_ value: UInt32) { self.value = value }

    public static let first = Generation(1)
    /// No generation of the slot was ever deleted.
    public static let none = Generation(0)
    public static let max = Generation(1 << 30)
    public static func < (left: Generation, right: Generation) -> Bool { left.value < right.value }
    /// What a new container gets when this is the greatest generation deleted.
    public var next: Generation { Generation(value + 1) }
}

/// Where something hangs in its parent: a key of a map, or an element of a list (named by the dot that
/// inserted it).
public enum Slot: Hashable, Sendable {
    case key(Key)
    case element(Dot)
}

/// One container on the way from the document's root map.
public struct ContainerStep: Hashable, Sendable {
    public let slot: Slot
    public let kind: ContainerKind
    public let generation: Generation

    public init(_ slot: Slot, _ kind: ContainerKind, _ generation: Generation) {
        self.slot = slot
        self.kind = kind
        self.generation = generation
    }
}
