// Changes that touch many documents, taken apart once: who makes one document after the other would pass over
// all their operations for each.

import Bytes
import Causality
import Documents
import Wire

/// The last few large changes, by document.
struct ChangeParts: Sendable {
    private var known: [Dot: [Key: Change.Part]] = [:]
    /// Oldest first.
    private var order: [(change: Dot, operations: Int)] = []
    private var operations = 0
    /// Changes with fewer operations are looked through.
    private static let operationsMin = 32
    /// Operations of all that are kept, some hundred bytes each; the last change is kept in any case.
    private static let operationsMax = 16_384

    init() {}

    /// What a change does to one document, with its stamps, in order.
    mutating func operations(of change: Change, touching key: Key) -> ([Operation], [OperationStamp]) {
        guard change.operations.count >= Self.operationsMin else { return change.operations(touching: key) }
        if known[change.id] == nil { add(change) }
        let part = known[change.id]?[key]
        return (part?.operations ?? [], part?.stamps ?? [])
    }

    private mutating func add(_ change: Change) {
        known[change.id] = Dictionary(change.parts.map { ($0.key, $0) }) { first, _ in first }
        order.append((change.id, change.operations.count))
        operations += change.operations.count
        while operations > Self.operationsMax, order.count > 1 {
            let first = order.removeFirst()
            known[first.change] = nil
            operations -= first.operations
        }
    }
}
