// One line of text that a person types.

import Terminal

/// A line and the cursor in it, in Unicode scalars.
struct LineEdit: Equatable {
    private(set) var text: String
    private(set) var cursor: Int

    init(_ text: String = "") { (self.text, cursor) = (text, text.unicodeScalars.count) }

    /// False for a key that means nothing in a line.
    mutating func press(_ key: KeyPress) -> Bool {
        switch key {
        case .text(let scalar): replace(cursor..<cursor, with: String(Character(scalar)))
        case .paste(let pasted):
            replace(cursor..<cursor, with: pasted.split { $0.isNewline }.joined(separator: " "))
        case .backspace: replace(TextSteps.before(cursor, in: text)..<cursor, with: "")
        case .delete: replace(cursor..<TextSteps.after(cursor, in: text), with: "")
        case .arrow(.left, .nothing): cursor = TextSteps.before(cursor, in: text)
        case .arrow(.right, .nothing): cursor = TextSteps.after(cursor, in: text)
        case .arrow(.left, _): cursor = TextSteps.wordBefore(cursor, in: text)
        case .arrow(.right, _): cursor = TextSteps.wordAfter(cursor, in: text)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = text.unicodeScalars.count
        case .control("u"): replace(0..<cursor, with: "")
        case .control("w"): replace(TextSteps.wordBefore(cursor, in: text)..<cursor, with: "")
        default: return false
        }
        return true
    }

    private mutating func replace(_ range: Range<Int>, with new: String) {
        var scalars = Array(text.unicodeScalars)
        scalars.replaceSubrange(range, with: new.unicodeScalars)
        text = String(String.UnicodeScalarView(scalars))
        cursor = range.lowerBound + new.unicodeScalars.count
    }

    /// Draws it between two columns, so that the cursor is in sight; gives where the cursor stands.
    func draw(on screen: inout Screen, at place: ScreenPlace, until end: Int, _ style: Style = [])
        -> ScreenPlace
    {
        let before = String(String.UnicodeScalarView(Array(text.unicodeScalars)[..<cursor]))
        let room = max(1, end - place.column - 1)
        // What is left of the cursor is cut at its beginning.
        var shown = before[...]
        while Self.width(shown) > room { shown.removeFirst() }
        let column = screen.put(shown, at: place, until: end, style)
        let rest = String(String.UnicodeScalarView(Array(text.unicodeScalars)[cursor...]))
        screen.put(rest, at: .init(row: place.row, column: column), until: end, style)
        return ScreenPlace(row: place.row, column: column)
    }

    private static func width(_ text: Substring) -> Int { text.reduce(0) { $0 + Screen.shown($1).width } }
}
