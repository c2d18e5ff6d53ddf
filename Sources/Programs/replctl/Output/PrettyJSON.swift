// A value for people: JSON with a member or element a line, short arrays and objects of scalars on one line.
// Numbers and strings have the canonical form of the API.

import Bytes
import JSON

enum PrettyJSON {
    /// What still fits on one line.
    static let lineColumns = 80

    static func text(_ value: PlainValue) -> String {
        var bytes: [UInt8] = []
        append(value, depth: 0, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// On one line, as the API writes it.
    static func compact(_ value: PlainValue) -> String {
        var bytes: [UInt8] = []
        CanonicalJSON.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ value: PlainValue, depth: Int, to text: inout [UInt8]) {
        if isShort(value) {
            CanonicalJSON.append(value, to: &text)
            return
        }
        switch value {
        case .scalar: CanonicalJSON.append(value, to: &text)
        case .array(let elements):
            list(elements, "[", "]", depth: depth, to: &text) { append($0, depth: depth + 1, to: &$1) }
        case .object(let members):
            list(members, "{", "}", depth: depth, to: &text) { member, text in
                CanonicalJSON.append(member.key, to: &text)
                text.append(contentsOf: ": ".utf8)
                append(member.value, depth: depth + 1, to: &text)
            }
        }
    }

    private static func list<Item>(
        _ items: [Item], _ open: String, _ close: String, depth: Int, to text: inout [UInt8],
        _ each: (Item, inout [UInt8]) -> Void
    ) {
        text.append(contentsOf: open.utf8)
        for (index, item) in items.enumerated() {
            text.append(contentsOf: index == 0 ? "\n".utf8 : ",\n".utf8)
            text.append(contentsOf: repeatElement(0x20, count: 2 * (depth + 1)))
            each(item, &text)
        }
        text.append(0x0A)
        text.append(contentsOf: repeatElement(0x20, count: 2 * depth))
        text.append(contentsOf: close.utf8)
    }

    /// Scalars, empty containers, and short arrays of scalars.
    private static func isShort(_ value: PlainValue) -> Bool {
        switch value {
        case .scalar: return true
        case .object(let members): return members.isEmpty
        case .array(let elements):
            var columns = 2
            for element in elements {
                guard case .scalar(let scalar) = element else { return false }
                if case .string(let text) = scalar { columns += text.utf8Count + 3 } else { columns += 8 }
                guard columns <= lineColumns else { return false }
            }
            return true
        }
    }
}

extension Console {
    /// A value of a document, whole.
    func writeValue(_ value: PlainValue) throws(OutputClosed) {
        let text = PrettyJSON.text(value)
        try writeLine(isTerminal ? Printable.json(text) : text)
    }
}
