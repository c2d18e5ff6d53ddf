// The word that was probably meant: the nearest by insertions, deletions, exchanges and swapped neighbours
// (Damerau and Levenshtein, the restricted form), when it is near enough.

enum Suggestion {
    /// Nil when no word is within a third of the letters typed, at least one and at most three mistakes.
    static func nearest(to typed: String, among words: [String]) -> String? {
        let limit = min(3, max(1, typed.count / 3))
        let ranked = words.map { ($0, distance(Array(typed), Array($0))) }
        guard let best = ranked.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }), best.1 <= limit else { return nil }
        return best.0
    }

    /// O(m × n) for words of m and n letters.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in 0..<left.count {
            var row = [i + 1]
            for j in 0..<right.count {
                var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
