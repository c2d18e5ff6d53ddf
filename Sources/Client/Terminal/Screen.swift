// What a terminal shows, as a value: cells with a text and a style. A program draws all of it each time;
// what is sent is the difference to what was there. After a character that is not ASCII the cursor is
// placed anew, so a terminal that counts its width otherwise draws that character wrong and nothing else.

import Bytes

/// How a cell looks, without colours.
public struct Style: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = Style(rawValue: 1)
    public static let dim = Style(rawValue: 2)
    public static let underline = Style(rawValue: 4)
    public static let reverse = Style(rawValue: 8)

    /// Select Graphic Rendition.
    fileprivate var sequence: String {
        let codes: [(Style, String)] = [(.bold, "1"), (.dim, "2"), (.underline, "4"), (.reverse, "7")]
        return "\u{1B}[" + (["0"] + codes.filter { contains($0.0) }.map(\.1)).joined(separator: ";") + "m"
    }
}

/// A place on the screen, from 0.
public struct ScreenPlace: Hashable, Sendable {
    public var row: Int
    public var column: Int

    public init(row: Int, column: Int) { (self.row, self.column) = (row, column) }
}

/// All cells of a screen.
public struct Screen: Equatable, Sendable {
    public let rows: Int
    public let columns: Int
    /// Row by row.
    private var cells: [Cell]
    /// Where the cursor stands; nil: it is hidden.
    public var cursor: ScreenPlace?

    private struct Cell: Equatable {
        /// Empty in the second cell of a wide character.
        var text = " "
        var style: Style = []

        /// Of several scalars: terminals do not agree on what is one character.
        var isDelicate: Bool { text.utf8.count > 1 && text.unicodeScalars.count > 1 }
    }

    public init(rows: Int, columns: Int) {
        (self.rows, self.columns) = (max(1, rows), max(1, columns))
        cells = Array(repeating: Cell(), count: self.rows * self.columns)
    }

    /// Draws what fits before the column `end` (the edge, if it is nil), and gives the column behind it. What
    /// could steer a terminal is drawn as U+FFFD.
    @discardableResult
    public mutating func put(
        _ text: some StringProtocol, at place: ScreenPlace, until end: Int? = nil, _ style: Style = []
    ) -> Int {
        var column = place.column
        let end = min(end ?? columns, columns)
        guard (0..<rows).contains(place.row), column >= 0 else { return column }
        for character in text {
            let (shown, width) = Self.shown(character)
            guard column + width <= end else { break }
            let index = place.row * columns + column
            cells[index] = Cell(text: shown, style: style)
            if width == 2 { cells[index + 1] = Cell(text: "", style: style) }
            column += width
        }
        return column
    }

    /// The whole row in this style, blank from `column` on.
    public mutating func fill(row: Int, from column: Int = 0, until end: Int? = nil, _ style: Style) {
        guard (0..<rows).contains(row) else { return }
        for column in column..<max(column, min(end ?? columns, columns)) {
            cells[row * columns + column] = Cell(style: style)
        }
    }

    /// What is drawn for a character, and its cells.
    public static func shown(_ character: Character) -> (text: String, width: Int) {
        let width = Cells.width(character)
        let isPlain = width > 0 && !character.unicodeScalars.contains(where: ShownText.steers)
        return isPlain ? (String(character), width) : ("\u{FFFD}", 1)
    }

    /// The rows as text, without blanks at their ends.
    public var lines: [String] {
        (0..<rows).map { row in
            var line = cells[(row * columns)..<((row + 1) * columns)].map(\.text).joined()
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    // MARK: What is sent

    /// What makes a terminal that shows `old` show this; nil, or another size: whatever it shows.
    public func bytes(over old: Screen?) -> [UInt8] {
        var text = "\u{1B}[?25l"
        let isSame = old?.rows == rows && old?.columns == columns
        let before = isSame ? old?.cells ?? [] : []
        if before.isEmpty { text += "\u{1B}[0m\u{1B}[2J" }
        for row in 0..<rows { append(row, over: before, to: &text) }
        if let cursor {
            text += Self.position(min(cursor.row, rows - 1), min(cursor.column, columns - 1)) + "\u{1B}[?25h"
        }
        return Array(text.utf8)
    }

    private func append(_ row: Int, over before: [Cell], to text: inout String) {
        let range = (row * columns)..<((row + 1) * columns)
        let new = cells[range]
        let blanks = Array(repeating: Cell(), count: columns)[...]
        var old = before.isEmpty ? blanks : before[range]
        guard !new.elementsEqual(old) else { return }
        // A terminal may draw these wider than they are counted here, over cells that seem to be blank.
        if !before.isEmpty, old.contains(where: \.isDelicate) || new.contains(where: \.isDelicate) {
            text += Self.position(row, 0) + Style().sequence + "\u{1B}[2K"
            old = blanks
        }
        var isPlaced = false
        var style: Style?
        for (column, (cell, was)) in zip(new, old).enumerated() {
            guard cell != was else {
                isPlaced = false
                continue
            }
            // Drawn with the cell before it.
            guard !cell.text.isEmpty else { continue }
            if !isPlaced { text += Self.position(row, column) }
            if style != cell.style { text += cell.style.sequence }
            text += cell.text
            style = cell.style
            isPlaced = cell.text.utf8.count == 1
        }
        if style.map({ !$0.isEmpty }) ?? false { text += Style().sequence }
    }

    private static func position(_ row: Int, _ column: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }
}
