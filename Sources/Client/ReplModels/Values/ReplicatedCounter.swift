// A counter of a document, as a copy that was read. Adding to the copy of a model that is being updated
// becomes an increment, so what others add meanwhile counts too.

public import JSON

/// The copy of a document's counter.
public struct ReplicatedCounter: Hashable, Sendable {
    public var value: Int64

    public init(_ value: Int64 = 0) { self.value = value }

    public mutating func increment(by amount: Int64 = 1) { value += amount }
    public static func += (left: inout ReplicatedCounter, right: Int64) { left.value += right }
    public static func -= (left: inout ReplicatedCounter, right: Int64) { left.value -= right }
}

extension ReplicatedCounter: ExpressibleByIntegerLiteral, CustomStringConvertible {
    public init(integerLiteral value: Int64) { self.init(value) }
    public var description: String { String(value) }
}

extension ReplicatedCounter: ModelContainer {
    public static func read(_ slot: ModelSlot) throws(Misfit) -> ReplicatedCounter {
        ReplicatedCounter(try slot.counter())
    }

    public var skeleton: PlainValue? { nil }
    public func writeContainers(to place: ModelPlace) { write(over: nil, to: place) }

    public func write(over old: ReplicatedCounter?, to place: ModelPlace) {
        // Modulo 2^64, as the daemon adds: the difference always fits.
        let difference = value &- (old?.value ?? 0)
        if difference != 0 { place.increment(by: difference) }
    }

    public static func draft(at place: ModelPlace) -> CounterDraft { CounterDraft(place: place) }
}

/// A counter that a transaction adds to, unread.
public struct CounterDraft {
    let place: ModelPlace

    public func increment(by amount: Int64 = 1) { place.increment(by: amount) }
    public static func += (left: CounterDraft, right: Int64) { left.increment(by: right) }
    public static func -= (left: CounterDraft, right: Int64) { left.increment(by: 0 - right) }
}
