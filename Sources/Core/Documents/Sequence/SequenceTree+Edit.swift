// Changes of the B+tree: spans go in, grow, split and melt together; sums and minima follow. Whoever calls
// keeps the index from dots to leaves, so a split of a leaf is reported.

extension SequenceTree {
    /// Makes room so that a span can be put at `slot` of `leaf`: splits a full leaf. The place where the span
    /// goes, and the new leaf, to which spans have moved, when there is one.
    mutating func makeRoom(leaf: Int, slot: Int) -> (leaf: Int, slot: Int, newLeaf: Int?) {
        let count = leaves[leaf].count
        guard count == Self.capacity else { return (leaf, slot, nil) }
        // At the end of the order the old leaf stays full, so that appending fills leaves.
        let cut = slot == count && leaves[leaf].next < 0 ? count : count / 2
        let new = splitLeaf(leaf, at: cut)
        return slot > cut || (slot == cut && cut == count) ? (new, slot - cut, new) : (leaf, slot, new)
    }

    /// Puts a span into a leaf that has room; the summaries are brought up to date.
    mutating func put(_ span: SequenceSpan, leaf: Int, slot: Int) {
        let count = leaves[leaf].count
        precondition(slot <= count && count < Self.capacity, "slot \(slot) of \(count)")
        var place = count
        while place > slot {
            spans[at(leaf, place)] = spans[at(leaf, place - 1)]
            place -= 1
        }
        spans[at(leaf, slot)] = span
        leaves[leaf].count = count + 1
        refresh(leaf)
    }

    /// The first span of an empty order, or one more after the last.
    mutating func append(_ span: SequenceSpan) -> Int {
        if leaves.isEmpty {
            addLeaf(Leaf())
            lastLeaf = 0
        }
        let place = makeRoom(leaf: lastLeaf, slot: leaves[lastLeaf].count)
        put(span, leaf: place.leaf, slot: place.slot)
        return place.leaf
    }

    /// Changes one span in place.
    mutating func change(leaf: Int, slot: Int, _ body: (inout SequenceSpan) -> Void) {
        body(&spans[at(leaf, slot)])
        refresh(leaf)
    }

    /// Melts the span at `slot` with the ones before and after it in the same leaf, where they continue each
    /// other.
    mutating func meld(leaf: Int, slot: Int) {
        for place in [slot, slot - 1] where place >= 0 && place + 1 < leaves[leaf].count {
            let next = spans[at(leaf, place + 1)]
            guard spans[at(leaf, place)].continues(with: next) else { continue }
            spans[at(leaf, place)].count += next.count
            spans[at(leaf, place)].gap = next.gap
            let count = leaves[leaf].count
            for index in place + 1..<count - 1 {
                spans[at(leaf, index)] = spans[at(leaf, index + 1)]
            }
            spans[at(leaf, count - 1)] = .unused
            leaves[leaf].count = count - 1
        }
        refresh(leaf)
    }

    /// Gives the first part of the span after `slot` to the span at `slot`, when it continues it.
    mutating func meldBorder(leaf: Int, slot: Int, taking part: SequenceSpan, leaving rest: SequenceSpan)
        -> Bool
    {
        guard spans[at(leaf, slot)].continues(with: part) else { return false }
        spans[at(leaf, slot)].count += part.count
        spans[at(leaf, slot)].gap = part.gap
        spans[at(leaf, slot + 1)] = rest
        refresh(leaf)
        return true
    }

    /// Gives the last part of the span at `slot` to the span after it, when that continues it.
    mutating func meldBorder(leaf: Int, slot: Int, leaving rest: SequenceSpan, giving part: SequenceSpan)
        -> Bool
    {
        guard slot + 1 < leaves[leaf].count else { return false }
        let next = spans[at(leaf, slot + 1)]
        guard part.continues(with: next) else { return false }
        var longer = part
        longer.count += next.count
        longer.gap = next.gap
        spans[at(leaf, slot)] = rest
        spans[at(leaf, slot + 1)] = longer
        refresh(leaf)
        return true
    }

    /// Puts up to three spans where one was, in a leaf that has room for them.
    mutating func replace(
        leaf: Int, slot: Int, with first: SequenceSpan, _ second: SequenceSpan, _ third: SequenceSpan? = nil
    ) {
        let more = third == nil ? 1 : 2
        let count = leaves[leaf].count
        precondition(slot < count && count + more <= Self.capacity, "\(more) more than \(count) spans")
        var place = count - 1
        while place > slot {
            spans[at(leaf, place + more)] = spans[at(leaf, place)]
            place -= 1
        }
        spans[at(leaf, slot)] = first
        spans[at(leaf, slot + 1)] = second
        if let third { spans[at(leaf, slot + 2)] = third }
        leaves[leaf].count = count + more
        refresh(leaf)
    }

    /// True when this many more spans fit into a leaf.
    func hasRoom(leaf: Int, for more: Int) -> Bool { leaves[leaf].count + more <= Self.capacity }

    /// Remembers where the last edit was.
    mutating func remember(leaf: Int) {
        guard leaf != recentLeaf else { return }
        recentVisibleBefore = visibleBefore(leaf: leaf)
        recentLeaf = leaf
    }

    /// Brings the sums and minima above a leaf up to date. Every change of spans happens in the remembered
    /// leaf or forgets it, as what stands before another leaf may have changed.
    mutating func refresh(_ leaf: Int) {
        var new = SequenceSummary()
        for slot in 0..<leaves[leaf].count { new.add(spans[at(leaf, slot)]) }
        let old = leaves[leaf].summary
        if new == old { return }
        if leaf != recentLeaf { recentLeaf = -1 }
        leaves[leaf].summary = new
        let (visible, total) = (new.visible - old.visible, new.total - old.total)
        var isMinimumChanged = new.gapMin != old.gapMin || new.depthMin != old.depthMin
        var (child, branch) = (leaf, Int(leaves[leaf].parent))
        while branch >= 0 {
            let place = place(of: child, in: branch)
            children[at(branch, place)].summary.visible += visible
            children[at(branch, place)].summary.total += total
            if isMinimumChanged {
                let before = children[at(branch, place)].summary
                isMinimumChanged = before.gapMin != new.gapMin || before.depthMin != new.depthMin
                children[at(branch, place)].summary.gapMin = new.gapMin
                children[at(branch, place)].summary.depthMin = new.depthMin
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
        addLeaf(right)
        for slot in 0..<right.count {
            let span = spans[at(leaf, cut + slot)]
            spans[at(leaf, cut + slot)] = .unused
            spans[at(new, slot)] = span
            right.summary.add(span)
        }
        leaves[new].summary = right.summary
        if right.next >= 0 { leaves[Int(right.next)].previous = Int32(new) } else { lastLeaf = new }
        leaves[leaf].next = Int32(new)
        leaves[leaf].count = cut
        leaves[leaf].summary = SequenceSummary()
        for slot in 0..<cut { leaves[leaf].summary.add(spans[at(leaf, slot)]) }
        let parent = addChild(
            Child(handle: Int32(new), summary: right.summary), after: leaf, leaves[leaf].summary,
            in: Int(leaves[leaf].parent), isAboveLeaves: true)
        leaves[new].parent = Int32(parent)
        return new
    }

    /// Puts `child` after `sibling`, whose own summary has become `summary`. The branch that holds `child`
    /// then.
    private mutating func addChild(
        _ child: Child, after sibling: Int, _ summary: SequenceSummary, in parent: Int, isAboveLeaves: Bool
    ) -> Int {
        guard parent >= 0 else {
            var top = Branch(isAboveLeaves: isAboveLeaves)
            top.count = 2
            root = addBranch(top)
            children[at(root, 0)] = Child(handle: Int32(sibling), summary: summary)
            children[at(root, 1)] = child
            adopt(sibling, by: root, isLeaf: isAboveLeaves)
            return root
        }
        let place = place(of: sibling, in: parent)
        children[at(parent, place)].summary = summary
        if branches[parent].count < Self.capacity {
            insert(child, at: place + 1, in: parent)
            return parent
        }
        let cut = place == Self.capacity - 1 ? Self.capacity - 1 : Self.capacity / 2
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
            children[at(branch, index)] = children[at(branch, index - 1)]
            index -= 1
        }
        children[at(branch, place)] = child
        branches[branch].count += 1
    }

    private mutating func splitBranch(_ branch: Int, at cut: Int) -> Int {
        var right = Branch(isAboveLeaves: branches[branch].isAboveLeaves)
        right.parent = branches[branch].parent
        right.count = branches[branch].count - cut
        let new = addBranch(right)
        for place in 0..<right.count {
            let child = children[at(branch, cut + place)]
            children[at(branch, cut + place)] = Child()
            children[at(new, place)] = child
            adopt(Int(child.handle), by: new, isLeaf: right.isAboveLeaves)
        }
        branches[branch].count = cut
        return new
    }

    private mutating func addLeaf(_ leaf: Leaf) {
        leaves.append(leaf)
        spans.append(contentsOf: repeatElement(.unused, count: Self.capacity))
    }

    private mutating func addBranch(_ branch: Branch) -> Int {
        branches.append(branch)
        children.append(contentsOf: repeatElement(Child(), count: Self.capacity))
        return branches.count - 1
    }

    private mutating func adopt(_ child: Int, by branch: Int, isLeaf: Bool) {
        if isLeaf { leaves[child].parent = Int32(branch) } else { branches[child].parent = Int32(branch) }
    }
}
