// `set` of a string over a text writes only what differs (DESIGN 6): everything between the common prefix and the
// common suffix. It compares Unicode scalars, as positions are scalars; no canonical equivalence (DESIGN 13).

/// The smallest single splice that turns one string into another, in Unicode scalars.
struct SmallestSplice: Equatable, Sendable {
    let index: Int
    let delete: Int
    let insert: String

    /// Nil when the strings have the same scalars. The prefix is taken first, so "aa" to "aaa" inserts at the end.
    /// O(n).
    init?(from old: String, to new: String) {
        let (a, b) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
        let shorter = min(a.count, b.count)
        var prefix = 0
        while prefix < shorter, a[prefix] == b[prefix] { prefix += 1 }
        guard prefix < max(a.count, b.count) else { return nil }
        var suffix = 0
        while suffix < shorter - prefix, a[a.count - 1 - suffix] == b[b.count - 1 - suffix] { suffix += 1 }
        index = prefix
        delete = a.count - prefix - suffix
        var middle = String.UnicodeScalarView()
        middle.append(contentsOf: b[prefix..<b.count - suffix])
        insert = String(middle)
    }
}
