// Searches by gap level and depth: they find where the subtree of a position ends, where a sibling begins,
// and which position is a sibling's root. Each looks through the rest of a leaf, climbs until a neighbour
// holds an answer, and descends to it: O(log n).

extension SequenceTree {
    /// The first position, this one or a later one, whose gap is below `level`. One exists for every level ≥
    /// 0.
    func firstGap(below level: Int, from location: Location) -> Location {
        let span = span(at: location)
        if location.offset < span.count - 1, span.depth + location.offset < level { return location }
        if span.gap < level {
            return Location(leaf: location.leaf, slot: location.slot, offset: span.count - 1)
        }
        if let found = firstGap(below: level, in: location.leaf, from: location.slot + 1) { return found }
        guard let leaf = laterLeaf(after: location.leaf, where: { $0.gapMin < level }),
            let found = firstGap(below: level, in: leaf, from: 0)
        else { preconditionFailure("no gap below \(level)") }
        return found
    }

    private func firstGap(below level: Int, in leaf: Int, from slot: Int) -> Location? {
        for slot in slot..<max(slot, leaves[leaf].count)
        where spans[at(leaf, slot)].gapMin < level {
            let span = spans[at(leaf, slot)]
            return Location(
                leaf: leaf, slot: slot, offset: span.count > 1 && span.depth < level ? 0 : span.count - 1)
        }
        return nil
    }

    /// The last position before this one whose gap is below `level`; nil when there is none.
    func lastGap(below level: Int, before location: Location) -> Location? {
        let span = span(at: location)
        let inside = min(location.offset - 1, level - 1 - span.depth)
        if inside >= 0 { return Location(leaf: location.leaf, slot: location.slot, offset: inside) }
        if let found = lastGap(below: level, in: location.leaf, before: location.slot) { return found }
        guard let leaf = earlierLeaf(before: location.leaf, where: { $0.gapMin < level }) else { return nil }
        return lastGap(below: level, in: leaf, before: leaves[leaf].count)
    }

    private func lastGap(below level: Int, in leaf: Int, before end: Int) -> Location? {
        for slot in (0..<end).reversed() where spans[at(leaf, slot)].gapMin < level {
            let span = spans[at(leaf, slot)]
            let offset = span.gap < level ? span.count - 1 : min(span.count - 2, level - 1 - span.depth)
            return Location(leaf: leaf, slot: slot, offset: offset)
        }
        return nil
    }

    /// The first position, this one or a later one, whose depth is at most `depth`; nil when there is none.
    func first(atMostDeep depth: Int, from location: Location) -> Location? {
        if self.depth(at: location) <= depth { return location }
        func search(_ leaf: Int, from slot: Int) -> Location? {
            for slot in slot..<max(slot, leaves[leaf].count)
            where spans[at(leaf, slot)].depth <= depth {
                return Location(leaf: leaf, slot: slot, offset: 0)
            }
            return nil
        }
        if let found = search(location.leaf, from: location.slot + 1) { return found }
        return laterLeaf(after: location.leaf, where: { $0.depthMin <= depth }).flatMap {
            search($0, from: 0)
        }
    }

    /// The nearest leaf to the right that the condition holds for.
    private func laterLeaf(after leaf: Int, where holds: (SequenceSummary) -> Bool) -> Int? {
        var (child, branch) = (leaf, Int(leaves[leaf].parent))
        while branch >= 0 {
            let start = place(of: child, in: branch) + 1
            for place in start..<max(start, branches[branch].count)
            where holds(children[at(branch, place)].summary) {
                var node = branch
                var found = place
                while !branches[node].isAboveLeaves {
                    node = Int(children[at(node, found)].handle)
                    found = 0
                    while !holds(children[at(node, found)].summary) { found += 1 }
                }
                return Int(children[at(node, found)].handle)
            }
            (child, branch) = (branch, Int(branches[branch].parent))
        }
        return nil
    }

    /// The nearest leaf to the left that the condition holds for.
    private func earlierLeaf(before leaf: Int, where holds: (SequenceSummary) -> Bool) -> Int? {
        var (child, branch) = (leaf, Int(leaves[leaf].parent))
        while branch >= 0 {
            for place in (0..<place(of: child, in: branch)).reversed()
            where holds(children[at(branch, place)].summary) {
                var node = branch
                var found = place
                while !branches[node].isAboveLeaves {
                    node = Int(children[at(node, found)].handle)
                    found = branches[node].count - 1
                    while !holds(children[at(node, found)].summary) { found -= 1 }
                }
                return Int(children[at(node, found)].handle)
            }
            (child, branch) = (branch, Int(branches[branch].parent))
        }
        return nil
    }
}
