// State to screen. The list on the left; on a wide terminal the chosen note beside it.

import ReplModels
import Terminal

extension NotesScreen {
    /// Columns from which on there is room for a note beside the list.
    static let columnsForBoth = 80

    /// `mutating`: what is scrolled to stays there.
    mutating func draw() -> Screen {
        var screen = Screen(rows: rows, columns: columns)
        if case .text(let view)? = views.last { return drawText(view, screen) }
        drawHead(&screen)
        if case .help(let top)? = views.last {
            for (row, line) in Self.help.dropFirst(top).prefix(max(0, rows - 2)).enumerated() {
                screen.put(line, at: .init(row: row + 1, column: 1), line.first == " " ? [] : .bold)
            }
            foot("any key: back", .dim, &screen)
            return screen
        }
        let isWide = columns >= Self.columnsForBoth
        let end = isWide ? max(36, columns * 2 / 5) : columns
        drawList(until: end, &screen)
        if isWide {
            for row in 1..<max(1, rows - 1) { screen.put("│", at: .init(row: row, column: end), .dim) }
            if let note = selectedNote { drawNote(note, from: end + 2, &screen) }
        }
        drawFoot(&screen)
        return screen
    }

    private func drawHead(_ screen: inout Screen) {
        screen.fill(row: 0, .reverse)
        let shown = visible.count
        var left = " \(space)  \(shown) of \(Self.counted(notes.count, "note"))"
        if !filter.isEmpty { left += "  /\(filter)" }
        if showsDone { left += "  with those done" }
        if !misfits.isEmpty { left += "  \(Self.counted(misfits.count, "document")) unreadable: notes check" }
        let right = stateText
        let start = max(0, columns - Cells.width(right) - 1)
        screen.put(left, at: .init(row: 0, column: 0), until: max(0, start - 1), [.reverse, .bold])
        screen.put(right, at: .init(row: 0, column: start), .reverse)
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private var stateText: String {
        let unsent = texts.values.count { !$0.isSent }
        let waiting = unsent > 0 ? "*" : ""
        switch connection {
        case .starting: return "reading …"
        case .level(let sync): return waiting + sync
        case .away: return waiting + (isEnded ? "nothing more comes" : "the daemon is away")
        }
    }

    private mutating func drawList(until end: Int, _ screen: inout Screen) {
        let visible = visible
        let height = max(1, rows - 2)
        let place = visible.firstIndex { $0.id == selected } ?? 0
        top = max(0, min(top, visible.count - height))
        if place < top { top = place }
        if place >= top + height { top = place - height + 1 }
        if visible.isEmpty {
            let text = notes.isEmpty ? "no notes yet: n makes one" : "no note matches; Esc shows all of them"
            screen.put(text, at: .init(row: 1, column: 1), until: end, .dim)
        }
        for (row, note) in visible.dropFirst(top).prefix(height).enumerated() {
            drawRow(note, row: row + 1, until: end, &screen)
        }
    }

    private func drawRow(_ note: Note, row: Int, until end: Int, _ screen: inout Screen) {
        let style: Style = note.id == selected ? .reverse : []
        screen.fill(row: row, until: end, style)
        let mark = note.done ? "x" : note.priority == .high ? "!" : note.priority == .low ? "." : " "
        let unsent = texts[note.id].map { $0.isSent ? " " : "*" } ?? " "
        let conflict = conflicts[note.id]?.isEmpty == false ? "≠" : " "
        screen.put("\(unsent)\(conflict)\(mark) ", at: .init(row: row, column: 0), until: end, style)
        let title = note.title.isEmpty ? "(no title)" : Self.oneLine(note.title)
        let tags = note.tags.sorted().map { "#" + Self.oneLine($0) }.joined(separator: " ")
        let room = end - 5
        let tagRoom = tags.isEmpty ? 0 : min(Cells.width(tags), room / 3)
        let heavy: Style = note.priority == .high ? .bold : note.done ? .dim : []
        screen.put(
            Cells.cut(title, to: room - tagRoom - (tagRoom > 0 ? 1 : 0)), at: .init(row: row, column: 4),
            until: end, style.union(heavy))
        screen.put(
            Cells.cut(tags, to: tagRoom), at: .init(row: row, column: end - 1 - tagRoom), until: end,
            style.union(.dim))
    }

    /// For one row.
    static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }

    private func drawNote(_ note: Note, from column: Int, _ screen: inout Screen) {
        let width = columns - column
        screen.put(Self.oneLine(note.title), at: .init(row: 1, column: column), .bold)
        var facts = [note.id, note.priority.rawValue] + (note.done ? ["done"] : [])
        facts += note.tags.sorted().map { "#" + Self.oneLine($0) }
        screen.put(facts.joined(separator: "  "), at: .init(row: 2, column: column), .dim)
        for (row, line) in TextLayout(text(of: note), columns: width).rows.prefix(max(0, rows - 5))
            .enumerated()
        {
            for cell in line.cells {
                screen.put(cell.text, at: .init(row: row + 4, column: column + cell.column))
            }
        }
    }

    // MARK: The last row

    private func foot(_ text: String, _ style: Style, _ screen: inout Screen) {
        screen.put(Cells.cut(Self.oneLine(text), to: columns), at: .init(row: rows - 1, column: 0), style)
    }

    private func drawFoot(_ screen: inout Screen) {
        switch views.last {
        case .prompt(let prompt):
            let name =
                switch prompt.subject {
                case .newNote: "new note: "
                case .title: "title: "
                case .tags: "tags: "
                }
            ask(name, prompt.line, &screen)
        case .search(let line, _): ask("/", line, &screen)
        case .removing(let id):
            foot("delete \"\(notes[id]?.title ?? id)\"? y deletes it, any other key does not", .bold, &screen)
        case .conflicts(let id, let chosen): drawConflict(id, chosen, &screen)
        case nil, .help, .text:
            if let message {
                foot(message, .bold, &screen)
            } else if case .away(let why) = connection {
                foot(why, .dim, &screen)
            } else {
                foot(
                    "Enter text  n new  / search  # tags  t title  x done  K J move  q leave  ? keys", .dim,
                    &screen)
            }
        }
    }

    /// With the reason below it why it was not written.
    private func ask(_ name: String, _ line: LineEdit, _ screen: inout Screen) {
        if let message {
            screen.fill(row: rows - 2, [])
            screen.put(
                Cells.cut(Self.oneLine(message), to: columns), at: .init(row: rows - 2, column: 0), .bold)
        }
        let column = screen.put(name, at: .init(row: rows - 1, column: 0), .bold)
        screen.cursor = line.draw(on: &screen, at: .init(row: rows - 1, column: column), until: columns)
    }

    private func drawConflict(_ id: String, _ chosen: Int, _ screen: inout Screen) {
        guard let conflict = conflicts[id]?.first else {
            return foot("somebody else ended the conflict; any key goes back", .bold, &screen)
        }
        let height = conflict.candidates.count + 1
        let first = max(1, rows - 1 - height)
        for row in first..<max(first, rows - 1) { screen.fill(row: row, []) }
        screen.put(
            "\(conflict.path) was written at the same time:", at: .init(row: first, column: 1), .bold)
        for (number, candidate) in conflict.candidates.enumerated() {
            let style: Style = number == chosen ? .reverse : []
            let row = first + 1 + number
            screen.fill(row: row, style)
            let who = [candidate.author, candidate.date?.description, number == 0 ? "shown now" : nil]
            let facts = who.compactMap { $0 }.joined(separator: ", ")
            let end = screen.put(
                Cells.cut(Self.oneLine(candidate.text), to: max(8, columns - Cells.width(facts) - 6)),
                at: .init(row: row, column: 3), style)
            screen.put(facts, at: .init(row: row, column: end + 2), style.union(.dim))
        }
        foot("↑ ↓ choose, Enter: this one stays; Esc leaves it as it is", .dim, &screen)
    }

    // MARK: The text

    private mutating func drawText(_ view: TextView, _ empty: Screen) -> Screen {
        var (view, screen) = (view, empty)
        let text = texts[view.id]
        let layout = TextLayout(text?.text ?? "", columns: textColumns)
        let position = layout.position(of: view.cursor)
        view.top = max(0, min(view.top, layout.rows.count - 1))
        if position.row < view.top { view.top = position.row }
        if position.row >= view.top + textRows { view.top = position.row - textRows + 1 }
        views[views.count - 1] = .text(view)
        screen.fill(row: 0, .reverse)
        let unsent = isAway ? "*kept here: the daemon is away" : "*writing …"
        let state = text?.isSent == false ? unsent : "written"
        let start = max(0, columns - Cells.width(state) - 1)
        let title = notes[view.id]?.title ?? ""
        screen.put(
            " " + Self.oneLine(title.isEmpty ? "(no title)" : title), at: .init(row: 0, column: 0),
            until: max(0, start - 1), [.reverse, .bold])
        screen.put(state, at: .init(row: 0, column: start), .reverse)
        for (row, line) in layout.rows.dropFirst(view.top).prefix(textRows).enumerated() {
            for cell in line.cells { screen.put(cell.text, at: .init(row: row + 1, column: cell.column)) }
        }
        screen.cursor = ScreenPlace(
            row: min(position.row - view.top + 1, rows - 1), column: min(position.column, columns - 1))
        let hint = text?.refusal ?? message
        foot(hint ?? "Esc list  Ctrl-E $EDITOR", hint == nil ? .dim : .bold, &screen)
        return screen
    }

    private var isAway: Bool {
        if case .away = connection { true } else { false }
    }
}
