// Every line of the log has a code, and Sources/Docs/LOGS.md says of each what happened and what to do.

import Foundation
import Testing

@Suite struct LogTests {
    /// The sources of what ships and logs.
    private var files: [SourceFile] {
        SourceTree.sources.filter {
            ["Sources/Core/", "Sources/Shell/", "Sources/Programs/repld/"].contains(where: $0.path.hasPrefix)
        }
    }

    /// Codes by where they stand: effects and alarms of the node, and metadata of the shell's lines.
    private func codes(in text: String) -> [String] {
        text.matches(of: /batch\.log\(\s*[^,]+,\s*"([^"]+)"/).map { String($0.1) }
            + text.matches(of: /code: "([^"]+)",\s*message:/).map { String($0.1) }
            + text.matches(of: /"code": "([^"\\]+)"/).map { String($0.1) }
    }

    @Test("every code in the sources is documented, and every documented one is used")
    func documented() throws {
        let used = Set(files.flatMap { codes(in: $0.text) })
        let page = try SourceTree.text("Sources/Docs/LOGS.md")
        let rows = page.matches(of: /\n\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|/)
        let known = rows.map { String($0.1) }
        #expect(used.count > 20, "the codes were not found")
        #expect(used.subtracting(known).sorted() == [], "not in Sources/Docs/LOGS.md")
        #expect(Set(known).subtracting(used).sorted() == [], "nothing logs these")
        #expect(known == known.sorted() && Set(known).count == known.count, "in order, once each")
        for code in used { #expect(code.wholeMatch(of: /[a-z]+(-[a-z0-9]+)*/) != nil, "\(code)") }
    }

    @Test("no line is logged without a code")
    func coded() {
        var calls = 0
        for file in files where !file.path.hasPrefix("Sources/Core/") {
            for call in file.text.matches(of: /\blog\.(?:trace|debug|info|notice|warning|error|critical)\(/) {
                calls += 1
                #expect(
                    argument(of: file.text, from: call.range.upperBound).contains("\"code\":"),
                    "\(file.path): \(file.text[call.range.lowerBound...].prefix(80))")
            }
        }
        #expect(calls > 10, "the calls were not found")
    }

    /// What stands up to the closing parenthesis; parentheses in our messages are balanced.
    private func argument(of text: String, from start: String.Index) -> Substring {
        var (depth, end) = (1, start)
        while end < text.endIndex, depth > 0 {
            if text[end] == "(" { depth += 1 } else if text[end] == ")" { depth -= 1 }
            end = text.index(after: end)
        }
        return text[start..<end]
    }
}
