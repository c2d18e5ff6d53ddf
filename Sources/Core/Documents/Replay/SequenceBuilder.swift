// Builds an order from all runs of a history at once. Every dot at which a run will ever be cut is known
// before the first one is placed, so the positions fall into *atoms* that are never split: one bit a dot says
// where atoms begin, and counting bits finds the atom of a dot. Placing a run links its atoms into a list;
// mostly its origins are neighbours there, which costs nothing more. Depths and gap levels are those of
// `SequenceSpan`. At the end the list is walked once and becomes spans.
//
// Among siblings it walks instead of searching. The steps are counted: a history in which they grow beyond
// proportion is built by the general road instead, so thousands of replicas at one place are not quadratic.

import Causality

/// An order in the making.
struct SequenceBuilder: Sendable {
    struct Atom: Sendable {
        var next: Int32 = -1
        var previous: Int32 = -1
        /// Of its first position.
        var depth: Int32 = 0
        /// Of the gap after its last position.
        var gap: Int32 = -1
        /// The run that it is part of; -1 while it is not inserted.
        var run: Int32 = -1
        var isLeftChild = false
        var isHidden = false

        var isHeld: Bool { run >= 0 }
    }

    /// The dots of one replica: where atoms begin.
    struct Dots: Sendable {
        /// The sequence of the first bit.
        var base: UInt64 = 0
        var end: UInt64 = 0
        /// The first bit in `bits`, a multiple of 64.
        var firstBit = 0

        func contains(_ sequence: UInt64) -> Bool { base <= sequence && sequence < end }
    }

    private let runs: ContiguousArray<TextRun>
    private let replicas: [ReplicaID]
    /// By number of the replica.
    private var dots: ContiguousArray<Dots>
    private var bits: ContiguousArray<UInt64> = []
    /// Bits before each word.
    private var counts: ContiguousArray<Int32> = []
    private(set) var atoms: ContiguousArray<Atom> = []
    /// The first sequence of each atom, and one more at the end.
    private(set) var starts: ContiguousArray<UInt64> = []
    private var atomReplicas: ContiguousArray<Int32> = []
    /// The first atom in the list; -1 while it is empty.
    private(set) var first: Int32 = -1
    private var stepsLeft: Int

    /// Nil when the runs are not for this road: too spread, or too many siblings.
    static func build(_ runs: ContiguousArray<TextRun>, replicas: [ReplicaID]) -> SequenceBuilder? {
        var builder = SequenceBuilder(runs, replicas)
        guard builder.markAtoms(), builder.placeRuns() else { return nil }
        return builder
    }

    private init(_ runs: ContiguousArray<TextRun>, _ replicas: [ReplicaID]) {
        self.runs = runs
        self.replicas = replicas
        dots = ContiguousArray(repeating: Dots(), count: replicas.count)
        stepsLeft = 64 * runs.count + 4_096
    }

    func run(of atom: Int32) -> TextRun { runs[Int(atoms[Int(atom)].run)] }
    func replica(of atom: Int32) -> Int32 { atomReplicas[Int(atom)] }
    /// The right origin that counts: an unknown one is the end.
    func origin(of atom: Int32) -> ReplayDot {
        let right = run(of: atom).right
        return heldAtom(right) < 0 ? .none : right
    }
    func count(of atom: Int32) -> Int { Int(starts[Int(atom) + 1] - starts[Int(atom)]) }

    /// The atoms that show, in order.
    func forEachVisible(_ body: (Int32) -> Void) {
        var next = first
        while next >= 0 {
            if !atoms[Int(next)].isHidden { body(next) }
            next = atoms[Int(next)].next
        }
    }

    // MARK: Atoms

    /// Marks the first dot of every atom. False when the dots are so spread that a bit each is too much.
    private mutating func markAtoms() -> Bool {
        var inserted = 0
        for run in runs where !run.isDeletion {
            let replica = Int(run.first.replica)
            if dots[replica].end == 0 { dots[replica].base = run.first.sequence }
            dots[replica].base = min(dots[replica].base, run.first.sequence)
            dots[replica].end = max(dots[replica].end, run.end)
            inserted += run.count
        }
        var bitCount = 0
        for replica in dots.indices where dots[replica].end > 0 {
            dots[replica].firstBit = bitCount
            let span = dots[replica].end - dots[replica].base
            guard span < 1 << 31 else { return false }
            bitCount += (Int(span) + 64) & ~63
        }
        guard inserted < 1 << 30, bitCount <= 64 * (inserted + 128 * replicas.count) + 1 << 20 else {
            return false
        }
        bits = ContiguousArray(repeating: 0, count: bitCount / 64)
        for run in runs {
            mark(run.first.replica, run.first.sequence)
            mark(run.first.replica, run.end)
            if !run.left.isNone { mark(run.left.replica, run.left.sequence + 1) }
            if !run.right.isNone { mark(run.right.replica, run.right.sequence) }
        }
        numberAtoms()
        return true
    }

    private mutating func mark(_ replica: Int32, _ sequence: UInt64) {
        let dots = dots[Int(replica)]
        guard dots.end > 0, dots.base <= sequence, sequence <= dots.end else { return }
        let bit = dots.firstBit + Int(sequence - dots.base)
        bits[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    private mutating func numberAtoms() {
        counts.reserveCapacity(bits.count + 1)
        var total: Int32 = 0
        for word in bits {
            counts.append(total)
            total += Int32(word.nonzeroBitCount)
        }
        starts.reserveCapacity(Int(total) + 1)
        atomReplicas.reserveCapacity(Int(total))
        for replica in dots.indices where dots[replica].end > 0 {
            let words = (Int(dots[replica].end - dots[replica].base) + 64) / 64
            let firstWord = dots[replica].firstBit / 64
            for word in 0..<words {
                var rest = bits[firstWord + word]
                let sequence = dots[replica].base + UInt64(word * 64)
                while rest != 0 {
                    starts.append(sequence + UInt64(rest.trailingZeroBitCount))
                    atomReplicas.append(Int32(replica))
                    rest &= rest - 1
                }
            }
        }
        starts.append(0)
        atoms = ContiguousArray(repeating: Atom(), count: Int(total))
    }

    /// The atom that begins at or before a sequence; -1 when the replica has none there.
    private func atom(_ replica: Int32, _ sequence: UInt64) -> Int32 {
        let dots = dots[Int(replica)]
        guard dots.contains(sequence) else { return -1 }
        let bit = dots.firstBit + Int(sequence - dots.base)
        let mask = ~UInt64(0) >> UInt64(63 - bit & 63)
        return counts[bit >> 6] + Int32((bits[bit >> 6] & mask).nonzeroBitCount) - 1
    }

    /// The atom of a dot that was inserted; -1 for any other one.
    private func heldAtom(_ dot: ReplayDot) -> Int32 {
        if dot.isNone { return -1 }
        let found = atom(dot.replica, dot.sequence)
        return found >= 0 && atoms[Int(found)].isHeld ? found : -1
    }

    // MARK: Runs

    private mutating func placeRuns() -> Bool {
        for index in runs.indices {
            let run = runs[index]
            if run.isDeletion {
                hide(run)
            } else {
                guard insert(run, Int32(index)) else { return false }
            }
        }
        return true
    }

    private mutating func hide(_ run: TextRun) {
        let dots = dots[Int(run.first.replica)]
        let (low, high) = (max(run.first.sequence, dots.base), min(run.end, dots.end))
        guard low < high else { return }
        var next = atom(run.first.replica, low)
        while starts[Int(next)] < high, atomReplicas[Int(next)] == run.first.replica {
            atoms[Int(next)].isHidden = true
            next += 1
            if Int(next) == atoms.count { return }
        }
    }

    private mutating func insert(_ run: TextRun, _ index: Int32) -> Bool {
        let begin = atom(run.first.replica, run.first.sequence)
        var end = begin
        while Int(end) < atoms.count, atomReplicas[Int(end)] == run.first.replica, starts[Int(end)] < run.end
        {
            // A dot that is known already: the general road knows what to do.
            if atoms[Int(end)].isHeld { return false }
            end += 1
        }
        let (left, right) = (heldAtom(run.left), heldAtom(run.right))
        guard var place = neighbours(left, right) ?? siblings(left, right, run) else { return false }
        for atom in begin..<end {
            let count = Int32(self.count(of: atom))
            atoms[Int(atom)].run = index
            atoms[Int(atom)].isHidden = false
            atoms[Int(atom)].depth = place.depth
            atoms[Int(atom)].isLeftChild = place.isLeftChild
            place.isLeftChild = false
            place.depth += count
            atoms[Int(atom)].gap = place.depth - 1
            if atom > begin {
                atoms[Int(atom)].previous = atom - 1
                atoms[Int(atom) - 1].next = atom
            }
        }
        link(begin, end - 1, place)
        return true
    }

    private struct Place {
        /// -1 at the start.
        var previous: Int32
        var previousGap: Int32
        var depth: Int32
        var gap: Int32
        var isLeftChild: Bool
    }

    private mutating func link(_ begin: Int32, _ last: Int32, _ place: Place) {
        let next = place.previous < 0 ? first : atoms[Int(place.previous)].next
        atoms[Int(begin)].previous = place.previous
        atoms[Int(last)].next = next
        atoms[Int(last)].gap = place.gap
        if place.previous < 0 {
            first = begin
        } else {
            atoms[Int(place.previous)].next = begin
            atoms[Int(place.previous)].gap = place.previousGap
        }
        if next >= 0 { atoms[Int(next)].previous = last }
    }

    private func lastDepth(of atom: Int32) -> Int32 {
        atom < 0 ? 0 : atoms[Int(atom)].depth + Int32(count(of: atom)) - 1
    }

    private func gap(after atom: Int32) -> Int32 {
        atom < 0 ? (first < 0 ? -1 : 0) : atoms[Int(atom)].gap
    }

    /// The place between origins that stand together; nil when they do not.
    private func neighbours(_ left: Int32, _ right: Int32) -> Place? {
        guard right == (left < 0 ? first : atoms[Int(left)].next) else { return nil }
        let (leftDepth, leftGap) = (lastDepth(of: left), gap(after: left))
        if right >= 0, leftGap == leftDepth {
            let depth = atoms[Int(right)].depth
            return Place(
                previous: left, previousGap: leftGap, depth: depth + 1, gap: depth, isLeftChild: true)
        }
        return Place(
            previous: left, previousGap: leftDepth, depth: leftDepth + 1, gap: leftGap, isLeftChild: false)
    }

    // MARK: Siblings

    /// The place among the siblings of concurrent insertions; nil when the steps are used up.
    private mutating func siblings(_ left: Int32, _ right: Int32, _ run: TextRun) -> Place? {
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

    private mutating func leftChild(of parent: Int32, _ run: TextRun) -> Place? {
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
            if !isLess(root, run.first) { break }
            group = next
        }
        let previous = atoms[Int(group)].previous
        return Place(
            previous: previous, previousGap: group == start ? gap(after: previous) : depth, depth: depth + 1,
            gap: depth, isLeftChild: true)
    }

    private mutating func rightChild(
        of left: Int32, _ depth: Int32, _ origin: Int32, _ run: TextRun
    ) -> Place? {
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
        return Place(
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

    private func isLess(_ atom: Int32, _ dot: ReplayDot) -> Bool {
        let replica = atomReplicas[Int(atom)]
        if replica == dot.replica { return starts[Int(atom)] < dot.sequence }
        return replicas[Int(replica)] < replicas[Int(dot.replica)]
    }

    /// Right-side siblings stand by right origin, later first, then by dot.
    private mutating func isBefore(_ sibling: Int32, _ origin: Int32, _ run: TextRun) -> Bool? {
        let other = heldAtom(self.run(of: sibling).right)
        if other == origin { return isLess(sibling, run.first) }
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
}
