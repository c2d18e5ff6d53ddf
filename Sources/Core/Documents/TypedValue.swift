// The typed view: kinds, conflicts and element ids beside the values. Exports in this view can be imported with
// nothing lost but history.

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
    case text(String, conflicts: [Conflict])

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
