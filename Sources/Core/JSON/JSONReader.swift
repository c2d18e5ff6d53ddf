// THE strict JSON reader (RFC 8259, and narrower): every text that comes in over the control API passes here
// and nowhere else, so there is one opinion about duplicates, surrogates, numbers and depth. Linear in the
// input; members are sorted by key bytes as they are read, which costs nothing when they come sorted.
// Recursion follows the nesting of the text and stops at the depth limit.

import Bytes

/// Reads one JSON value that is the whole of its input.
public enum JSONReader {
    /// Levels of arrays and objects in a request body: a document's 32, and the request around it.
    public static let depthMax = 64

    /// The value in canonical form: numbers by `Scalar.normalizing`, members sorted by key bytes. RFC 8785
    /// writes a binary64 up to 10^21 without an exponent, so an integer beyond 64 bits is a number if it is
    /// exactly the canonical text of one: what this API wrote can be sent back (decision 0111).
    /// `roundsNumbers`: an integer that does not fit is the nearest binary64, for who only shows it; not for
    /// what is stored.
    public static func read(
        _ bytes: [UInt8], depthMax: Int = depthMax, roundsNumbers: Bool = false
    ) throws(JSONFault) -> PlainValue {
        try bytes.withUnsafeBufferPointer { (input) throws(JSONFault) -> PlainValue in
            var scanner = JSONScanner(input)
            scanner.roundsNumbers = roundsNumbers
            scanner.skipSpace()
            let value = try scanner.value(depth: depthMax, depthMax: depthMax)
            scanner.skipSpace()
            guard scanner.offset == input.count else { throw scanner.fault(.trailing) }
            return value
        }
    }

    /// The value that begins at `offset`, after space, and the offset of the first byte behind it; what
    /// follows is not looked at. Faults have their place from the beginning of `bytes`.
    public static func readFirst(
        _ bytes: [UInt8], from offset: Int, depthMax: Int = depthMax
    ) throws(JSONFault) -> (value: PlainValue, end: Int) {
        precondition((0...bytes.count).contains(offset), "offset \(offset) of \(bytes.count) bytes")
        return try bytes.withUnsafeBufferPointer { (input) throws(JSONFault) -> (PlainValue, Int) in
            var scanner = JSONScanner(input)
            scanner.offset = offset
            scanner.skipSpace()
            let value = try scanner.value(depth: depthMax, depthMax: depthMax)
            return (value, scanner.offset)
        }
    }
}

/// One walk over the input. It lives only inside `JSONReader.read`, as long as the buffer does.
struct JSONScanner {
    let input: UnsafeBufferPointer<UInt8>
    /// Offset of the next byte, at most `input.count`.
    var offset = 0
    /// Integers beyond 64 bits are read as the nearest binary64.
    var roundsNumbers = false

    init(_ input: UnsafeBufferPointer<UInt8>) { self.input = input }

    func fault(_ reason: JSONFault.Reason, at place: Int? = nil) -> JSONFault {
        JSONFault(reason, at: place ?? offset, of: input)
    }

    /// The next byte without taking it; nil at the end.
    var next: UInt8? { offset < input.count ? input[offset] : nil }

    mutating func skipSpace() {
        while offset < input.count {
            switch input[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    /// A value; `depth` is how many more levels may open.
    mutating func value(depth: Int, depthMax: Int) throws(JSONFault) -> PlainValue {
        guard let byte = next else { throw fault(.truncated) }
        switch byte {
        case UInt8(ascii: "\""): return .scalar(.string(try string()))
        case UInt8(ascii: "{"):
            guard depth > 0 else { throw fault(.depth(limit: depthMax)) }
            return try object(depth: depth - 1, depthMax: depthMax)
        case UInt8(ascii: "["):
            guard depth > 0 else { throw fault(.depth(limit: depthMax)) }
            return try array(depth: depth - 1, depthMax: depthMax)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .scalar(try number())
        case UInt8(ascii: "t"): return .scalar(try literal("true", .bool(true)))
        case UInt8(ascii: "f"): return .scalar(try literal("false", .bool(false)))
        case UInt8(ascii: "n"): return .scalar(try literal("null", .null))
        default: throw fault(.unexpected(byte: byte, wanted: "a JSON value"))
        }
    }

    private mutating func literal(_ word: StaticString, _ scalar: Scalar) throws(JSONFault) -> Scalar {
        for index in 0..<word.utf8CodeUnitCount {
            guard let byte = next else { throw fault(.truncated) }
            guard byte == word.utf8Start[index] else {
                throw fault(.unexpected(byte: byte, wanted: "true, false or null"))
            }
            offset += 1
        }
        return scalar
    }

    private mutating func array(depth: Int, depthMax: Int) throws(JSONFault) -> PlainValue {
        offset += 1
        skipSpace()
        var elements: [PlainValue] = []
        if next == UInt8(ascii: "]") {
            offset += 1
            return .array(elements)
        }
        while true {
            elements.append(try value(depth: depth, depthMax: depthMax))
            skipSpace()
            if try separator(or: UInt8(ascii: "]"), wanted: "',' or ']'") { return .array(elements) }
            skipSpace()
        }
    }

    private mutating func object(depth: Int, depthMax: Int) throws(JSONFault) -> PlainValue {
        let start = offset
        offset += 1
        skipSpace()
        var members: [PlainValue.Member] = []
        var isAscending = true
        if next == UInt8(ascii: "}") {
            offset += 1
            return .object(members)
        }
        while true {
            guard let byte = next else { throw fault(.truncated) }
            guard byte == UInt8(ascii: "\"") else {
                throw fault(.unexpected(byte: byte, wanted: "a member's name in quotes"))
            }
            let key = try string()
            skipSpace()
            guard let colon = next else { throw fault(.truncated) }
            guard colon == UInt8(ascii: ":") else { throw fault(.unexpected(byte: colon, wanted: "':'")) }
            offset += 1
            skipSpace()
            let value = try value(depth: depth, depthMax: depthMax)
            if let last = members.last, !(last.key < key) { isAscending = false }
            members.append(PlainValue.Member(key, value))
            skipSpace()
            if try separator(or: UInt8(ascii: "}"), wanted: "',' or '}'") { break }
            skipSpace()
        }
        if !isAscending { try sort(&members, ofObjectAt: start) }
        return .object(members)
    }

    private func sort(_ members: inout [PlainValue.Member], ofObjectAt start: Int) throws(JSONFault) {
        members.sort { $0.key < $1.key }
        for (left, right) in zip(members, members.dropFirst()) where left.key == right.key {
            throw fault(.duplicateMember(left.key.string), at: start)
        }
    }

    /// Takes a comma (false) or the closing byte (true).
    private mutating func separator(or close: UInt8, wanted: String) throws(JSONFault) -> Bool {
        guard let byte = next else { throw fault(.truncated) }
        guard byte == close || byte == UInt8(ascii: ",") else {
            throw fault(.unexpected(byte: byte, wanted: wanted))
        }
        offset += 1
        return byte == close
    }
}
