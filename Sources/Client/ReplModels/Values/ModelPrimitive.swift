// JSON scalars as a model's fields know them, and Swift types that are one.

import Bytes
public import JSON

/// A JSON scalar.
public enum ModelPrimitive: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Finite.
    case double(Double)
    case string(String)

    init(_ scalar: Scalar) {
        self =
            switch scalar {
            case .null: .null
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value.string)
            }
    }

    var scalar: Scalar {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .double(let value):
            guard let scalar = Scalar.normalizing(value) else {
                preconditionFailure("a number in a document is finite, not \(value)")
            }
            return scalar
        case .string(let value): return .string(Key(value))
        }
    }
}

/// A type that is one JSON scalar in a document: `Bool`, integers, `Double`, `String`, `ModelDate`, and
/// enumerations or structures with such a raw value, which only have to say that they conform.
///
/// A field of such a type is a register: the later of two concurrent writes shows, the other one is a
/// conflict.
public protocol ModelScalar: ModelElement, ModelAssignable, Hashable {
    /// Nil for a scalar that the type does not know; the document does not fit the model then.
    init?(_ primitive: ModelPrimitive)
    var primitive: ModelPrimitive { get }
}

extension ModelScalar {
    public static func read(_ slot: ModelSlot) throws(Misfit) -> Self {
        let scalar = try slot.scalar(for: Self.self)
        guard let value = Self(ModelPrimitive(scalar)) else {
            throw slot.misfit(.unknownValue(type: "\(Self.self)", found: ModelSlot.text(of: .scalar(scalar))))
        }
        return value
    }

    public var skeleton: PlainValue? { .scalar(primitive.scalar) }
    public func writeContainers(to place: ModelPlace) {}

    public func write(over old: Self?, to place: ModelPlace) {
        guard self != old else { return }
        place.set(.scalar(primitive.scalar))
    }
}

extension Bool: ModelScalar {
    public init?(_ primitive: ModelPrimitive) {
        guard case .bool(let value) = primitive else { return nil }
        self = value
    }
    public var primitive: ModelPrimitive { .bool(self) }
}

extension ModelScalar where Self: FixedWidthInteger {
    public init?(_ primitive: ModelPrimitive) {
        guard case .integer(let value) = primitive, let exact = Self(exactly: value) else { return nil }
        self = exact
    }
    /// Within 64 bits with a sign.
    public var primitive: ModelPrimitive { .integer(Int64(self)) }
}

extension Int: ModelScalar {}
extension Int64: ModelScalar {}
extension Int32: ModelScalar {}
extension Int16: ModelScalar {}
extension Int8: ModelScalar {}
extension UInt32: ModelScalar {}
extension UInt16: ModelScalar {}
extension UInt8: ModelScalar {}

extension Double: ModelScalar {
    public init?(_ primitive: ModelPrimitive) {
        switch primitive {
        case .double(let value): self = value
        case .integer(let value): self = Double(value)
        case .null, .bool, .string: return nil
        }
    }
    public var primitive: ModelPrimitive { .double(self) }
}

extension String: ModelScalar {
    public init?(_ primitive: ModelPrimitive) {
        guard case .string(let value) = primitive else { return nil }
        self = value
    }
    public var primitive: ModelPrimitive { .string(self) }
}

extension ModelScalar where Self: RawRepresentable, RawValue: ModelScalar {
    public init?(_ primitive: ModelPrimitive) {
        guard let raw = RawValue(primitive) else { return nil }
        self.init(rawValue: raw)
    }
    public var primitive: ModelPrimitive { rawValue.primitive }
}
