// A number to which everybody adds: concurrent increments add up.

import Bytes
import Causality
import Documents

/// A counter. Set it by increments only: a write would not add up.
public struct ReplicatingCounter: Replicating {
    public var part: ReplicatingPart

    public static var kind: ReplicatingKind { ReplicatingKind(container: .counter) }

    public init() { part = ReplicatingPart(hasFields: false) }
    public init(part: ReplicatingPart) { self.part = part }

    /// Begins with an increment: two that begin apart add up.
    public init(_ value: Int64) {
        self.init()
        increment(by: value)
    }

    /// The sum of all increments, within 64 bits.
    public var value: Int64 { part.document.counter(at: part.path) }

    public mutating func increment(by amount: Int64 = 1) {
        if amount != 0 { part.edit(.increment(by: amount), in: .counter) }
    }

    public mutating func decrement(by amount: Int64 = 1) {
        precondition(amount != .min, "an amount that has no opposite")
        increment(by: -amount)
    }

    public static func += (counter: inout ReplicatingCounter, amount: Int64) { counter.increment(by: amount) }
    public static func -= (counter: inout ReplicatingCounter, amount: Int64) { counter.decrement(by: amount) }
    public static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

extension ReplicatingCounter: CustomStringConvertible {
    public var description: String { "\(value)" }
}
