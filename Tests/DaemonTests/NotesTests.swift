// The program `notes` on real daemons: what scripts call, and two people in one note at once.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct NotesTests {
        /// Runs `notes` as a person at this box would; `editor` is what EDITOR says.
        private func notes(
            _ box: Daemon, _ words: [String], editor: String = "true", ends end: ChildProcess.End = .exit(0)
        ) throws -> String {
            let environment = ["REPL_SOCKET=\(box.socket)", "EDITOR=\(editor)", "VISUAL=", "NOTES_SPACE="]
            let program = try Programs.path("notes")
            let said = try ChildProcess.run("/usr/bin/env", environment + [program] + words, within: 30)
            let output = String(decoding: said.output, as: UTF8.self)
            try #require(said.end == end, "notes \(words): \(said.end)\n\(output)")
            return output.hasSuffix("\n") ? String(output.dropLast()) : output
        }

        private func titles(_ box: Daemon, _ words: [String] = []) throws -> [String] {
            try notes(box, ["ls"] + words).split(separator: "\n").map { String($0.dropFirst(9)) }
        }

        @Test("notes are added, found, tagged, moved, done, exported and deleted by plain verbs")
        func verbs() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let missing = try notes(attic, ["ls"], ends: .exit(1))
                #expect(missing.contains("replctl space create notes"))
                try attic.api.createSpace("notes")
                let paint = try notes(
                    attic,
                    ["add", "Buy paint", "--tag", "house", "--priority", "high", "--body", "white\n2 l"])
                _ = try notes(attic, ["add", "Räume 日本"])
                _ = try notes(attic, ["add", "Third"])
                #expect(try titles(attic) == ["Buy paint #house", "Räume 日本", "Third"])
                #expect(try titles(attic, ["WHITE"]) == ["Buy paint #house"])
                #expect(try titles(attic, ["--tag", "house"]) == ["Buy paint #house"])
                #expect(try titles(attic, ["--priority", "normal"]) == ["Räume 日本", "Third"])
                _ = try notes(attic, ["mv", "Third", "--first"])
                _ = try notes(attic, ["mv", paint, "--after", "Räume 日本"])
                _ = try notes(attic, ["tag", paint, "blue", "--remove", "house"])
                #expect(try titles(attic) == ["Third", "Räume 日本", "Buy paint #blue"])
                _ = try notes(attic, ["title", "Third", "Last"])
                _ = try notes(attic, ["done", "Last"])
                #expect(try titles(attic) == ["Räume 日本", "Buy paint #blue"])
                _ = try notes(attic, ["reopen", "Last"])
                _ = try notes(attic, ["priority", "Last", "low"])
                #expect(try titles(attic, ["--priority", "low"]) == ["Last"])
                let page = try notes(attic, ["export", "markdown"])
                #expect(
                    page.contains("# Buy paint\n\n*id: \(paint) · priority: high · tags: blue · created: 2"))
                #expect(page.hasSuffix("Z*\n\nwhite\n2 l"))
                _ = try notes(attic, ["rm", paint])
                #expect(try titles(attic, ["--all"]) == ["Last", "Räume 日本"])
                #expect(try notes(attic, ["check"]).isEmpty)
                #expect(
                    try notes(attic, ["show", "nothing"], ends: .exit(1)).contains("no note \"nothing\""))
                #expect(try notes(attic, ["mv", "Last"], ends: .exit(3)).contains("--first"))
                attic.crash()
                #expect(try notes(attic, ["ls"], ends: .exit(2)).contains("start the daemon"))
            }
        }

        @Test("what a note holds steers no terminal, and characters that are joined stay joined")
        func shown() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                try attic.api.createSpace("notes")
                let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
                let id = try notes(
                    attic,
                    ["add", "\(family) \u{1B}[31mred \u{202E}gnp", "--body", "\(family)\n\u{9B}2J\tend"])
                #expect(try titles(attic) == [family + #" \u{1b}[31mred \u{202e}gnp"#])
                let page = try notes(attic, ["show", id])
                #expect(page.hasSuffix("\n\n" + family + "\n" + #"\u{9b}2J"# + "\tend"), "\(page)")
                #expect(!page.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
            }
        }

        @Test("two people edit one text at once: both are in it on both boxes, and one place is told")
        func together() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("notes")
                try shed.api.join(try attic.api.token("notes"))
                _ = try notes(attic, ["add", "List", "--body", "one\ntwo\nthree\n"])
                try eventually("the note at the other", within: 20) { try titles(shed) == ["List"] }
                // While the editor of the attic is open, the shed's edit arrives.
                let inner =
                    "REPL_SOCKET=\(shed.socket) EDITOR='sed -i s/three/THREE/' "
                    + "\(try Programs.path("notes")) edit List"
                let waits =
                    "until REPL_SOCKET=\(attic.socket) \(try Programs.path("notes")) show List "
                    + "| grep -q THREE; do sleep 0.1; done"
                let script = world.folder + "/editor"
                try "#!/bin/sh\nset -e\n\(inner)\n\(waits)\nsed -i s/one/ONE/ \"$1\"\n".write(
                    toFile: script, atomically: true, encoding: .utf8)
                _ = try notes(attic, ["edit", "List"], editor: "sh " + script)
                for box in [attic, shed] {
                    try eventually("both edits at \(box.name)", within: 20) {
                        try notes(box, ["show", "List"]).hasSuffix("\n\nONE\ntwo\nTHREE\n")
                    }
                }
                // The same place: nothing is written, and what was typed is kept in the file that is named.
                let other =
                    "REPL_SOCKET=\(attic.socket) EDITOR='sed -i s/two/2/' "
                    + "\(try Programs.path("notes")) edit List"
                try "#!/bin/sh\nset -e\n\(other)\nsed -i s/two/zwei/ \"$1\"\n".write(
                    toFile: script, atomically: true, encoding: .utf8)
                let said = try notes(attic, ["edit", "List"], editor: "sh " + script, ends: .exit(4))
                let kept = try #require(said.firstMatch(of: /what you wrote is in (\S+):/)).1
                #expect(try String(contentsOfFile: String(kept), encoding: .utf8) == "ONE\nzwei\nTHREE\n")
                try FileManager.default.removeItem(
                    atPath: URL(fileURLWithPath: String(kept)).deletingLastPathComponent().path)
                #expect(try notes(attic, ["show", "List"]).hasSuffix("\n\nONE\n2\nTHREE\n"))
            }
        }

        @Test("a note that was deleted while somebody wrote into it stays with what they wrote")
        func deleted() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("notes")
                try shed.api.join(try attic.api.token("notes"))
                let id = try notes(attic, ["add", "Kept", "--body", "a"])
                _ = try notes(attic, ["add", "Other"])
                try eventually("the notes at the other", within: 20) { try titles(shed).count == 2 }
                try shed.stop()
                _ = try notes(attic, ["rm", id])
                try attic.stop()
                try shed.start(peers: [attic])
                _ = try notes(shed, ["edit", id], editor: "sed -i s/a/ab/")
                try attic.start(peers: [shed])
                try eventually("the note at both", within: 20) {
                    try titles(attic).sorted() == titles(shed).sorted() && titles(attic).count == 2
                }
                let (listed, shown) = (try titles(attic), try notes(attic, ["show", id]))
                #expect(listed == ["Other", "Kept"])
                #expect(shown.hasSuffix("\n\nab"))
            }
        }
    }
}
