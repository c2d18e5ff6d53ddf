// Orders in which changes can be executed: every causal one for small histories, drawn ones for large.

import Causality

@testable import Documents

/// Orders of delivery of a history.
enum DeliveryOrders {
    /// All causal orders, at most `limit` of them.
    static func all(of changes: [TestChange], limit: Int) -> [[TestChange]] {
        var result: [[TestChange]] = []
        func extend(_ order: [TestChange], _ known: VersionVector, _ waiting: [TestChange]) {
            if result.count >= limit { return }
            if waiting.isEmpty {
                result.append(order)
                return
            }
            for (index, change) in waiting.enumerated() where change.isReady(after: known) {
                var rest = waiting
                rest.remove(at: index)
                var next = known
                next.advance(to: change.last)
                extend(order + [change], next, rest)
            }
        }
        extend([], VersionVector(), changes)
        return result
    }

    /// One causal order by chance.
    static func drawn(of changes: [TestChange], using random: inout SeededGenerator) -> [TestChange] {
        var known = VersionVector()
        var waiting = changes
        var order: [TestChange] = []
        while true {
            let ready = waiting.indices.filter { waiting[$0].isReady(after: known) }
            guard let index = ready.randomElement(using: &random) else { break }
            let change = waiting.remove(at: index)
            known.advance(to: change.last)
            order.append(change)
        }
        precondition(waiting.isEmpty, "a history is complete")
        return order
    }
}
