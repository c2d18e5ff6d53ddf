// The project's own sources as text, for tests that read them.

import Foundation

/// A Swift file of the project.
struct SourceFile: Sendable, CustomStringConvertible {
    /// From the project's root, e.g. "Sources/Core/Bytes/Key.swift".
    let path: String
    let text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    var description: String { path }

    /// The target it belongs to: the floor of Core, Shell, …
    var target: String {
        let parts = path.split(separator: "/").map(String.init)
        return parts[0] == "Sources" ? parts[2] : parts[1]
    }
}

enum SourceTree {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let sources = files(below: "Sources")
    static let tests = files(below: "Tests")

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func files(below folder: String) -> [SourceFile] {
        let base = root.appendingPathComponent(folder)
        guard let walker = FileManager.default.enumerator(atPath: base.path) else { return [] }
        var found: [SourceFile] = []
        for case let name as String in walker where name.hasSuffix(".swift") {
            let path = folder + "/" + name
            guard let text = try? text(path) else { continue }
            found.append(SourceFile(path: path, text: text))
        }
        return found.sorted { $0.path < $1.path }
    }
}
