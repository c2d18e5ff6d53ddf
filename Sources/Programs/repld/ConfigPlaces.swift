// Where each key of a TOML text stands. The parser gives places for what is no TOML, but none for what is;
// people need the line of a key that is wrong. The parser has accepted the text before, so this only has to
// find names: table headers, and what stands before the first `=` of a line that is not inside a value.

/// Line and column, from 1.
struct ConfigPlace: Equatable {
    var line = 1
    var column = 1
}

struct ConfigPlaces {
    private var places: [String: ConfigPlace] = [:]

    /// Of the key, else of the nearest table around it, else the start.
    subscript(key: String) -> ConfigPlace {
        var name = key[...]
        while !name.isEmpty {
            if let place = places[String(name)] { return place }
            name = name[..<(name.lastIndex(of: ".") ?? name.startIndex)]
        }
        return ConfigPlace()
    }

    init(of text: String) {
        var section: [String] = []
        var value = OpenValue()
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !value.isOpen else {
                value.read(line)
                continue
            }
            let start = line.drop { $0 == " " || $0 == "\t" }
            let column = line.distance(from: line.startIndex, to: start.startIndex) + 1
            let place = ConfigPlace(line: index + 1, column: column)
            if start.first == "[" {
                section = Self.path(start.drop { $0 == "[" }).path
                note(section, place)
            } else if let first = start.first, first != "#" {
                let (path, rest) = Self.path(start)
                note(section + path, place)
                value.read(rest)
            }
        }
    }

    private mutating func note(_ path: [String], _ place: ConfigPlace) {
        let name = path.joined(separator: ".")
        if !name.isEmpty, places[name] == nil { places[name] = place }
    }

    /// A dotted key, parts bare or quoted, and what stands behind it.
    private static func path(_ text: Substring) -> (path: [String], rest: Substring) {
        var (path, part, rest) = ([String](), "", text)
        while let next = rest.first, next != "=", next != "]" {
            rest = rest.dropFirst()
            switch next {
            case "\"", "'":
                part += rest.prefix { $0 != next }
                rest = rest.drop { $0 != next }.dropFirst()
            case ".":
                path.append(part)
                part = ""
            case " ", "\t", "\r": break
            default: part.append(next)
            }
        }
        return (path + [part], rest.dropFirst())
    }
}

/// A value that may go on over several lines: an array, or a string in three quotes.
private struct OpenValue {
    private var brackets = 0
    /// The three quotes that end the string we are in.
    private var quotes: String?

    var isOpen: Bool { brackets > 0 || quotes != nil }

    mutating func read(_ line: Substring) {
        var rest = line
        while !rest.isEmpty {
            if let end = quotes {
                guard let range = rest.firstRange(of: end) else { return }
                rest = rest[range.upperBound...]
                quotes = nil
                continue
            }
            if rest.hasPrefix("\"\"\"") || rest.hasPrefix("'''") {
                quotes = String(rest.prefix(3))
                rest = rest.dropFirst(3)
                continue
            }
            let next = rest.removeFirst()
            switch next {
            case "#": return
            case "[", "{": brackets += 1
            case "]", "}": brackets -= 1
            case "'": rest = rest.drop { $0 != "'" }.dropFirst()
            case "\"": rest = Self.behindString(rest)
            default: break
            }
        }
    }

    private static func behindString(_ text: Substring) -> Substring {
        var rest = text
        while let next = rest.first, next != "\"" { rest = rest.dropFirst(next == "\\" ? 2 : 1) }
        return rest.dropFirst()
    }
}
