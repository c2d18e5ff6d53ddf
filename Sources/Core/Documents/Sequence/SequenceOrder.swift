// The order of positions in texts, lists and ordered sets (FugueMax; Weidner and Kleppmann, "The Art of the Fugue").
// Positions form a tree: a position stands after its left children and before its right ones. An insertion names the
// two positions it was made between; it becomes a left child of the right one when that one is already below the
// left one in the tree, else a right child of the left one.

import Bytes
import Causality

/// An order of positions, each named by a dot and visible or not. A value; equal histories give equal bytes.
struct SequenceOrder: Sendable {
    private struct Position: Sendable {
        var parent: Dot?
        var isLeftChild: Bool
        var rightOrigin: Dot?
        var leftChildren: [Dot] = []
        var rightChildren: [Dot] = []
        var isVisible: Bool
    }

    private var positions: [Dot: Position] = [:]
    private var roots: [Dot] = []
    private var order: [Dot] = []

    init() {}

    var totalCount: Int { order.count }
    var visibleCount: Int { order.count { positions[$0]?.isVisible == true } }
    func contains(_ dot: Dot) -> Bool { positions[dot] != nil }
    func isVisible(_ dot: Dot) -> Bool { positions[dot]?.isVisible == true }

    /// Inserts `count` positions, chained. Returns the visible index of the first; nil when it was known already.
    @discardableResult
    mutating func insert(first: Dot, count: Int, left: Dot?, right: Dot?, visible: Bool) -> Int? {
        guard count > 0, !contains(first) else { return nil }
        let right = right.flatMap { contains($0) ? $0 : nil }
        var left = left.flatMap { contains($0) ? $0 : nil }
        for step in 0..<count {
            let dot = first.advanced(by: step)
            place(dot, left, right, visible)
            left = dot
        }
        return visibleIndex(of: first)
    }

    private mutating func place(_ dot: Dot, _ left: Dot?, _ right: Dot?, _ visible: Bool) {
        let rank = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        if let right, isRightDescendant(right, of: left) {
            positions[dot] = Position(parent: right, isLeftChild: true, rightOrigin: nil, isVisible: visible)
            positions[right]?.leftChildren.append(dot)
            positions[right]?.leftChildren.sort()
        } else {
            positions[dot] = Position(
                parent: left, isLeftChild: false, rightOrigin: right, isVisible: visible)
            var siblings = left.map { positions[$0]?.rightChildren ?? [] } ?? roots
            siblings.append(dot)
            func place(_ sibling: Dot) -> Int {
                positions[sibling]?.rightOrigin.flatMap { rank[$0] } ?? Int.max
            }
            siblings.sort { (place($1), $0) < (place($0), $1) }
            if let left { positions[left]?.rightChildren = siblings } else { roots = siblings }
        }
        flatten()
    }

    private func isRightDescendant(_ dot: Dot, of ancestor: Dot?) -> Bool {
        guard let ancestor else { return true }
        var next = dot
        while let position = positions[next], let parent = position.parent {
            if parent == ancestor { return !position.isLeftChild }
            next = parent
        }
        return false
    }

    private mutating func flatten() {
        order = []
        var stack: [(Dot, open: Bool)] = roots.reversed().map { ($0, false) }
        while let (dot, open) = stack.popLast() {
            guard let position = positions[dot] else { continue }
            if open {
                order.append(dot)
                continue
            }
            stack.append(contentsOf: position.rightChildren.reversed().map { ($0, false) })
            stack.append((dot, true))
            stack.append(contentsOf: position.leftChildren.reversed().map { ($0, false) })
        }
    }

    /// Shows or hides the known positions of a range. `changed` is called for each group that appeared or
    /// disappeared, with visible indexes that are right when the groups are applied one after another.
    mutating func setVisible(
        _ range: DotRange, _ visible: Bool, changed: (_ visibleIndex: Int, _ count: Int) -> Void
    ) {
        for dot in order.filter({ range.contains($0) && isVisible($0) != visible }).sorted() {
            guard let index = visibleIndex(of: dot) else { continue }
            positions[dot]?.isVisible = visible
            changed(index, 1)
        }
    }

    /// The position at a visible index, which must be below `visibleCount`.
    func dot(atVisibleIndex index: Int) -> Dot { order.filter { isVisible($0) }[index] }

    /// Visible positions before this one, whether it is visible or not; nil when it is unknown.
    func visibleIndex(of dot: Dot) -> Int? {
        guard let place = order.firstIndex(of: dot) else { return nil }
        return order[..<place].count { isVisible($0) }
    }

    /// The origins of an insertion that shall stand at this visible index (0 through `visibleCount`).
    func origins(forInsertionAtVisibleIndex index: Int) -> (left: Dot?, right: Dot?) {
        origins(after: index == 0 ? nil : dot(atVisibleIndex: index - 1))
    }

    /// The origins of an insertion directly after a position (nil: at the start); an unknown one counts as nil.
    func origins(after left: Dot?) -> (left: Dot?, right: Dot?) {
        guard let left, let place = order.firstIndex(of: left) else { return (nil, order.first) }
        return (left, place + 1 < order.count ? order[place + 1] : nil)
    }

    /// The dots of the visible positions of an index range, in sequence order, neighbours merged.
    func visibleRanges(in range: Range<Int>) -> [DotRange] {
        var result: [DotRange] = []
        for dot in order.filter({ isVisible($0) })[range] {
            if let last = result.last, last.replica == dot.replica, last.last + 1 == dot.sequence {
                result[result.count - 1] = DotRange(last.replica, last.first, dot.sequence)
            } else {
                result.append(DotRange(dot))
            }
        }
        return result
    }

    /// The visible positions in sequence order, as ranges of consecutive dots.
    func forEachVisible(_ body: (DotRange) -> Void) {
        for range in visibleRanges(in: 0..<visibleCount) { body(range) }
    }

    func encode(into writer: inout ByteWriter) {
        // Causal order is not known here; parents precede children in this listing because it is by depth.
        writer.varint(order.count)
        for dot in order {
            dot.replica.raw.encode(into: &writer)
            writer.varint(dot.sequence.value)
            let position = positions[dot]
            writer.u8((position?.isVisible == true ? 1 : 0) | (position?.isLeftChild == true ? 2 : 0))
            for other in [position?.parent, position?.rightOrigin] {
                writer.u8(other == nil ? 0 : 1)
                guard let other else { continue }
                other.replica.raw.encode(into: &writer)
                writer.varint(other.sequence.value)
            }
        }
    }

    init(from reader: inout ByteReader) throws(DecodeFault) {
        let count = try reader.count(limit: reader.remaining, field: "positions")
        func readDot() throws(DecodeFault) -> Dot {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            return Dot(replica, SequenceNumber(try reader.varint()))
        }
        for _ in 0..<count {
            let dot = try readDot()
            let flags = try reader.u8()
            let parent = try reader.u8() == 0 ? nil : try readDot()
            let rightOrigin = try reader.u8() == 0 ? nil : try readDot()
            order.append(dot)
            positions[dot] = Position(
                parent: parent, isLeftChild: flags & 2 != 0, rightOrigin: rightOrigin,
                isVisible: flags & 1 != 0)
        }
        for dot in order {
            guard let position = positions[dot] else { continue }
            guard let parent = position.parent else {
                roots.append(dot)
                continue
            }
            if position.isLeftChild {
                positions[parent]?.leftChildren.append(dot)
            } else {
                positions[parent]?.rightChildren.append(dot)
            }
        }
    }
}
