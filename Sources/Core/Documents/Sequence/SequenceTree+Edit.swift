// Changes of the B+tree: runs go in, grow, split and melt together; sums and minima follow. Whoever calls keeps the
// index from dots to leaves, so a split of a leaf is reported.

extension SequenceTree {
    /// Makes room so that a run can be put at `slot` of `leaf`: splits a full leaf. The place where the run goes,
    /// and the new leaf, to which runs have moved, when there is one.
    mutating func makeRoom(leaf: Int, slot: Int) -> (leaf: Int, slot: Int, newLeaf: Int?) {
        let count = leaves.span[leaf].count
        guard count == Self.leafCapacity else { return (leaf, slot, nil) }
        // At the end of the order the old leaf stays full, so that appending fills leaves.
        let cut = slot == count && leaves.span[leaf].next < 0 ? count : count / 2
        let new = splitLeaf(leaf, at: cut)
        return slot > cut || (slot == cut && cut == count) ? (new, slot - cut, new) : (leaf, slot, new)
    }

    /// Puts a run into a leaf that has room; the summaries are brought up to date.
    mutating func put(_ run: SequenceRun, leaf: Int, slot: Int) {
        let count = leaves.span[leaf].count
        precondition(slot <= count && count < Self.leafCapacity, "slot \(slot) of \(count)")
        var place = count
        while place > slot {
            leaves[leaf].runs[place] = leaves.span[leaf].runs[place - 1]
            place -= 1
        }
        leaves[leaf].runs[slot] = run
        leaves[leaf].count = count + 1
        refresh(leaf)
    }

    /// The first run of an empty order, or one more after the last.
    mutating func append(_ run: SequenceRun) -> Int {
        if leaves.isEmpty {
            leaves.append(Leaf())
            lastLeaf = 0
        }
        let place = makeRoom(leaf: lastLeaf, slot: leaves.span[lastLeaf].count)
        put(run, leaf: place.leaf, slot: place.slot)
        return place.leaf
    }

    /// Changes one run in place.
    mutating func change(leaf: Int, slot: Int, _ body: (inout SequenceRun) -> Void) {
        body(&leaves[leaf].runs[slot])
        refresh(leaf)
    }

    /// Melts the run at `slot` with the ones before and after it in the same leaf, where they continue each other.
    mutating func meld(leaf: Int, slot: Int) {
        for place in [slot, slot - 1] where place >= 0 && place + 1 < leaves.span[leaf].count {
            let next = leaves.span[leaf].runs[place + 1]
            guard leaves.span[leaf].runs[place].continues(with: next) else { continue }
            leaves[leaf].runs[place].count += next.count
            leaves[leaf].runs[place].gap = next.gap
            let count = leaves.span[leaf].count
            for index in place + 1..<count - 1 {
                leaves[leaf].runs[index] = leaves.span[leaf].runs[index + 1]
            }
            leaves[leaf].runs[count - 1] = .unused
            leaves[leaf].count = count - 1
        }
        refresh(leaf)
    }

    /// Gives the first part of the run after `slot` to the run at `slot`, when it continues it.
    mutating func meldBorder(leaf: Int, slot: Int, taking part: SequenceRun, leaving rest: SequenceRun)
        -> Bool
    {
        guard leaves.span[leaf].runs[slot].continues(with: part) else { return false }
        leaves[leaf].runs[slot].count += part.count
        leaves[leaf].runs[slot].gap = part.gap
        leaves[leaf].runs[slot + 1] = rest
        refresh(leaf)
        return true
    }

    /// Gives the last part of the run at `slot` to the run after it, when that continues it.
    mutating func meldBorder(leaf: Int, slot: Int, leaving rest: SequenceRun, giving part: SequenceRun)
        -> Bool
    {
        guard slot + 1 < leaves.span[leaf].count else { return false }
        let next = leaves.span[leaf].runs[slot + 1]
        guard part.continues(with: next) else { return false }
        var longer = part
        longer.count += next.count
        longer.gap = next.gap
        leaves[leaf].runs[slot] = rest
        leaves[leaf].runs[slot + 1] = longer
        refresh(leaf)
        return true
    }

    /// Puts up to three runs where one was, in a leaf that has room for them.
    mutating func replace(
        leaf: Int, slot: Int, with first: SequenceRun, _ second: SequenceRun, _ third: SequenceRun? = nil
    ) {
        let more = third == nil ? 1 : 2
        let count = leaves.span[leaf].count
        precondition(slot < count && count + more <= Self.leafCapacity, "\(more) more than \(count) runs")
        var place = count - 1
        while place > slot {
            leaves[leaf].runs[place + more] = leaves.span[leaf].runs[place]
            place -= 1
        }
        leaves[leaf].runs[slot] = first
        leaves[leaf].runs[slot + 1] = second
        if let third { leaves[leaf].runs[slot + 2] = third }
        leaves[leaf].count = count + more
        refresh(leaf)
    }

    /// True when this many more runs fit into a leaf.
    func hasRoom(leaf: Int, for more: Int) -> Bool { leaves.span[leaf].count + more <= Self.leafCapacity }

    /// Remembers where the last edit was.
    mutating func remember(leaf: Int) {
        guard leaf != recentLeaf else { return }
        recentVisibleBefore = visibleBefore(leaf: leaf)
        recentLeaf = leaf
    }

    /// Brings the sums and minima above a leaf up to date. Every change of runs happens in the remembered leaf or
    /// forgets it, as what stands before another leaf may have changed.
    mutating func refresh(_ leaf: Int) {
        var new = SequenceSummary()
        for slot in 0..<leaves.span[leaf].count { new.add(leaves.span[leaf].runs[slot]) }
        let old = leaves.span[leaf].summary
        if new == old { return }
        if leaf != recentLeaf { recentLeaf = -1 }
        leaves[leaf].summary = new
        let (visible, total) = (new.visible - old.visible, new.total - old.total)
        var isMinimumChanged = new.gapMin != old.gapMin || new.depthMin != old.depthMin
        var (child, branch) = (leaf, Int(leaves.span[leaf].parent))
        while branch >= 0 {
            let place = place(of: child, in: branch)
            branches[branch].children[place].summary.visible += visible
            branches[branch].children[place].summary.total += total
            if isMinimumChanged {
                let before = branches.span[branch].children[place].summary
                isMinimumChanged = before.gapMin != new.gapMin || before.depthMin != new.depthMin
                branches[branch].children[place].summary.gapMin = new.gapMin
                branches[branch].children[place].summary.depthMin = new.depthMin
                if isMinimumChanged { new = sum(of: branch) }
            }
            (child, branch) = (branch, Int(branches.span[branch].parent))
        }
    }

    // MARK: Splitting nodes

    private mutating func splitLeaf(_ leaf: Int, at cut: Int) -> Int {
        let new = leaves.count
        var right = Leaf()
        right.parent = leaves.span[leaf].parent
        right.previous = Int32(leaf)
        right.next = leaves.span[leaf].next
        right.count = leaves.span[leaf].count - cut
        for slot in 0..<right.count {
            right.runs[slot] = leaves.span[leaf].runs[cut + slot]
            right.summary.add(right.runs[slot])
            leaves[leaf].runs[cut + slot] = .unused
        }
        leaves.append(right)
        if right.next >= 0 { leaves[Int(right.next)].previous = Int32(new) } else { lastLeaf = new }
        leaves[leaf].next = Int32(new)
        leaves[leaf].count = cut
        leaves[leaf].summary = SequenceSummary()
        for slot in 0..<cut { leaves[leaf].summary.add(leaves.span[leaf].runs[slot]) }
        let parent = addChild(
            Child(handle: Int32(new), summary: right.summary), after: leaf, leaves.span[leaf].summary,
            in: Int(leaves.span[leaf].parent), isAboveLeaves: true)
        leaves[new].parent = Int32(parent)
        return new
    }

    /// Puts `child` after `sibling`, whose own summary has become `summary`. The branch that holds `child` then.
    private mutating func addChild(
        _ child: Child, after sibling: Int, _ summary: SequenceSummary, in parent: Int, isAboveLeaves: Bool
    ) -> Int {
        guard parent >= 0 else {
            var top = Branch(isAboveLeaves: isAboveLeaves)
            top.count = 2
            top.children[0] = Child(handle: Int32(sibling), summary: summary)
            top.children[1] = child
            root = branches.count
            branches.append(top)
            adopt(sibling, by: root, isLeaf: isAboveLeaves)
            return root
        }
        let place = place(of: sibling, in: parent)
        branches[parent].children[place].summary = summary
        if branches.span[parent].count < Self.branchCapacity {
            insert(child, at: place + 1, in: parent)
            return parent
        }
        let cut = place == Self.branchCapacity - 1 ? Self.branchCapacity - 1 : Self.branchCapacity / 2
        let new = splitBranch(parent, at: cut)
        let holder = place >= cut ? new : parent
        insert(child, at: place + 1 - (holder == new ? cut : 0), in: holder)
        let above = addChild(
            Child(handle: Int32(new), summary: sum(of: new)), after: parent, sum(of: parent),
            in: Int(branches.span[parent].parent), isAboveLeaves: false)
        branches[new].parent = Int32(above)
        return holder
    }

    private mutating func insert(_ child: Child, at place: Int, in branch: Int) {
        var index = branches.span[branch].count
        while index > place {
            branches[branch].children[index] = branches.span[branch].children[index - 1]
            index -= 1
        }
        branches[branch].children[place] = child
        branches[branch].count += 1
    }

    private mutating func splitBranch(_ branch: Int, at cut: Int) -> Int {
        let new = branches.count
        var right = Branch(isAboveLeaves: branches.span[branch].isAboveLeaves)
        right.parent = branches.span[branch].parent
        right.count = branches.span[branch].count - cut
        for place in 0..<right.count {
            right.children[place] = branches.span[branch].children[cut + place]
            branches[branch].children[cut + place] = Child()
        }
        branches[branch].count = cut
        branches.append(right)
        for place in 0..<right.count {
            adopt(Int(right.children[place].handle), by: new, isLeaf: right.isAboveLeaves)
        }
        return new
    }

    private mutating func adopt(_ child: Int, by branch: Int, isLeaf: Bool) {
        if isLeaf { leaves[child].parent = Int32(branch) } else { branches[child].parent = Int32(branch) }
    }
}
