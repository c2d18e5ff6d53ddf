// FugueMax in the simplest words, to compare the engine with: every position is an entry of a table with its
// parent and side, and the order is read off the tree from scratch whenever it is asked for.

import Causality

/// A plain tree of positions. Everything is linear or worse.
struct NaiveSequence {
    struct Position {
        var parent: Dot?
        var isLeft: Bool
        var rightOrigin: Dot?
        var isVisible: Bool
    }

    private(set) var positions: [Dot: Position] = [:]
    /// All positions in their order.
    private(set) var order: [Dot] = []

    var visible: [Dot] { order.filter { positions[$0]?.isVisible == true } }

    mutating func insert(first: Dot, count: Int, left: Dot?, right: Dot?) {
        guard positions[first] == nil else { return }
        let right = right.flatMap { positions[$0] == nil ? nil : $0 }
        var left = left.flatMap { positions[$0] == nil ? nil : $0 }
        for step in 0..<count {
            let dot = first.advanced(by: step)
            if let right, isBelow(right, left) {
                positions[dot] = Position(parent: right, isLeft: true, rightOrigin: nil, isVisible: true)
            } else {
                positions[dot] = Position(parent: left, isLeft: false, rightOrigin: right, isVisible: true)
            }
            order = flattened()
            left = dot
        }
    }

    mutating func setVisible(_ range: DotRange, _ visible: Bool) {
        for dot in positions.keys where range.contains(dot) { positions[dot]?.isVisible = visible }
    }

    /// After the ancestor and in its subtree.
    private func isBelow(_ dot: Dot, _ ancestor: Dot?) -> Bool {
        guard let ancestor else { return true }
        var next = dot
        while let position = positions[next], let parent = position.parent {
            if parent == ancestor { return !position.isLeft }
            next = parent
        }
        return false
    }

    private func flattened() -> [Dot] {
        var rank: [Dot: Int] = [:]
        for (index, dot) in order.enumerated() { rank[dot] = index }
        var children: [Dot?: [Dot]] = [:]
        for (dot, position) in positions { children[position.parent, default: []].append(dot) }
        func side(_ parent: Dot?, isLeft: Bool) -> [Dot] {
            (children[parent] ?? []).filter { positions[$0]?.isLeft == isLeft }.sorted { a, b in
                if isLeft { return a < b }
                let places = [a, b].map { positions[$0]?.rightOrigin.flatMap { rank[$0] } ?? Int.max }
                return places[0] == places[1] ? a < b : places[0] > places[1]
            }
        }
        var result: [Dot] = []
        var stack: [(dot: Dot, isOpen: Bool)] = side(nil, isLeft: false).reversed().map { ($0, false) }
        while let (dot, isOpen) = stack.popLast() {
            if isOpen {
                result.append(dot)
            } else {
                stack += side(dot, isLeft: false).reversed().map { ($0, false) }
                stack.append((dot, true))
                stack += side(dot, isLeft: true).reversed().map { ($0, false) }
            }
        }
        return result
    }
}
