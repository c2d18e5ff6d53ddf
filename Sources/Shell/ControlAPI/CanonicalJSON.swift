// Stand-in until Documents has it.

import Bytes
import Causality
import Documents

enum CanonicalJSON {
    static func append(string: Key, to bytes: inout [UInt8]) {
        bytes.append(0x22)
        for byte in string.utf8 {
            switch byte {
            case 0x22: bytes.append(contentsOf: [0x5C, 0x22])
            case 0x5C: bytes.append(contentsOf: [0x5C, 0x5C])
            case 0x08: bytes.append(contentsOf: [0x5C, 0x62])
            case 0x09: bytes.append(contentsOf: [0x5C, 0x74])
            case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
            case 0x0C: bytes.append(contentsOf: [0x5C, 0x66])
            case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
            case 0..<0x20: bytes.append(contentsOf: ("\\u00" + Hex.encode([byte])).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }

    static func append(_ scalar: Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .double(let number): bytes.append(contentsOf: number.description.utf8)
        case .string(let text): append(string: text, to: &bytes)
        }
    }

    static func append(_ value: PlainValue, to bytes: inout [UInt8]) {
        switch value {
        case .scalar(let scalar): append(scalar, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(element, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(string: member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                append(member.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    static func append(_ value: TypedValue, to bytes: inout [UInt8]) {}
}
