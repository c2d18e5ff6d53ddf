// Names and values of the model. Strings are bytes here, so that nothing hangs on how the core compares them.

import Bytes
import Causality
import Documents

/// A key of a map or an element of a list.
enum ModelSlot: Hashable {
    case key([UInt8])
    case element(Dot)

    init(_ slot: Slot) {
        switch slot {
        case .key(let key): self = .key(Array(key.utf8))
        case .element(let dot): self = .element(dot)
        }
    }
}

/// A container within its slot.
struct ModelStep: Hashable {
    let slot: ModelSlot
    let kind: ContainerKind
    let generation: UInt32
}

/// A container: the steps from the document to it; the first leads to a root map.
typealias ModelPath = [ModelStep]

/// A scalar by its bytes.
enum ModelScalar: Hashable {
    case string([UInt8])
    case other(Scalar)

    init(_ scalar: Scalar) {
        if case .string(let text) = scalar { self = .string(Array(text.utf8)) } else { self = .other(scalar) }
    }

    var scalar: Scalar {
        switch self {
        case .string(let bytes): .string(Key(String(decoding: bytes, as: UTF8.self)))
        case .other(let scalar): scalar
        }
    }

    /// null, false, true, numbers by value.
    private static func isBefore(_ left: Scalar, _ right: Scalar) -> Bool {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): a < b
        case (.double(let a), .double(let b)): a < b
        case (.integer(let a), .double(let b)): isBefore(a, b)
        case (.double(let a), .integer(let b)): !isBefore(b, a)
        default: rank(left) < rank(right)
        }
    }

    private static func rank(_ scalar: Scalar) -> Int {
        switch scalar {
        case .null: 0
        case .bool(let value): value ? 2 : 1
        case .integer, .double: 3
        case .string: 4
        }
    }

    /// Of equal values, which there are beyond 2^53 only, the integer goes first.
    private static func isBefore(_ integer: Int64, _ number: Double) -> Bool {
        guard let whole = Int64(exactly: number.rounded(.towardZero)) else { return number > 0 }
        if integer != whole { return integer < whole }
        return number.rounded(.towardZero) <= number
    }

    /// null, false, true, numbers, strings by bytes.
    static func isBefore(_ left: ModelScalar, _ right: ModelScalar) -> Bool {
        switch (left, right) {
        case (.string(let a), .string(let b)): a.lexicographicallyPrecedes(b)
        case (.string, .other): false
        case (.other, .string): true
        case (.other(let a), .other(let b)): isBefore(a, b)
        }
    }
}
