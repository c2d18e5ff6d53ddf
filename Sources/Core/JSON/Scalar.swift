// The leaves of documents: JSON scalars in one form each, so that equal values have equal bytes on every
// node.

public import Bytes

/// A JSON scalar. Integers are Int64; other numbers are binary64 and never NaN, infinite, -0, or an integral
/// value of magnitude ≤ 2^53 (that one is an integer). `normalizing(_:)` is the only way to make a `.double`
/// from outside.
public enum Scalar: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(Key)

    /// The canonical scalar of a finite number; nil for NaN and infinities.
    public static func normalizing(_ number: Double) -> Scalar? {
        guard number.isFinite else { return nil }
        if number.rounded(.towardZero) == number, number.magnitude <= 9_007_199_254_740_992 {
            return .integer(Int64(number))
        }
        return .double(number)
    }

    /// True when a `.double` is in the one form that is allowed; true for every other case.
    public var isCanonical: Bool {
        guard case .double(let number) = self else { return true }
        return Scalar.normalizing(number) == self
    }
}

/// The canonical order of set members: null, false, true, numbers by value, strings by bytes.
extension Scalar: Comparable {
    public static func < (left: Scalar, right: Scalar) -> Bool {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): return a < b
        case (.double(let a), .double(let b)): return a < b
        case (.integer(let a), .double(let b)): return Scalar.isLess(a, b)
        case (.double(let a), .integer(let b)): return !Scalar.isLess(b, a)
        case (.string(let a), .string(let b)): return a < b
        default: return left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool(false): 1
        case .bool(true): 2
        case .integer, .double: 3
        case .string: 4
        }
    }

    // Exact at every magnitude: Double(integer) would round. When the floors are equal, a fractional double
    // is the greater one, and an integral double beyond 2^53 has the same value as the integer; the integer
    // goes first then.
    private static func isLess(_ integer: Int64, _ number: Double) -> Bool {
        if number >= 9_223_372_036_854_775_808 { return true }
        if number < -9_223_372_036_854_775_808 { return false }
        return integer <= Int64(number.rounded(.down))
    }
}
