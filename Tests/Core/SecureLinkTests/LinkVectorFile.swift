// Golden vectors: those of links are part of the repository (Tests/Vectors/link, made by
// Tests/Interop/link_vectors.py with another implementation of Noise); the published ones of Noise are in the
// folder that REPL_VECTORS names.

import Bytes
import Foundation

enum LinkVectorFile {
    static let published = ProcessInfo.processInfo.environment["REPL_VECTORS"]
    static var isPublishedAvailable: Bool { published != nil }

    struct Missing: Error { let name: String }

    static func load<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try decode(tests.appendingPathComponent("Vectors/link/\(name).json"))
    }

    static func loadPublished<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
        guard let published else { throw Missing(name: name) }
        return try decode(URL(fileURLWithPath: published).appendingPathComponent(name))
    }

    private static func decode<Content: Decodable>(_ url: URL) throws -> Content {
        try JSONDecoder().decode(Content.self, from: Data(contentsOf: url))
    }
}

/// Bytes that a vector file writes in hexadecimal digits.
struct HexBytes: Decodable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Hex.decode(text) else { throw LinkVectorFile.Missing(name: text) }
        self.bytes = bytes
    }
}
