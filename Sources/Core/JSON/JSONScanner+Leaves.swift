// Strings and numbers: most bytes of a body are in them, so each has a fast path. A string without escapes is
// validated in place and copied once; a number of at most 18 digits without fraction is one loop.

import Bytes

extension JSONScanner {
    /// A string in quotes, the opening one next.
    mutating func string() throws(JSONFault) -> Key {
        offset += 1
        let start = offset
        while offset < input.count {
            let byte = input[offset]
            if byte == UInt8(ascii: "\"") {
                let key = try text(of: input[start..<offset], at: start)
                offset += 1
                return key
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw fault(.controlCharacter) }
            offset += 1
        }
        throw fault(.truncated)
    }

    /// The slow road: `start` is the string's first byte, `offset` stands on its first backslash.
    private mutating func escapedString(from start: Int) throws(JSONFault) -> Key {
        var bytes = Array(input[start..<offset])
        // Raw bytes are validated as they stand: escapes never add half a UTF-8 sequence, so a fault in the
        // result is one of the raw bytes.
        while offset < input.count {
            let byte = input[offset]
            switch byte {
            case UInt8(ascii: "\""):
                guard let key = Key(validating: bytes) else { throw invalidUTF8(in: start..<offset) }
                offset += 1
                return key
            case UInt8(ascii: "\\"): try escape(into: &bytes)
            case 0..<0x20: throw fault(.controlCharacter)
            default:
                bytes.append(byte)
                offset += 1
            }
        }
        throw fault(.truncated)
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(JSONFault) {
        let start = offset
        guard offset + 1 < input.count else { throw fault(.truncated, at: input.count) }
        let plain: UInt8
        switch input[offset + 1] {
        case UInt8(ascii: "\""): plain = 0x22
        case UInt8(ascii: "\\"): plain = 0x5C
        case UInt8(ascii: "/"): plain = 0x2F
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        case UInt8(ascii: "n"): plain = 0x0A
        case UInt8(ascii: "r"): plain = 0x0D
        case UInt8(ascii: "t"): plain = 0x09
        case UInt8(ascii: "u"):
            offset += 2
            bytes.append(contentsOf: String(try scalar(startingAt: start)).utf8)
            return
        default: throw fault(.invalidEscape, at: start)
        }
        offset += 2
        bytes.append(plain)
    }

    /// The scalar of a `\u` escape, or of two that are a surrogate pair; `offset` is past the first `\u`.
    private mutating func scalar(startingAt start: Int) throws(JSONFault) -> Unicode.Scalar {
        let first = try fourDigits(startingAt: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, offset + 1 < input.count, input[offset] == UInt8(ascii: "\\"),
            input[offset + 1] == UInt8(ascii: "u")
        else { throw fault(.loneSurrogate, at: start) }
        offset += 2
        let second = try fourDigits(startingAt: start)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw fault(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func fourDigits(startingAt start: Int) throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw fault(.truncated) }
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(byte - 0x41 + 10)
            case 0x61...0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
            default: throw fault(.invalidEscape, at: start)
            }
            offset += 1
        }
        return value
    }

    private func text(of bytes: Slice<UnsafeBufferPointer<UInt8>>, at start: Int) throws(JSONFault) -> Key {
        guard let key = Key(validating: UnsafeBufferPointer(rebasing: bytes)) else {
            throw invalidUTF8(in: start..<(start + bytes.count))
        }
        return key
    }

    /// The fault with the place of the first byte that is no UTF-8.
    private func invalidUTF8(in range: Range<Int>) -> JSONFault {
        var decoder = Unicode.UTF8.ForwardParser()
        var bytes = input[range].makeIterator()
        var place = range.lowerBound
        while true {
            switch decoder.parseScalar(from: &bytes) {
            case .valid(let scalar): place += scalar.count
            case .error, .emptyInput: return fault(.invalidUTF8, at: place)
            }
        }
    }

    /// A number, its first byte next.
    mutating func number() throws(JSONFault) -> Scalar {
        let start = offset
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        guard let lead = next, isDigit(lead) else { throw fault(.malformedNumber, at: start) }
        var magnitude: UInt64 = 0
        var fits = true
        while let byte = next, isDigit(byte) {
            let (shifted, tooLong) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, tooGreat) = shifted.addingReportingOverflow(UInt64(byte - 0x30))
            fits = fits && !tooLong && !tooGreat
            magnitude = sum
            offset += 1
        }
        if lead == UInt8(ascii: "0"), offset - start > (isNegative ? 2 : 1) {
            throw fault(.malformedNumber, at: start)
        }
        if let byte = next, byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
            return try fraction(from: start)
        }
        // The magnitude of Int64.min is one more than that of Int64.max.
        guard fits, magnitude <= UInt64(Int64.max) + (isNegative ? 1 : 0) else {
            if let scalar = exportedDouble(from: start) { return scalar }
            let text = String(decoding: input[start..<offset], as: UTF8.self)
            if roundsNumbers, let number = Double(text), number.isFinite { return .double(number) }
            throw fault(.numberOutOfRange(literal(from: start)), at: start)
        }
        return .integer(isNegative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude))
    }

    /// The rest of a number that has a fraction or an exponent.
    private mutating func fraction(from start: Int) throws(JSONFault) -> Scalar {
        if next == UInt8(ascii: ".") {
            offset += 1
            try digits(of: start)
        }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            try digits(of: start)
        }
        let text = String(decoding: input[start..<offset], as: UTF8.self)
        guard let number = Double(text), let scalar = Scalar.normalizing(number) else {
            throw fault(.numberOutOfRange(literal(from: start)), at: start)
        }
        return scalar
    }

    /// The binary64 whose canonical text this integer is.
    private func exportedDouble(from start: Int) -> Scalar? {
        // 21 digits and a sign are the longest that is written so.
        guard offset - start <= 22,
            let number = Double(String(decoding: input[start..<offset], as: UTF8.self)),
            number.isFinite
        else { return nil }
        var canonical: [UInt8] = []
        CanonicalJSON.append(number, to: &canonical)
        return canonical.elementsEqual(input[start..<offset]) ? .double(number) : nil
    }

    /// At least one digit.
    private mutating func digits(of start: Int) throws(JSONFault) {
        let first = offset
        while let byte = next, isDigit(byte) { offset += 1 }
        guard offset > first else { throw fault(.malformedNumber, at: start) }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }

    /// The number as written, cut so that an error stays short.
    private func literal(from start: Int) -> String {
        let whole = input[start..<offset]
        let text = String(decoding: whole.prefix(32), as: UTF8.self)
        return whole.count > 32 ? text + "…" : text
    }
}
