// What keys mean, by what they are pressed in.

import ReplModels
import Terminal

extension NotesScreen {
    mutating func press(_ key: KeyPress, at now: Int) -> [ScreenAction] {
        switch key {
        case .control("l"): return [.redraw]
        case .control("z"): return [.suspend]
        default: break
        }
        let wasMessage = message
        message = nil
        switch views.last {
        case nil: return pressInList(key)
        case .help(let top): pressInHelp(key, top)
        case .text(let view): return pressInText(key, view, at: now)
        case .prompt(let prompt):
            // Why it was not written stands until something is typed.
            if prompt.isSent { message = wasMessage }
            return pressInPrompt(key, prompt)
        case .search(let line, let before): pressInSearch(key, line, before)
        case .conflicts(let id, let chosen): return pressInConflicts(key, id, chosen)
        case .removing(let id):
            views.removeLast()
            if key == .text("y") { return [.write(.remove(id))] }
        }
        return []
    }

    private var page: Int { max(1, rows - 3) }

    // MARK: The list

    private mutating func pressInList(_ key: KeyPress) -> [ScreenAction] {
        switch key {
        case .arrow(.up, .nothing), .text("k"): select(by: -1)
        case .arrow(.down, .nothing), .text("j"): select(by: 1)
        case .pageUp: select(by: -page)
        case .pageDown: select(by: page)
        case .home, .text("g"): select(by: -Int(Int32.max))
        case .end, .text("G"): select(by: Int(Int32.max))
        case .arrow(.up, _), .text("K"): return move(by: -1)
        case .arrow(.down, _), .text("J"): return move(by: 1)
        case .text("q"), .control("c"), .control("d"):
            isLeaving = true
            message = "writing what was typed …"
        case .text("?"): views.append(.help(top: 0))
        case .text("/"): views.append(.search(LineEdit(filter), before: filter))
        case .escape: filter = ""
        case .text("a"): showsDone.toggle()
        case .text("n"): views.append(.prompt(Prompt(subject: .newNote, line: LineEdit())))
        default: return selectedNote.map { press(key, on: $0) } ?? []
        }
        keepSelection()
        return []
    }

    private mutating func press(_ key: KeyPress, on note: Note) -> [ScreenAction] {
        switch key {
        case .enter, .arrow(.right, .nothing): open(note)
        case .text("e"): return [.edit(note, text: text(of: note))]
        case .text("t"):
            views.append(.prompt(Prompt(subject: .title(of: note.id), line: LineEdit(note.title))))
        case .text("#"):
            let tags = note.tags.sorted().joined(separator: " ")
            views.append(
                .prompt(Prompt(subject: .tags(of: note.id), line: LineEdit(tags.isEmpty ? "" : tags + " "))))
        case .text("p"):
            let next: [Priority: Priority] = [.normal: .high, .high: .low, .low: .normal]
            return [.write(.priority(next[note.priority] ?? .normal, of: note.id))]
        case .text(" "), .text("x"): return [.write(.done(!note.done, of: note.id))]
        case .text("d"), .delete: views.append(.removing(note.id))
        case .text("c"):
            if conflicts[note.id]?.isEmpty == false {
                views.append(.conflicts(of: note.id, chosen: 0))
            } else {
                message = "nobody wrote this note at the same time"
            }
        default: message = "? shows the keys"
        }
        return []
    }

    private mutating func keepSelection() {
        let visible = visible
        if !visible.contains(where: { $0.id == selected }) { selected = visible.first?.id }
    }

    private mutating func pressInHelp(_ key: KeyPress, _ top: Int) {
        switch key {
        case .arrow(.down, _), .text("j"), .pageDown:
            views[views.count - 1] = .help(top: min(top + 1, max(0, Self.help.count - (rows - 2))))
        case .arrow(.up, _), .text("k"), .pageUp: views[views.count - 1] = .help(top: max(0, top - 1))
        default: views.removeLast()
        }
    }

    private mutating func pressInSearch(_ key: KeyPress, _ line: LineEdit, _ before: String) {
        var line = line
        switch key {
        case .enter: views.removeLast()
        case .escape, .control("c"):
            filter = before
            views.removeLast()
        case .arrow(.up, _): select(by: -1)
        case .arrow(.down, _): select(by: 1)
        default:
            guard line.press(key) else { return }
            filter = line.text
            views[views.count - 1] = .search(line, before: before)
        }
        keepSelection()
    }

    // MARK: Prompts

    private mutating func pressInPrompt(_ key: KeyPress, _ prompt: Prompt) -> [ScreenAction] {
        var prompt = prompt
        switch key {
        case .escape, .control("c"):
            views.removeLast()
            return []
        case .enter:
            guard !prompt.isSent else { return [] }
            guard let write = write(of: prompt) else {
                views.removeLast()
                return []
            }
            if case .away(let why) = connection {
                message = why
                return []
            }
            prompt.isSent = true
            views[views.count - 1] = .prompt(prompt)
            return [.write(write)]
        default:
            if !prompt.isSent, prompt.line.press(key) { views[views.count - 1] = .prompt(prompt) }
            return []
        }
    }

    /// Nil where nothing is to be written.
    private func write(of prompt: Prompt) -> NoteWrite? {
        let text = prompt.line.text
        switch prompt.subject {
        case .newNote:
            guard !text.isEmpty else { return nil }
            return .add(Note(id: Note.freshID(), title: text, created: .now))
        case .title(let id): return text == notes[id]?.title ? nil : .title(text, of: id)
        case .tags(let id):
            let tags = Set(text.split(separator: " ").map { String($0.first == "#" ? $0.dropFirst() : $0) })
            let before = notes[id]?.tags ?? []
            let (added, removed) = (tags.subtracting(before), before.subtracting(tags))
            guard !added.isEmpty || !removed.isEmpty else { return nil }
            return .tags(added: added.sorted(), removed: removed.sorted(), of: id)
        }
    }

    // MARK: Conflicts

    private mutating func pressInConflicts(_ key: KeyPress, _ id: String, _ chosen: Int) -> [ScreenAction] {
        guard let conflict = conflicts[id]?.first else {
            views.removeLast()
            return []
        }
        var chosen = chosen
        switch key {
        case .arrow(.up, _), .text("k"): chosen = max(0, chosen - 1)
        case .arrow(.down, _), .text("j"): chosen = min(conflict.candidates.count - 1, chosen + 1)
        case .enter:
            views.removeLast()
            return [.write(.resolve(conflict, taking: conflict.candidates[chosen], of: id))]
        default:
            views.removeLast()
            return []
        }
        views[views.count - 1] = .conflicts(of: id, chosen: chosen)
        return []
    }

    // MARK: Help

    static let help = [
        "The list", "  ↑ ↓ k j        choose a note          g G         the first, the last",
        "  Enter →        write its text here    e           its text in $EDITOR",
        "  n              a new note             t           its title",
        "  #              its tags               p           its priority: normal, high, low",
        "  Space x        done, or not           K J         move it up, down (also Shift-↑ ↓)",
        "  d              delete it              c           what two wrote at once, and which stays",
        "  /              search: words, #tags   Esc         all notes again",
        "  a              show those that are done, too",
        "  q              leave                  Ctrl-Z      suspend    Ctrl-L  draw anew", "",
        "The text", "  Esc            back to the list: everything is written by itself",
        "  Ctrl-E         the text in $EDITOR    Ctrl-← →    by words",
        "  Ctrl-A Ctrl-K  to the start of a row, delete to its end", "",
        "Marks", "  ! . x          high, low, done        ≠           two wrote one place at once: c",
        "  *              not with the daemon yet; it is kept on this box until then",
    ]
}
