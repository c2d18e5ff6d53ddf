// `set` of a string over a text writes only what differs (DESIGN 6): everything between the common prefix and
// the common suffix. It compares Unicode scalars, as positions are scalars; no canonical equivalence (DESIGN
// 13).

/// The smallest single splice that turns one string into another, in Unicode scalars.
struct SmallestSplice: Equatable, Sendable {
    let index: Int
    let delete: Int
    let insert: String

    /// Nil when the strings have the same scalars. The prefix is taken first, so "aa" to "aaa" inserts at the
    /// end. O(n).
    init?(from old: String, to new: String) {
        var (old, new) = (old, new)
        let splice = old.withUTF8 { a in new.withUTF8 { b in Self.difference(a, b) } }
        guard let splice else { return nil }
        index = splice.index
        delete = splice.delete
        insert = splice.insert
    }

    private static func difference(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
    ) -> (index: Int, delete: Int, insert: String)? {
        let shorter = min(a.count, b.count)
        var prefix = 0
        while prefix < shorter, a[prefix] == b[prefix] { prefix += 1 }
        if prefix == a.count, prefix == b.count { return nil }
        // Bytes that agree inside of scalars that differ go back to the difference.
        while prefix > 0, isInsideScalar(a, prefix) || isInsideScalar(b, prefix) { prefix -= 1 }
        var suffix = 0
        while suffix < shorter - prefix, a[a.count - 1 - suffix] == b[b.count - 1 - suffix] { suffix += 1 }
        while suffix > 0, TextRope.isContinuation(a[a.count - suffix]) { suffix -= 1 }
        return (
            TextRope.scalarCount(of: UnsafeBufferPointer(rebasing: a[..<prefix])),
            TextRope.scalarCount(of: UnsafeBufferPointer(rebasing: a[prefix..<a.count - suffix])),
            String(decoding: b[prefix..<b.count - suffix], as: UTF8.self)
        )
    }

    private static func isInsideScalar(_ utf8: UnsafeBufferPointer<UInt8>, _ byte: Int) -> Bool {
        byte < utf8.count && TextRope.isContinuation(utf8[byte])
    }
}
