// The typed view: kinds, conflicts and element ids beside the values. Exports in this view can be imported
// with nothing lost but history.

public import Bytes
public import Causality

/// What a slot holds, with everything that its plain value hides.
public indirect enum TypedValue: Hashable, Sendable {
    /// The shown value; `conflicts` are in descending priority.
    case register(Scalar, conflicts: [Conflict])
    case counter(Int64, conflicts: [Conflict])
    /// Canonical order.
    case set([Scalar], kind: ContainerKind, conflicts: [Conflict])
    /// Ascending by key bytes.
    case map([Member], conflicts: [Conflict])
    case list([Element], conflicts: [Conflict])
    case orderedSet([Scalar], conflicts: [Conflict])
    /// Like all strings here compared by bytes, not by canonical equivalence.
    case text(Key, conflicts: [Conflict])

    public struct Member: Hashable, Sendable {
        public let key: Key
        public let value: TypedValue

        public init(_ key: Key, _ value: TypedValue) {
            self.key = key
            self.value = value
        }
    }

    public struct Element: Hashable, Sendable {
        /// Nil where it was made by hand for an import.
        public let id: Dot?
        public let value: TypedValue

        public init(id: Dot?, _ value: TypedValue) {
            self.id = id
            self.value = value
        }
    }

    /// A value that lost to a concurrent one and stays readable whole.
    public struct Conflict: Hashable, Sendable {
        public let value: TypedValue
        /// Author (its replica) and time of the latest surviving edit.
        public let dot: Dot
        public let timestamp: Timestamp

        public init(_ value: TypedValue, dot: Dot, timestamp: Timestamp) {
            self.value = value
            self.dot = dot
            self.timestamp = timestamp
        }
    }
}

extension TypedValue {
    /// The values that lost to this one, in descending priority.
    public var conflicts: [Conflict] {
        switch self {
        case .register(_, let conflicts), .counter(_, let conflicts), .set(_, _, let conflicts),
            .map(_, let conflicts), .list(_, let conflicts), .orderedSet(_, let conflicts),
            .text(_, let conflicts):
            conflicts
        }
    }

    /// The kind of container; nil for a register.
    public var kind: ContainerKind? {
        switch self {
        case .register: nil
        case .counter: .counter
        case .set(_, let kind, _): kind
        case .map: .map
        case .list: .list
        case .orderedSet: .orderedSet
        case .text: .text
        }
    }

    /// What the plain view shows of it.
    public var plain: PlainValue {
        switch self {
        case .register(let value, _): .scalar(value)
        case .counter(let value, _): .scalar(.integer(value))
        case .set(let members, _, _): .array(members.map(PlainValue.scalar))
        case .map(let members, _): .object(members.map { PlainValue.Member($0.key, $0.value.plain) })
        case .list(let elements, _): .array(elements.map(\.value.plain))
        case .orderedSet(let members, _): .array(members.map(PlainValue.scalar))
        case .text(let text, _): .scalar(.string(text))
        }
    }
}
