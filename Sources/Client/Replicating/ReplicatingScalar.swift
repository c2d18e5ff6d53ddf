// Swift types as JSON scalars: what registers, sets, arrays and dictionaries hold. A program may meet a
// scalar that its type does not know, because another version of it wrote there; that is no error, since
// nobody here could mend it.

import Bytes
import Documents

/// A JSON scalar.
public enum ReplicatingPrimitive: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Finite.
    case double(Double)
    case string(String)
}

/// A type that is a JSON scalar: `Bool`, integers, `Double`, `String`, optionals of them, and enumerations or
/// structures with one of them as raw value, which only have to say that they conform.
public protocol ReplicatingScalar: ReplicatingContent, Hashable {
    /// Nil for a scalar that the type does not know.
    init?(_ primitive: ReplicatingPrimitive)
    var primitive: ReplicatingPrimitive { get }
    /// Shown in place of a scalar that the type does not know, and by a register that nobody has written.
    static var unreadable: Self { get }
}

extension ReplicatingScalar {
    public init(part: ReplicatingPart) {
        self = part.document.register(at: part.path).flatMap { Self(scalar: $0) } ?? Self.unreadable
    }

    public var shown: ReplicatingShown { ReplicatingShown(.register(scalar, conflicts: [])) }
    public var lentPart: ReplicatingPart? { nil }
    public func write(to part: inout ReplicatingPart) { part.edit(.set(.scalar(scalar)), in: nil) }

    public static func ifShown(_ part: ReplicatingPart) -> Self? {
        part.document.register(at: part.path).map { Self(scalar: $0) ?? Self.unreadable }
    }

    public static func elements(of part: ReplicatingPart) -> [Self] {
        part.document.elementRegisters(at: part.path).map {
            $0.flatMap { Self(scalar: $0) } ?? Self.unreadable
        }
    }

    init?(scalar: Scalar) {
        switch scalar {
        case .null: self.init(.null)
        case .bool(let value): self.init(.bool(value))
        case .integer(let value): self.init(.integer(value))
        case .double(let value): self.init(.double(value))
        case .string(let value): self.init(.string(value.string))
        }
    }

    var scalar: Scalar {
        switch primitive {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .double(let value):
            guard let scalar = Scalar.normalizing(value) else {
                preconditionFailure("a number in a replicating value is finite, not \(value)")
            }
            return scalar
        case .string(let value): return .string(Key(value))
        }
    }
}

extension Bool: ReplicatingScalar {
    public init?(_ primitive: ReplicatingPrimitive) {
        guard case .bool(let value) = primitive else { return nil }
        self = value
    }
    public var primitive: ReplicatingPrimitive { .bool(self) }
    public static var unreadable: Bool { false }
}

extension ReplicatingScalar where Self: FixedWidthInteger {
    public init?(_ primitive: ReplicatingPrimitive) {
        guard case .integer(let value) = primitive, let exact = Self(exactly: value) else { return nil }
        self = exact
    }
    /// Within 64 bits with a sign.
    public var primitive: ReplicatingPrimitive { .integer(Int64(self)) }
    public static var unreadable: Self { 0 }
}

extension Int: ReplicatingScalar {}
extension Int64: ReplicatingScalar {}
extension Int32: ReplicatingScalar {}
extension Int16: ReplicatingScalar {}
extension Int8: ReplicatingScalar {}
extension UInt32: ReplicatingScalar {}
extension UInt16: ReplicatingScalar {}
extension UInt8: ReplicatingScalar {}

extension Double: ReplicatingScalar {
    public init?(_ primitive: ReplicatingPrimitive) {
        switch primitive {
        case .double(let value): self = value
        case .integer(let value): self = Double(value)
        case .null, .bool, .string: return nil
        }
    }
    public var primitive: ReplicatingPrimitive { .double(self) }
    public static var unreadable: Double { 0 }
}

extension String: ReplicatingScalar {
    public init?(_ primitive: ReplicatingPrimitive) {
        guard case .string(let value) = primitive else { return nil }
        self = value
    }
    public var primitive: ReplicatingPrimitive { .string(self) }
    public static var unreadable: String { "" }
}

extension Optional: ReplicatingContent where Wrapped: ReplicatingScalar {}
extension Optional: ReplicatingScalar where Wrapped: ReplicatingScalar {
    public init?(_ primitive: ReplicatingPrimitive) {
        if case .null = primitive {
            self = .none
        } else if let value = Wrapped(primitive) {
            self = .some(value)
        } else {
            return nil
        }
    }
    public var primitive: ReplicatingPrimitive { self?.primitive ?? .null }
    public static var unreadable: Wrapped? { nil }
}

extension ReplicatingScalar where Self: RawRepresentable, RawValue: ReplicatingScalar {
    public init?(_ primitive: ReplicatingPrimitive) {
        guard let raw = RawValue(primitive) else { return nil }
        self.init(rawValue: raw)
    }
    public var primitive: ReplicatingPrimitive { rawValue.primitive }
}

extension ReplicatingScalar where Self: CaseIterable {
    /// The first case, unless the type says another.
    public static var unreadable: Self {
        guard let first = allCases.first else { preconditionFailure("\(Self.self) has no case") }
        return first
    }
}

/// A type that can name entries of a dictionary.
public protocol ReplicatingKey: Hashable, Sendable {
    /// Nil for a name that is no key of the type.
    init?(name: String)
    /// At most 1,024 bytes of UTF-8.
    var name: String { get }
}

extension String: ReplicatingKey {
    public init?(name: String) { self = name }
    public var name: String { self }
}

extension Int: ReplicatingKey {
    public init?(name: String) {
        guard let value = Int(name), value.description == name else { return nil }
        self = value
    }
    public var name: String { description }
}

extension ReplicatingKey where Self: RawRepresentable, RawValue: ReplicatingKey {
    public init?(name: String) {
        guard let raw = RawValue(name: name) else { return nil }
        self.init(rawValue: raw)
    }
    public var name: String { rawValue.name }
}
