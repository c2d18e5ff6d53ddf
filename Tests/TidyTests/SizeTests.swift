// Files and functions that fit in a head. The numbers are STYLE's: 600 lines a file, 60 a function, 110
// columns.

import Foundation
import Testing

@Suite struct SizeTests {
    @Test(
        "a file has at most 600 lines of at most 110 columns",
        arguments: SourceTree.sources + SourceTree.tests)
    func files(file: SourceFile) {
        #expect(file.lines.count <= 601, "\(file.path) has \(file.lines.count) lines")
        for (number, line) in file.lines.enumerated() where line.count > 110 {
            // A literal that cannot be broken may stick out in tests.
            if file.path.hasPrefix("Tests/") && line.contains("\"") { continue }
            Issue.record("\(file.path):\(number + 1) has \(line.count) columns")
        }
    }

    @Test("a function has at most 60 lines", arguments: SourceTree.sources)
    func functions(file: SourceFile) {
        var start: (line: Int, indent: Int)?
        for (number, line) in file.lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indent)
            if start == nil, isFunction(code) {
                start = (number, indent)
            } else if let open = start, indent == open.indent, code.hasPrefix("}") {
                let length = number - open.line + 1
                #expect(length <= 60, "\(file.path):\(open.line + 1) is \(length) lines long")
                start = nil
            } else if let open = start, indent == open.indent, isFunction(code) {
                start = (number, indent)
            }
        }
    }

    @Test("a file says what it is for before anything else", arguments: SourceTree.sources)
    func heads(file: SourceFile) {
        #expect(file.lines[0].hasPrefix("// "), "\(file.path) opens without a comment")
    }

    private func isFunction(_ code: Substring) -> Bool {
        let words = code.split(separator: " ", maxSplits: 5)
        guard let index = words.firstIndex(where: { $0 == "func" || $0.hasPrefix("init(") }) else {
            return false
        }
        let modifiers: Set<Substring> = [
            "public", "private", "fileprivate", "internal", "static", "mutating", "consuming", "borrowing",
            "override",
            "package", "nonisolated", "@discardableResult", "@inlinable", "required", "convenience", "final",
        ]
        return words[..<index].allSatisfy(modifiers.contains)
    }
}
