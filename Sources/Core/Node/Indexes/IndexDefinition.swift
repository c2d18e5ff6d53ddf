// What a person declares: documents whose keys begin with a prefix, in the order of what a path shows.

public import Bytes
public import Documents
import Wire

/// By what an index orders which documents.
public struct IndexDefinition: Hashable, Sendable {
    /// Keys and indexes, at least one.
    public let path: [PathElement]
    public let prefix: Key

    /// Nil when no document could have such a path or key, and when the path names an element by its id: that
    /// one fits one document.
    public init?(path: [PathElement], prefix: Key) {
        guard (1...DocumentLimits.nestingMax).contains(path.count),
            prefix.utf8Count <= DocumentLimits.documentKeyBytesMax
        else { return nil }
        for step in path {
            switch step {
            case .key(let key): if key.utf8Count > DocumentLimits.mapKeyBytesMax { return nil }
            case .index(let index): if index < 0 { return nil }
            case .element: return nil
            }
        }
        self.path = path
        self.prefix = prefix
    }

    private static let version: UInt8 = 1

    /// version u8 · prefix bytes · count, steps: 0 key bytes | 1 index varint.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.version)
        writer.counted(prefix)
        writer.varint(path.count)
        for step in path {
            switch step {
            case .key(let key):
                writer.u8(0)
                writer.counted(key)
            case .index(let index):
                writer.u8(1)
                writer.varint(index)
            case .element(let dot): preconditionFailure("element \(dot) in the path of an index")
            }
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        if version != Self.version { throw .unknownTag(field: "index", value: UInt64(version)) }
        let prefix = try reader.key(limit: DocumentLimits.documentKeyBytesMax, field: "prefix")
        var path: [PathElement] = []
        for _ in 0..<(try reader.count(limit: DocumentLimits.nestingMax, field: "path")) {
            switch try reader.u8() {
            case 0: path.append(.key(try reader.key(limit: DocumentLimits.mapKeyBytesMax, field: "path")))
            case 1: path.append(.index(try reader.count(limit: .max, field: "path")))
            case let tag: throw .unknownTag(field: "path", value: UInt64(tag))
            }
        }
        try reader.finish()
        guard let made = IndexDefinition(path: path, prefix: prefix) else {
            throw .outOfRange(field: "path")
        }
        self = made
    }
}
