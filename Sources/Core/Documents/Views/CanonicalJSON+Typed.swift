// The typed view as JSON. A slot is one object; members stand in byte order of their names, like everywhere
// in an export:
//
//   register          {"conflicts":[…],"kind":"register","value":SCALAR}
//   counter           {"kind":"counter","value":INTEGER}
//   set …             {"kind":"set"|"remove-wins-set"|"ordered-set","value":[SCALAR…]}
//   text              {"kind":"text","value":STRING}
//   map               {"kind":"map","value":{KEY:SLOT…}}
//   list              {"elements":[SLOT with "id":"<replica>:<sequence>"…],"kind":"list","value":[plain…]}
//
// A register always has "conflicts", another kind only when there are any: the slots that lost, in descending
// priority, each with "author" (the replica) and "timestamp" (ms) beside "kind" and "value". A reader takes
// the "elements" of a list and needs its "value" only where they are missing.

import Bytes
import Causality

extension CanonicalJSON {
    /// Appends the typed view of a slot. O(size × depth): lists show their plain value too.
    public static func append(_ value: TypedValue, to text: inout [UInt8]) {
        append(value, id: nil, lostTo: nil, to: &text)
    }

    /// `id`: of the list element that the slot is. `conflict`: that the value is one itself.
    private static func append(
        _ value: TypedValue, id: Dot?, lostTo conflict: TypedValue.Conflict?, to text: inout [UInt8]
    ) {
        var object = ObjectWriter()
        if let conflict { object.member("author", &text) { append(Key("\(conflict.dot.replica)"), to: &$0) } }
        let conflicts = value.conflicts
        if conflict == nil, value.kind == nil || !conflicts.isEmpty {
            object.member("conflicts", &text) { text in
                appendArray(conflicts, to: &text) { append($0.value, id: nil, lostTo: $0, to: &$1) }
            }
        }
        if case .list(let elements, _) = value {
            object.member("elements", &text) { text in
                appendArray(elements, to: &text) { append($0.value, id: $0.id, lostTo: nil, to: &$1) }
            }
        }
        if let id { object.member("id", &text) { append(Key("\(id)"), to: &$0) } }
        object.member("kind", &text) { append(Key(value.kind?.name ?? "register"), to: &$0) }
        if let conflict {
            let milliseconds = conflict.timestamp.milliseconds
            object.member("timestamp", &text) { $0.append(contentsOf: String(milliseconds).utf8) }
        }
        object.member("value", &text) { appendContent(value, to: &$0) }
        object.end(&text)
    }

    private static func appendContent(_ value: TypedValue, to text: inout [UInt8]) {
        guard case .map(let members, _) = value else {
            append(value.plain, to: &text)
            return
        }
        var object = ObjectWriter()
        for member in members { object.member(member.key, &text) { append(member.value, to: &$0) } }
        object.end(&text)
    }
}

/// Commas and braces of one object.
private struct ObjectWriter {
    private var isEmpty = true

    mutating func member(_ name: Key, _ text: inout [UInt8], _ value: (inout [UInt8]) -> Void) {
        text.append(UInt8(ascii: isEmpty ? "{" : ","))
        isEmpty = false
        CanonicalJSON.append(name, to: &text)
        text.append(UInt8(ascii: ":"))
        value(&text)
    }

    func end(_ text: inout [UInt8]) {
        if isEmpty { text.append(UInt8(ascii: "{")) }
        text.append(UInt8(ascii: "}"))
    }
}
