// Which operations a view holds, as bits by order of arrival: indices never change, since operations are only
// added, and a set stays valid while its roster grows.

/// A set of small integers.
struct ReachableSet: Hashable, Sendable {
    private var words: [UInt64] = []

    init() {}

    /// All of 0 ..< count.
    init(first count: Int) {
        words = [UInt64](repeating: .max, count: count >> 6)
        if count & 63 > 0 { words.append(1 << UInt64(count & 63) - 1) }
    }

    func contains(_ index: Int) -> Bool {
        let word = index >> 6
        return word < words.count && words[word] >> UInt64(index & 63) & 1 == 1
    }

    /// True when it was not in the set.
    @discardableResult
    mutating func insert(_ index: Int) -> Bool {
        let word = index >> 6
        while words.count <= word { words.append(0) }
        let bit: UInt64 = 1 << UInt64(index & 63)
        defer { words[word] |= bit }
        return words[word] & bit == 0
    }

    mutating func formUnion(_ other: ReachableSet) {
        while words.count < other.words.count { words.append(0) }
        for (word, bits) in other.words.enumerated() { words[word] |= bits }
    }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}
