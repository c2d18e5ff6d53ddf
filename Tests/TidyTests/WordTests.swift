// One word, one meaning (Sources/Docs/GLOSSARY.md), and nothing left undone in main.

import Foundation
import Testing

@Suite struct WordTests {
    @Test("words that the glossary refuses are not used", arguments: SourceTree.sources)
    func glossary(file: SourceFile) {
        let refused = [
            "vector clock", "VectorClock", "node id", "NodeID", "PeerID", "lamport", "mutation log", "oplog",
        ]
        let text = file.text.lowercased()
        for word in refused { #expect(!text.contains(word.lowercased()), "\(file.path) says \(word)") }
    }

    @Test("nothing is marked as undone", arguments: SourceTree.sources)
    func undone(file: SourceFile) {
        for word in ["TO" + "DO", "FIX" + "ME", "XX" + "X", "not " + "implemented"] {
            #expect(!file.text.contains(word), "\(file.path) says \(word)")
        }
    }

    @Test("there is no drawer for helpers", arguments: SourceTree.sources)
    func drawers(file: SourceFile) {
        let name = String(file.path.split(separator: "/").last ?? "")
        for word in ["Utils", "Helpers", "Common", "Manager", "Misc"] {
            #expect(!name.contains(word), "\(file.path)")
        }
    }

    @Test("pages name only files that exist", arguments: ["README.md", "Sources/README.md"])
    func pages(page: String) throws {
        let text = try SourceTree.text(page)
        let paths = text.matches(of: /`((?:Sources|Tests|Config|systemd)\/[A-Za-z0-9_.\/+-]+)`/).map {
            String($0.1)
        }
        #expect(!paths.isEmpty, "\(page) names no file at all")
        for path in paths {
            let exists = FileManager.default.fileExists(
                atPath: SourceTree.root.appendingPathComponent(path).path)
            #expect(exists, "\(page) names \(path)")
        }
    }

    @Test("every dependency says what it is for")
    func dependencies() throws {
        let lines = try SourceTree.text("Package.swift").split(separator: "\n")
        for (number, line) in lines.enumerated() where line.contains(".package(url:") {
            #expect(lines[number - 1].contains("// "), "\(line)")
            #expect(line.contains("exact:"), "\(line)")
        }
    }
}
