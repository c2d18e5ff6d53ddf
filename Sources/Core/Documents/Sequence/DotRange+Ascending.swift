// Operations that delete name dots in one form only: ascending, disjoint, with neighbours merged.

import Causality

extension DotRange {
    /// The same dots ascending by replica then sequence, disjoint, neighbours merged. O(n log n).
    static func ascending(_ ranges: [DotRange]) -> [DotRange] {
        if ranges.count < 2 { return ranges }
        var result: [DotRange] = []
        for range in ranges.sorted(by: { $0.start < $1.start }) {
            if let last = result.last, last.replica == range.replica, range.first <= last.last + 1 {
                result[result.count - 1] = DotRange(last.replica, last.first, max(last.last, range.last))
            } else {
                result.append(range)
            }
        }
        return result
    }
}
