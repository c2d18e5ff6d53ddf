// A text that several people type in at once: what both typed is in it, and never mixed letter by letter. It
// is a collection of characters like String; its indices are places between Unicode scalars, which cost O(1)
// to make of an offset.

import Bytes
import Causality
import Documents

/// A text.
public struct ReplicatingText: Replicating {
    public var part: ReplicatingPart

    public static var kind: ReplicatingKind { ReplicatingKind(container: .text) }

    public init() { part = ReplicatingPart(hasFields: false) }
    public init(part: ReplicatingPart) { self.part = part }

    /// Begins with an insertion: two that begin apart hold both. Begin a text once, and send it.
    public init(_ text: String) {
        self.init()
        append(text)
    }

    /// All of it. Setting it splices the smallest difference, so what others type elsewhere stays.
    public var string: String {
        get { part.document.text(0..<unicodeScalarCount, at: part.path) }
        set {
            if string == newValue { return }
            let difference = TextDifference(from: string, to: newValue)
            splice(difference.range, difference.insertion)
        }
    }

    /// Unicode scalars, which indices count.
    public var unicodeScalarCount: Int { part.document.count(of: .text, at: part.path) }

    /// Replaces a range of Unicode scalars.
    private mutating func splice(_ range: Range<Int>, _ insertion: String) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= unicodeScalarCount,
            "\(range) of \(unicodeScalarCount) scalars")
        if range.isEmpty, insertion.isEmpty { return }
        var (index, delete) = (range.lowerBound, range.count)
        for piece in TextPieces(insertion) {
            part.edit(.splice(index: index, delete: delete, insert: piece.text), in: .text)
            (index, delete) = (index + piece.scalars, 0)
        }
    }

    public mutating func append(_ text: String) {
        let end = unicodeScalarCount
        splice(end..<end, text)
    }

    public mutating func insert(_ text: String, at index: Index) {
        splice(index.offset..<index.offset, text)
    }

    public mutating func replaceSubrange(_ range: Range<Index>, with text: String) {
        splice(range.lowerBound.offset..<range.upperBound.offset, text)
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.unicodeScalarCount == right.unicodeScalarCount
            && left.string.utf8.elementsEqual(right.string.utf8)
    }
}

extension ReplicatingText: RangeReplaceableCollection {
    public mutating func replaceSubrange(
        _ range: Range<Index>, with characters: some Collection<Character>
    ) { replaceSubrange(range, with: String(characters)) }

    public mutating func append(contentsOf characters: some Sequence<Character>) {
        append(String(characters))
    }
}

extension ReplicatingText: ExpressibleByStringInterpolation, CustomStringConvertible {
    public init(stringLiteral value: String) { self.init(value) }
    public var description: String { string }
}

/// An insertion in pieces of which each is short enough for one operation.
struct TextPieces: Sequence {
    private let text: String

    init(_ text: String) { self.text = text }

    /// At least one, empty for an empty text.
    func makeIterator() -> IndexingIterator<[(text: String, scalars: Int)]> {
        if text.utf8.count <= DocumentLimits.stringBytesMax {
            return [(text, text.unicodeScalars.count)].makeIterator()
        }
        var pieces: [(text: String, scalars: Int)] = []
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            // Four bytes a scalar at most.
            let piece = rest.prefix(DocumentLimits.stringBytesMax / 4)
            pieces.append((String(piece), piece.count))
            rest = rest.dropFirst(piece.count)
        }
        return pieces.makeIterator()
    }
}

/// The one splice that makes a text another, between what both begin and end with.
struct TextDifference {
    let range: Range<Int>
    let insertion: String

    init(from old: String, to new: String) {
        let (old, new) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
        let limit = Swift.min(old.count, new.count)
        var start = 0
        while start < limit, old[start] == new[start] { start += 1 }
        var end = 0
        while end < limit - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        range = start..<old.count - end
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: new[start..<new.count - end])
        insertion = String(scalars)
    }
}
