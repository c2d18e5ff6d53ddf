// Paths and queries of requests. A document's key is everything after `documents/`, percent-decoded once and
// never normalised: dot segments, doubled slashes and both spellings of é are keys of their own. So no URL
// library here.

import Bytes

enum PercentDecoding {
    /// Nil for a `%` without two hexadecimal digits, and for bytes that are no UTF-8.
    static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> Key? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
                else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return Key(validating: bytes)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}

/// The parameters of a request's query.
public struct QueryParameters: Sendable {
    /// Those that have a value.
    private let pairs: [(name: Key, value: Key)]
    /// The first that is given without a value and must have one. Until the request is refused for it, it
    /// counts as not given: that a wait needs a change says more.
    let withoutValue: Key?

    /// Names outside `known` are refused: a misspelt parameter must not be ignored. Only `on` may be
    /// repeated. `emptiable`: those whose empty value means the same as none.
    init(_ query: ArraySlice<UInt8>, known: [Key], emptiable: [Key]) throws(APIError) {
        var pairs: [(name: Key, value: Key)] = []
        var withoutValue: Key?
        for item in query.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentDecoding.decode(parts[0], plusIsSpace: true),
                let value = PercentDecoding.decode(parts.count > 1 ? parts[1] : [], plusIsSpace: true)
            else { throw .badEncoding("query") }
            guard known.contains(name) else {
                throw APIError(
                    400, "unknown-parameter", "the parameter \"\(name)\" has no meaning here",
                    hint: known.isEmpty
                        ? "send no query" : "known: " + known.map(\.string).joined(separator: ", "))
            }
            guard name == "on" || !pairs.contains(where: { $0.name == name }) else {
                throw APIError(400, "repeated-parameter", "\"\(name)\" stands twice", hint: "give it once")
            }
            if value.utf8Count > 0 {
                pairs.append((name, value))
            } else if withoutValue == nil, !emptiable.contains(name) {
                withoutValue = name
            }
        }
        self.pairs = pairs
        self.withoutValue = withoutValue
    }

    subscript(name: Key) -> Key? { pairs.first { $0.name == name }?.value }

    func all(_ name: Key) -> [Key] { pairs.filter { $0.name == name }.map(\.value) }

    /// A whole number from 0.
    func number(_ name: Key) throws(APIError) -> UInt64? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy({ $0 &- 0x30 <= 9 }), let number = UInt64(text.string) else {
            throw APIError(
                400, "invalid-parameter", "\"\(name)\" is no whole number", hint: "use digits only")
        }
        return number
    }

    func flag(_ name: Key) throws(APIError) -> Bool? {
        switch self[name] {
        case nil: return nil
        case "true": return true
        case "false": return false
        default:
            throw APIError(
                400, "invalid-parameter", "\"\(name)\" is not true or false", hint: "use true or false")
        }
    }
}

extension APIError {
    static func badEncoding(_ part: String) -> APIError {
        APIError(
            400, "invalid-encoding", "the \(part) is not percent-encoded UTF-8",
            hint: "encode the UTF-8 bytes, each as % and two hexadecimal digits")
    }
}
