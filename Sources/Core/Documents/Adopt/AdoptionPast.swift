// What adopting a void change has to know of the past: which of its operations were made again before, under
// which dots, and of which changes others are copies.

public import Bytes
public import Causality

/// A run of dots of a void change, and the dots under which the same was made again.
public struct AdoptedRange: Hashable, Sendable {
    public let original: DotRange
    /// Of the first; the others follow.
    public let copy: Dot

    public init(_ original: DotRange, copy: Dot) { (self.original, self.copy) = (original, copy) }

    /// The copies of what lies in a range; nil: nothing does.
    public func copies(of range: DotRange) -> DotRange? {
        guard range.replica == original.replica, range.first <= original.last, original.first <= range.last
        else { return nil }
        let (first, last) = (max(range.first, original.first), min(range.last, original.last))
        let start = copy.advanced(by: Int(first.value - original.first.value))
        return DotRange(start.replica, start.sequence, start.sequence + Int(last.value - first.value))
    }

    /// What a dot is a copy of.
    public func original(of dot: Dot) -> Dot? {
        guard dot.replica == copy.replica, dot.sequence >= copy.sequence,
            dot.sequence.value - copy.sequence.value < UInt64(original.count)
        else { return nil }
        return original.start.advanced(by: Int(dot.sequence.value - copy.sequence.value))
    }
}

/// What is remembered of earlier adoptions, by whoever has the log.
public protocol AdoptionPast {
    /// The dots under which this device made operations of a range again, in its order.
    mutating func copies(of range: DotRange) -> [DotRange]
    /// The origins of the insertion or move that made a position; nil: none did.
    mutating func origins(of position: Dot) -> (left: Dot?, right: Dot?)?
    /// What a dot is a copy of, with its time; nil: it is no copy. Of an earlier change all is one: its id.
    mutating func original(of dot: Dot) -> Priority?
    /// True when every change of a replica in this range that touched the document is a copy of a change that
    /// the stamp covers.
    mutating func holdsOnlyCopies(
        _ range: DotRange, in document: Key, seenBy stamp: OperationStamp
    ) -> Bool
}

/// Why an operation is not made again, or not all of it.
public enum AdoptionRefusal: String, Hashable, Sendable {
    /// What shows in its place is newer.
    case newer
    /// It would take away what its author had not seen.
    case unseen
    /// The list element that it writes into is gone.
    case gone
}

/// What an operation of a void change became.
public struct Adopted: Sendable {
    public let authored: Authored
    public let copies: [AdoptedRange]
    /// Nil: there was nothing to refuse.
    public let refusal: AdoptionRefusal?
}
