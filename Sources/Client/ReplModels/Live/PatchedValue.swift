// The patches of the change stream, applied to plain values (API.md, "The change stream"). A patch that does
// not fit means that we hold another value than the daemon told against: the state is read again then.

import Bytes
import JSON

enum PatchedValue {
    /// The document after the patches; nil: deleted.
    static func apply(
        _ patches: [PlainValue], to value: PlainValue?, of key: String
    ) throws(PatchMismatch) -> PlainValue? {
        // No patch: it is there now, empty.
        var value = patches.isEmpty ? value ?? .emptyObject : value
        for patch in patches {
            guard let path = patch["path"]?.elements else { throw mismatch(key) }
            if path.isEmpty {
                value = nil
            } else {
                value = try patched(value ?? .emptyObject, patch, path[...], key)
            }
        }
        return value
    }

    private static func patched(
        _ value: PlainValue, _ patch: PlainValue, _ path: ArraySlice<PlainValue>, _ key: String
    ) throws(PatchMismatch) -> PlainValue {
        guard let step = path.first else {
            guard let splice = patch["splice"] else { throw mismatch(key) }
            return try spliced(value, splice, key)
        }
        let isSlot = path.count == 1 && patch["splice"] == nil
        switch (value, step) {
        case (.object(var members), .scalar(.string(let name))):
            let place = members.firstIndex { !($0.key < name) } ?? members.count
            let isThere = place < members.count && members[place].key == name
            if isSlot {
                if let new = patch["set"] {
                    if isThere { members.remove(at: place) }
                    members.insert(.init(name, new), at: place)
                } else if isThere {
                    members.remove(at: place)
                }
            } else {
                guard isThere else { throw mismatch(key) }
                members[place].value = try patched(members[place].value, patch, path.dropFirst(), key)
            }
            return .object(members)
        case (.array(var elements), .scalar(.integer(let number))):
            guard let index = Int(exactly: number), elements.indices.contains(index) else {
                throw mismatch(key)
            }
            if isSlot {
                guard let new = patch["set"] else { throw mismatch(key) }
                elements[index] = new
            } else {
                elements[index] = try patched(elements[index], patch, path.dropFirst(), key)
            }
            return .array(elements)
        default: throw mismatch(key)
        }
    }

    private static func spliced(
        _ value: PlainValue, _ splice: PlainValue, _ key: String
    ) throws(PatchMismatch) -> PlainValue {
        guard let index = splice.integer("index").flatMap({ Int(exactly: $0) }), index >= 0,
            let count = splice.integer("delete").flatMap({ Int(exactly: $0) }), count >= 0
        else { throw mismatch(key) }
        switch (value, splice["insert"]) {
        case (.scalar(.string(let text)), .scalar(.string(let insert))?):
            let scalars = text.string.unicodeScalars
            guard let start = scalars.index(scalars.startIndex, offsetBy: index, limitedBy: scalars.endIndex),
                let end = scalars.index(start, offsetBy: count, limitedBy: scalars.endIndex)
            else { throw mismatch(key) }
            var new = String(scalars[..<start])
            new.unicodeScalars.append(contentsOf: insert.string.unicodeScalars)
            new.unicodeScalars.append(contentsOf: scalars[end...])
            return .scalar(.string(Bytes.Key(new)))
        case (.array(var elements), .array(let insert)?):
            guard index <= elements.count, count <= elements.count - index else { throw mismatch(key) }
            elements.replaceSubrange(index..<(index + count), with: insert)
            return .array(elements)
        default: throw mismatch(key)
        }
    }

    private static func mismatch(_ key: String) -> PatchMismatch { PatchMismatch(document: key) }
}

/// A patch was told against another value than this one.
struct PatchMismatch: Error {
    let document: String
}
