// Where everything stands in the square: finders in three corners, timing between them, alignment patterns,
// format and version, and the codewords in columns of two from the lower right, up and down in turn. A mask
// over the codewords keeps large plain areas and things that look like finders away.

/// A code that is being drawn.
struct QRDrawing {
    private let version: QRVersion
    private let size: Int
    private(set) var modules: [Bool]
    /// Modules that are no codeword's.
    private var isPattern: [Bool]

    init(_ version: QRVersion, _ codewords: [UInt8]) {
        self.version = version
        size = version.size
        modules = Array(repeating: false, count: size * size)
        isPattern = modules
        drawPatterns()
        draw(codewords)
    }

    func masked(_ mask: Int) -> QRDrawing {
        var drawing = self
        for y in 0..<size {
            for x in 0..<size where !isPattern[y * size + x] && Self.inverts(mask, x, y) {
                drawing.modules[y * size + x].toggle()
            }
        }
        drawing.drawFormat(mask)
        return drawing
    }

    /// The one with the lowest penalty, the first of equals.
    func bestMasked() -> QRDrawing {
        var best = masked(0)
        var least = QRPenalty.of(best.modules, size)
        for mask in 1...7 {
            let drawing = masked(mask)
            let penalty = QRPenalty.of(drawing.modules, size)
            if penalty < least { (best, least) = (drawing, penalty) }
        }
        return best
    }

    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    // MARK: Patterns

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        modules[y * size + x] = isDark
        isPattern[y * size + x] = true
    }

    private mutating func drawPatterns() {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
        let centres = version.alignment
        let last = centres.count - 1
        for (row, y) in centres.enumerated() {
            for (column, x) in centres.enumerated() {
                // The finders have these corners.
                let corner = (row, column)
                guard corner != (0, 0), corner != (0, last), corner != (last, 0) else { continue }
                for dy in -2...2 { for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) } }
            }
        }
        // Keeps the places; the mask that is chosen says what stands there.
        drawFormat(0)
        drawVersion()
    }

    /// With the light frame around it, as far as it is inside.
    private mutating func drawFinder(_ x: Int, _ y: Int) {
        for dy in -4...4 {
            for dx in -4...4 where (0..<size).contains(x + dx) && (0..<size).contains(y + dy) {
                let ring = max(abs(dx), abs(dy))
                set(x + dx, y + dy, ring != 2 && ring != 4)
            }
        }
    }

    /// Level M and the mask, with 10 bits of correction, twice.
    private mutating func drawFormat(_ mask: Int) {
        // 00 is level M.
        let data = mask
        var rest = data
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (data << 10 | rest) ^ 0x5412
        func isDark(_ bit: Int) -> Bool { bits >> bit & 1 == 1 }
        for bit in 0...5 { set(8, bit, isDark(bit)) }
        set(8, 7, isDark(6))
        set(8, 8, isDark(7))
        set(7, 8, isDark(8))
        for bit in 9...14 { set(14 - bit, 8, isDark(bit)) }
        for bit in 0...7 { set(size - 1 - bit, 8, isDark(bit)) }
        for bit in 8...14 { set(8, size - 15 + bit, isDark(bit)) }
        set(8, size - 8, true)
    }

    /// From version 7 on, with 12 bits of correction, twice.
    private mutating func drawVersion() {
        guard version.number >= 7 else { return }
        var rest = version.number
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version.number << 12 | rest
        for bit in 0..<18 {
            let (long, short) = (size - 11 + bit % 3, bit / 3)
            set(long, short, bits >> bit & 1 == 1)
            set(short, long, bits >> bit & 1 == 1)
        }
    }

    // MARK: Codewords

    private mutating func draw(_ codewords: [UInt8]) {
        var bit = 0
        var right = size - 1
        while right >= 1 {
            // The column of the timing pattern is skipped.
            if right == 6 { right = 5 }
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !isPattern[y * size + x] && bit < codewords.count * 8 {
                    modules[y * size + x] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            right -= 2
        }
        precondition(bit == codewords.count * 8, "\(bit) bits of \(codewords.count) codewords have room")
    }
}
