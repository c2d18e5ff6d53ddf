// A path as people type it, in filters and orders; replctl's PATH is the same (a test holds both together):
//
//   items.0.qty      key "items", index 0, key "qty"        a number without leading zero is an index
//   years.\2024      key "years", key "2024"                a part with a backslash in it is always a key
//   a\.b.c\\d        key "a.b", key "c\d"                   a backslash takes the next character as it is
//   items.@ID.qty    element ID of a list (<replica>:<sequence>, from the typed view), key "qty"
//   items.""         key "items", key ""                    two quotes are the empty key; \"" is a key of two

import Bytes
import Causality

/// Reads paths inside of a text of a person. Positions are in Unicode scalars.
struct DottedText {
    let scalars: [Unicode.Scalar]
    /// The place of the next scalar, from 0.
    private(set) var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    var isAtEnd: Bool { position == scalars.count }

    /// The next scalar without taking it.
    var next: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }

    /// The scalar after the next.
    var second: Unicode.Scalar? { position + 1 < scalars.count ? scalars[position + 1] : nil }

    mutating func advance(by count: Int = 1) {
        position += count
        precondition(position <= scalars.count, "at \(position) of \(scalars.count)")
    }

    mutating func skipSpace() { while let scalar = next, Self.isSpace(scalar) { position += 1 } }

    /// True for the four scalars that are whitespace in JSON.
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    /// A path up to the first scalar for which `isEnd` holds of it and the one after it, and that no
    /// backslash stands before, or up to the end of the text.
    mutating func path(
        endingAt isEnd: (Unicode.Scalar, Unicode.Scalar?) -> Bool
    ) throws(FilterFault) -> [PathElement] {
        let start = position
        var steps: [PathElement] = []
        var (part, isEscaped, isPart) = ("", false, false)
        while let scalar = next, !isEnd(scalar, second) {
            switch scalar {
            case "\\":
                guard let escaped = second else {
                    throw FilterFault(
                        at: position, "the path ends with a backslash",
                        hint: "write \\\\ for a backslash in a key")
                }
                part.unicodeScalars.append(escaped)
                (isEscaped, isPart) = (true, true)
                advance(by: 2)
            case ".":
                if steps.isEmpty, !isPart {
                    throw FilterFault(
                        at: position, "the path begins with a dot",
                        hint: "a path begins with a key: title, items.0.qty (the empty key is \"\")")
                }
                steps.append(Self.step(part, isEscaped))
                (part, isEscaped, isPart) = ("", false, false)
                advance()
            default:
                part.unicodeScalars.append(scalar)
                isPart = true
                advance()
            }
        }
        if position == start { return [] }
        return steps + [Self.step(part, isEscaped)]
    }

    private static func step(_ part: String, _ isEscaped: Bool) -> PathElement {
        if isEscaped { return .key(Key(part)) }
        if part.utf8.elementsEqual("\"\"".utf8) { return .key("") }
        if let index = index(part) { return .index(index) }
        if part.utf8.first == UInt8(ascii: "@"), let dot = elementID(part.dropFirst()) {
            return .element(dot)
        }
        return .key(Key(part))
    }

    private static func index(_ part: some StringProtocol) -> Int? {
        guard !part.isEmpty, part.utf8.allSatisfy({ $0 &- 0x30 <= 9 }) else { return nil }
        guard part.utf8.first != 0x30 || part.utf8.count == 1 else { return nil }
        return Int(part)
    }

    /// `<replica, 32 digits>:<sequence>`; other keys may begin with @ as they like.
    private static func elementID(_ text: Substring) -> Dot? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 32, index(parts[1]) != nil else { return nil }
        return Dot(String(text))
    }
}
