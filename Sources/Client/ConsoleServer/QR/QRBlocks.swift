// Error correction: Reed-Solomon over the field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1, block by
// block, and the order in which the blocks' codewords are drawn.

enum QRBlocks {
    /// Data in blocks, each with its correction, then one codeword of each block in turn. Where they do not
    /// come out even, the later blocks are one longer.
    static func interleaved(_ data: [UInt8], _ version: QRVersion) -> [UInt8] {
        precondition(data.count == version.dataCodewords, "\(data.count) codewords of data")
        let count = version.blockCount
        let (short, longBlocks) = data.count.quotientAndRemainder(dividingBy: count)
        let divisor = generator(version.correctionCodewords)
        var blocks: [[UInt8]] = []
        var corrections: [[UInt8]] = []
        var start = 0
        for index in 0..<count {
            let length = short + (index >= count - longBlocks ? 1 : 0)
            let block = Array(data[start..<start + length])
            start += length
            blocks.append(block)
            corrections.append(remainder(block, divisor))
        }
        var result: [UInt8] = []
        for place in 0...short {
            for block in blocks where place < block.count { result.append(block[place]) }
        }
        for place in 0..<divisor.count { for correction in corrections { result.append(correction[place]) } }
        return result
    }

    /// The product of (x - 2^i) for all i below the degree; highest power first, without the leading 1.
    static func generator(_ degree: Int) -> [UInt8] {
        var polynomial = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                polynomial[index] = product(polynomial[index], root)
                if index + 1 < degree { polynomial[index] ^= polynomial[index + 1] }
            }
            root = product(root, 2)
        }
        return polynomial
    }

    static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for (index, coefficient) in divisor.enumerated() { result[index] ^= product(coefficient, factor) }
        }
        return result
    }

    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result = 0
        for bit in (0..<8).reversed() {
            result = (result << 1) ^ ((result >> 7) * 0x11D)
            result ^= Int(right >> bit & 1) * Int(left)
        }
        return UInt8(result)
    }
}
