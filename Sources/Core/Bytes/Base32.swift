// RFC 4648 base32 without padding: how invite tokens and device ids are written, since its letters survive
// being read out, typed and pasted. The unused bits of the last letter are zero, so each byte string has one
// spelling.

/// Why letters are not base32.
public enum Base32Fault: Error, Equatable, Sendable {
    /// A letter outside the alphabet, by its index from 0.
    case character(at: Int)
    /// No byte string has this many letters.
    case length(Int)
    /// The unused bits of the last letter are not zero.
    case unusedBits
}

/// Encodes bytes as base32 letters and reads them back (either case).
public enum Base32 {
    public enum Letters: Sendable { case lower, upper }

    public static func encode(_ bytes: some Sequence<UInt8>, letters: Letters = .lower) -> String {
        let firstLetter: UInt8 = letters == .lower ? 0x61 : 0x41
        var text: [UInt8] = []
        var pending: UInt16 = 0
        var bits = 0
        func letter(_ value: UInt16) -> UInt8 {
            let low = UInt8(value & 31)
            return low < 26 ? firstLetter + low : 0x32 + (low - 26)
        }
        for byte in bytes {
            pending = pending << 8 | UInt16(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(letter(pending >> UInt16(bits)))
            }
            pending &= 1 << UInt16(bits) - 1
        }
        if bits > 0 { text.append(letter(pending << UInt16(5 - bits))) }
        return String(decoding: text, as: UTF8.self)
    }

    public static func decode(_ text: some Collection<UInt8>) throws(Base32Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 5 / 8)
        var pending: UInt16 = 0
        var bits = 0
        for (index, character) in text.enumerated() {
            guard let value = value(of: character) else { throw .character(at: index) }
            pending = pending << 5 | UInt16(value)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt16(bits)))
                pending &= 1 << UInt16(bits) - 1
            }
        }
        // A whole letter left over carries no byte: that many letters are never written.
        if bits >= 5 { throw .length(text.count) }
        if pending != 0 { throw .unusedBits }
        return bytes
    }

    /// The five bits of a letter, nil outside the alphabet.
    public static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x61...0x7A: character - 0x61
        case 0x41...0x5A: character - 0x41
        case 0x32...0x37: character - 0x32 + 26
        default: nil
        }
    }
}
