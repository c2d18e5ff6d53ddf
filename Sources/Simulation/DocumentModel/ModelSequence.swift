// FugueMax (Weidner and Kleppmann 2023) in the simplest words: a tree of positions whose order is read off
// from scratch after each insertion. A position is a right child of its left origin unless the right origin
// stands in the left origin's subtree; then it is a left child of the right origin.

import Bytes
import Causality

/// The positions of one sequence.
struct ModelSequence {
    private struct Position {
        let dot: Dot
        /// Index of the right origin among the positions; nil: the end. Of left children it is not asked.
        let rightOrigin: Int?
        let parent: Int
        let isLeft: Bool
        /// In their order.
        var leftChildren: [Int] = []
        var rightChildren: [Int] = []
    }

    /// The first is the start, which is no position of the sequence.
    private var positions: [Position]
    private var indices: [Dot: Int] = [:]
    /// Where each stands in `order`.
    private var ranks: [Int] = [0]
    /// All positions in their order.
    private(set) var order: [Dot] = []

    init() {
        let nobody = Dot(ReplicaID(raw: .zero), .none)
        positions = [Position(dot: nobody, rightOrigin: nil, parent: -1, isLeft: false)]
    }

    /// `count` positions in a row. An origin that is not here (its insertion is void) is the start or the
    /// end.
    mutating func insert(first: Dot, count: Int, left: Dot?, right: Dot?) {
        let right = right.flatMap { indices[$0] }
        var left = left.flatMap { indices[$0] } ?? 0
        for step in 0..<count {
            let dot = first.stepped(step)
            if let right, step == 0, isBelow(right, left) {
                left = add(Position(dot: dot, rightOrigin: right, parent: right, isLeft: true))
            } else {
                // Further positions of a row are the only right child of the one before.
                left = add(Position(dot: dot, rightOrigin: right, parent: left, isLeft: false))
            }
        }
        readOrder()
    }

    private mutating func add(_ position: Position) -> Int {
        let index = positions.count
        positions.append(position)
        indices[position.dot] = index
        if position.isLeft {
            let siblings = positions[position.parent].leftChildren
            let place = siblings.firstIndex { position.dot.isBefore(positions[$0].dot) } ?? siblings.count
            positions[position.parent].leftChildren.insert(index, at: place)
        } else {
            let siblings = positions[position.parent].rightChildren
            let place = siblings.firstIndex { isBefore(position, positions[$0]) } ?? siblings.count
            positions[position.parent].rightChildren.insert(index, at: place)
        }
        return index
    }

    /// Among right children: a later right origin first, then by dot.
    private func isBefore(_ a: Position, _ b: Position) -> Bool {
        let (x, y) = (a.rightOrigin.map { ranks[$0] } ?? .max, b.rightOrigin.map { ranks[$0] } ?? .max)
        return x == y ? a.dot.isBefore(b.dot) : x > y
    }

    /// After the ancestor and in its subtree.
    private func isBelow(_ index: Int, _ ancestor: Int) -> Bool {
        var next = index
        while positions[next].parent >= 0 {
            if positions[next].parent == ancestor { return !positions[next].isLeft }
            next = positions[next].parent
        }
        return false
    }

    private mutating func readOrder() {
        order = []
        ranks = [Int](repeating: -1, count: positions.count)
        var stack = [(index: 0, isOpen: false)]
        while let (index, isOpen) = stack.popLast() {
            if isOpen {
                if index > 0 {
                    ranks[index] = order.count
                    order.append(positions[index].dot)
                }
            } else {
                stack += positions[index].rightChildren.reversed().map { ($0, false) }
                stack.append((index, true))
                stack += positions[index].leftChildren.reversed().map { ($0, false) }
            }
        }
    }
}
