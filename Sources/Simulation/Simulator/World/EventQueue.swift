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
    fileprivate(set) var order: UInt64 = 0

    init(time: UInt64, kind: Kind) {
        self.time = time
        self.kind = kind
    }

    fileprivate func precedes(_ other: Event) -> Bool { (time, order) < (other.time, other.order) }
}

/// Events in order.
struct EventQueue {
    private var heap: [Event] = []
    private var nextOrder: UInt64 = 0

    mutating func insert(_ event: Event) {
        var event = event
        event.order = nextOrder
        nextOrder += 1
        heap.append(event)
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
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            if least == parent { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
