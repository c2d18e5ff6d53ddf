// QR codes (ISO/IEC 18004), for tokens that a phone or a laptop's camera shall read off the screen. Only what
// that needs: bytes, level M (a seventh of the code may be unreadable), the smallest version that fits.
//
//   text --segment--> bits --blocks--> data and correction --drawn--> modules --mask--> code

/// A square of dark and light modules.
struct QRCode: Equatable, Sendable {
    /// Modules of a side: 21 for version 1, 4 more for each version.
    let size: Int
    /// Row by row; true is dark.
    let modules: [Bool]

    /// What version 40 holds at level M.
    static let bytesMax = 2_331

    /// Nil when the text is empty or does not fit. The mask, 0 to 7, is chosen by the standard's penalties
    /// unless it is given.
    init?(_ text: [UInt8], mask: Int? = nil) {
        guard !text.isEmpty, let version = QRVersion.smallest(for: text.count) else { return nil }
        let codewords = QRBlocks.interleaved(Self.data(text, version), version)
        let drawn = QRDrawing(version, codewords)
        let masked = mask.map { drawn.masked($0) } ?? drawn.bestMasked()
        (size, modules) = (version.size, masked.modules)
    }

    /// One segment of bytes, its end, and the standard's filling up to the capacity.
    private static func data(_ text: [UInt8], _ version: QRVersion) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0b0100, count: 4)
        bits.append(text.count, count: version.countBits)
        for byte in text { bits.append(Int(byte), count: 8) }
        let capacity = version.dataCodewords * 8
        bits.append(0, count: min(4, capacity - bits.count))
        bits.append(0, count: (8 - bits.count % 8) % 8)
        var filling = 0xEC
        while bits.count < capacity {
            bits.append(filling, count: 8)
            filling ^= 0xEC ^ 0x11
        }
        return bits.bytes
    }

    /// `{"size":n,"rows":["0101…",…]}`, 1 is dark.
    var json: [UInt8] {
        let rows = (0..<size).map { row in
            "\"" + modules[row * size..<(row + 1) * size].map { $0 ? "1" : "0" }.joined() + "\""
        }
        return Array("{\"size\":\(size),\"rows\":[\(rows.joined(separator: ","))]}".utf8)
    }
}

/// Bits, the first one the highest of its byte.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    mutating func append(_ value: Int, count added: Int) {
        for shift in (0..<added).reversed() {
            if count % 8 == 0 { bytes.append(0) }
            bytes[count / 8] |= UInt8(value >> shift & 1) << (7 - count % 8)
            count += 1
        }
    }
}
