// The patches of the change stream, applied to plain values as a program that mirrors documents would.

import Testing

/// Documents by key, kept up to date from a change stream.
struct Mirror {
    private(set) var documents: [String: JSON] = [:]

    /// A line of the stream.
    mutating func apply(_ line: JSON) throws {
        for document in line["documents"].array {
            let key = try #require(document["key"].string)
            var value = documents[key]
            if case .array(let patches) = document["patches"], patches.isEmpty {
                value = value ?? .object([:])
            }
            for patch in document["patches"].array {
                if patch["path"].array.isEmpty {
                    try #require(patch["delete"] == true, "[] appears only as delete: \(patch)")
                    value = nil
                } else {
                    value = try (value ?? .object([:])).patched(patch, at: patch["path"].array[...])
                }
            }
            documents[key] = value
        }
    }
}

extension JSON {
    fileprivate func patched(_ patch: JSON, at path: ArraySlice<JSON>) throws -> JSON {
        guard let step = path.first else {
            try #require(patch.has("splice"), "an empty rest of a path is a splice: \(patch)")
            return try spliced(patch["splice"])
        }
        let isSlot = path.count == 1 && !patch.has("splice")
        switch (self, step) {
        case (.object(var members), .string(let name)):
            if isSlot, patch["delete"] == true {
                try #require(members.removeValue(forKey: name) != nil, "nothing to delete at \(patch)")
            } else if isSlot {
                members[name] = patch["set"]
            } else {
                let old = try #require(members[name], "nothing at \(patch)")
                members[name] = try old.patched(patch, at: path.dropFirst())
            }
            return .object(members)
        case (.array(var items), .integer(let number)):
            let index = Int(number)
            try #require(items.indices.contains(index), "no element at \(patch)")
            if isSlot {
                try #require(patch.has("set"), "an element goes by a splice: \(patch)")
                items[index] = patch["set"]
            } else {
                items[index] = try items[index].patched(patch, at: path.dropFirst())
            }
            return .array(items)
        default:
            Issue.record("\(patch) does not fit \(self)")
            throw JSONFaultInAnswer(what: "a patch that does not fit", offset: 0, near: "\(patch)")
        }
    }

    private func spliced(_ splice: JSON) throws -> JSON {
        let index = Int(try #require(splice["index"].integer))
        let delete = Int(try #require(splice["delete"].integer))
        switch (self, splice["insert"]) {
        case (.string(let text), .string(let insert)):
            var scalars = Array(text.unicodeScalars)
            scalars.replaceSubrange(index..<index + delete, with: insert.unicodeScalars)
            var result = String.UnicodeScalarView()
            result.append(contentsOf: scalars)
            return .string(String(result))
        case (.array(var items), .array(let insert)):
            items.replaceSubrange(index..<index + delete, with: insert)
            return .array(items)
        default:
            throw JSONFaultInAnswer(what: "a splice that does not fit", offset: 0, near: "\(splice)")
        }
    }
}
