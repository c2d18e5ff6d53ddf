// The full-screen interface of `notes` in a real terminal, tmux, on real daemons: what is typed, what is
// seen, and what is left when something ends it.

import Foundation
import Testing

/// Windows of tmux, with a server of their own.
final class TerminalWindows {
    private let tmux: String
    private let socket: String
    /// A window was opened: the server runs.
    private var hasServer = false

    init(in folder: String) throws {
        tmux = try #require(SystemTool.path("tmux"))
        socket = folder + "/tmux"
    }

    deinit {
        guard hasServer else { return }
        // What it answers does not say that it ended.
        do {
            try run(["kill-server"])
            try eventually("the server of tmux to end", within: 20) {
                try ChildProcess.run(tmux, ["-S", socket, "has-session"], within: 20).end != .exit(0)
            }
        } catch {
            Issue.record("a server of tmux goes on: \(error)")
        }
    }

    @discardableResult
    private func run(_ words: [String]) throws -> String {
        let said = try ChildProcess.run(tmux, ["-S", socket, "-f", "/dev/null", "-u"] + words, within: 20)
        let text = String(decoding: said.output, as: UTF8.self)
        try #require(said.end == .exit(0), "tmux \(words): \(text)")
        return text
    }

    /// A window with a shell's command in it; it stays open when that ends.
    func open(_ name: String, _ command: String, columns: Int = 72, rows: Int = 12) throws {
        try run([
            "new-session", "-d", "-s", name, "-x", "\(columns)", "-y", "\(rows)",
            "\(command); echo \"ended with $?\"; exec sleep 1000",
        ])
        hasServer = true
    }

    func resize(_ name: String, columns: Int, rows: Int) throws {
        try run(["resize-window", "-t", name, "-x", "\(columns)", "-y", "\(rows)"])
    }

    func type(_ name: String, _ text: String) throws { try run(["send-keys", "-t", name, "-l", text]) }
    /// Named as tmux names keys.
    func press(_ name: String, _ keys: String...) throws { try run(["send-keys", "-t", name] + keys) }

    func lines(_ name: String) throws -> [String] {
        var lines = try run(["capture-pane", "-p", "-t", name]).components(separatedBy: "\n").map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Waits until the window shows this.
    func wait(_ name: String, for text: String, within seconds: Double = 20) throws {
        var last = ""
        try eventually("\"\(text)\" in \(name)", within: seconds, last: { last }) {
            last = try lines(name).joined(separator: "\n")
            return last.contains(text)
        }
    }
}

extension DaemonTests {
    @Suite(.needs("tmux")) struct NotesScreenTests {
        private func command(_ box: Daemon, editor: String = "false") throws -> String {
            "env REPL_SOCKET=\(box.socket) NOTES_SPACE= VISUAL= EDITOR='\(editor)' LC_ALL=C.UTF-8 "
                + "XDG_STATE_HOME=\(box.folder)/state-\(box.name) '\(try Programs.path("notes"))'"
        }

        private func show(_ box: Daemon, _ title: String) throws -> String {
            let said = try ChildProcess.run(
                "/usr/bin/env", ["REPL_SOCKET=\(box.socket)", try Programs.path("notes"), "show", title],
                within: 20)
            let text = String(decoding: said.output, as: UTF8.self)
            return String(text[(text.range(of: "*\n\n")?.upperBound ?? text.endIndex)...].dropLast())
        }

        /// Row by row, so that a failure names the one that differs.
        private func expect(_ lines: [String], _ expected: [String]) {
            #expect(lines.count == expected.count)
            for (line, row) in zip(lines, expected) { #expect(line == row) }
        }

        @Test(
            "a session: notes are made, sorted, searched, tagged and done, and each screen is as expected"
        )
        func golden() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                try attic.api.createSpace("notes")
                let windows = try TerminalWindows(in: world.folder)
                try windows.open("a", try command(attic), columns: 60, rows: 8)
                try windows.wait("a", for: "on this box")
                for title in ["Buy paint", "Räume 日本", "Trip"] {
                    try windows.press("a", "n")
                    try windows.type("a", title)
                    try windows.press("a", "Enter")
                    try windows.wait("a", for: "    \(title)")
                    try windows.wait("a", for: "n new")
                }
                try windows.press("a", "K")
                try windows.press("a", "p", "#")
                try windows.type("a", "summer 休み")
                try windows.press("a", "Enter")
                try windows.wait("a", for: "! Trip                                      #summer #休み")
                try windows.press("a", "?")
                try windows.wait("a", for: "any key: back")
                try windows.press("a", "q", "g", "x", "/")
                try windows.type("a", "r")
                try windows.wait("a", for: "2 of 3 notes  /r")
                try expect(
                    windows.lines("a"),
                    [
                        " notes  2 of 3 notes  /r                        on this box",
                        "  ! Trip                                      #summer #休み",
                        "    Räume 日本",
                        "", "", "", "", "/r",
                    ])
                try windows.press("a", "Escape")
                try windows.wait("a", for: "n new")
                try windows.press("a", "a")
                try windows.wait("a", for: "x Buy paint")
                try expect(
                    windows.lines("a"),
                    [
                        " notes  3 of 3 notes  with those done           on this box",
                        "  x Buy paint",
                        "  ! Trip                                      #summer #休み",
                        "    Räume 日本",
                        "", "", "", "Enter text  n new  / search  # tags  t title  x done  K J m…",
                    ])
                try windows.press("a", "q")
                try windows.wait("a", for: "ended with 0")
            }
        }

        @Test(
            "two people type in one note at once: each sees the other's words, and both boxes have them all"
        )
        func together() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("notes")
                try shed.api.join(try attic.api.token("notes"))
                let windows = try TerminalWindows(in: world.folder)
                try windows.open("attic", try command(attic))
                try windows.open("shed", try command(shed), columns: 40, rows: 10)
                try windows.wait("attic", for: "up to date with 1 of 1")
                try windows.press("attic", "n")
                try windows.type("attic", "List")
                try windows.press("attic", "Enter")
                for name in ["attic", "shed"] {
                    try windows.wait(name, for: "    List")
                    try windows.press(name, "Enter")
                    try windows.wait(name, for: "written")
                }
                // Word by word, now the one, now the other, neither waiting for anything.
                for number in 0..<12 {
                    try windows.type("attic", "a\(number) ")
                    try windows.type("shed", "s\(number) ")
                }
                try windows.wait("attic", for: "s11")
                try windows.wait("shed", for: "a11")
                let words = (0..<12).flatMap { ["a\($0)", "s\($0)"] }.sorted()
                for box in [attic, shed] {
                    try eventually("all words at \(box.name)", within: 20) {
                        try show(box, "List").split(separator: " ").map(String.init).sorted() == words
                    }
                }
                #expect(try show(attic, "List") == show(shed, "List"))
            }
        }

        @Test(
            "a title that two wrote while apart is marked on both boxes, shown with its values, and settled")
        func conflict() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("notes")
                try shed.api.join(try attic.api.token("notes"))
                try attic.api.write(
                    "notes", #"{"op":"set","document":"note/00000a","path":["title"],"value":"Paint"}"#)
                let windows = try TerminalWindows(in: world.folder)
                try windows.open("shed", try command(shed))
                try windows.wait("shed", for: "    Paint")
                // Apart: each writes under the other's nose, and the screen of the shed outlives its daemon.
                try shed.stop()
                try windows.wait("shed", for: "the daemon is away")
                try attic.api.write(
                    "notes", #"{"op":"set","document":"note/00000a","path":["title"],"value":"Farbe"}"#)
                try attic.stop()
                try shed.start(peers: [attic])
                try windows.wait("shed", for: "alone: none of 1 other is linked")
                try windows.press("shed", "t", "C-u")
                try windows.type("shed", "Peinture")
                try windows.press("shed", "Enter")
                try windows.wait("shed", for: "    Peinture")
                try attic.start(peers: [shed])
                try windows.open("attic", try command(attic))
                for name in ["attic", "shed"] { try windows.wait(name, for: " ≠  ") }
                try windows.press("attic", "c")
                try windows.wait("attic", for: "title was written at the same time:")
                let shown = try windows.lines("attic")
                #expect(shown.contains { $0.hasPrefix("   Peinture  shed, 2") && $0.hasSuffix("shown now") })
                #expect(shown.contains { $0.hasPrefix("   Farbe  attic, 2") })
                try windows.press("attic", "Down", "Enter")
                for name in ["attic", "shed"] {
                    try windows.wait(name, for: "    Farbe")
                    try eventually("no mark at \(name)", within: 20) {
                        try !windows.lines(name).joined().contains("≠")
                    }
                }
            }
        }

        @Test(
            "what is typed while the daemon is away is written when it is back, or by the next program"
        )
        func away() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                try attic.api.createSpace("notes")
                try attic.api.write(
                    "notes", #"{"op":"set","document":"note/00000a","path":["title"],"value":"Long"}"#)
                let windows = try TerminalWindows(in: world.folder)
                try windows.open("a", "echo $$ > \(world.folder)/pid; exec \(try command(attic))")
                try windows.wait("a", for: "    Long")
                try windows.press("a", "Enter")
                try windows.type("a", "one ")
                try windows.wait("a", for: "written")
                attic.crash()
                try windows.type("a", "two ")
                try windows.wait("a", for: "kept here: the daemon is away")
                try attic.start()
                try windows.wait("a", for: "written")
                try eventually("both words", within: 20) { try show(attic, "Long") == "one two " }
                // Killed in the middle of a word, with the daemon away.
                attic.crash()
                try windows.type("a", "thr")
                let folder = world.folder + "/state-attic/notes/6e6f746573"
                try eventually("the text on disk", within: 20) {
                    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                    return names.filter { $0.hasSuffix(".json") }.contains {
                        (try? String(contentsOfFile: folder + "/" + $0, encoding: .utf8))?.contains("thr")
                            ?? false
                    }
                }
                let pid = try #require(
                    Int32(
                        try String(contentsOfFile: world.folder + "/pid", encoding: .utf8)
                            .trimmingCharacters(in: .whitespacesAndNewlines)))
                kill(pid, SIGKILL)
                try attic.start()
                try attic.api.write(
                    "notes",
                    #"{"op":"splice","document":"note/00000a","path":["body"],"index":0,"#
                        + #""delete":0,"insert":"0 "}"#
                )
                try windows.open("b", try command(attic))
                var text = ""
                try eventually(
                    "all that was typed", within: 20,
                    last: {
                        "\(text.debugDescription)\n\((try? windows.lines("b").joined(separator: "\n")) ?? "")"
                    }
                ) {
                    text = try show(attic, "Long")
                    return text == "0 one two thr"
                }
                try eventually("nothing on disk", within: 20) {
                    try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty
                }
            }
        }

        @Test(
            "the terminal is as it was before, whatever ends the program",
            arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGABRT, SIGTSTP])
        func restored(signal: Int32) throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                try attic.api.createSpace("notes")
                let windows = try TerminalWindows(in: world.folder)
                // A shell with jobs: what stops comes back to it.
                try windows.open(
                    "a", "env PS1='$ ' HISTFILE= bash --norc --noprofile -i", columns: 70, rows: 9)
                try windows.wait("a", for: "$")
                let program = try command(attic, editor: "x").replacing("'", with: "")
                let started = "sh -c 'echo $$ > \(world.folder)/pid; exec \(program)'"
                try windows.type("a", "ulimit -c 0; stty -a > \(world.folder)/before; \(started)")
                try windows.press("a", "Enter")
                try windows.wait("a", for: "no notes yet")
                try windows.resize("a", columns: 50, rows: 9)
                try windows.wait("a", for: "no notes yet")
                try eventually("the new width", within: 20) {
                    try windows.lines("a")[0].hasSuffix(" on this box") && windows.lines("a")[0].count == 49
                }
                let pid = try #require(
                    Int32(
                        try String(contentsOfFile: world.folder + "/pid", encoding: .utf8)
                            .trimmingCharacters(in: .whitespacesAndNewlines)))
                kill(pid, signal)
                try eventually("the shell's screen", within: 20) { try windows.lines("a").last == "$" }
                try windows.type("a", "stty -a > \(world.folder)/after; echo left")
                try windows.press("a", "Enter")
                try windows.wait("a", for: "\nleft")
                func modes(_ name: String) throws -> String {
                    try String(contentsOfFile: world.folder + name, encoding: .utf8)
                        .replacing(/rows \d+; columns \d+/, with: "")
                }
                #expect(try modes("/before") == modes("/after"))
                guard signal == SIGTSTP else { return }
                try windows.type("a", "fg")
                try windows.press("a", "Enter")
                try windows.wait("a", for: "no notes yet")
                try windows.press("a", "q")
                try eventually("the shell's screen", within: 20) { try windows.lines("a").last == "$" }
            }
        }
    }
}
