// How large a code is and how it is cut into blocks: table 9 of ISO/IEC 18004, the rows of level M.

/// A version, 1 to 40.
struct QRVersion: Equatable, Sendable {
    let number: Int

    /// Correction codewords of a block, by version.
    private static let correction = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28,
        28,
        28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    /// Blocks, by version.
    private static let blocks = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28,
        29,
        31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ]

    static func smallest(for bytes: Int) -> QRVersion? {
        (1...40).lazy.map { QRVersion(number: $0) }.first {
            4 + $0.countBits + bytes * 8 <= $0.dataCodewords * 8
        }
    }

    var size: Int { 17 + 4 * number }
    /// Bits that say how many bytes there are.
    var countBits: Int { number < 10 ? 8 : 16 }
    var blockCount: Int { Self.blocks[number - 1] }
    var correctionCodewords: Int { Self.correction[number - 1] }
    var dataCodewords: Int { codewords - blockCount * correctionCodewords }
    var codewords: Int { freeModules / 8 }

    /// Modules that no pattern and no word about the code takes.
    private var freeModules: Int {
        let finders = 3 * 8 * 8
        let timing = 2 * (size - 16)
        let formatAndDark = 31
        var free = size * size - finders - timing - formatAndDark
        if number >= 2 {
            let rows = alignment.count
            // In the row and the column of the timing patterns five modules are theirs already.
            free -= (rows * rows - 3) * 25 - 2 * (rows - 2) * 5
        }
        if number >= 7 { free -= 2 * 18 }
        return free
    }

    /// The centres of the alignment patterns, in both directions.
    var alignment: [Int] {
        guard number >= 2 else { return [] }
        let count = number / 7 + 2
        // Even steps, rounded up; the standard's table has one exception.
        let step = number == 32 ? 26 : (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).reversed().map { size - 7 - $0 * step }
    }
}
