// Which operations a view holds, as bits by order of arrival: indices never change, since operations are only
// added, and a set stays valid while its roster grows. Nearly every view holds all that came before some
// operation and a little beyond, so what it holds without a gap is one number and only the rest are bits.

/// A set of small integers.
struct ReachableSet: Hashable, Sendable {
    /// All of 0 ..< first are in the set, and `first` is not.
    private(set) var first = 0
    /// The rest, 64 to a word, the first word being that of `first`; bits below it are 0, and the last word
    /// is not.
    private var words: [UInt64] = []

    init() {}

    /// All of 0 ..< count.
    init(first count: Int) { first = count }

    func contains(_ index: Int) -> Bool {
        if index < first { return true }
        let word = (index >> 6) - (first >> 6)
        return word < words.count && words[word] >> UInt64(index & 63) & 1 == 1
    }

    /// True when it was not in the set.
    @discardableResult
    mutating func insert(_ index: Int) -> Bool {
        if contains(index) { return false }
        if index == first {
            cover(first + 1)
            return true
        }
        let word = (index >> 6) - (first >> 6)
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(index & 63)
        return true
    }

    /// Inserts all of 0 ..< count.
    mutating func cover(_ count: Int) {
        guard count > first else { return }
        var next = count
        while bit(next) { next += 1 }
        words.removeFirst(min(words.count, (next >> 6) - (first >> 6)))
        first = next
        if !words.isEmpty { words[0] &= ~0 << UInt64(first & 63) }
        while words.last == 0 { words.removeLast() }
    }

    mutating func formUnion(_ other: ReachableSet) {
        cover(other.first)
        let shift = (first >> 6) - (other.first >> 6)
        for (word, bits) in other.words.enumerated() where word >= shift {
            while words.count <= word - shift { words.append(0) }
            words[word - shift] |= bits
        }
        if !words.isEmpty { words[0] &= ~0 << UInt64(first & 63) }
        while words.last == 0 { words.removeLast() }
        if bit(first) { cover(first + 1) }
    }

    var count: Int { words.reduce(first) { $0 + $1.nonzeroBitCount } }

    private func bit(_ index: Int) -> Bool {
        let word = (index >> 6) - (first >> 6)
        return word < words.count && words[word] >> UInt64(index & 63) & 1 == 1
    }

    func checkInvariants() {
        precondition(!contains(first), "\(first) follows without a gap")
        precondition(words.last != 0, "a set ends with an empty word")
        precondition(
            words.isEmpty || words[0] & ~(~0 << UInt64(first & 63)) == 0, "bits below \(first)")
    }
}
