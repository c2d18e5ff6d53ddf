// The text that a history leaves, taken out of all that was ever inserted: the content of what it deletes
// again is never copied.

/// The visible text on its way out of the history's. Neighbours there are mostly neighbours here: one copy
/// for many atoms.
struct GatheredText {
    private let text: [UInt8]
    private var gathered = 0..<0
    private var utf8: [UInt8] = []

    init(_ text: [UInt8]) { self.text = text }

    mutating func add(_ run: TextRun, from offset: Int, _ count: Int) {
        let bytes: Range<Int>
        if run.isASCII {
            bytes = Int(run.text) + offset..<Int(run.text) + offset + count
        } else {
            let start = skip(offset, from: Int(run.text))
            bytes = start..<skip(count, from: start)
        }
        if gathered.upperBound == bytes.lowerBound {
            gathered = gathered.lowerBound..<bytes.upperBound
        } else {
            utf8.append(contentsOf: text[gathered])
            gathered = bytes
        }
    }

    consuming func finish() -> [UInt8] {
        utf8.append(contentsOf: text[gathered])
        return utf8
    }

    private func skip(_ scalars: Int, from start: Int) -> Int {
        var (place, rest) = (start, scalars)
        while rest > 0 {
            let first = text[place]
            place += first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            rest -= 1
        }
        return place
    }
}
