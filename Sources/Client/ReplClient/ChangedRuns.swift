// Which runs of two sequences differ: of lines of a text, of elements of a list. Myers' algorithm, from the
// standard library, between what both have in common at their ends.

/// Where two sequences differ.
public enum ChangedRuns {
    /// Items between the first and the last change over which they count as one run: Myers' algorithm takes
    /// space with the square of the differences.
    public static let itemsMax = 2_000

    /// Runs that differ, ascending; either side of one may be empty.
    public static func between<Item: Equatable>(
        _ old: [Item], _ new: [Item]
    ) -> [(old: Range<Int>, new: Range<Int>)] {
        let (head, tail) = alike(old, new)
        let (oldMiddle, newMiddle) = (head..<(old.count - tail), head..<(new.count - tail))
        guard !oldMiddle.isEmpty || !newMiddle.isEmpty else { return [] }
        guard oldMiddle.count + newMiddle.count <= itemsMax else { return [(oldMiddle, newMiddle)] }
        return runs(old[oldMiddle], new[newMiddle])
    }

    private static func runs<Item: Equatable>(
        _ old: ArraySlice<Item>, _ new: ArraySlice<Item>
    ) -> [(old: Range<Int>, new: Range<Int>)] {
        var (removed, inserted) = (Set<Int>(), Set<Int>())
        // Offsets count from the start of the slice.
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(old.startIndex + offset)
            case .insert(let offset, _, _): inserted.insert(new.startIndex + offset)
            }
        }
        var runs: [(old: Range<Int>, new: Range<Int>)] = []
        var (i, j) = (old.startIndex, new.startIndex)
        while i < old.endIndex || j < new.endIndex {
            let (startI, startJ) = (i, j)
            while removed.contains(i) { i += 1 }
            while inserted.contains(j) { j += 1 }
            if i > startI || j > startJ {
                runs.append((startI..<i, startJ..<j))
            } else {
                (i, j) = (i + 1, j + 1)
            }
        }
        return runs
    }

    /// How many items both have in common at their start, and at their end behind that.
    static func alike<Item: Equatable>(_ old: [Item], _ new: [Item]) -> (head: Int, tail: Int) {
        let shorter = min(old.count, new.count)
        var head = 0
        while head < shorter, old[head] == new[head] { head += 1 }
        var tail = 0
        while tail < shorter - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        return (head, tail)
    }
}
