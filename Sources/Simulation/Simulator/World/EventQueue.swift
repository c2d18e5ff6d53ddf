// What will happen, by time and then by the order in which it was planned: a binary heap.

import Node

/// Something that will happen.
struct Event {
    enum Kind {
        /// For a node as it runs now: after so many starts.
        case input(Int, start: UInt64, Input)
        case tick(Int)
        /// The node's pause is over, unless it was made longer since.
        case wake(Int, start: UInt64)
        /// The batch of a node ends.
        case commit(Int)
        /// The first piece on the way to an end of a connection.
        case deliver(UInt64, toDialler: Bool)
        case arrive(UInt64)
    }

    let time: UInt64
    let kind: Kind
}

/// Events in order.
struct EventQueue {
    /// What is compared and moved, without what will happen.
    private struct HeapEntry {
        let time: UInt64
        let order: UInt64
        let slot: Int

        func precedes(_ other: HeapEntry) -> Bool { (time, order) < (other.time, other.order) }
    }

    private var heap: [HeapEntry] = []
    private var nextOrder: UInt64 = 0
    /// Events where the heap's places say, and which of these slots are free.
    private var slots: [Event?] = []
    private var free: [Int] = []

    mutating func insert(_ event: Event) {
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(event) } else { slots[slot] = event }
        heap.append(HeapEntry(time: event.time, order: nextOrder, slot: slot))
        nextOrder += 1
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// When the first event is due.
    var firstTime: UInt64? { heap.first?.time }

    /// The first event, unless it is later than `end`.
    mutating func popFirst(until end: UInt64) -> Event? {
        guard let first = heap.first, first.time <= end else { return nil }
        removeFirst()
        free.append(first.slot)
        return slots[first.slot].take()
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        if heap.isEmpty { return }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
