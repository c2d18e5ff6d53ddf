// A screen as cells, and what is sent of it, read back by a small terminal.

import Testing

@testable import Terminal

/// Understands what a screen sends, and takes each character as Unicode says.
private struct SmallTerminal {
    var cells: [[String]]
    var (row, column) = (0, 0)
    private(set) var drawn = 0

    init(rows: Int, columns: Int) {
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    mutating func receive(_ bytes: [UInt8]) {
        var rest = Substring(String(decoding: bytes, as: UTF8.self))
        while let character = rest.first {
            if character == "\u{1B}" {
                guard let end = rest.firstIndex(where: { $0.isLetter }) else { return }
                obey(rest[...end])
                rest = rest[rest.index(after: end)...]
            } else {
                put(rest.removeFirst())
            }
        }
    }

    private mutating func obey(_ sequence: Substring) {
        let numbers = sequence.dropFirst(2).dropLast().split(separator: ";").compactMap { Int($0) }
        if sequence.hasSuffix("H") { (row, column) = (numbers[0] - 1, numbers[1] - 1) }
        if sequence.hasSuffix("2K") { cells[row] = Array(repeating: " ", count: cells[row].count) }
        if sequence.hasSuffix("2J") { self = SmallTerminal(rows: cells.count, columns: cells[0].count) }
    }

    private mutating func put(_ character: Character) {
        drawn += 1
        let width = Cells.width(character)
        cells[row][column] = String(character)
        if width == 2 { cells[row][column + 1] = "" }
        column += width
    }

    var lines: [String] {
        cells.map { row in
            var line = row.joined()
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

@Suite struct ScreenTests {
    @Test(
        "characters have the cells that terminals give them",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("ﾊ", 1), ("Ａ", 2), ("😀", 2), ("👩‍👩‍👧", 2),
            ("🇩🇪", 2),
            ("❤", 1), ("❤️", 2), ("1️⃣", 2), ("\u{301}", 0), ("\u{200B}", 0), ("한", 2), ("—", 1), ("👍🏽", 2),
        ] as [(Character, Int)])
    func widths(character: Character, width: Int) { #expect(Cells.width(character) == width) }

    @Test("text is cut by cells, and a wide character is not cut in half")
    func cutting() {
        #expect(Cells.prefix("日本語", to: 5) == "日本")
        #expect(Cells.cut("日本語", to: 5) == "日本…" && Cells.cut("日本語", to: 6) == "日本語")
        #expect(Cells.cut("abc", to: 2) == "a…" && Cells.cut("abc", to: 0).isEmpty)
        var screen = Screen(rows: 1, columns: 5)
        #expect(screen.put("a日本", at: .init(row: 0, column: 0)) == 5)
        #expect(screen.put("日", at: .init(row: 0, column: 4)) == 4)
        #expect(screen.lines == ["a日本"])
    }

    @Test("nothing that steers a terminal is drawn")
    func steering() {
        var screen = Screen(rows: 1, columns: 20)
        screen.put("a\u{1B}[2Jb\u{9B}c\n\u{202E}d\u{301}", at: .init(row: 0, column: 0))
        #expect(screen.lines == ["a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}\u{FFFD}d\u{301}"])
    }

    @Test("the difference makes the new screen of the old one", arguments: 0..<60)
    func difference(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
        }
        func random() -> Screen {
            var screen = Screen(rows: 4, columns: 12)
            for row in 0..<4 {
                let text = (0..<next(14)).map { _ in ["a", "b", " ", "é", "日", "👍🏽", "\u{1B}"][next(7)] }
                    .joined()
                screen.put(text, at: .init(row: row, column: next(3)), Style(rawValue: UInt8(next(3))))
            }
            return screen
        }
        var terminal = SmallTerminal(rows: 4, columns: 12)
        var old: Screen?
        for _ in 0..<20 {
            let new = random()
            terminal.receive(new.bytes(over: old))
            #expect(terminal.lines == new.lines)
            old = new
        }
    }

    @Test("what stays is not sent again, and the cursor is where it was asked for")
    func small() {
        var screen = Screen(rows: 3, columns: 40)
        screen.put("one line and another", at: .init(row: 1, column: 0))
        var terminal = SmallTerminal(rows: 3, columns: 40)
        terminal.receive(screen.bytes(over: nil))
        let before = terminal.drawn
        var next = screen
        next.put("X", at: .init(row: 1, column: 4), .bold)
        next.cursor = .init(row: 2, column: 7)
        terminal.receive(next.bytes(over: screen))
        #expect(terminal.drawn == before + 1)
        #expect((terminal.row, terminal.column) == (2, 7))
        #expect(
            String(decoding: next.bytes(over: next), as: UTF8.self) == "\u{1B}[?25l\u{1B}[3;8H\u{1B}[?25h")
    }

    @Test("an editor that is not named, and a file that is not UTF-8, are told apart")
    func editor() throws {
        #expect(throws: EditorFailure.noEditor) { try Editor { _ in nil } }
        let file = try EditedFile("a", program: "terminal-tests", suffix: "txt")
        defer { file.remove() }
        #expect(try Editor { $0 == "EDITOR" ? "printf 'b\\n' >" : nil }.open(file.path) == 0)
        #expect(try file.read(likeBefore: "a") == "b" && file.read(likeBefore: "a\n") == "b\n")
        // Whatever this thread has blocked, an editor gets all signals.
        let mask = "grep SigBlk /proc/self/status >"
        #expect(try Editor { $0 == "VISUAL" ? mask : "false" }.open(file.path) == 0)
        #expect(try file.read(likeBefore: "") == "SigBlk:\t0000000000000000")
        #expect(try Editor { $0 == "EDITOR" ? "exit 3;" : nil }.open(file.path) == 3)
        #expect(try Editor { $0 == "EDITOR" ? "printf '\\377' >" : nil }.open(file.path) == 0)
        #expect(throws: EditorFailure.notUTF8(path: file.path)) { try file.read(likeBefore: "a") }
    }
}
