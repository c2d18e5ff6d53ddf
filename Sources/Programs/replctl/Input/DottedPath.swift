// PATH: a place in a document as people type it. The API's path is an array that tells keys from indexes;
// here one string has to:
//
//   items.0.qty      key "items", index 0, key "qty"        a number without leading zero is an index
//   years.\2024      key "years", key "2024"                a part with a backslash in it is always a key
//   a\.b.c\\d        key "a.b", key "c\d"                   a backslash takes the next character as it is
//   items.@ID.qty    element ID of a list (<replica>:<sequence>, from the typed view), key "qty"
//   items.""         key "items", key ""                    two quotes are the empty key; \"" is a key of two
//   (empty)          the document itself

import Bytes
import JSON

/// One step of a path.
enum PathStep: Equatable {
    case key(Key)
    case index(Int64)
    case element(Key)
}

struct DottedPath: Equatable {
    let steps: [PathStep]

    static let root = DottedPath(steps: [])

    private init(steps: [PathStep]) { self.steps = steps }

    func appending(_ key: Key) -> DottedPath { DottedPath(steps: steps + [.key(key)]) }

    init(_ text: some StringProtocol) throws(CommandFailure) {
        var scanner = PathScanner(text)
        let steps = try scanner.steps(endingAt: nil)
        self.init(steps: steps)
    }

    /// PATH=VALUE, cut at the first `=` that no backslash stands before.
    static func assignment(_ text: String) throws(CommandFailure) -> (path: DottedPath, value: String) {
        var scanner = PathScanner(text)
        let path = DottedPath(steps: try scanner.steps(endingAt: "="))
        guard let value = scanner.rest else {
            throw CommandFailure(
                .badInput, "\"\(text)\" is no PATH=VALUE",
                hint: "name the place and the value: title=Groceries, items.0.done=true")
        }
        return (path, value)
    }

    func write(to json: inout JSONWriter) {
        json.array(steps) { json, step in
            switch step {
            case .key(let key): json.string(key)
            case .index(let index): json.integer(index)
            case .element(let id):
                json.object {
                    $0.name("id")
                    $0.string(id)
                }
            }
        }
    }
}

/// Cuts a path into steps.
private struct PathScanner {
    private var left: Substring.UnicodeScalarView
    private let text: String
    private let isEmpty: Bool
    /// What stands behind the ending; nil when it did not come.
    private(set) var rest: String?

    init(_ text: some StringProtocol) {
        self.text = String(text)
        left = self.text[...].unicodeScalars
        isEmpty = left.isEmpty
    }

    mutating func steps(endingAt ending: Unicode.Scalar?) throws(CommandFailure) -> [PathStep] {
        var steps: [PathStep] = []
        var (part, isEscaped) = ("", false)
        while let scalar = left.popFirst() {
            switch scalar {
            case "\\":
                guard let next = left.popFirst() else {
                    throw CommandFailure(
                        .badInput, "the path \"\(text)\" ends with a backslash",
                        hint: "write \\\\ for a backslash in a key")
                }
                part.unicodeScalars.append(next)
                isEscaped = true
            case ".":
                if steps.isEmpty, part.isEmpty, !isEscaped {
                    throw CommandFailure(
                        .badInput, "the path \"\(text)\" begins with a dot",
                        hint: "a path begins with a key: write \(text.dropFirst()) (the empty key is \"\")")
                }
                steps.append(Self.step(part, isEscaped))
                (part, isEscaped) = ("", false)
            case ending:
                rest = String(left)
                // Nothing before the ending is the document itself.
                return steps.isEmpty && part.isEmpty && !isEscaped ? [] : steps + [Self.step(part, isEscaped)]
            default: part.unicodeScalars.append(scalar)
            }
        }
        return isEmpty ? [] : steps + [Self.step(part, isEscaped)]
    }

    private static func step(_ part: String, _ isEscaped: Bool) -> PathStep {
        guard !isEscaped else { return .key(Key(part)) }
        if part == DottedPath.emptyKey { return .key(Key("")) }
        if let index = index(part) { return .index(index) }
        if part.utf8.first == UInt8(ascii: "@"), isElementID(part.dropFirst()) {
            return .element(Key(String(part.dropFirst())))
        }
        return .key(Key(part))
    }

    private static func index(_ part: some StringProtocol) -> Int64? {
        guard !part.isEmpty, part.utf8.allSatisfy({ $0 &- 0x30 <= 9 }) else { return nil }
        guard part.utf8.first != 0x30 || part.utf8.count == 1 else { return nil }
        return Int64(part)
    }

    /// `<replica, 32 digits>:<sequence>`; other keys may begin with @ as they like.
    private static func isElementID(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 32, index(parts[1]) != nil else { return false }
        return parts[0].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

extension DottedPath {
    /// What stands there in a plain value or, with `isTyped`, in the typed view; throws when nothing does.
    func find(in value: PlainValue, isTyped: Bool) throws(CommandFailure) -> PlainValue {
        var value = value
        for (depth, step) in steps.enumerated() {
            guard let next = Self.next(step, in: value, isTyped: isTyped) else {
                let misread = Self.isMap(value, isTyped: isTyped) && !step.isKey
                throw CommandFailure(
                    .failed, "there is nothing at that path: part \(depth + 1) leads nowhere",
                    hint: misread
                        ? "a number is an index of a list; write a backslash before it for a key: \\2024"
                        : "see the whole document without PATH", name: "no-such-place")
            }
            value = next
        }
        return value
    }

    private static func next(_ step: PathStep, in value: PlainValue, isTyped: Bool) -> PlainValue? {
        switch step {
        case .key(let key):
            guard isMap(value, isTyped: isTyped) else { return nil }
            return isTyped ? value["value"]?[key] : value[key]
        case .index(let index):
            let content = isTyped ? value["elements"] ?? value["value"] : value
            guard case .array(let elements)? = content, index < Int64(elements.count) else { return nil }
            return elements[Int(index)]
        case .element(let id):
            guard isTyped, case .array(let elements)? = value["elements"] else { return nil }
            return elements.first { $0["id"] == .scalar(.string(id)) }
        }
    }

    private static func isMap(_ value: PlainValue, isTyped: Bool) -> Bool {
        if isTyped { return value.string("kind") == "map" }
        if case .object = value { return true }
        return false
    }
}

extension PathStep {
    fileprivate var isKey: Bool {
        if case .key = self { return true }
        return false
    }
}

extension DottedPath {
    /// A path of the API as it is typed.
    static func text(of path: [PlainValue]) -> String {
        path.map { step in
            switch step {
            case .scalar(.string(let key)): escaped(key.string)
            case .scalar(.integer(let index)): "\(index)"
            default: "@" + (step.string("id") ?? "")
            }
        }.joined(separator: ".")
    }

    /// A key as one part of a path that reads back as this key.
    static func escaped(_ key: String) -> String {
        var part = ""
        for scalar in key.unicodeScalars {
            if scalar == "." || scalar == "\\" || scalar == "=" { part += "\\" }
            part.unicodeScalars.append(scalar)
        }
        let isOther = part.utf8.allSatisfy { $0 &- 0x30 <= 9 } || part.utf8.first == UInt8(ascii: "@")
        if part.isEmpty { return emptyKey }
        return isOther || part == emptyKey ? "\\" + part : part
    }

    /// How the empty key is written: nothing at all would be the document.
    fileprivate static let emptyKey = "\"\""
}
