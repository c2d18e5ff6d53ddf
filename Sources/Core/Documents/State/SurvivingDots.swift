// The dots of adds that no known add or remove had in its context: what makes a member present (Bieniusa et
// al., "An optimized conflict-free replicated set").

import Causality

/// Dots that survive; one is the usual number.
struct SurvivingDots: Sendable {
    /// Nil only when `others` is empty.
    private var first: Dot?
    private var others: [Dot] = []

    init() {}

    var isEmpty: Bool { first == nil }
    var count: Int { first == nil ? 0 : 1 + others.count }

    mutating func add(_ dot: Dot) {
        if first == nil { first = dot } else { others.append(dot) }
    }

    mutating func removeCovered(by stamp: OperationStamp) {
        if !others.isEmpty { others.removeAll { stamp.covers($0) } }
        if let dot = first, stamp.covers(dot) { first = others.popLast() }
    }

    /// Ascending: the order of snapshots.
    var sorted: [Dot] {
        guard let first else { return [] }
        return others.isEmpty ? [first] : ([first] + others).sorted()
    }

    /// Bytes of one member of a set in the table that finds it, for caps. A table is between three eighths
    /// and three quarters full, so that an entry counts twice.
    static var memberBytes: Int {
        2 * MemoryLayout<(key: Scalar, value: SurvivingDots)>.stride + Operation.blockBytes
    }
}
