// A recorded message 1 replayed by an outsider would get message 2 as an answer, and the outsider would know
// that a node of that mesh listens here. So initiators' ephemerals are remembered for a while, by one guard
// for all links of a node. Only ephemerals that came with a right key are, so outsiders cannot push others
// out.

public import Bytes
public import Causality

/// Ephemerals of accepted first messages, oldest first out. A value of the node; a restart forgets it.
public struct ReplayGuard: Sendable {
    struct Entry: Sendable {
        let ephemeral: Bytes32
        /// Monotonic ms until which it is remembered.
        let until: UInt64
    }

    /// Exactly the ephemerals in `entries[head...]`.
    private(set) var seen: Set<Bytes32> = []
    /// In order of arrival, so ascending by `until`; those before `head` are gone.
    private(set) var entries: [Entry] = []
    private(set) var head = 0

    public init() {}

    public var count: Int { seen.count }

    /// True, and remembered, when it was not seen in the last ten minutes. O(1) amortized.
    public mutating func admit(_ ephemeral: Bytes32, at now: Instant) -> Bool {
        while head < entries.count,
            entries[head].until <= now.monotonic || seen.count >= SecureLinkLimits.replayCountMax
        {
            seen.remove(entries[head].ephemeral)
            head += 1
        }
        // Half of the array is gone: move the rest down, each entry once on average.
        if head > 64 && head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
        guard seen.insert(ephemeral).inserted else { return false }
        let until = now.monotonic + SecureLinkLimits.replayMilliseconds
        entries.append(Entry(ephemeral: ephemeral, until: until))
        return true
    }
}
