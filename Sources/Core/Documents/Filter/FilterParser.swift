// Reads filters:
//
//     where      = comparison *( space "and" space comparison )
//     comparison = PATH operator LITERAL / PATH "~" string / PATH space "has" space LITERAL
//                / PATH space ( "exists" / "missing" )
//     operator   = "=" / "!=" / "<=" / "<" / ">=" / ">"
//     space      = 1*( " " / tab / CR / LF ), allowed around operators too
//
// A path ends at space and at an operator; a backslash takes one into a key. Literals are JSON, so a string
// stands in quotes, whatever is in it.

import Bytes

extension Filter {
    /// Reads the text of a program or a person; the fault is at the first scalar that cannot be there.
    public init(_ text: String) throws(FilterFault) {
        var parser = FilterParser(text)
        self.init(try parser.comparisons())
    }
}

private struct FilterParser {
    private var text: DottedText
    /// The same text as bytes, for literals.
    private let bytes: [UInt8]

    init(_ text: String) {
        self.text = DottedText(text)
        bytes = Array(text.utf8)
    }

    mutating func comparisons() throws(FilterFault) -> [Filter.Comparison] {
        var comparisons: [Filter.Comparison] = []
        text.skipSpace()
        while true {
            if comparisons.count == FilterLimits.comparisonsMax {
                throw fault(
                    "there are more than \(FilterLimits.comparisonsMax) comparisons",
                    hint: "ask for less at once, and look at the rest in your program")
            }
            comparisons.append(try comparison())
            let hasSpace = text.next.map(DottedText.isSpace) ?? false
            text.skipSpace()
            if text.isAtEnd { return comparisons }
            let place = text.position
            guard hasSpace, word() == "and", text.next.map(DottedText.isSpace) ?? true else {
                throw FilterFault(
                    at: place, "\"and\" or the end is expected after a comparison",
                    hint: "join comparisons with and: done=false and qty>=3")
            }
            text.skipSpace()
        }
    }

    private mutating func comparison() throws(FilterFault) -> Filter.Comparison {
        let start = text.position
        let path = try text.path { scalar, next in
            DottedText.isSpace(scalar) || "=<>~".unicodeScalars.contains(scalar)
                || scalar == "!" && next == "="
        }
        guard !path.isEmpty else {
            throw FilterFault(
                at: start, "a path is expected", hint: "a comparison begins with a path: done=false")
        }
        let hasSpace = text.next.map(DottedText.isSpace) ?? false
        text.skipSpace()
        return Filter.Comparison(path: path, test: try test(hasSpace: hasSpace))
    }

    /// Reads the comparison that follows a path.
    private mutating func test(hasSpace: Bool) throws(FilterFault) -> Filter.Test {
        switch (text.next, text.second) {
        case ("=", _): return .equals(try literal(after: 1))
        case ("!", "="): return .differs(try literal(after: 2))
        case ("<", "="): return .ordered(.atMost, try literal(after: 2))
        case ("<", _): return .ordered(.less, try literal(after: 1))
        case (">", "="): return .ordered(.atLeast, try literal(after: 2))
        case (">", _): return .ordered(.greater, try literal(after: 1))
        case ("~", _): return .contains(try part())
        default: break
        }
        let place = text.position
        switch hasSpace ? word() : "" {
        case "exists" where endsWord: return .exists
        case "missing" where endsWord: return .missing
        case "has" where endsWord: return .has(try literal(after: 0))
        default:
            throw FilterFault(
                at: place, "an operator is expected after the path",
                hint: "use = != < <= > >= ~ has exists missing; a backslash takes a character into the path")
        }
    }

    private var endsWord: Bool { text.next.map(DottedText.isSpace) ?? true }

    /// The letters that follow.
    private mutating func word() -> String {
        var word = ""
        while let scalar = text.next, ("a"..."z").contains(scalar) {
            word.unicodeScalars.append(scalar)
            text.advance()
        }
        return word
    }

    /// The string of `~`.
    private mutating func part() throws(FilterFault) -> Key {
        text.advance()
        text.skipSpace()
        let place = text.position
        guard case .scalar(.string(let part)) = try literal(after: 0) else {
            throw FilterFault(at: place, "~ takes a string in quotes", hint: #"title~"milk""#)
        }
        return part
    }

    /// A JSON value after an operator of so many scalars.
    private mutating func literal(after count: Int) throws(FilterFault) -> PlainValue {
        text.advance(by: count)
        text.skipSpace()
        let start = offset(of: text.position)
        do throws(JSONFault) {
            let (value, end) = try JSONReader.readFirst(
                bytes, from: start, depthMax: FilterLimits.literalDepthMax)
            text.advance(by: scalars(in: start..<end))
            return value
        } catch {
            let place = text.position + scalars(in: start..<max(start, min(error.offset, bytes.count)))
            throw FilterFault(
                at: place, error.reason.words,
                hint: #"a literal is JSON: 3, true, null, and strings in quotes: owner="ann""#)
        }
    }

    private func offset(of position: Int) -> Int {
        text.scalars[..<position].reduce(0) { $0 + UTF8.width($1) }
    }

    /// Bytes that continue a scalar are none of their own.
    private func scalars(in range: Range<Int>) -> Int {
        bytes[range].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }

    private func fault(_ reason: String, hint: String) -> FilterFault {
        FilterFault(at: text.position, reason, hint: hint)
    }
}

extension JSONFault.Reason {
    /// Without the place, which a filter counts otherwise.
    fileprivate var words: String {
        switch self {
        case .truncated: "a JSON value is expected, and ends too early"
        case .unexpected(_, let wanted): "\(wanted) is expected here"
        case .trailing: "there is more after the JSON value"
        case .invalidUTF8: "the JSON value is not UTF-8"
        case .loneSurrogate: "half of a surrogate pair stands alone"
        case .invalidEscape: "JSON does not have this escape"
        case .controlCharacter: "a control character in a JSON string is escaped"
        case .duplicateMember(let name): "the member \"\(name)\" stands twice in the object"
        case .depth(let limit): "the JSON value is nested deeper than \(limit)"
        case .malformedNumber: "this is no JSON number"
        case .numberOutOfRange(let literal): "the number \(literal) is out of range"
        }
    }
}
