// The built-in editor. What is typed goes into the shared text of the note, which is sent a moment later;
// what others type moves the cursor along.

import ReplModels
import Terminal

extension NotesScreen {
    mutating func open(_ note: Note, at place: Int? = nil) {
        let text = texts[note.id] ?? SharedText(note.body.string)
        texts[note.id] = text
        let end = text.text.unicodeScalars.count
        views.append(.text(TextView(id: note.id, cursor: min(place ?? end, end))))
    }

    /// What came back from the person's editor, that was given `before`. Others may have written meanwhile:
    /// both stay, and where that is one place it is shown.
    mutating func edited(_ note: Note, before: String, after: String, at now: Int) {
        var text = texts[note.id] ?? SharedText(notes[note.id]?.body.string ?? before)
        let mine = TextDifference.splices(from: before, to: after)
        let others = TextDifference.splices(from: before, to: text.text)
        let merge = TextMerge(base: before, mine: text.text, theirs: after)
        text.set(merge.text, at: now)
        texts[note.id] = text
        if !mine.isEmpty, TextDifference.rebased(mine, over: others) == nil {
            open(note, at: merge.splices.last?.index ?? 0)
            message = "somebody else wrote at the same place meanwhile: both texts are here"
        }
    }

    /// Columns and rows that a text has.
    var textColumns: Int { columns }
    var textRows: Int { max(1, rows - 2) }

    mutating func pressInText(_ key: KeyPress, _ view: TextView, at now: Int) -> [ScreenAction] {
        guard let text = texts[view.id]?.text else {
            views.removeLast()
            return []
        }
        var view = view
        switch key {
        case .escape, .control("c"):
            views.removeLast()
            if texts[view.id]?.isLevel == true { texts[view.id] = nil }
            return []
        case .control("e"):
            guard let note = notes[view.id] else { return [] }
            return [.edit(note, text: text)]
        default: break
        }
        if let range = edit(key, text, &view) {
            texts[view.id]?.replace(range.range, with: range.new, at: now)
            view.cursor = range.range.lowerBound + range.new.unicodeScalars.count
            view.column = nil
        } else {
            step(key, text, &view)
        }
        views[views.count - 1] = .text(view)
        return []
    }

    /// What a key writes; nil: it moves, or means nothing.
    private func edit(_ key: KeyPress, _ text: String, _ view: inout TextView) -> (
        range: Range<Int>, new: String
    )? {
        let cursor = view.cursor
        switch key {
        case .text(let scalar): return (cursor..<cursor, String(Character(scalar)))
        case .paste(let pasted): return (cursor..<cursor, pasted)
        case .enter: return (cursor..<cursor, "\n")
        case .tab: return (cursor..<cursor, "\t")
        case .backspace: return (TextSteps.before(cursor, in: text)..<cursor, "")
        case .delete, .control("d"): return (cursor..<TextSteps.after(cursor, in: text), "")
        case .control("w"): return (TextSteps.wordBefore(cursor, in: text)..<cursor, "")
        case .control("k"):
            let layout = TextLayout(text, columns: textColumns)
            let end = layout.end(ofRow: layout.position(of: cursor).row)
            return (cursor..<max(end, TextSteps.after(cursor, in: text)), "")
        default: return nil
        }
    }

    private func step(_ key: KeyPress, _ text: String, _ view: inout TextView) {
        let layout = TextLayout(text, columns: textColumns)
        let position = layout.position(of: view.cursor)
        func vertical(_ rows: Int) {
            let column = view.column ?? position.column
            let row = max(0, min(layout.rows.count - 1, position.row + rows))
            view.cursor = layout.place(at: ScreenPlace(row: row, column: column))
            view.column = column
        }
        switch key {
        case .arrow(.up, _): return vertical(-1)
        case .arrow(.down, _): return vertical(1)
        case .pageUp: return vertical(-(textRows - 1))
        case .pageDown: return vertical(textRows - 1)
        case .arrow(.left, .nothing): view.cursor = TextSteps.before(view.cursor, in: text)
        case .arrow(.right, .nothing): view.cursor = TextSteps.after(view.cursor, in: text)
        case .arrow(.left, _): view.cursor = TextSteps.wordBefore(view.cursor, in: text)
        case .arrow(.right, _): view.cursor = TextSteps.wordAfter(view.cursor, in: text)
        case .home, .control("a"): view.cursor = layout.start(ofRow: position.row)
        case .end: view.cursor = layout.end(ofRow: position.row)
        default: return
        }
        view.column = nil
    }
}
