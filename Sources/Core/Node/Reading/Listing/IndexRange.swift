// Which entries of an index a filter leaves. Each comparison of the index's path is an interval of sortable
// bytes; all of them together are one. It may hold more than what matches, since the filter is tried on every
// document, and never less.

import Bytes
import Documents
import JSON

/// Values of an index, from a lower bound up to, and without, an upper one.
struct IndexRange: Hashable, Sendable {
    private(set) var lower: [UInt8]
    private(set) var end: [UInt8]

    /// All documents that can be read, those without the path too.
    static let all = IndexRange(lower: [], end: IndexValue.unreadable.bytes)
    /// Those that cannot.
    static let unreadable = IndexRange(of: IndexValue.unreadable.bytes)

    private init(lower: [UInt8], end: [UInt8]) { (self.lower, self.end) = (lower, end) }

    /// One value.
    private init(of value: [UInt8]) { self.init(lower: value, end: Self.behind(value)) }

    /// What the comparisons of a path leave; nil: none of them is of this path.
    init?(of filter: Filter?, at path: [PathElement]) {
        let tests = (filter?.comparisons ?? []).filter { $0.path == path }.map(\.test)
        guard !tests.isEmpty else { return nil }
        self = .all
        for test in tests { meet(Self.range(of: test)) }
    }

    var isEmpty: Bool { !lower.lexicographicallyPrecedes(end) }

    /// The one value that is in it, whatever is written; nil: several may be.
    var soleValue: [UInt8]? { end == Self.behind(lower) ? lower : nil }

    /// The places of its entries in an index; with one value, of those whose keys begin with the prefix.
    func places(prefix: Key = "") -> Range<IndexPlace> {
        let start = IndexPlace(value: lower, key: [])
        if isEmpty { return start..<start }
        var bytes = Array(prefix.utf8)
        guard soleValue != nil, let last = bytes.popLast() else {
            return start..<IndexPlace(value: end, key: [])
        }
        // 0xFF is in no UTF-8, so there is a greater byte.
        bytes.append(last + 1)
        return IndexPlace(value: lower, key: Array(prefix.utf8))..<IndexPlace(value: lower, key: bytes)
    }

    private mutating func meet(_ other: IndexRange) {
        if lower.lexicographicallyPrecedes(other.lower) { lower = other.lower }
        if other.end.lexicographicallyPrecedes(end) { end = other.end }
    }

    // MARK: Comparisons

    private static func range(of test: Filter.Test) -> IndexRange {
        switch test {
        case .equals(let literal): IndexRange(of: bytes(of: OrderedValue(literal)))
        case .differs, .exists: IndexRange(lower: [], end: bytes(of: .missing))
        case .missing: IndexRange(of: bytes(of: .missing))
        case .contains: strings
        case .has: IndexRange(of: bytes(of: .other))
        case .ordered(let relation, let literal): range(of: relation, OrderedValue(literal))
        }
    }

    /// Within numbers, or within strings; nothing else is in an order.
    private static func range(of relation: Filter.Relation, _ literal: OrderedValue) -> IndexRange {
        let kind: IndexRange
        switch literal {
        case .number: kind = numbers
        case .string: kind = strings
        case .null, .bool, .other, .missing: return IndexRange(lower: [], end: [])
        }
        let (bytes, isCut) = literal.encoded()
        // Others that are cut alike may be on either side.
        let behind = behind(bytes)
        switch relation {
        case .less: return IndexRange(lower: kind.lower, end: isCut ? behind : bytes)
        case .atMost: return IndexRange(lower: kind.lower, end: behind)
        case .greater: return IndexRange(lower: isCut ? bytes : behind, end: kind.end)
        case .atLeast: return IndexRange(lower: bytes, end: kind.end)
        }
    }

    private static func bytes(of value: OrderedValue) -> [UInt8] { value.encoded().bytes }

    /// The least bytes that are greater.
    private static func behind(_ bytes: [UInt8]) -> [UInt8] { bytes + [0x00] }

    private static let numbers = IndexRange(lower: behind(bytes(of: .bool(true))), end: [0x40])
    private static let strings = IndexRange(lower: [0x40], end: bytes(of: .other))
}
