// Changes of the B+tree: runs go in, grow, split and melt together; sums and minima follow. Whoever calls keeps the
// index from dots to leaves, so a split of a leaf is reported.

extension SequenceTree {
    /// Makes room so that a run can be put at `slot` of `leaf`: splits a full leaf. The place where the run goes,
    /// and the new leaf, to which runs have moved, when there is one.
    mutating func makeRoom(leaf: Int, slot: Int) -> (leaf: Int, slot: Int, newLeaf: Int?) {
        let count = leaves[leaf].count
        guard count == Self.leafCapacity else { return (leaf, slot, nil) }
        // At the end of the order the old leaf stays full, so that appending fills leaves.
        let cut = slot == count && leaves[leaf].next < 0 ? count : count / 2
        let new = splitLeaf(leaf, at: cut)
        return slot > cut || (slot == cut && cut == count) ? (new, slot - cut, new) : (leaf, slot, new)
    }

    /// Puts a run into a leaf that has room; the summaries are brought up to date.
    mutating func put(_ run: SequenceRun, leaf: Int, slot: Int) {
        let count = leaves[leaf].count
        precondition(slot <= count && count < Self.leafCapacity, "slot \(slot) of \(count)")
        var place = count
        while place > slot {
            leaves[leaf].runs[place] = leaves[leaf].runs[place - 1]
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
        let place = makeRoom(leaf: lastLeaf, slot: leaves[lastLeaf].count)
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
        for place in [slot, slot - 1] where place >= 0 && place + 1 < leaves[leaf].count {
            let next = leaves[leaf].runs[place + 1]
            guard leaves[leaf].runs[place].continues(with: next) else { continue }
            leaves[leaf].runs[place].count += next.count
            leaves[leaf].runs[place].gap = next.gap
            let count = leaves[leaf].count
            for index in place + 1..<count - 1 { leaves[leaf].runs[index] = leaves[leaf].runs[index + 1] }
            leaves[leaf].runs[count - 1] = .unused
            leaves[leaf].count = count - 1
        }
        refresh(leaf)
    }

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
        for slot in 0..<leaves[leaf].count { new.add(leaves[leaf].runs[slot]) }
        let old = leaves[leaf].summary
        if new == old { return }
        if leaf != recentLeaf { recentLeaf = -1 }
        leaves[leaf].summary = new
        let (visible, total) = (new.visible - old.visible, new.total - old.total)
        var isMinimumChanged = new.gapMin != old.gapMin || new.depthMin != old.depthMin
        var (child, branch) = (leaf, Int(leaves[leaf].parent))
        while branch >= 0 {
            let place = place(of: child, in: branch)
            branches[branch].children[place].summary.visible += visible
            branches[branch].children[place].summary.total += total
            if isMinimumChanged {
                let before = branches[branch].children[place].summary
                isMinimumChanged = before.gapMin != new.gapMin || before.depthMin != new.depthMin
                branches[branch].children[place].summary.gapMin = new.gapMin
                branches[branch].children[place].summary.depthMin = new.depthMin
                if isMinimumChanged { new = sum(of: branch) }
            }
            (child, branch) = (branch, Int(branches[branch].parent))
        }
    }

    // MARK: Splitting nodes

    private mutating func splitLeaf(_ leaf: Int, at cut: Int) -> Int {
        let new = leaves.count
        var right = Leaf()
        right.parent = leaves[leaf].parent
        right.previous = Int32(leaf)
        right.next = leaves[leaf].next
        right.count = leaves[leaf].count - cut
        for slot in 0..<right.count {
            right.runs[slot] = leaves[leaf].runs[cut + slot]
            right.summary.add(right.runs[slot])
            leaves[leaf].runs[cut + slot] = .unused
        }
        leaves.append(right)
        if right.next >= 0 { leaves[Int(right.next)].previous = Int32(new) } else { lastLeaf = new }
        leaves[leaf].next = Int32(new)
        leaves[leaf].count = cut
        leaves[leaf].summary = SequenceSummary()
        for slot in 0..<cut { leaves[leaf].summary.add(leaves[leaf].runs[slot]) }
        let parent = addChild(
            Child(handle: Int32(new), summary: right.summary), after: leaf, leaves[leaf].summary,
            in: Int(leaves[leaf].parent), isAboveLeaves: true)
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
        if branches[parent].count < Self.branchCapacity {
            insert(child, at: place + 1, in: parent)
            return parent
        }
        let cut = place == Self.branchCapacity - 1 ? Self.branchCapacity - 1 : Self.branchCapacity / 2
        let new = splitBranch(parent, at: cut)
        let holder = place >= cut ? new : parent
        insert(child, at: place + 1 - (holder == new ? cut : 0), in: holder)
        let above = addChild(
            Child(handle: Int32(new), summary: sum(of: new)), after: parent, sum(of: parent),
            in: Int(branches[parent].parent), isAboveLeaves: false)
        branches[new].parent = Int32(above)
        return holder
    }

    private mutating func insert(_ child: Child, at place: Int, in branch: Int) {
        var index = branches[branch].count
        while index > place {
            branches[branch].children[index] = branches[branch].children[index - 1]
            index -= 1
        }
        branches[branch].children[place] = child
        branches[branch].count += 1
    }

    private mutating func splitBranch(_ branch: Int, at cut: Int) -> Int {
        let new = branches.count
        var right = Branch(isAboveLeaves: branches[branch].isAboveLeaves)
        right.parent = branches[branch].parent
        right.count = branches[branch].count - cut
        for place in 0..<right.count {
            right.children[place] = branches[branch].children[cut + place]
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
