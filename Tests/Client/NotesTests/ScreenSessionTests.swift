// Sessions with the full-screen interface without a terminal: keys in, actions and rows out.

import Foundation
import ReplModels
import Terminal
import Testing

@testable import notes

/// A screen and what it asked for.
private struct Session {
    var screen = NotesScreen(space: "notes")
    var now = 0
    var asked: [ScreenAction] = []

    init(_ notes: [Note] = [], columns: Int = 60, rows: Int = 10) {
        (screen.rows, screen.columns) = (rows, columns)
        tell { news in
            news.notes = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0) })
            news.order = notes.map(\.id)
            news.connection = .level("on this box")
        }
    }

    mutating func tell(_ change: (inout News) -> Void) {
        var news = News()
        change(&news)
        screen.told(news, at: now)
    }

    mutating func press(_ keys: KeyPress...) { for key in keys { asked += screen.press(key, at: now) } }
    mutating func type(_ text: String) { for scalar in text.unicodeScalars { press(.text(scalar)) } }

    mutating func wait(_ milliseconds: Int = NotesScreen.sendDelay) {
        now += milliseconds
        asked += screen.tick(at: now)
    }

    mutating func taken() -> [ScreenAction] {
        defer { asked = [] }
        return asked
    }

    /// As it is drawn.
    var lines: [String] {
        var screen = screen
        return screen.draw().lines
    }
}

private func note(
    _ id: String, _ title: String, _ body: String = "", tags: Set<String> = [], done: Bool = false
) -> Note {
    Note(id: id, title: title, body: ReplicatedText(body), tags: tags, done: done)
}

@Suite struct ScreenSessionTests {
    private let three = [
        note("a", "Paint", "white\n2 l", tags: ["house"]), note("b", "日本 trip"), note("c", "Old", done: true),
    ]

    @Test("the list shows what is not done, and search narrows it as it is typed")
    func list() {
        var session = Session(three)
        #expect(
            session.lines[0].hasPrefix(" notes  2 of 3 notes") && session.lines[0].hasSuffix("on this box"))
        #expect(
            Array(session.lines[1...2]) == [
                "    Paint" + String(repeating: " ", count: 44) + "#house", "    日本 trip",
            ])
        session.press(.text("a"))
        #expect(session.lines[3] == "  x Old")
        session.press(.text("/"))
        session.type("WHI")
        #expect(session.lines[0].contains("1 of 3") && session.lines[9] == "/WHI")
        session.press(.escape, .text("/"))
        session.type("#hou")
        session.press(.enter)
        #expect(session.screen.visible.map(\.id) == ["a"])
        session.press(.escape)
        #expect(session.screen.visible.count == 3 && session.taken().isEmpty)
    }

    @Test("each key writes what it says, of the note that is chosen")
    func writes() {
        var session = Session(three)
        session.press(.arrow(.down), .text("x"), .text("p"), .text("d"), .text("n"), .text("d"), .text("y"))
        #expect(
            session.taken() == [
                .write(.done(true, of: "b")), .write(.priority(.high, of: "b")), .write(.remove("b")),
            ])
        session.press(.text("K"))
        #expect(session.taken() == [.write(.move("b", to: .before("a"), shown: ["a", "b", "c"]))])
        // Ours at once, and the daemon's once it was answered.
        #expect(session.screen.visible.map(\.id) == ["b", "a"])
        session.tell { $0.order = ["a", "b", "c"] }
        #expect(session.screen.visible.map(\.id) == ["b", "a"])
        session.press(.text("#"))
        session.type("x #y")
        session.press(.enter)
        #expect(session.taken() == [.write(.tags(added: ["x", "y"], removed: [], of: "b"))])
    }

    @Test("a line that could not be written stays with the reason, and can be sent again")
    func prompt() throws {
        var session = Session(three)
        session.press(.text("t"), .control("u"))
        session.type("Farbe")
        session.press(.enter)
        let write = NoteWrite.title("Farbe", of: "a")
        #expect(session.taken() == [.write(write)])
        session.type("!")
        let failure = WriteFailure(message: "the disk is full", mayPass: false)
        session.tell { $0.outcomes = [WriteOutcome(write: write, result: .failure(failure))] }
        #expect(session.lines[8] == "the disk is full" && session.lines[9] == "title: Farbe")
        session.press(.enter)
        #expect(session.taken() == [.write(write)])
        session.tell {
            $0.outcomes = [WriteOutcome(write: write, result: .success(NoteReceipt(change: "1")))]
        }
        #expect(session.screen.views.isEmpty)
        session.tell { $0.connection = .away("no daemon") }
        session.press(.text("n"))
        session.type("New")
        session.press(.enter)
        #expect(
            session.taken().isEmpty && session.lines[8] == "no daemon" && session.lines[9] == "new note: New")
    }

    @Test("what is typed is sent a moment later, and what others type comes in without moving the cursor")
    func typing() throws {
        var session = Session(three)
        session.press(.enter, .home)
        session.press(.arrow(.up), .home)
        session.type("off-")
        #expect(session.lines[1] == "off-white" && session.lines[0].hasSuffix("*writing …"))
        session.wait(NotesScreen.sendDelay - 1)
        #expect(session.taken().isEmpty)
        session.wait(1)
        guard case .write(.text(let write, let to))? = session.taken().first else {
            Issue.record("nothing was sent")
            return
        }
        #expect(
            to.id == "a" && write == TextWrite(base: "white\n2 l", text: "off-white\n2 l")
        )
        session.type("X")
        session.tell {
            $0.outcomes = [
                WriteOutcome(
                    write: .text(write, of: to),
                    result: .success(NoteReceipt(change: "2", text: "white paint: off-white\n2 l")))
            ]
        }
        #expect(session.lines[1] == "white paint: off-Xwhite")
        #expect(session.screen.draw().cursor == ScreenPlace(row: 1, column: 18))
        var told = note("a", "Paint", "white paint: off-white\n3 l")
        session.tell {
            $0.notes = ["a": told]
            $0.changes = ["2", "3"]
        }
        #expect(Array(session.lines[1...2]) == ["white paint: off-Xwhite", "3 l"])
        session.press(.backspace)
        told.body = "gone"
        session.tell {
            $0.notes = ["a": told]
            $0.changes = ["4"]
        }
        #expect(session.lines[1] == "gone" && session.lines[0].hasSuffix("written"))
    }

    @Test("text that is not with the daemon is kept: on leaving, and when its note is deleted")
    func unsent() throws {
        var session = Session(three)
        session.press(.enter)
        session.type("!")
        #expect(session.screen.unsent(before: -1).isEmpty)
        let draft = UnsentText(id: "a", title: "Paint", base: "white\n2 l", text: "white\n2 l!")
        #expect(session.screen.unsent() == [draft])
        session.tell { $0.notes = [:] }
        #expect(session.lines[9].hasPrefix("somebody deleted this note"))
        session.wait()
        guard case .write(.text(let write, let to))? = session.taken().first else {
            Issue.record("nothing was sent")
            return
        }
        #expect(to.title == "Paint" && write.text == "white\n2 l!")
        session.press(.escape, .text("q"))
        session.wait(50)
        let underWay = UnsentText(
            id: "a", title: "Paint", base: draft.base, text: draft.text, sent: draft.text)
        #expect(session.taken().isEmpty && session.screen.unsent() == [underWay])
        session.tell {
            $0.outcomes = [
                WriteOutcome(
                    write: .text(write, of: to), result: .success(NoteReceipt(change: "1", text: write.text)))
            ]
        }
        session.wait(50)
        #expect(session.taken() == [.leave] && session.screen.unsent().isEmpty)
        // The next program writes what the last one could not.
        var next = NotesScreen(space: "notes", drafts: [draft])
        var news = News()
        news.notes = ["a": note("a", "Paint", "WHITE\n2 l")]
        news.connection = .level("")
        next.told(news, at: 0)
        #expect(
            next.tick(at: NotesScreen.sendDelay) == [
                .write(
                    .text(
                        TextWrite(base: "WHITE\n2 l", text: "WHITE\n2 l!"),
                        of: note("a", "Paint", "WHITE\n2 l")))
            ])
    }

    @Test("the person's editor gets the text; two who wrote one place both stay, and that place is shown")
    func editor() {
        var session = Session(three)
        session.press(.text("e"))
        #expect(session.taken() == [.edit(three[0], text: "white\n2 l")])
        session.tell { $0.notes = ["a": note("a", "Paint", "grey\n2 l")] }
        session.screen.edited(three[0], before: "white\n2 l", after: "black\n2 l\nbrush", at: 0)
        #expect(session.lines[1] == "blackgrey" && Array(session.lines[2...3]) == ["2 l", "brush"])
        #expect(session.lines[9].hasPrefix("somebody else wrote at the same place"))
        session.press(.escape)
        session.wait()
        #expect(session.taken().count == 1)
    }

    @Test("a conflict is marked, shown with its values, and one of them is taken")
    func conflicts() throws {
        var session = Session(three)
        session.press(.text("c"))
        #expect(session.lines[9].hasPrefix("nobody wrote"))
        let conflict = conflict()
        session.tell { $0.conflicts = ["a": [conflict]] }
        #expect(session.lines[1].hasPrefix(" ≠  Paint"))
        session.press(.text("c"))
        #expect(
            Array(session.lines[6...8])
                == [
                    "title was written at the same time:", "Paint  attic, 1970-01-01T00:00:01Z, shown now",
                    "Farbe  shed, 1970-01-01T00:00:02Z",
                ].map { $0.hasPrefix("title") ? " " + $0 : "   " + $0 })
        session.press(.arrow(.down), .enter)
        #expect(session.taken() == [.write(.resolve(conflict, taking: conflict.candidates[1], of: "a"))])
    }

    private func conflict() -> ModelConflict {
        ModelConflict(
            document: "note/a", path: ModelPath([.key("title")]),
            candidates: [
                .init("Paint", author: "attic", date: ModelDate(millisecondsSince1970: 1_000)),
                .init("Farbe", author: "shed", date: ModelDate(millisecondsSince1970: 2_000)),
            ])
    }

    @Test("a space that is gone is told, also when the daemon answers")
    func ended() {
        var session = Session(three)
        session.tell {
            $0.connection = .away("no space \"notes\"")
            $0.isEnded = true
        }
        session.tell { $0.connection = .level("on this box") }
        #expect(session.lines[0].hasSuffix("nothing more comes") && session.lines[9] == "no space \"notes\"")
    }

    @Test("every size of terminal is drawn, whatever is open", arguments: [1, 2, 3, 5, 24, 80])
    func sizes(rows: Int) {
        for columns in [1, 2, 5, 20, 79, 80, 200] {
            for keys in ["", "?", "n", "/", "d", "\r", "t"] {
                var session = Session(three, columns: columns, rows: rows)
                for scalar in keys.unicodeScalars { session.press(scalar == "\r" ? .enter : .text(scalar)) }
                let screen = session.screen.draw()
                #expect((screen.rows, screen.columns) == (rows, columns))
                #expect(screen.cursor.map { $0.row < rows && $0.column <= columns } ?? true)
            }
        }
    }

    @Test("the chosen note stays in sight, and chosen when others are deleted")
    func scrolling() {
        var session = Session((0..<50).map { note("\($0 + 100)", "n\($0)") })
        session.press(.pageDown, .pageDown, .arrow(.down))
        #expect(session.screen.selected == "115" && session.lines.contains("    n15"))
        session.press(.text("G"))
        #expect(session.lines[8] == "    n49")
        session.tell { news in
            news.notes = Dictionary(
                uniqueKeysWithValues: (0..<40).map { ("\($0 + 100)", note("\($0 + 100)", "n\($0)")) })
        }
        #expect(session.screen.selected == "139")
        session.press(.text("g"))
        #expect(session.lines[1] == "    n0")
    }
}

@Suite struct UnsentStoreTests {
    @Test("texts of a program that is gone are taken over, those of one that runs are not")
    func takeOver() throws {
        var template = Array("/tmp/notes-tests-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func store() -> UnsentStore {
            UnsentStore(space: "a/b", environment: { $0 == "XDG_STATE_HOME" ? folder : nil })
        }
        func files(_ end: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: store().directory).filter {
                $0.hasSuffix(end)
            }
        }
        let text = UnsentText(id: "../x", title: "T", base: "a", text: "a\u{0}\"b", sent: "a\"")
        var first = store()
        first.keep([text])
        var next = store()
        #expect(next.takeOver().isEmpty)
        // A lock goes with the process that has it; of one that is gone the file is left, or nothing.
        let lock = try #require(files(".lock").first)
        try FileManager.default.removeItem(atPath: store().directory + "/" + lock)
        try Data().write(to: URL(fileURLWithPath: store().directory + "/" + lock))
        #expect(next.takeOver() == [text] && next.failure == nil)
        #expect(try files(".json").count == 1 && files(".lock").count == 1)
        var last = store()
        #expect(last.takeOver().isEmpty)
        next.keep([])
        #expect(try files("").isEmpty && last.takeOver().isEmpty)
    }
}
