// The contiguous prefix known of every replica. It answers "has it seen this dot?" exactly, because logs have
// no gaps (Parker et al. 1983; Almeida et al., "Dotted Version Vectors"). It is a partial order, so it is not
// `Comparable`: two vectors can be concurrent, and a sort over them would be wrong. Kept as a sorted array,
// so that iteration and encoding are the same in every process and joins are merges.

import Bytes

/// How two version vectors relate.
public enum CausalOrder: Equatable, Sendable {
    case equal
    case before
    case after
    case concurrent
}

/// The last contiguous sequence known per replica. Replicas of which nothing is known are not in it.
public struct VersionVector: Hashable, Sendable {
    /// One replica's prefix.
    public struct Entry: Hashable, Sendable {
        public let replica: ReplicaID
        public var last: SequenceNumber

        public init(_ replica: ReplicaID, _ last: SequenceNumber) {
            self.replica = replica
            self.last = last
        }
    }

    /// Ascending by replica, each replica once, no `last` of 0.
    public private(set) var entries: [Entry] = []

    public init() {}

    /// Entries in any order; a replica named twice keeps the greater sequence.
    public init(_ pairs: some Sequence<Entry>) {
        for entry in pairs { advance(entry.replica, to: entry.last) }
    }

    public var isEmpty: Bool { entries.isEmpty }
    public var count: Int { entries.count }

    /// O(log n). `.none` when nothing is known of the replica.
    public subscript(replica: ReplicaID) -> SequenceNumber {
        let index = slot(of: replica)
        return index < entries.count && entries[index].replica == replica ? entries[index].last : .none
    }

    public func contains(_ dot: Dot) -> Bool {
        precondition(dot.sequence > .none, "dots start at 1")
        if isPlanted("vector-by-maximum") { return entries.contains { $0.last >= dot.sequence } }
        return dot.sequence <= self[dot.replica]
    }

    /// True when everything that `other` knows is known here.
    public func covers(_ other: VersionVector) -> Bool {
        var index = 0
        for entry in other.entries {
            while index < entries.count, entries[index].replica < entry.replica { index += 1 }
            guard index < entries.count, entries[index].replica == entry.replica,
                entries[index].last >= entry.last
            else { return false }
        }
        return true
    }

    public func order(to other: VersionVector) -> CausalOrder {
        switch (covers(other), other.covers(self)) {
        case (true, true): .equal
        case (true, false): .after
        case (false, true): .before
        case (false, false): .concurrent
        }
    }

    /// Raises one entry; a lower `last` changes nothing. O(log n), O(n) when the replica is new.
    public mutating func advance(_ replica: ReplicaID, to last: SequenceNumber) {
        guard last > .none else { return }
        // Decoders add in ascending order: the end is the common place.
        if let end = entries.last, end.replica < replica {
            entries.append(Entry(replica, last))
            return
        }
        let index = slot(of: replica)
        if index < entries.count, entries[index].replica == replica {
            if entries[index].last < last { entries[index].last = last }
        } else {
            entries.insert(Entry(replica, last), at: index)
        }
    }

    public mutating func advance(to dot: Dot) { advance(dot.replica, to: dot.sequence) }

    /// Lowers one entry to at most `last`; a lower one stays.
    public mutating func lower(_ replica: ReplicaID, to last: SequenceNumber) {
        let index = slot(of: replica)
        guard index < entries.count, entries[index].replica == replica, entries[index].last > last else {
            return
        }
        if last == .none {
            entries.remove(at: index)
        } else {
            entries[index].last = last
        }
    }

    /// The least vector that covers both.
    public mutating func join(_ other: VersionVector) {
        if other.entries.count < 4 || entries.isEmpty {
            if entries.isEmpty { entries = other.entries }
            for entry in other.entries { advance(entry.replica, to: entry.last) }
            return
        }
        var merged: [Entry] = []
        merged.reserveCapacity(max(entries.count, other.entries.count))
        var (i, j) = (0, 0)
        while i < entries.count, j < other.entries.count {
            let (a, b) = (entries[i], other.entries[j])
            if a.replica < b.replica {
                merged.append(a)
                i += 1
            } else if b.replica < a.replica {
                merged.append(b)
                j += 1
            } else {
                merged.append(Entry(a.replica, max(a.last, b.last)))
                i += 1
                j += 1
            }
        }
        merged.append(contentsOf: entries[i...])
        merged.append(contentsOf: other.entries[j...])
        entries = merged
    }

    /// The greatest vector that both cover. O(entries).
    public func met(with other: VersionVector) -> VersionVector {
        var result = VersionVector()
        var index = 0
        for entry in entries {
            while index < other.entries.count, other.entries[index].replica < entry.replica { index += 1 }
            guard index < other.entries.count, other.entries[index].replica == entry.replica else { continue }
            result.entries.append(Entry(entry.replica, min(entry.last, other.entries[index].last)))
        }
        return result
    }

    /// Entries of this vector that are greater than in `older`, ascending by replica.
    public func entries(beyond older: VersionVector) -> [Entry] {
        var result: [Entry] = []
        var index = 0
        for entry in entries {
            while index < older.entries.count, older.entries[index].replica < entry.replica { index += 1 }
            if index < older.entries.count, older.entries[index].replica == entry.replica,
                older.entries[index].last >= entry.last
            {
                continue
            }
            result.append(entry)
        }
        return result
    }

    /// This vector with nothing known of one replica.
    public func without(_ replica: ReplicaID) -> VersionVector {
        let index = slot(of: replica)
        guard index < entries.count, entries[index].replica == replica else { return self }
        var result = self
        result.entries.remove(at: index)
        return result
    }

    /// What this vector says of these replicas.
    public func restricted(to replicas: Set<ReplicaID>) -> VersionVector {
        var result = VersionVector()
        result.entries = entries.filter { replicas.contains($0.replica) }
        return result
    }

    /// True when both hold one array in memory, and so are equal.
    public func sharesEntries(with other: VersionVector) -> Bool {
        entries.withUnsafeBufferPointer { mine in
            other.entries.withUnsafeBufferPointer { theirs in
                mine.count == theirs.count && mine.baseAddress == theirs.baseAddress
            }
        }
    }

    private func slot(of replica: ReplicaID) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].replica < replica { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
