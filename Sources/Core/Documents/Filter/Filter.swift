// Which documents are asked for: comparisons of a path with a literal, all of them together (API.md, "The
// first day"). Typed as JSON is and nothing else equal: 1 is no "1". Numbers are what a reader of their
// canonical text gets (decision 0111), so a filter finds what a program that reads the export would find.
//
//     done=false and qty>=3 and title~"milk" and tags has "work"

public import Bytes

/// A conjunction of comparisons.
public struct Filter: Hashable, Sendable {
    /// In the order of the text; 1 to `FilterLimits.comparisonsMax`.
    public let comparisons: [Comparison]

    init(_ comparisons: [Comparison]) {
        precondition(
            (1...FilterLimits.comparisonsMax).contains(comparisons.count), "\(comparisons.count) comparisons")
        self.comparisons = comparisons
    }

    /// One of them.
    public struct Comparison: Hashable, Sendable {
        /// Not empty.
        public let path: [PathElement]
        public let test: Test
    }

    /// A condition on the value at a path. Only `missing` holds where the path leads nowhere.
    public enum Test: Hashable, Sendable {
        /// The same type and value.
        case equals(PlainValue)
        case differs(PlainValue)
        /// Two numbers by value, or two strings by bytes; nothing else is in an order.
        case ordered(Relation, PlainValue)
        /// A string that has this part, byte for byte.
        case contains(Key)
        /// A set, ordered set or list with an equal member.
        case has(PlainValue)
        /// Also with null in it.
        case exists
        case missing
    }

    public enum Relation: Hashable, Sendable, CaseIterable {
        case less, atMost, greater, atLeast
    }
}

extension Filter {
    /// False for a document that is absent or deleted. O(comparisons × what they look at).
    public func matches(_ document: Document) -> Bool {
        document.isVisible && comparisons.allSatisfy { $0.test.holds(of: document.value(at: $0.path)) }
    }
}

extension Filter.Test {
    /// `value`: nil when the path leads nowhere.
    public func holds(of value: PlainValue?) -> Bool {
        guard let value else { return self == .missing }
        switch self {
        case .equals(let literal): return value.readsLike(literal)
        case .differs(let literal): return !value.readsLike(literal)
        case .ordered(let relation, let literal): return relation.holds(value, literal)
        case .contains(let part):
            guard case .scalar(.string(let text)) = value else { return false }
            return text.contains(part)
        case .has(let literal):
            guard case .array(let members) = value else { return false }
            return members.contains { $0.readsLike(literal) }
        case .exists: return true
        case .missing: return false
        }
    }
}

extension Filter.Relation {
    fileprivate func holds(_ left: PlainValue, _ right: PlainValue) -> Bool {
        switch (OrderedValue(left), OrderedValue(right)) {
        case (.number(let left), .number(let right)): holds(left, right)
        case (.string(let left), .string(let right)): holds(left, right)
        default: false
        }
    }

    private func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .less: left < right
        case .atMost: left <= right
        case .greater: left > right
        case .atLeast: left >= right
        }
    }
}

extension Key {
    /// True when the bytes of `part` stand somewhere in it; nothing stands everywhere. Of two UTF-8 strings
    /// that is where the scalars do. O(length), mostly: candidates are places of the part's first byte.
    fileprivate func contains(_ part: Key) -> Bool {
        withUTF8 { text in
            part.withUTF8 { part in
                guard let first = part.first else { return true }
                guard part.count <= text.count else { return false }
                var place = 0
                while place <= text.count - part.count {
                    if text[place] == first, text[place..<(place + part.count)].elementsEqual(part) {
                        return true
                    }
                    place += 1
                }
                return false
            }
        }
    }
}
