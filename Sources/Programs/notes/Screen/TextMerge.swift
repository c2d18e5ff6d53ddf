// Two texts that came from one, made one. Nothing that either side wrote is dropped: where both wrote at one
// place, both stand there. So no merge has a conflict, as texts of documents have none; who replaced a word
// that somebody else replaced too finds both.

import ReplClient

/// A three-way merge of texts, in Unicode scalars.
struct TextMerge {
    let text: String
    /// What makes the merged text of `mine`, later ones first: whoever has a place in `mine` moves it along.
    let splices: [TextSplice]

    init(base: String, mine: String, theirs: String) {
        let mySplices = TextDifference.splices(from: base, to: mine)
        let theirSplices = TextDifference.splices(from: base, to: theirs)
        let count = base.unicodeScalars.count
        splices = Self.follow(Edits(mySplices, count), Edits(theirSplices, count), count).reversed()
        text = Self.applied(splices, to: mine)
    }

    /// Whether a text holds all that was written into `base` to make `sent`. False where nothing was: what
    /// was only deleted is deleted once, whether one asks or not.
    static func holds(_ theirs: String, whatMade sent: String, of base: String) -> Bool {
        var (written, shift) = (Set<Int>(), 0)
        for splice in TextDifference.splices(from: base, to: sent).reversed() {
            let count = splice.insert.unicodeScalars.count
            written.formUnion((splice.index + shift)..<(splice.index + shift + count))
            shift += count - splice.delete
        }
        return !written.isEmpty
            && TextDifference.splices(from: sent, to: theirs).allSatisfy {
                written.isDisjoint(with: $0.index..<($0.index + $0.delete))
            }
    }

    /// Where a place of the old text is in the new one. What is inserted exactly there comes behind it.
    static func moved(_ place: Int, by splices: [TextSplice]) -> Int {
        var moved = place
        for splice in splices {
            if splice.index + splice.delete <= place, splice.index < place {
                moved += splice.insert.unicodeScalars.count - splice.delete
            } else if splice.index < place {
                moved -= place - splice.index
            }
        }
        return moved
    }

    /// Splices with the later ones first.
    static func applied(_ splices: [TextSplice], to text: String) -> String {
        guard !splices.isEmpty else { return text }
        var scalars = Array(text.unicodeScalars)
        for splice in splices {
            scalars.replaceSubrange(
                splice.index..<(splice.index + splice.delete), with: splice.insert.unicodeScalars)
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// What was done at each place of a text.
    private struct Edits {
        var inserted: [Int: String] = [:]
        var isDeleted: [Bool]

        init(_ splices: [TextSplice], _ count: Int) {
            isDeleted = Array(repeating: false, count: count)
            for splice in splices {
                inserted[splice.index, default: ""] += splice.insert
                for place in splice.index..<(splice.index + splice.delete) { isDeleted[place] = true }
            }
        }
    }

    /// Theirs as ascending splices of what mine made. At one place theirs stands before mine, and what both
    /// deleted is deleted once.
    private static func follow(_ mine: Edits, _ theirs: Edits, _ count: Int) -> [TextSplice] {
        var splices: [TextSplice] = []
        // Where the place is in what mine made.
        var place = 0
        for index in 0...count {
            if let insert = theirs.inserted[index], !insert.isEmpty {
                splices.append(TextSplice(index: place, delete: 0, insert: insert))
            }
            place += mine.inserted[index]?.unicodeScalars.count ?? 0
            guard index < count, !mine.isDeleted[index] else { continue }
            if theirs.isDeleted[index] {
                if let last = splices.last, last.index + last.delete == place {
                    splices[splices.count - 1] = TextSplice(
                        index: last.index, delete: last.delete + 1, insert: last.insert)
                } else {
                    splices.append(TextSplice(index: place, delete: 1, insert: ""))
                }
            }
            place += 1
        }
        return splices
    }
}
