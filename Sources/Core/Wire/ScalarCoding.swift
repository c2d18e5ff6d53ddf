// JSON scalars on the wire: a tag byte and the value. A number that has the integer form is refused as a
// double, so equal scalars have equal bytes.

import Bytes
import Documents

enum ScalarCoding {
    enum Tag {
        static let null: UInt8 = 0
        static let `false`: UInt8 = 1
        static let `true`: UInt8 = 2
        static let integer: UInt8 = 3
        static let double: UInt8 = 4
        static let string: UInt8 = 5
        /// Only among the contents of inserted elements: no scalar, a container follows.
        static let container: UInt8 = 6
    }

    static func encode(_ scalar: Scalar, into writer: inout ByteWriter) {
        precondition(scalar.isCanonical, "a double that has another form")
        switch scalar {
        case .null: writer.u8(Tag.null)
        case .bool(let value): writer.u8(value ? Tag.true : Tag.false)
        case .integer(let value):
            writer.u8(Tag.integer)
            writer.zigzag(value)
        case .double(let value):
            writer.u8(Tag.double)
            writer.u64(value.bitPattern)
        case .string(let value):
            precondition(
                value.utf8Count <= DocumentLimits.stringBytesMax, "a string of \(value.utf8Count) bytes")
            writer.u8(Tag.string)
            writer.counted(value)
        }
    }

    static func decode(from reader: inout ByteReader) throws(DecodeFault) -> Scalar {
        try decode(tag: try reader.u8(), from: &reader)
    }

    static func decode(tag: UInt8, from reader: inout ByteReader) throws(DecodeFault) -> Scalar {
        switch tag {
        case Tag.null: return .null
        case Tag.false: return .bool(false)
        case Tag.true: return .bool(true)
        case Tag.integer: return .integer(try reader.zigzag())
        case Tag.double:
            let scalar = Scalar.double(Double(bitPattern: try reader.u64()))
            if !scalar.isCanonical { throw .notCanonical(field: "number") }
            return scalar
        case Tag.string:
            return .string(try reader.key(limit: DocumentLimits.stringBytesMax, field: "string"))
        default: throw .unknownTag(field: "scalar", value: UInt64(tag))
        }
    }
}
