// A list: an order of positions and the elements that stand there. An element keeps its identity (the dot
// that inserted it) when it moves: a move is a write to its position register, so concurrent moves never
// double it (Kleppmann, "Moving elements in list CRDTs"). Elements follow edit-wins like containers.

import Causality

/// The elements of one list. `order` shows the winning position of each live element and no other.
struct ListContent: Sendable {
    struct Element: Sendable {
        var edits: ElementEdits
        /// Surviving moves; empty while it stands where it was inserted (a move always covers that position).
        var moves: [Priority] = []
        let slot: SlotHandle
    }

    var order = SequenceOrder()
    /// Every live element, and of the dead ones those that still hold a container, a generation or a move.
    var elements: [Dot: Element] = [:]
    /// The element of each position that a move made, also of positions that were left again.
    var moved: [Dot: Dot] = [:]

    /// Bytes of one record with its table entry, for caps. A table is between three eighths and three
    /// quarters full, so that an entry counts twice.
    static var elementBytes: Int { 2 * MemoryLayout<(key: Dot, value: Element)>.stride }

    /// True when this dot inserted an element here, live or not.
    func hasElement(_ dot: Dot) -> Bool { order.contains(dot) && moved[dot] == nil }

    func isVisible(_ element: Dot) -> Bool { elements[element]?.edits.isLive == true }

    /// The winning position of an element.
    func position(of element: Dot) -> Dot { elements[element]?.moves.max()?.dot ?? element }

    /// The element at a position.
    func element(at position: Dot) -> Dot { moved[position] ?? position }

    /// The visible index of a visible element; nil for any other dot.
    func index(of element: Dot) -> Int? {
        isVisible(element) ? order.visibleIndex(of: position(of: element)) : nil
    }

    /// The element at a visible index.
    func element(atIndex index: Int) -> Dot { element(at: order.dot(atVisibleIndex: index)) }

    func slot(of element: Dot) -> SlotHandle {
        guard let slot = elements[element]?.slot else {
            preconditionFailure("element \(element) is not kept")
        }
        return slot
    }

    /// The live elements of a range of dots, ascending, and how many it looked at to find them. A range may
    /// be long and name little: O(log n) a span of it, O(1) a position, but no more than all elements.
    func liveElements(in range: DotRange) -> (live: [Dot], lookedAt: Int) {
        guard let replica = order.knownNumber(of: range.replica) else { return ([], 0) }
        var live: [Dot] = []
        var lookedAt = 0
        var next = range.first.value
        while let piece = order.piece(replica, next..<range.last.value + 1) {
            lookedAt += piece.sequences.count
            if lookedAt > elements.count {
                live = elements.keys.filter { range.contains($0) && isVisible($0) }.sorted()
                return (live, lookedAt + elements.count)
            }
            for sequence in piece.sequences {
                let dot = Dot(range.replica, SequenceNumber(sequence))
                if isVisible(dot) { live.append(dot) }
            }
            next = piece.sequences.upperBound
        }
        return (live, lookedAt)
    }

    /// The visible elements in sequence order. O(n).
    var visibleElements: [Dot] {
        var result: [Dot] = []
        result.reserveCapacity(order.visibleCount)
        order.forEachVisible { range in
            for step in 0..<range.count { result.append(element(at: range.start.advanced(by: step))) }
        }
        return result
    }
}
