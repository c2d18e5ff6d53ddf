// The typed view: kinds, conflicts and element ids beside the values. Exports in this view can be imported
// with nothing lost but history.

public import Bytes
public import Causality

/// The forms that a kind's value has in the typed view. Kinds share them: what shows a value, reads one or
/// compares two need not know the kind.
public enum TypedForm: Hashable, Sendable {
    case map
    case list
    /// Scalars in their canonical order.
    case members
    /// Scalars in the order of the container.
    case orderedMembers
    case string
    case integer
}

/// What a slot holds, with everything that its plain value hides.
public indirect enum TypedValue: Hashable, Sendable {
    /// The shown value; `conflicts` are in descending priority.
    case register(Scalar, conflicts: [Conflict])
    /// Of the forms `string` and `integer`. Strings are like all here compared by bytes, not by canonical
    /// equivalence.
    case scalar(Scalar, kind: ContainerKind, conflicts: [Conflict])
    /// Of the forms `members` and `orderedMembers`.
    case members([Scalar], kind: ContainerKind, conflicts: [Conflict])
    /// Ascending by key bytes.
    case map([Member], conflicts: [Conflict])
    case list([Element], conflicts: [Conflict])

    public static func counter(_ value: Int64, conflicts: [Conflict]) -> TypedValue {
        .scalar(.integer(value), kind: .counter, conflicts: conflicts)
    }

    public static func text(_ text: Key, conflicts: [Conflict]) -> TypedValue {
        .scalar(.string(text), kind: .text, conflicts: conflicts)
    }

    public static func set(_ members: [Scalar], kind: ContainerKind, conflicts: [Conflict]) -> TypedValue {
        .members(members, kind: kind, conflicts: conflicts)
    }

    public static func orderedSet(_ members: [Scalar], conflicts: [Conflict]) -> TypedValue {
        .members(members, kind: .orderedSet, conflicts: conflicts)
    }

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
        case .register(_, let conflicts), .scalar(_, _, let conflicts), .members(_, _, let conflicts),
            .map(_, let conflicts), .list(_, let conflicts):
            conflicts
        }
    }

    /// The kind of container; nil for a register.
    public var kind: ContainerKind? {
        switch self {
        case .register: nil
        case .scalar(_, let kind, _), .members(_, let kind, _): kind
        case .map: .map
        case .list: .list
        }
    }

    /// What the plain view shows of it.
    public var plain: PlainValue {
        switch self {
        case .register(let value, _), .scalar(let value, _, _): .scalar(value)
        case .members(let members, _, _): .array(members.map(PlainValue.scalar))
        case .map(let members, _): .object(members.map { PlainValue.Member($0.key, $0.value.plain) })
        case .list(let elements, _): .array(elements.map(\.value.plain))
        }
    }
}
