// What turns one list into another: the common prefix and suffix first, then the shortest edit script between
// them (Myers 1986, "An O(ND) Difference Algorithm"), given up for a plain replacement when the two differ in
// more than `distanceMax` places. Works on numbers that stand for values, so that comparing is cheap.

/// The difference of two sequences.
enum ListDifference {
    enum Step: Equatable {
        /// The old item at this index stays.
        case keep(Int)
        /// The old item at this index goes.
        case delete(Int)
        /// The new item at this index comes.
        case insert(Int)
    }

    /// Bounds time (items × distance) and memory (distance²).
    static let distanceMax = 256

    static func steps(from old: [Int], to new: [Int]) -> [Step] {
        var prefix = 0
        while prefix < min(old.count, new.count), old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < min(old.count, new.count) - prefix,
            old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        let (a, b) = (prefix..<old.count - suffix, prefix..<new.count - suffix)
        var steps = (0..<prefix).map(Step.keep)
        steps += middle(old, a, new, b) ?? (a.map(Step.delete) + b.map(Step.insert))
        steps += (old.count - suffix..<old.count).map(Step.keep)
        return steps
    }

    /// Nil when the distance is too great.
    private static func middle(_ old: [Int], _ a: Range<Int>, _ new: [Int], _ b: Range<Int>) -> [Step]? {
        if a.isEmpty || b.isEmpty { return nil }
        let limit = min(distanceMax, a.count + b.count)
        // reach[k + limit + 1]: how far the best path on diagonal k (x - y) gets; one row is kept a distance.
        var reach = [Int](repeating: 0, count: 2 * limit + 3)
        var rows: [[Int]] = []
        for distance in 0...limit {
            rows.append(Array(reach[(limit + 1 - distance)...(limit + 1 + distance)]))
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let place = diagonal + limit + 1
                let isDown =
                    diagonal == -distance || (diagonal != distance && reach[place - 1] < reach[place + 1])
                var x = isDown ? reach[place + 1] : reach[place - 1] + 1
                while x < a.count, x - diagonal < b.count, x - diagonal >= 0,
                    old[a.lowerBound + x] == new[b.lowerBound + x - diagonal]
                {
                    x += 1
                }
                reach[place] = x
                if x >= a.count && x - diagonal >= b.count {
                    return backtrack(rows, distance, a, b)
                }
            }
        }
        return nil
    }

    /// Walks back from the end. Row d holds the reach before distance d was tried, for diagonals -d through
    /// d.
    private static func backtrack(
        _ rows: [[Int]], _ distance: Int, _ a: Range<Int>, _ b: Range<Int>
    ) -> [Step] {
        var steps: [Step] = []
        var (x, y) = (a.count, b.count)
        for d in stride(from: distance, through: 1, by: -1) {
            let diagonal = x - y
            let row = rows[d]
            let isDown =
                diagonal == -d || (diagonal != d && row[diagonal - 1 + d] < row[diagonal + 1 + d])
            let from = isDown ? diagonal + 1 : diagonal - 1
            let (fromX, fromY) = (row[from + d], row[from + d] - from)
            let startX = isDown ? fromX : fromX + 1
            while x > startX {
                x -= 1
                y -= 1
                steps.append(.keep(a.lowerBound + x))
            }
            steps.append(isDown ? .insert(b.lowerBound + fromY) : .delete(a.lowerBound + fromX))
            (x, y) = (fromX, fromY)
        }
        while x > 0 {
            x -= 1
            steps.append(.keep(a.lowerBound + x))
        }
        return steps.reversed()
    }
}
