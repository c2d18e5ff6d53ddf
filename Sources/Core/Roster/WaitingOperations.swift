// Operations whose heads are not all known wait here. A peer can fill it with signed operations on heads that
// never come, so it is bounded: the oldest goes, and is fetched again when it matters (need is computed,
// DESIGN 9).

import Bytes
import Causality
import Wire

/// Bounded by count and bytes (`RosterLimits.waitingMax`, `waitingBytesMax`).
struct WaitingOperations: Sendable {
    private struct Entry: Sendable {
        let operation: RosterOperation
        var missing: Set<Bytes32>
    }

    private var entries: [Bytes32: Entry] = [:]
    /// Who waits for a head; may name operations that were dropped.
    private var byHead: [Bytes32: Set<Bytes32>] = [:]
    /// Ids by arrival; those before `oldest` and those not in `entries` are gone.
    private var order: [Bytes32] = []
    private var oldest = 0
    /// Sum over `entries`.
    private(set) var byteCount = 0

    var count: Int { entries.count }

    func contains(_ id: Bytes32) -> Bool { entries[id] != nil }

    func missing(of id: Bytes32) -> [Bytes32] { entries[id]?.missing.sorted() ?? [] }

    /// All heads that are waited for and do not wait themselves, ascending: what to ask a peer for.
    var wanted: [Bytes32] { byHead.keys.filter { entries[$0] == nil }.sorted() }

    /// Authors of all that waits for this one, directly or behind others that wait.
    func authors(waitingFor head: Bytes32) -> Set<DeviceID> {
        var authors: Set<DeviceID> = []
        var (found, next): (Set<Bytes32>, [Bytes32]) = ([], [head])
        while let head = next.popLast() {
            for id in byHead[head] ?? [] where found.insert(id).inserted {
                if let author = entries[id]?.operation.author { authors.insert(author) }
                next.append(id)
            }
        }
        return authors
    }

    mutating func insert(_ operation: RosterOperation, missing: Set<Bytes32>) {
        precondition(!missing.isEmpty && entries[operation.id] == nil, "an operation that need not wait")
        entries[operation.id] = Entry(operation: operation, missing: missing)
        byteCount += operation.bytes.count
        order.append(operation.id)
        compactOrder()
        for head in missing { byHead[head, default: []].insert(operation.id) }
        while entries.count > RosterLimits.waitingMax || byteCount > RosterLimits.waitingBytesMax {
            dropOldest()
        }
    }

    /// Tells that `head` is known now; returns the operations that lack nothing any more, ascending by id.
    mutating func release(by head: Bytes32) -> [RosterOperation] {
        var ready: [RosterOperation] = []
        for id in (byHead.removeValue(forKey: head) ?? []).sorted() {
            guard var entry = entries[id] else { continue }
            entry.missing.remove(head)
            entries[id] = entry
            if entry.missing.isEmpty {
                ready.append(entry.operation)
                remove(id)
            }
        }
        return ready
    }

    private mutating func dropOldest() {
        precondition(oldest < order.count, "more entries than arrivals")
        remove(order[oldest])
        oldest += 1
    }

    /// What was released leaves its id in `order`; once those are the most, each live id is kept once.
    private mutating func compactOrder() {
        guard order.count > 4 * RosterLimits.waitingMax else { return }
        var seen: Set<Bytes32> = []
        order = order[oldest...].filter { entries[$0] != nil && seen.insert($0).inserted }
        oldest = 0
    }

    private mutating func remove(_ id: Bytes32) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        byteCount -= entry.operation.bytes.count
        for head in entry.missing {
            byHead[head]?.remove(id)
            if byHead[head]?.isEmpty == true { byHead[head] = nil }
        }
        if entries.isEmpty {
            order = []
            oldest = 0
        }
    }

    func checkInvariants() {
        precondition(entries.count <= RosterLimits.waitingMax && byteCount <= RosterLimits.waitingBytesMax)
        precondition(byteCount == entries.values.reduce(0) { $0 + $1.operation.bytes.count })
        for (id, entry) in entries {
            precondition(
                !entry.missing.isEmpty && entry.missing.allSatisfy { byHead[$0]?.contains(id) == true })
        }
        precondition(
            order.count <= 4 * RosterLimits.waitingMax + 1
                && Set(order[oldest...]).isSuperset(of: entries.keys))
        precondition(byHead.values.allSatisfy { !$0.isEmpty && $0.allSatisfy { entries[$0] != nil } })
    }
}
