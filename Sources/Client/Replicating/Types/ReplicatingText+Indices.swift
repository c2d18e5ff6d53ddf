// Characters of a text that is no String: an index is an offset in Unicode scalars, and where a character
// ends is found in a piece of the text around it.

import Bytes
import Causality
import Documents

extension ReplicatingText: BidirectionalCollection {
    /// A place between two Unicode scalars of one state of a text.
    public struct Index: Comparable, Hashable, Sendable {
        /// Unicode scalars before it.
        public let offset: Int

        public init(unicodeScalarOffset offset: Int) { self.offset = offset }

        public static func < (left: Index, right: Index) -> Bool { left.offset < right.offset }
    }

    public var startIndex: Index { Index(unicodeScalarOffset: 0) }
    public var endIndex: Index { Index(unicodeScalarOffset: unicodeScalarCount) }
    public var isEmpty: Bool { unicodeScalarCount == 0 }

    /// Characters, as String counts them. O(n).
    public var count: Int { string.count }

    /// The character that begins at a place.
    public subscript(index: Index) -> Character {
        precondition(
            index >= startIndex && index < endIndex, "index \(index.offset) of \(unicodeScalarCount)")
        return character(after: index.offset)
    }

    public typealias SubSequence = Slice<ReplicatingText>

    /// The text between two places.
    public func string(in range: Range<Index>) -> String {
        part.document.text(range.lowerBound.offset..<range.upperBound.offset, at: part.path)
    }

    public func index(after index: Index) -> Index {
        precondition(index >= startIndex && index < endIndex, "no character after \(index.offset)")
        return Index(unicodeScalarOffset: index.offset + character(after: index.offset).unicodeScalars.count)
    }

    public func index(before index: Index) -> Index {
        precondition(index > startIndex && index <= endIndex, "no character before \(index.offset)")
        var start = index.offset
        repeat { start = Swift.max(0, start - Self.windowScalars) } while start > 0 && !isBorder(start)
        let window = part.document.text(start..<index.offset, at: part.path)
        guard let last = window.last else { preconditionFailure("no character before \(index.offset)") }
        return Index(unicodeScalarOffset: index.offset - last.unicodeScalars.count)
    }

    /// All characters are read at once: that takes linear time.
    public func makeIterator() -> String.Iterator { string.makeIterator() }

    /// Hardly a character is as long as that.
    private static let windowScalars = 32

    private func character(after offset: Int) -> Character {
        let end = unicodeScalarCount
        var count = Self.windowScalars
        while true {
            let limit = Swift.min(end, offset + count)
            let window = part.document.text(offset..<limit, at: part.path)
            guard let first = window.first else { preconditionFailure("no character at \(offset)") }
            // One that fills the window may go on behind it.
            if limit == end || first.unicodeScalars.count < window.unicodeScalars.count { return first }
            count *= 2
        }
    }

    /// True where a character ends whatever stands before: between two letters that never combine.
    private func isBorder(_ offset: Int) -> Bool {
        let pair = part.document.text(offset - 1..<offset + 1, at: part.path).unicodeScalars
        return pair.allSatisfy { scalar in
            switch scalar.value {
            case 0x20..<0x7F, 0xC0..<0x250, 0x391..<0x482, 0x4E00..<0xA000: true
            default: false
            }
        }
    }
}
