// What an editor changed, as splices: lines are compared first (Myers, from the standard library), and each
// run of changed lines is narrowed to the characters that differ. So two edits far apart stay two splices,
// and what others write between them is not touched.

import JSON

/// One splice of a text, in Unicode scalars.
struct TextSplice: Equatable {
    let index: Int
    let delete: Int
    let insert: String
}

extension OperationText {
    init(_ splice: TextSplice, _ document: String, _ path: DottedPath) {
        self.init("splice", document, path) {
            $0.member("index", splice.index)
            $0.member("delete", splice.delete)
            $0.member("insert", splice.insert)
        }
    }
}

enum TextDifference {
    /// Lines between the first and the last change over which they count as one run: Myers' algorithm takes
    /// space with the square of the differences.
    static let linesMax = 2_000

    /// Applied in this order to the old text they give the new one. Later ones come first, so the indexes are
    /// those of the old text.
    static func splices(from old: String, to new: String) -> [TextSplice] {
        let (oldLines, newLines) = (lines(old), lines(new))
        let (head, tail) = alike(oldLines, newLines)
        let (oldMiddle, newMiddle) = (head..<(oldLines.count - tail), head..<(newLines.count - tail))
        var runs = [(old: oldMiddle, new: newMiddle)]
        if oldMiddle.count + newMiddle.count <= linesMax {
            runs = changedRuns(oldLines[oldMiddle], newLines[newMiddle])
        }
        // Where each old line starts, in scalars.
        var starts = [0]
        for line in oldLines { starts.append(starts[starts.count - 1] + line.count) }
        runs.reverse()
        return runs.compactMap { run in
            narrowed(
                Array(oldLines[run.old].joined()), Array(newLines[run.new].joined()),
                at: starts[run.old.lowerBound])
        }
    }

    /// The splices `mine` of a text as splices of what `others` made of the same text meanwhile; nil when
    /// both touch one place. Both as `splices(from:to:)` gives them.
    static func rebased(_ mine: [TextSplice], over others: [TextSplice]) -> [TextSplice]? {
        var rebased: [TextSplice] = []
        for splice in mine {
            var shift = 0
            for other in others {
                if other.index + other.delete <= splice.index {
                    shift += other.insert.unicodeScalars.count - other.delete
                } else if other.index < splice.index + splice.delete {
                    return nil
                }
            }
            rebased.append(
                TextSplice(index: splice.index + shift, delete: splice.delete, insert: splice.insert))
        }
        return rebased
    }

    /// Each with its line feed, as scalars: Strings that look alike would count as equal.
    private static func lines(_ text: String) -> [[Unicode.Scalar]] {
        var lines: [[Unicode.Scalar]] = [[]]
        for scalar in text.unicodeScalars {
            lines[lines.count - 1].append(scalar)
            if scalar == "\n" { lines.append([]) }
        }
        if lines[lines.count - 1].isEmpty { lines.removeLast() }
        return lines
    }

    /// Runs of lines that differ, ascending.
    private static func changedRuns(
        _ old: ArraySlice<[Unicode.Scalar]>, _ new: ArraySlice<[Unicode.Scalar]>
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
    private static func alike<Item: Equatable>(_ old: [Item], _ new: [Item]) -> (head: Int, tail: Int) {
        let shorter = min(old.count, new.count)
        var head = 0
        while head < shorter, old[head] == new[head] { head += 1 }
        var tail = 0
        while tail < shorter - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        return (head, tail)
    }

    /// Without what both have at their start and end; nil when nothing is left.
    private static func narrowed(_ old: [Unicode.Scalar], _ new: [Unicode.Scalar], at index: Int)
        -> TextSplice?
    {
        let (head, tail) = alike(old, new)
        guard old.count > head + tail || new.count > head + tail else { return nil }
        var insert = ""
        insert.unicodeScalars.append(contentsOf: new[head..<(new.count - tail)])
        return TextSplice(index: index + head, delete: old.count - tail - head, insert: insert)
    }
}
