// One scalar: the latest of concurrent writes shows, the others stay readable until somebody writes again.

import Bytes
import Causality
import Documents

/// A variable that several devices may write.
///
/// Before anybody has written it, it shows its initial value, which is no write: it loses to every one.
public struct ReplicatingRegister<Value: ReplicatingScalar>: Replicating {
    public var part: ReplicatingPart
    /// Nil: what the type shows for nothing.
    private var initial: Value?

    public static var kind: ReplicatingKind { .register }

    public init() { part = ReplicatingPart(hasFields: false) }

    /// Shows `initial` until somebody writes.
    public init(_ initial: Value) {
        self.init()
        self.initial = initial
    }

    public init(part: ReplicatingPart) { self.part = part }

    public var value: Value {
        get {
            guard let scalar = part.document.register(at: part.path) else { return initialValue }
            return Value(scalar: scalar) ?? Value.unreadable
        }
        set { part.edit(.set(.scalar(newValue.scalar)), in: nil) }
    }

    /// Values of concurrent writes that lost, the latest first. A write ends them.
    public var conflicts: [Value] {
        part.document.lostRegisters(at: part.path).compactMap { Value(scalar: $0) }
    }

    /// False while it shows its initial value.
    public var isWritten: Bool { part.document.isShown(at: part.path) }

    public var shown: ReplicatingShown {
        let scalar = part.document.register(at: part.path) ?? initialValue.scalar
        return ReplicatingShown(.register(scalar, conflicts: []))
    }

    private var initialValue: Value { initial ?? Value.unreadable }

    /// Of two initial values the greater shows, whoever merges whom.
    public mutating func showInitially(_ other: Self) {
        guard let others = other.initial else { return }
        initial = initial.map { $0.scalar < others.scalar ? others : $0 } ?? others
    }

    public static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

extension ReplicatingRegister {
    /// What stands in an encoded register beside its history.
    var initialScalar: Scalar? { initial?.scalar }

    mutating func setInitial(_ scalar: Scalar) throws(ReplicatingError) {
        guard let value = Value(scalar: scalar) else { throw .malformed("initial value") }
        initial = value
    }
}

extension ReplicatingRegister: CustomStringConvertible {
    public var description: String { "\(value)" }
}

// What registers of literals begin with: `var title: ReplicatingRegister<String> = "untitled"`.

extension ReplicatingRegister: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Value.IntegerLiteralType) { self.init(Value(integerLiteral: value)) }
}

extension ReplicatingRegister: ExpressibleByFloatLiteral where Value: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Value.FloatLiteralType) { self.init(Value(floatLiteral: value)) }
}

extension ReplicatingRegister: ExpressibleByBooleanLiteral where Value: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Value.BooleanLiteralType) { self.init(Value(booleanLiteral: value)) }
}

extension ReplicatingRegister: ExpressibleByUnicodeScalarLiteral where Value: ExpressibleByStringLiteral {
    public init(unicodeScalarLiteral value: Value.UnicodeScalarLiteralType) {
        self.init(Value(unicodeScalarLiteral: value))
    }
}

extension ReplicatingRegister: ExpressibleByExtendedGraphemeClusterLiteral
where Value: ExpressibleByStringLiteral {
    public init(extendedGraphemeClusterLiteral value: Value.ExtendedGraphemeClusterLiteralType) {
        self.init(Value(extendedGraphemeClusterLiteral: value))
    }
}

extension ReplicatingRegister: ExpressibleByStringLiteral where Value: ExpressibleByStringLiteral {
    public init(stringLiteral value: Value.StringLiteralType) { self.init(Value(stringLiteral: value)) }
}
