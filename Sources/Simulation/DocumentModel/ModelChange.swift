// When and on what each operation was made, by the definitions of DESIGN 4 and written anew: were the model
// to ask the core which dot an operation has, what a context covers or who comes later, both would be wrong
// together. It shares with the core the shapes of operations, dots and values, and none of their meaning.

import Bytes
public import Causality
public import Documents

/// A dot's place in the total order, and what its author had seen.
struct ModelStamp {
    let dot: Dot
    let milliseconds: UInt64
    /// The last sequence seen of each replica; few, so they are looked through.
    let context: [(replica: ReplicaID, last: UInt64)]

    /// True when the author had seen `other`: it stands earlier in the own log, or in the context.
    func covers(_ other: Dot) -> Bool {
        if other.replica == dot.replica { return other.sequence.value < dot.sequence.value }
        for entry in context where entry.replica == other.replica {
            return other.sequence.value <= entry.last
        }
        return false
    }

    /// The stamp of the n-th part of an operation that has a dot for each.
    func part(_ step: Int) -> ModelStamp {
        ModelStamp(dot: dot.stepped(step), milliseconds: milliseconds, context: context)
    }

    var priority: ModelPriority { ModelPriority(milliseconds: milliseconds, dot: dot) }
}

/// The total order of ties: time, replica by its bytes, sequence.
struct ModelPriority {
    let milliseconds: UInt64
    let dot: Dot

    func isBefore(_ other: ModelPriority) -> Bool {
        if milliseconds != other.milliseconds { return milliseconds < other.milliseconds }
        return dot.isBefore(other.dot)
    }
}

extension Dot {
    /// By replica, then by sequence.
    func isBefore(_ other: Dot) -> Bool {
        let (a, b) = (replica.raw, other.replica.raw)
        return (a.high, a.low, sequence.value) < (b.high, b.low, other.sequence.value)
    }

    /// The dot so many sequences later.
    func stepped(_ count: Int) -> Dot { Dot(replica, SequenceNumber(sequence.value + UInt64(count))) }
}

extension DotRange {
    func names(_ dot: Dot) -> Bool {
        dot.replica == replica && (first.value...last.value).contains(dot.sequence.value)
    }

    var dots: [Dot] { (first.value...last.value).map { Dot(replica, SequenceNumber($0)) } }
}

/// One executed change as the model reads it.
public struct ModelChange {
    let acts: [(operation: Operation, stamp: ModelStamp)]

    /// `first` is the dot of its first operation; `context` what its author had seen of other logs.
    public init(
        first: Dot, milliseconds: UInt64, context: [(replica: ReplicaID, last: UInt64)],
        operations: [Operation]
    ) {
        var next = first
        acts = operations.map { operation in
            defer { next = next.stepped(operation.consumed) }
            return (operation, ModelStamp(dot: next, milliseconds: milliseconds, context: context))
        }
    }
}

extension Operation {
    /// Sequences: one for each inserted scalar, element or member, else one.
    fileprivate var consumed: Int {
        switch body {
        case .act(_, let action): action.consumed
        case .deleteDocument, .acknowledge: 1
        case .unknown(_, let count, _): count
        }
    }
}
