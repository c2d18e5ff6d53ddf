// Scalars in bytes, as snapshots have them: a tag, then what the tag needs.

import Bytes
import Documents

extension ByteWriter {
    mutating func write(_ value: Scalar) {
        switch value {
        case .null: u8(0)
        case .bool(let value): u8(value ? 2 : 1)
        case .integer(let value):
            u8(3)
            zigzag(value)
        case .double(let value):
            u8(4)
            u64(value.bitPattern)
        case .string(let value):
            u8(5)
            counted(value)
        }
    }
}

extension ByteReader {
    mutating func scalar() throws(DecodeFault) -> Scalar { try scalar(try u8()) }

    /// The rest of a scalar whose tag was read.
    mutating func scalar(_ tag: UInt8) throws(DecodeFault) -> Scalar {
        switch tag {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .integer(try zigzag())
        case 4:
            let value = Scalar.double(Double(bitPattern: try u64()))
            guard value.isCanonical else { throw .notCanonical(field: "number") }
            return value
        case 5: return .string(try key(limit: DocumentLimits.stringBytesMax, field: "string"))
        default: throw .unknownTag(field: "scalar", value: UInt64(tag))
        }
    }
}
