// Keys as a terminal sends them (ECMA-48, and xterm's control sequences): letters as they are, other keys as
// sequences that begin with escape. One read may end in the middle of either.

/// A key.
public enum KeyPress: Hashable, Sendable {
    /// One Unicode scalar: what is drawn as one character may come as several.
    case text(Unicode.Scalar)
    /// What was pasted, with line feeds.
    case paste(String)
    case enter, tab, backTab, backspace, delete, escape
    case home, end, pageUp, pageDown
    case arrow(Arrow, Held = .nothing)
    /// A letter with Ctrl held, in lower case.
    case control(Unicode.Scalar)
    /// A key that has no name here.
    case unknown

    public enum Arrow: Hashable, Sendable { case up, down, left, right }
    /// The key that is held beside an arrow.
    public enum Held: Hashable, Sendable { case nothing, shift, control, alt }
}

/// Bytes of a terminal to keys.
public struct KeyPressDecoder {
    /// The beginning of a sequence or of a character.
    private var held: [UInt8] = []
    /// What was pasted so far, while it comes.
    private var pasted: [UInt8]?

    /// A paste that is longer is given in pieces, so that nothing grows without end.
    public static let pasteBytesMax = 1 << 20
    /// A sequence that is longer is none.
    static let sequenceBytesMax = 32

    public init() {}

    /// True while the meaning of the last bytes depends on what follows: escape alone is a key too.
    public var isWaiting: Bool { !held.isEmpty && pasted == nil }

    public mutating func keys(_ bytes: [UInt8]) -> [KeyPress] {
        held += bytes
        var keys: [KeyPress] = []
        while !held.isEmpty {
            if pasted != nil {
                guard paste(&keys) else { break }
            } else {
                guard let (key, count) = Self.first(held[...]) else { break }
                held.removeFirst(count)
                if let key { keys.append(key) } else { pasted = [] }
            }
        }
        return keys
    }

    /// Nothing more came for a moment: what is held is all there is.
    public mutating func waited() -> [KeyPress] {
        guard isWaiting else { return [] }
        let alone = held
        held = []
        if alone == [0x1B] { return [.escape] }
        // Escape, and then a letter of a sequence that never ended.
        return alone.first == 0x1B ? [.escape, .unknown] : [.unknown]
    }

    /// False when more has to come.
    private mutating func paste(_ keys: inout [KeyPress]) -> Bool {
        let end = Array("\u{1B}[201~".utf8)
        var place = held.startIndex
        while place < held.endIndex {
            if held[place] == end[0] {
                let rest = held[place...].prefix(end.count)
                if rest.elementsEqual(end) {
                    pasted? += held[..<place]
                    held.removeFirst(place + end.count)
                    keys.append(.paste(Self.pastedText(pasted ?? [])))
                    pasted = nil
                    return true
                }
                if end.starts(with: rest) { break }
            }
            place += 1
        }
        pasted? += held[..<place]
        held.removeFirst(place)
        if let piece = pasted, piece.count > Self.pasteBytesMax {
            // Not in the middle of a character.
            let whole = piece.count - Self.unfinished(piece)
            keys.append(.paste(Self.pastedText(Array(piece[..<whole]))))
            pasted = Array(piece[whole...])
        }
        return false
    }

    private static func pastedText(_ bytes: [UInt8]) -> String {
        var text = ""
        var wasReturn = false
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar == "\r" {
                text.unicodeScalars.append("\n")
            } else if scalar != "\n" || !wasReturn {
                text.unicodeScalars.append(scalar)
            }
            wasReturn = scalar == "\r"
        }
        return text
    }

    /// How many bytes at the end begin a character that is not all there.
    private static func unfinished(_ bytes: [UInt8]) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xC0 == 0xC0 { return length(byte) > back ? back : 0 }
            if byte & 0x80 == 0 { return 0 }
        }
        return 0
    }

    /// Of a character of UTF-8, by its first byte; 1 for what begins none.
    private static func length(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    /// The first key and its bytes; no key: a paste begins. Nil when more has to come.
    private static func first(_ bytes: ArraySlice<UInt8>) -> (key: KeyPress?, count: Int)? {
        guard let byte = bytes.first else { return nil }
        switch byte {
        case 0x1B: return escaped(bytes)
        case 0x0D, 0x0A: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x7F, 0x08: return (.backspace, 1)
        case 1...26: return (.control(Unicode.Scalar(byte + 0x60)), 1)
        case 0..<0x20: return (.unknown, 1)
        case 0x20..<0x7F: return (.text(Unicode.Scalar(byte)), 1)
        default:
            let count = length(byte)
            guard count > 1 else { return (.unknown, 1) }
            guard bytes.count >= count else { return nil }
            guard let text = String(validating: bytes.prefix(count), as: UTF8.self),
                let scalar = text.unicodeScalars.first
            else { return (.unknown, 1) }
            return (.text(scalar), count)
        }
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> (key: KeyPress?, count: Int)? {
        guard bytes.count > 1 else { return nil }
        switch bytes[bytes.startIndex + 1] {
        case UInt8(ascii: "["): return sequence(bytes)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return nil }
            return (named(bytes[bytes.startIndex + 2], []), 3)
        // Escape twice: the first was a key.
        case 0x1B: return (.escape, 1)
        // Alt and a letter: no key here has that name.
        default: return (.unknown, 2)
        }
    }

    /// CSI, parameters of digits and semicolons, a final byte.
    private static func sequence(_ bytes: ArraySlice<UInt8>) -> (key: KeyPress?, count: Int)? {
        let body = bytes.dropFirst(2)
        guard let end = body.firstIndex(where: { 0x40...0x7E ~= $0 }) else {
            return bytes.count > sequenceBytesMax ? (.unknown, bytes.count) : nil
        }
        let count = end - bytes.startIndex + 1
        let parameters = String(decoding: body[..<end], as: UTF8.self).split(
            separator: ";", omittingEmptySubsequences: false
        ).map { Int($0) ?? 0 }
        if bytes[end] == UInt8(ascii: "~"), parameters.first == 200 { return (nil, count) }
        return (named(bytes[end], parameters), count)
    }

    private static func named(_ final: UInt8, _ parameters: [Int]) -> KeyPress {
        let held: KeyPress.Held =
            switch parameters.count > 1 ? parameters[1] : 1 {
            case 2: .shift
            case 3: .alt
            case 5: .control
            default: .nothing
            }
        switch final {
        case UInt8(ascii: "A"): return .arrow(.up, held)
        case UInt8(ascii: "B"): return .arrow(.down, held)
        case UInt8(ascii: "C"): return .arrow(.right, held)
        case UInt8(ascii: "D"): return .arrow(.left, held)
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "~"):
            switch parameters.first {
            case 1, 7: return .home
            case 4, 8: return .end
            case 3: return .delete
            case 5: return .pageUp
            case 6: return .pageDown
            default: return .unknown
            }
        default: return .unknown
        }
    }
}
