// A context as decoded changes keep it. A change that raises one entry of a context of thousands costs three
// bytes on the wire, and a copy of the whole in memory would cost hundreds of kilobytes: who holds the
// changes of a section could be made to hold gigabytes by a segment of one megabyte. So the changes of a
// section share a base and each keeps what was raised since; now and then the whole becomes the next base
// (decision 0107).
//
//     change      1   2   3   …   n        n+1 …
//     base        A   A   A       A        B           one array each
//     raised      -   1   2       at most √(8·entries)  -

import Causality

/// The context of a change: a base that other changes share, and what is greater than in it.
struct SharedContext: Hashable, Sendable {
    private var base: VersionVector
    /// Empty, or entries that are greater than those of `base`.
    private var raised = VersionVector()

    /// Below this a context is copied whole: that is as small as anything else, and faster.
    static let sharedEntriesMin = 512

    init(_ context: VersionVector = VersionVector()) { base = context }

    /// The whole. O(entries) when something was raised, else nothing.
    var vector: VersionVector {
        if raised.isEmpty { return base }
        var whole = base
        whole.join(raised)
        return whole
    }

    /// Raises some entries, after which the context is `whole`.
    mutating func raise(_ entries: VersionVector, to whole: VersionVector) {
        if whole.count >= Self.sharedEntriesMin,
            raised.count + entries.count <= Self.raisedMax(of: whole.count)
        {
            raised.join(entries)
        } else {
            (base, raised) = (whole, VersionVector())
        }
    }

    /// The next base costs `count` entries, and what is raised until then its number for each change: about
    /// the square root of eight times the count keeps either small, whatever the changes raise.
    private static func raisedMax(of count: Int) -> Int {
        var (root, square) = (1, 8 * count)
        while square > 3 {
            square /= 4
            root *= 2
        }
        return root
    }

    /// Entries that it holds and `former` does not.
    func entryCount(beside former: SharedContext?) -> Int {
        if let former, former.base.sharesEntries(with: base) {
            return former.raised.sharesEntries(with: raised) ? 0 : raised.count
        }
        return base.count + raised.count
    }

    static func == (left: SharedContext, right: SharedContext) -> Bool {
        if left.raised == right.raised, left.base == right.base { return true }
        return left.vector == right.vector
    }

    func hash(into hasher: inout Hasher) { hasher.combine(vector) }
}
