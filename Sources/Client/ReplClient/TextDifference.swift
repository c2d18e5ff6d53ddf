// An editor's changes, as splices. Lines are compared first (Myers, from the standard library), then the
// words of each run of changed lines, and each run of changed words is narrowed to the characters that
// differ. So two edits in different words stay two splices, and text that others write between them is not
// touched.
// Characters are not compared one by one: of two words that have letters in common, a mix would be made.

/// One splice of a text, in Unicode scalars.
public struct TextSplice: Equatable, Sendable {
    public let index: Int
    public let delete: Int
    public let insert: String

    public init(index: Int, delete: Int, insert: String) {
        (self.index, self.delete, self.insert) = (index, delete, insert)
    }
}

public enum TextDifference {
    /// Applied in this order to the old text they give the new one. Later ones come first, so the indexes are
    /// those of the old text.
    public static func splices(from old: String, to new: String) -> [TextSplice] {
        let (oldLines, newLines) = (lines(old), lines(new))
        var runs = ChangedRuns.between(oldLines, newLines)
        // Where each old line starts, in scalars.
        var starts = [0]
        for line in oldLines { starts.append(starts[starts.count - 1] + line.count) }
        runs.reverse()
        return runs.flatMap { run in
            byWords(
                Array(oldLines[run.old].joined()), Array(newLines[run.new].joined()),
                at: starts[run.old.lowerBound])
        }
    }

    /// The splices within a run of changed lines; later ones come first.
    private static func byWords(_ old: [Unicode.Scalar], _ new: [Unicode.Scalar], at index: Int)
        -> [TextSplice]
    {
        let (oldWords, newWords) = (words(old), words(new))
        var starts = [index]
        for word in oldWords { starts.append(starts[starts.count - 1] + word.count) }
        return ChangedRuns.between(oldWords, newWords).reversed().compactMap { run in
            narrowed(
                Array(oldWords[run.old].joined()), Array(newWords[run.new].joined()),
                at: starts[run.old.lowerBound])
        }
    }

    /// The splices `mine` of a text as splices of what `others` made of the same text meanwhile; nil when
    /// both touch one place. Both as `splices(from:to:)` gives them.
    public static func rebased(_ mine: [TextSplice], over others: [TextSplice]) -> [TextSplice]? {
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

    /// Runs of letters and digits; everything else, each scalar by itself.
    private static func words(_ scalars: [Unicode.Scalar]) -> [ArraySlice<Unicode.Scalar>] {
        var words: [ArraySlice<Unicode.Scalar>] = []
        var start = 0
        while start < scalars.count {
            var end = start + 1
            if isLetter(scalars[start]) {
                while end < scalars.count, isLetter(scalars[end]) { end += 1 }
            }
            words.append(scalars[start..<end])
            start = end
        }
        return words
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            true
        // Scripts without blanks between words have each letter by itself.
        default: false
        }
    }

    /// Without what both have at their start and end; nil when nothing is left.
    private static func narrowed(_ old: [Unicode.Scalar], _ new: [Unicode.Scalar], at index: Int)
        -> TextSplice?
    {
        let (head, tail) = ChangedRuns.alike(old, new)
        guard old.count > head + tail || new.count > head + tail else { return nil }
        var insert = ""
        insert.unicodeScalars.append(contentsOf: new[head..<(new.count - tail)])
        return TextSplice(index: index + head, delete: old.count - tail - head, insert: insert)
    }
}
