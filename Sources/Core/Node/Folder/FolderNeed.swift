// What a bundle in the sync folder holds when several members lack different things and not all fits: a share
// of its bytes for each, those that lack least first, and what they leave goes to the others (max-min
// fairness). So the changes of today reach whoever is nearly level, though somebody else lacks a year of
// them, or says so (decision 0240).

import Causality

/// The shares of a bundle in the sync folder.
enum FolderNeed {
    /// Members that lack different things get a share of their own, up to so many; the others share the last.
    static let sharesMax = 16

    /// What the readers of each share hold, at most `held`: who lacks least first. Whoever lacks nothing has
    /// none.
    static func shares(of readers: [VersionVector], lacking held: VersionVector) -> [VersionVector] {
        var distinct: Set<VersionVector> = []
        for reader in readers {
            let known = reader.met(with: held)
            if known != held { distinct.insert(known) }
        }
        let ranked = distinct.map { (known: $0, lack: lack(of: $0, from: held)) }.sorted {
            $0.lack == $1.lack ? isBefore($0.known, $1.known) : $0.lack < $1.lack
        }
        var shares = ranked.map(\.known)
        guard shares.count > sharesMax else { return shares }
        let rest = shares[(sharesMax - 1)...]
        let least = rest.dropFirst().reduce(rest[sharesMax - 1]) { $0.met(with: $1) }
        shares.replaceSubrange((sharesMax - 1)..., with: [least])
        return shares
    }

    /// Sequences that are in `held` and not known.
    private static func lack(of known: VersionVector, from held: VersionVector) -> UInt64 {
        held.entries(beyond: known).reduce(0) { sum, entry in
            let (more, overflows) = sum.addingReportingOverflow(entry.last.value - known[entry.replica].value)
            return overflows ? .max : more
        }
    }

    /// Any order that is the same in each process.
    private static func isBefore(_ left: VersionVector, _ right: VersionVector) -> Bool {
        left.entries.lexicographicallyPrecedes(right.entries) {
            $0.replica == $1.replica ? $0.last < $1.last : $0.replica < $1.replica
        }
    }
}
