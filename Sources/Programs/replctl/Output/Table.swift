// Tables for people: aligned columns, two spaces apart, headers in bold on a terminal. The last column is not
// padded, so lines have no blanks at their end. A table that is too wide for its lines goes on below in its
// last column, and cuts its widest ones; `--wide` does neither.

/// Rows of cells under headers.
struct Table {
    /// Cells of a line, without `--wide`.
    static let standardWidth = 100
    /// Of what is looked at most.
    static let narrowWidth = 80

    let headers: [String]
    private(set) var rows: [[String]] = []
    /// Columns whose cells are pushed to the right: numbers.
    private let numbers: Set<Int>
    /// Columns that are never cut: what is typed from a table.
    private let whole: Set<Int>
    /// What does not fit of the last column goes on below; else it is cut as others are.
    private let wrapsLast: Bool

    init(_ headers: String..., numbers: Set<Int> = [], whole: Set<Int> = [], wrapsLast: Bool = true) {
        self.init(headers, numbers: numbers, whole: whole, wrapsLast: wrapsLast)
    }

    init(_ headers: [String], numbers: Set<Int> = [], whole: Set<Int> = [], wrapsLast: Bool = true) {
        self.headers = headers
        self.numbers = numbers
        self.whole = whole
        self.wrapsLast = wrapsLast
    }

    mutating func row(_ cells: String...) { row(cells) }

    mutating func row(_ cells: [String]) {
        precondition(cells.count == headers.count, "a row has as many cells as the table has headers")
        rows.append(cells.map { Printable.line($0) })
    }

    /// `limit`: cells of a line; nil: as wide as it is.
    func lines(limit: Int? = nil, _ paintHeader: (String) -> String = { $0 }) -> String {
        let widths = widths(limit)
        var text = paintHeader(line(headers, widths)) + "\n"
        for row in rows {
            let width = max(1, widths[row.count - 1])
            let last = wrapsLast ? Wrapped.lines(row[row.count - 1], to: width) : [row[row.count - 1]]
            text += line(row.dropLast() + [last[0]], widths) + "\n"
            let indent = String(
                repeating: " ", count: widths.dropLast().reduce(0) { $0 + $1 + Self.gap.count })
            for further in last.dropFirst() { text += indent + further + "\n" }
        }
        return text
    }

    private static let gap = "  "
    /// What is left of a last column before others are cut, and of those; and of it when they gave all.
    private static let lastMin = 24
    private static let cutMin = 8
    private static let lastFloor = 12

    /// Of each column, headers included.
    private func widths(_ limit: Int?) -> [Int] {
        var widths = headers.map { Wrapped.width($0) }
        for row in rows {
            for (column, cell) in row.enumerated() {
                widths[column] = max(widths[column], Wrapped.width(cell))
            }
        }
        guard let limit, let last = widths.last else { return widths }
        let room = limit - Self.gap.count * (widths.count - 1)
        let isLastWrapped = !numbers.contains(widths.count - 1) && !whole.contains(widths.count - 1)
        let lastLeast = isLastWrapped ? min(last, Self.lastMin) : last
        while widths.dropLast().reduce(0, +) + lastLeast > room {
            let cuttable = widths.indices.dropLast().filter {
                !numbers.contains($0) && !whole.contains($0) && widths[$0] > Self.cutMin
            }
            guard let widest = cuttable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        if isLastWrapped {
            // What others cannot give, it does without, as long as a word of it fits.
            let left = room - widths.dropLast().reduce(0, +)
            widths[widths.count - 1] = min(last, max(min(lastLeast, Self.lastFloor), left))
        }
        return widths
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = ""
        for (column, whole) in cells.enumerated() {
            let cell = Wrapped.cut(whole, to: widths[column])
            let blanks = String(repeating: " ", count: widths[column] - Wrapped.width(cell))
            if numbers.contains(column) {
                text += blanks + cell
            } else {
                text += column == cells.count - 1 ? cell : cell + blanks
            }
            if column < cells.count - 1 { text += Self.gap }
        }
        return text
    }

    /// Names and values, one pair a line: "name   value". Longer lines go on below.
    static func pairs(_ pairs: [(name: String, value: String)], limit: Int? = nil) -> String {
        let width = pairs.map(\.name.count).max() ?? 0
        return pairs.map { pair in
            let head = pair.name + String(repeating: " ", count: width - pair.name.count) + gap
            let value = Printable.line(pair.value)
            return head + (limit.map { Wrapped.text(value, to: $0, indent: width + gap.count) } ?? value)
                + "\n"
        }.joined()
    }
}

extension Console {
    /// `isWide`: with `--wide`; `limit`: cells of a line otherwise.
    func write(_ table: Table, isWide: Bool = false, limit: Int = Table.standardWidth) throws(OutputClosed) {
        try write(table.lines(limit: isWide ? nil : limit) { painted($0, .bold) })
    }
}
