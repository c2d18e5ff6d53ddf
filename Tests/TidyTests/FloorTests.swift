// Folders are floors: a target imports only what stands above it, and the core stays pure. The compiler lets
// a target import a sibling that it does not declare, so this is checked on the text.

import Foundation
import Testing

/// Top to bottom; `Sources/README.md` shows the same order.
private let floors = [
    "CSodium", "CSQLite", "CZstd", "Bytes", "JSON", "Crypto", "Causality", "Documents", "Wire", "Identity",
    "Roster",
    "SecureLink", "Replication", "Mesh", "Node", "SQLiteStore", "NodeRuntime", "Listening", "PeerNetwork",
    "ControlAPI", "ControlServer", "SyncFolder", "DocumentModel", "RosterModel", "CheckpointModel",
    "Simulator",
    "Scenarios",
    "ReplClient", "Terminal", "ReplModels", "ReplicatingMacros", "Replicating", "ReplModeling",
    "CConsolePages",
    "ConsoleServer", "Release", "repld",
    "replctl", "notes", "replsim",
    "replbench",
]

private func imports(of file: SourceFile) -> [String] {
    file.lines.compactMap { line in
        let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
        guard let index = words.firstIndex(of: "import"), index <= 1, index + 1 < words.count else {
            return nil
        }
        return String(words[words.count - 1].split(separator: ".")[0])
    }
}

@Suite struct FloorTests {
    @Test("a file imports only floors above its own", arguments: SourceTree.sources)
    func order(file: SourceFile) throws {
        let own = try #require(floors.firstIndex(of: file.target), "\(file.target) is no floor")
        for name in imports(of: file) {
            guard let other = floors.firstIndex(of: name) else { continue }
            #expect(other < own, "\(file.path) imports \(name), which stands below \(file.target)")
        }
    }

    @Test("only shells and programs use packages and the C library", arguments: SourceTree.sources)
    func purity(file: SourceFile) {
        guard file.path.hasPrefix("Sources/Core/") else { return }
        let allowed = Set(floors)
        for name in imports(of: file) { #expect(allowed.contains(name), "\(file.path) imports \(name)") }
        let impure = [
            "async ", "await ", "actor ", "Task ", "Date()", ".random(in:", "SystemRandomNumberGenerator",
            "print(",
            "fatalError(", "try!", "try?", "Mutex", "NSLock", "ContinuousClock", "SuspendingClock",
        ]
        for (number, line) in file.lines.enumerated() {
            let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
            for word in impure where uses(word, in: code) {
                if word == ".random(in:", code.contains("using:") { continue }
                Issue.record("\(file.path):\(number + 1) uses \(word)")
            }
        }
    }

    /// `word` not as the end of a longer one: `print(`, but not `fingerprint(`.
    private func uses(_ word: String, in code: Substring) -> Bool {
        code.ranges(of: word).contains { range in
            guard word.first?.isLetter == true, range.lowerBound > code.startIndex else { return true }
            let before = code[code.index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber && before != "_"
        }
    }

    @Test("the check for words sees words")
    func words() {
        #expect(uses("try?", in: "let a = try? b()"))
        #expect(uses("print(", in: "print(1)"))
        #expect(!uses("try?", in: "let e: Entry?"))
        #expect(!uses("print(", in: "fingerprint(of: a)"))
    }

    @Test("nothing that ships imports Foundation", arguments: SourceTree.sources)
    func foundation(file: SourceFile) {
        #expect(!imports(of: file).contains { $0.hasPrefix("Foundation") }, "\(file.path)")
    }
}
