// A text in lines of a width: where each of its places stands on the screen, and which place stands where.
// Long lines are broken at blanks, a word that is longer than a line anywhere. Places are counted in Unicode
// scalars, and only those between what people see as characters count.

import Terminal

/// A text as it stands on a screen.
struct TextLayout {
    /// What is drawn in one row.
    struct Row: Equatable {
        /// From its first place to the one behind its last character, without the line feed.
        var start: Int
        var end: Int
        var cells: [Cell]
    }

    struct Cell: Equatable {
        let place: Int
        let column: Int
        /// What is drawn, and its width.
        let text: String
        let width: Int
    }

    private(set) var rows: [Row] = []
    private let count: Int
    static let tabCells = 4

    init(_ text: String, columns: Int) {
        let columns = max(2, columns)
        count = text.unicodeScalars.count
        var (place, line) = (0, [(character: Character, place: Int)]())
        for character in text {
            // A line feed with a return before it is one character of Swift's.
            if character == "\n" || character == "\r\n" {
                if character == "\r\n" {
                    line.append(("\r", place))
                    place += 1
                }
                append(line, end: place, columns)
                line = []
                place += 1
            } else {
                line.append((character, place))
                place += character.unicodeScalars.count
            }
        }
        append(line, end: place, columns)
    }

    private mutating func append(_ line: [(character: Character, place: Int)], end: Int, _ columns: Int) {
        var (cells, column, next) = ([Cell](), 0, 0)
        // Behind the last blank of the row: where it may be broken.
        var breakable = 0
        while next < line.count {
            let (character, place) = line[next]
            let isTab = character == "\t"
            let shown =
                isTab
                ? (text: String(repeating: " ", count: Self.tabCells), width: Self.tabCells)
                : Screen.shown(character)
            // The last column is the cursor's.
            if column + shown.width > columns - 1, !cells.isEmpty {
                let kept = breakable > 0 ? breakable : cells.count
                next -= cells.count - kept
                let start = cells[0].place
                rows.append(Row(start: start, end: line[next].place, cells: Array(cells[..<kept])))
                (cells, column, breakable) = ([], 0, 0)
                continue
            }
            cells.append(Cell(place: place, column: column, text: shown.text, width: shown.width))
            column += shown.width
            next += 1
            if character == " " || isTab { breakable = cells.count }
        }
        rows.append(Row(start: cells.first?.place ?? end, end: end, cells: cells))
    }

    /// Where the cursor stands before this place.
    func position(of place: Int) -> ScreenPlace {
        let place = max(0, min(place, count))
        let row = rows.lastIndex { $0.start <= place } ?? 0
        return ScreenPlace(row: row, column: column(of: place, in: rows[row]))
    }

    private func column(of place: Int, in row: Row) -> Int {
        if let cell = row.cells.first(where: { $0.place >= place }) { return cell.column }
        return row.cells.last.map { $0.column + $0.width } ?? 0
    }

    /// The place at a cell, or the last one before it.
    func place(at position: ScreenPlace) -> Int {
        let row = rows[max(0, min(position.row, rows.count - 1))]
        if let cell = row.cells.first(where: { position.column < $0.column + $0.width }) { return cell.place }
        // The end of a row that goes on is the beginning of the next one.
        let isBroken = rows.contains { $0.start == row.end && $0.start != row.start }
        return isBroken ? row.cells.last?.place ?? row.start : row.end
    }

    func start(ofRow row: Int) -> Int { rows[max(0, min(row, rows.count - 1))].start }

    func end(ofRow row: Int) -> Int {
        place(at: ScreenPlace(row: row, column: Int.max))
    }
}

/// Steps in a text, in Unicode scalars.
enum TextSteps {
    /// The last place before this one between two characters.
    static func before(_ place: Int, in text: String) -> Int {
        var (last, next) = (0, 0)
        for character in text {
            next += character.unicodeScalars.count
            if next >= place { break }
            last = next
        }
        return last
    }

    static func after(_ place: Int, in text: String) -> Int {
        var next = 0
        for character in text {
            next += character.unicodeScalars.count
            if next > place { break }
        }
        return next
    }

    /// The beginning of the word before it.
    static func wordBefore(_ place: Int, in text: String) -> Int {
        let scalars = Array(text.unicodeScalars)
        var place = place
        while place > 0, !isWord(scalars[place - 1]) { place -= 1 }
        while place > 0, isWord(scalars[place - 1]) { place -= 1 }
        return place
    }

    static func wordAfter(_ place: Int, in text: String) -> Int {
        let scalars = Array(text.unicodeScalars)
        var place = place
        while place < scalars.count, !isWord(scalars[place]) { place += 1 }
        while place < scalars.count, isWord(scalars[place]) { place += 1 }
        return place
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
            || scalar.properties.generalCategory == .nonspacingMark
    }
}
