// The published vectors are not part of the repository; REPL_VECTORS names the folder that has them. Suites
// that need it are skipped by name without it, and every primitive also has built-in known answers.

import Bytes
import Foundation

enum VectorFile {
    static let folder = ProcessInfo.processInfo.environment["REPL_VECTORS"]
    static var isAvailable: Bool { folder != nil }

    struct Missing: Error { let name: String }

    static func load<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
        guard let folder else { throw Missing(name: name) }
        let data = try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name))
        return try JSONDecoder().decode(type, from: data)
    }
}

struct BadHex: Error { let text: String }

func hex(_ text: String) throws -> [UInt8] {
    guard let bytes = Hex.decode(text) else { throw BadHex(text: text) }
    return bytes
}
