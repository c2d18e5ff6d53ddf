// Which members of an ordered set can stay where they are when it gets another order: a longest increasing
// subsequence of their old indexes (patience sorting, Fredman 1975). O(n log n).

/// Finds a longest increasing subsequence.
enum LongestIncreasing {
    /// The places of one in `indexes`; nil entries are never part of it.
    static func places(of indexes: [Int?]) -> Set<Int> {
        // tails[k]: the place that ends the best subsequence of length k + 1; before[place]: the one in front
        // of it.
        var tails: [(index: Int, place: Int)] = []
        var before = [Int?](repeating: nil, count: indexes.count)
        for (place, index) in indexes.enumerated() {
            guard let index else { continue }
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if tails[middle].index < index { low = middle + 1 } else { high = middle }
            }
            before[place] = low > 0 ? tails[low - 1].place : nil
            if low < tails.count { tails[low] = (index, place) } else { tails.append((index, place)) }
        }
        var result: Set<Int> = []
        var next = tails.last?.place
        while let place = next {
            result.insert(place)
            next = before[place]
        }
        return result
    }
}
