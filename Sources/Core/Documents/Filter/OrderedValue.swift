// Documents are put in order by this: a value at a path, as one line from null to nothing at all. Its
// sortable bytes compare as the values do, so that an index on disk is in the same order as a sort in memory.
//
//     01 null   02 false   03 true   10…2F numbers   40 strings   50 other values   60 no value
//
// A number is its class (sign and how many bytes its whole part has), the whole part from its greatest byte,
// then 00, or 01 and the fraction as binary64. Negative numbers are the same with all bits turned. Beyond
// integers there are only binary64, in a class of their own. Positive binary64 compare as their bits do.
//
// A string is its bytes, 00 as 00 FF, and at the end 00 01, or 00 02 where it was cut. Every form ends by
// itself: what is appended (the document's key) decides among equals only.

public import Bytes

/// A value in the order of listings: null, false, true, numbers, strings, other values, none.
public enum OrderedValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// As it is read (`Scalar.asRead`): equal text, equal number.
    case number(Scalar)
    case string(Key)
    /// Arrays and objects, which are all equal here.
    case other
    /// The path leads nowhere.
    case missing

    /// `value`: what a path shows, nil for nothing.
    public init(_ value: PlainValue?) {
        switch value {
        case .scalar(.null): self = .null
        case .scalar(.bool(let bool)): self = .bool(bool)
        case .scalar(.integer(let integer)): self = .number(.integer(integer))
        case .scalar(.double(let double)): self = .number(Scalar.double(double).asRead)
        case .scalar(.string(let string)): self = .string(string)
        case .array, .object: self = .other
        case nil: self = .missing
        }
    }

    private var rank: UInt8 {
        switch self {
        case .null: 0x01
        case .bool(false): 0x02
        case .bool(true): 0x03
        case .number: 0x20
        case .string: 0x40
        case .other: 0x50
        case .missing: 0x60
        }
    }
}

extension OrderedValue: Comparable {
    public static func < (left: OrderedValue, right: OrderedValue) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): isLess(left, right)
        case (.string(let left), .string(let right)): left < right
        default: left.rank < right.rank
        }
    }

    // Numbers as they are read. Binary64 from 2^63 on have texts of their own, which are beyond all integers:
    // that of -2^63 is less than the least integer.
    private static func isLess(_ left: Scalar, _ right: Scalar) -> Bool {
        switch (left, right) {
        case (.integer, .double(let number)) where number.magnitude >= hugeMin: number > 0
        case (.double(let number), .integer) where number.magnitude >= hugeMin: number < 0
        default: left < right
        }
    }

    private static let hugeMin = 9_223_372_036_854_775_808.0
}

extension OrderedValue {
    /// Bytes that compare as the values do. A string beyond `stringBytesMax` is cut to so many bytes: it
    /// stands behind all that are not cut and begin with them, and is equal to those that are cut alike
    /// (`isCut`); who needs their order looks at the documents.
    public func encoded(
        stringBytesMax: Int = FilterLimits.encodedStringBytesMax
    ) -> (bytes: [UInt8], isCut: Bool) {
        guard case .string(let string) = self else {
            guard case .number(let number) = self else { return ([rank], false) }
            return (Self.encode(number), false)
        }
        var bytes: [UInt8] = [rank]
        bytes.reserveCapacity(min(string.utf8Count, stringBytesMax) + 3)
        for byte in string.utf8.prefix(stringBytesMax) {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        let isCut = string.utf8Count > stringBytesMax
        bytes += [0x00, isCut ? 0x02 : 0x01]
        return (bytes, isCut)
    }

    private static func encode(_ number: Scalar) -> [UInt8] {
        switch number {
        case .integer(let integer): return encode(integer.magnitude, 0, isNegative: integer < 0)
        case .double(let double):
            let isNegative = double < 0
            let magnitude = double.magnitude
            guard magnitude < hugeMin else {
                return turned([0x29] + bigEndian(magnitude.bitPattern), if: isNegative)
            }
            let whole = magnitude.rounded(.towardZero)
            return encode(UInt64(whole), magnitude - whole, isNegative: isNegative)
        case .null, .bool, .string: preconditionFailure("\(number) is no number")
        }
    }

    /// `fraction` is exact: the bits of a binary64 behind its point.
    private static func encode(_ whole: UInt64, _ fraction: Double, isNegative: Bool) -> [UInt8] {
        let length = 8 - whole.leadingZeroBitCount / 8
        var bytes = [0x20 + UInt8(length)] + bigEndian(whole).suffix(length)
        if fraction == 0 {
            bytes.append(0x00)
        } else {
            bytes.append(0x01)
            bytes += bigEndian(fraction.bitPattern)
        }
        return turned(bytes, if: isNegative)
    }

    /// Classes below 20 are those of negative numbers: 1F turned from 20 down to 16 turned from 29.
    private static func turned(_ bytes: [UInt8], if isNegative: Bool) -> [UInt8] {
        guard isNegative else { return bytes }
        return [0x3F - bytes[0]] + bytes.dropFirst().map { ~$0 }
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }
}
