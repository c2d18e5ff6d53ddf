// Tables for people: aligned columns, two spaces apart, headers in bold on a terminal. The last column is not
// padded, so lines have no blanks at their end.

/// Rows of cells under headers.
struct Table {
    let headers: [String]
    private(set) var rows: [[String]] = []
    /// Columns whose cells are pushed to the right: numbers.
    private let numbers: Set<Int>

    init(_ headers: String..., numbers: Set<Int> = []) {
        self.headers = headers
        self.numbers = numbers
    }

    mutating func row(_ cells: String...) {
        precondition(cells.count == headers.count, "a row has as many cells as the table has headers")
        rows.append(cells.map { Printable.line($0) })
    }

    func lines(_ paintHeader: (String) -> String = { $0 }) -> String {
        var widths = headers.map(\.count)
        for row in rows {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
        }
        var text = paintHeader(line(headers, widths)) + "\n"
        for row in rows { text += line(row, widths) + "\n" }
        return text
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() {
            let blanks = String(repeating: " ", count: widths[column] - cell.count)
            if numbers.contains(column) {
                text += blanks + cell
            } else {
                text += column == cells.count - 1 ? cell : cell + blanks
            }
            if column < cells.count - 1 { text += "  " }
        }
        return text
    }

    /// Names and values, one pair a line: "name   value".
    static func pairs(_ pairs: [(name: String, value: String)]) -> String {
        let width = pairs.map(\.name.count).max() ?? 0
        return pairs.map { pair in
            pair.name + String(repeating: " ", count: width - pair.name.count) + "  "
                + Printable.line(pair.value) + "\n"
        }.joined()
    }
}

extension Console {
    func write(_ table: Table) throws(OutputClosed) {
        try write(table.lines { painted($0, .bold) })
    }
}
