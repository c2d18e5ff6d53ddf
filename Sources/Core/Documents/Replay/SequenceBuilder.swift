// Builds an order from all runs of a history at once. Every dot at which a run will ever be cut is known
// before the first one is placed, so the positions fall into *atoms* that are never split: one bit a dot says
// where atoms begin, and counting bits finds the atom of a dot. Placing a run links its atoms into a list;
// mostly its origins are neighbours there, which costs nothing more. Depths and gap levels are those of
// `SequenceSpan`. At the end the list is walked once and becomes spans.
//
// Among siblings it walks instead of searching. The steps are counted: a history in which they grow beyond
// proportion is built by the general road instead, so thousands of replicas at one place are not quadratic.

import Bytes
import Causality

/// An order in the making.
struct SequenceBuilder {
    /// 32 bytes, so that two share a line of the cache.
    private struct Atom {
        var next: Int32 = -1
        var previous: Int32 = -1
        /// Of its first position.
        var depth: Int32 = 0
        /// Of the gap after its last position.
        var gap: Int32 = -1
        /// The run that it is part of; -1 while it is not inserted.
        var run: Int32 = -1
        /// Its first sequence.
        var start: Int32
        /// Positions; 0 for the one that ends a replica's.
        var count: Int32 = 0
        var isLeftChild = false
        var isHidden = false

        var isHeld: Bool { run >= 0 }
        var lastDepth: Int32 { depth &+ count &- 1 }
    }

    /// The dots of one replica: where atoms begin.
    private struct Dots {
        /// The sequence of the first bit.
        var base = Int32.max
        var end: Int32 = 0
        /// The first bit in `bits`, a multiple of 64.
        var firstBit = 0

        func contains(_ sequence: Int32) -> Bool { base <= sequence && sequence < end }
    }

    private var runs: ContiguousArray<TextRun>
    private let deleted: ContiguousArray<DeletedRun>
    private let replicas: [ReplicaID]
    /// By number of the replica.
    private var dots: ContiguousArray<Dots>
    private var bits: ContiguousArray<UInt64> = []
    /// Bits before each word.
    private var counts: ContiguousArray<Int32> = []
    /// Ascending by replica and sequence.
    private var atoms: ContiguousArray<Atom> = []
    /// The first atom in the list; -1 while it is empty.
    private var first: Int32 = -1
    private var stepsLeft: Int

    /// The order of all positions and the UTF-8 of the visible ones, which is in `text`. Nil when the runs
    /// are not for this road: too spread, or too many siblings.
    static func build(
        _ replay: TextReplay, replicas: [ReplicaID], text: [UInt8]
    ) -> (order: BuiltOrder, utf8: [UInt8])? {
        var builder = SequenceBuilder(replay, replicas)
        guard builder.markAtoms(), builder.placeRuns() else { return nil }
        for run in builder.deleted { builder.hide(run) }
        return builder.collect(text)
    }

    private init(_ replay: TextReplay, _ replicas: [ReplicaID]) {
        (runs, deleted) = (replay.runs, replay.deleted)
        self.replicas = replicas
        dots = ContiguousArray(repeating: Dots(), count: replicas.count)
        stepsLeft = 64 * runs.count + 4_096
    }

    // MARK: Atoms

    /// Marks the first dot of every atom. False when the dots are so spread that a bit each is too much.
    private mutating func markAtoms() -> Bool {
        var inserted = 0
        for run in runs {
            let replica = Int(run.replica)
            dots[replica].base = min(dots[replica].base, run.sequence)
            dots[replica].end = max(dots[replica].end, run.end)
            inserted += Int(run.count)
        }
        var bitCount = 0
        for replica in dots.indices where dots[replica].end > 0 {
            dots[replica].firstBit = bitCount
            bitCount += (Int(dots[replica].end - dots[replica].base) + 64) & ~63
        }
        guard inserted < 1 << 30, bitCount <= 64 * (inserted + 128 * replicas.count) + 1 << 20 else {
            return false
        }
        bits = ContiguousArray(repeating: 0, count: bitCount / 64)
        for run in runs {
            mark(run.replica, run.sequence)
            mark(run.replica, run.end)
            if run.leftReplica >= 0 { mark(run.leftReplica, run.left + 1) }
            if run.rightReplica >= 0 { mark(run.rightReplica, run.right) }
        }
        for run in deleted {
            mark(run.replica, run.sequence)
            mark(run.replica, run.end)
        }
        numberAtoms()
        return true
    }

    private mutating func mark(_ replica: Int32, _ sequence: Int32) {
        let dots = dots[Int(replica)]
        guard dots.base <= sequence, sequence <= dots.end else { return }
        let bit = dots.firstBit + Int(sequence - dots.base)
        bits[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    private mutating func numberAtoms() {
        counts.reserveCapacity(bits.count)
        var total: Int32 = 0
        for word in bits {
            counts.append(total)
            total += Int32(word.nonzeroBitCount)
        }
        atoms.reserveCapacity(Int(total))
        for dots in dots where dots.end > 0 {
            let words = (Int(dots.end - dots.base) + 64) / 64
            var last: Int?
            for word in 0..<words {
                var rest = bits[dots.firstBit / 64 + word]
                while rest != 0 {
                    let start = dots.base + Int32(word * 64 + rest.trailingZeroBitCount)
                    if let last { atoms[last].count = start - atoms[last].start }
                    last = atoms.count
                    atoms.append(Atom(start: start))
                    rest &= rest - 1
                }
            }
        }
    }

    /// The atom that begins at or before a sequence; -1 when the replica has none there.
    private func atom(_ replica: Int32, _ sequence: Int32) -> Int32 {
        let dots = dots[Int(replica)]
        guard dots.contains(sequence) else { return -1 }
        let bit = dots.firstBit + Int(sequence - dots.base)
        let mask = ~UInt64(0) >> UInt64(63 - bit & 63)
        return counts[bit >> 6] + Int32((bits[bit >> 6] & mask).nonzeroBitCount) - 1
    }

    /// The atom of a dot that was inserted; -1 for any other one.
    private func heldAtom(_ replica: Int32, _ sequence: Int32) -> Int32 {
        if replica < 0 { return -1 }
        let found = atom(replica, sequence)
        return found >= 0 && atoms[Int(found)].isHeld ? found : -1
    }

    // MARK: Runs

    private mutating func placeRuns() -> Bool {
        for index in runs.indices {
            guard insert(Int32(index)) else { return false }
        }
        return true
    }

    private mutating func hide(_ run: DeletedRun) {
        let dots = dots[Int(run.replica)]
        let (low, high) = (max(run.sequence, dots.base), min(run.end, dots.end))
        guard low < high else { return }
        var next = Int(atom(run.replica, low))
        while atoms[next].start < high {
            atoms[next].isHidden = true
            next += 1
        }
    }

    private mutating func insert(_ index: Int32) -> Bool {
        let run = runs[Int(index)]
        let begin = atom(run.replica, run.sequence)
        let left = heldAtom(run.leftReplica, run.left)
        let right = heldAtom(run.rightReplica, run.right)
        // An unknown right origin counts as the end.
        if right < 0, run.rightReplica >= 0 { runs[Int(index)].rightReplica = -1 }
        guard var place = neighbours(left, right) ?? siblings(left, right, run) else { return false }
        let next = place.previous < 0 ? first : atoms[Int(place.previous)].next
        var previous = place.previous
        var rest = run.count
        var last = begin
        while true {
            var atom = atoms[Int(last)]
            // A dot that is known already: the general road knows what to do.
            if atom.isHeld { return false }
            atom.run = index
            atom.depth = place.depth
            atom.isLeftChild = place.isLeftChild
            atom.previous = previous
            place.isLeftChild = false
            place.depth &+= atom.count
            rest &-= atom.count
            atom.next = rest > 0 ? last &+ 1 : next
            atom.gap = rest > 0 ? place.depth &- 1 : place.gap
            atoms[Int(last)] = atom
            if rest <= 0 { break }
            previous = last
            last &+= 1
        }
        if place.previous < 0 {
            first = begin
        } else {
            atoms[Int(place.previous)].next = begin
            atoms[Int(place.previous)].gap = place.previousGap
        }
        if next >= 0 { atoms[Int(next)].previous = last }
        return true
    }

    private struct SpanPosition {
        /// -1 at the start.
        var previous: Int32
        var previousGap: Int32
        var depth: Int32
        var gap: Int32
        var isLeftChild: Bool
    }

    private func lastDepth(of atom: Int32) -> Int32 {
        atom < 0 ? 0 : atoms[Int(atom)].lastDepth
    }

    private func gap(after atom: Int32) -> Int32 {
        atom < 0 ? (first < 0 ? -1 : 0) : atoms[Int(atom)].gap
    }

    /// The place between origins that stand together; nil when they do not.
    private func neighbours(_ left: Int32, _ right: Int32) -> SpanPosition? {
        guard right == (left < 0 ? first : atoms[Int(left)].next) else { return nil }
        let (leftDepth, leftGap) = (lastDepth(of: left), gap(after: left))
        if right >= 0, leftGap == leftDepth {
            let depth = atoms[Int(right)].depth
            return SpanPosition(
                previous: left, previousGap: leftGap, depth: depth + 1, gap: depth, isLeftChild: true)
        }
        return SpanPosition(
            previous: left, previousGap: leftDepth, depth: leftDepth + 1, gap: leftGap, isLeftChild: false)
    }

    // MARK: Siblings

    /// The place among the siblings of concurrent insertions; nil when the steps are used up.
    private mutating func siblings(_ left: Int32, _ right: Int32, _ run: TextRun) -> SpanPosition? {
        let leftDepth = lastDepth(of: left)
        guard let isBelow = isBelow(right, left, leftDepth) else { return nil }
        return isBelow ? leftChild(of: right, run) : rightChild(of: left, leftDepth, right, run)
    }

    private mutating func isBelow(_ right: Int32, _ left: Int32, _ leftDepth: Int32) -> Bool? {
        guard right >= 0 else { return false }
        var next = left < 0 ? first : left
        if left >= 0 {
            guard atoms[Int(left)].gap >= leftDepth else { return false }
            next = atoms[Int(left)].next
        }
        while next >= 0 {
            if next == right { return true }
            if atoms[Int(next)].gap < leftDepth { return false }
            next = atoms[Int(next)].next
            stepsLeft -= 1
            if stepsLeft < 0 { return nil }
        }
        return false
    }

    private mutating func leftChild(of parent: Int32, _ run: TextRun) -> SpanPosition? {
        let depth = atoms[Int(parent)].depth
        var start = parent
        while true {
            let before = atoms[Int(start)].previous
            if before < 0 || atoms[Int(before)].gap < depth { break }
            start = before
            stepsLeft -= 1
            if stepsLeft < 0 { return nil }
        }
        var group = start
        while group != parent {
            guard let (root, next) = subtree(from: group, depth) else { return nil }
            if !isLess(root, run) { break }
            group = next
        }
        let previous = atoms[Int(group)].previous
        return SpanPosition(
            previous: previous, previousGap: group == start ? gap(after: previous) : depth, depth: depth + 1,
            gap: depth, isLeftChild: true)
    }

    private mutating func rightChild(
        of left: Int32, _ depth: Int32, _ origin: Int32, _ run: TextRun
    ) -> SpanPosition? {
        var group = left < 0 ? first : atoms[Int(left)].next
        if left >= 0, atoms[Int(left)].gap < depth { group = -1 }
        var previous = left
        var isAmong = group >= 0
        while isAmong {
            guard let (root, next) = subtree(from: group, depth),
                let comesBefore = isBefore(root, origin, run)
            else { return nil }
            if !comesBefore { break }
            previous = next < 0 ? last(from: group) : atoms[Int(next)].previous
            isAmong = next >= 0 && atoms[Int(previous)].gap >= depth
            group = next
        }
        return SpanPosition(
            previous: previous, previousGap: depth, depth: depth + 1,
            gap: isAmong ? depth : gap(after: previous), isLeftChild: false)
    }

    private func last(from atom: Int32) -> Int32 {
        var last = atom
        while atoms[Int(last)].next >= 0 { last = atoms[Int(last)].next }
        return last
    }

    /// The root of a child's subtree that begins at an atom, and the atom after it; `depth` is the parent's.
    private mutating func subtree(from start: Int32, _ depth: Int32) -> (root: Int32, next: Int32)? {
        var (root, next) = (Int32(-1), start)
        while true {
            if atoms[Int(next)].depth == depth + 1 { root = next }
            let isLast = atoms[Int(next)].gap <= depth
            next = atoms[Int(next)].next
            stepsLeft -= 1
            if stepsLeft < 0 { return nil }
            if isLast || next < 0 { break }
        }
        precondition(root >= 0, "a subtree without a root of depth \(depth + 1)")
        return (root, next)
    }

    private func isLess(_ atom: Int32, _ run: TextRun) -> Bool {
        let replica = runs[Int(atoms[Int(atom)].run)].replica
        if replica == run.replica { return atoms[Int(atom)].start < run.sequence }
        return replicas[Int(replica)] < replicas[Int(run.replica)]
    }

    /// Right-side siblings stand by right origin, later first, then by dot.
    private mutating func isBefore(_ root: Int32, _ origin: Int32, _ run: TextRun) -> Bool? {
        let sibling = runs[Int(atoms[Int(root)].run)]
        let other = heldAtom(sibling.rightReplica, sibling.right)
        if other == origin { return isLess(root, run) != isPlanted("siblings-turned") }
        if other < 0 { return true }
        if origin < 0 { return false }
        return isLater(other, than: origin)
    }

    /// Walks on from both until one meets the other.
    private mutating func isLater(_ a: Int32, than b: Int32) -> Bool? {
        var (fromA, fromB) = (a, b)
        while true {
            if fromA >= 0 { fromA = atoms[Int(fromA)].next }
            if fromA == b { return false }
            if fromB >= 0 { fromB = atoms[Int(fromB)].next }
            if fromB == a { return true }
            stepsLeft -= 2
            if stepsLeft < 0 { return nil }
        }
    }

    // MARK: The end

    /// Walks the list once: spans as long as they can be, and the text of those that show.
    private func collect(_ text: [UInt8]) -> (order: BuiltOrder, utf8: [UInt8]) {
        var order = BuiltOrder(replicas: replicas)
        var visible = GatheredText(text)
        var next = first
        while next >= 0 {
            let atom = atoms[Int(next)]
            let run = runs[Int(atom.run)]
            var span = BuiltOrder.Span(
                sequence: atom.start, count: atom.count, depth: atom.depth, gap: atom.gap,
                replica: run.replica, isLeftChild: atom.isLeftChild, isVisible: !atom.isHidden)
            if run.rightReplica >= 0 {
                (span.originReplica, span.originSequence) = (run.rightReplica, run.right)
            }
            if !atom.isHidden { visible.add(run, from: Int(atom.start - run.sequence), Int(atom.count)) }
            order.append(span)
            next = atom.next
        }
        order.finish()
        return (order, visible.finish())
    }
}
