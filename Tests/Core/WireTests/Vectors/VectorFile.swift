// Golden vectors are JSON, so that another implementation can use them. They say what the bytes must be; a
// test that turns red is repaired in the code, or the format changed on purpose and got a decision record.

import Bytes
import Foundation
import Testing

/// One file of Tests/Vectors/wire: named lists of cases.
struct VectorFile {
    private let lists: [String: [[String: Any]]]

    init(_ name: String) throws {
        let file = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/wire/\(name).json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        lists = try #require(json as? [String: [[String: Any]]])
    }

    /// The cases of a list, at least one.
    func cases(_ list: String) throws -> [VectorCase] {
        let cases = try #require(lists[list], "no list \(list)")
        #expect(!cases.isEmpty)
        return cases.map { VectorCase(fields: $0) }
    }
}

/// One case. Bytes are hexadecimal, numbers of 64 bits are strings.
struct VectorCase {
    let fields: [String: Any]

    var name: String { fields["name"] as? String ?? "?" }

    func text(_ field: String) throws -> String {
        try #require(fields[field] as? String, "\(name): no text \(field)")
    }

    func bytes(_ field: String) throws -> [UInt8] {
        try #require(Hex.decode(try text(field)), "\(name): \(field) is not hexadecimal")
    }

    func number(_ field: String) throws -> UInt64 {
        try #require(UInt64(try text(field)), "\(name): \(field) is no number")
    }

    func list(_ field: String) throws -> [VectorCase] {
        try #require(fields[field] as? [[String: Any]], "\(name): no list \(field)").map {
            VectorCase(fields: $0)
        }
    }

    /// The JSON of a field in one form, for comparing and for messages.
    func json(_ field: String) throws -> String { try canonicalJSON(try #require(fields[field])) }
}

func canonicalJSON(_ value: Any) throws -> String {
    let data = try JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
    return String(decoding: data, as: UTF8.self)
}

extension DecodeFault {
    /// How vectors name a fault: its kind and field, without the numbers.
    var vectorName: String {
        switch self {
        case .truncated: "truncated"
        case .varintNotMinimal: "varint not minimal"
        case .overLimit(let field, _, _): "over limit: \(field)"
        case .trailing: "trailing"
        case .invalidUTF8: "invalid utf-8"
        case .unknownTag(let field, _): "unknown tag: \(field)"
        case .notCanonical(let field): "not canonical: \(field)"
        case .outOfRange(let field): "out of range: \(field)"
        }
    }
}
