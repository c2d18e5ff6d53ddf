// Contexts while a block is read: version vectors over the block's own numbers of replicas, in one array that
// only grows. A context that is the join of two others costs its entries and nothing else; a history of
// thousands of merges is one allocation now and then.

import Bytes
import Causality

/// The contexts of a block.
struct BlockContexts: Sendable {
    struct Entry: Sendable {
        var replica: Int32
        var last: UInt64
    }

    /// One context: entries ascending by number of the replica.
    struct Handle: Equatable, Sendable {
        fileprivate var start: Int32 = 0
        fileprivate(set) var count: Int32 = 0
    }

    private(set) var entries: ContiguousArray<Entry> = []

    /// The last sequence that a context knows of a replica; 0 for none.
    func last(of replica: Int, in handle: Handle) -> UInt64 {
        var (low, high) = (Int(handle.start), Int(handle.start + handle.count))
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].replica < Int32(replica) { low = middle + 1 } else { high = middle }
        }
        let end = Int(handle.start + handle.count)
        return low < end && entries[low].replica == Int32(replica) ? entries[low].last : 0
    }

    func forEach(in handle: Handle, _ body: (Entry) -> Void) {
        for index in Int(handle.start)..<Int(handle.start + handle.count) { body(entries[index]) }
    }

    /// The join of a context with another one and an entry, without the entries of one replica.
    mutating func join(
        _ first: Handle, _ second: Handle, and head: Entry, without own: Int
    ) throws(DecodeFault) -> Handle {
        try makeRoom(Int(first.count) + Int(second.count) + 1)
        let start = entries.count
        var (i, j) = (Int(first.start), Int(second.start))
        let (iEnd, jEnd) = (Int(first.start + first.count), Int(second.start + second.count))
        var isHeadPending = true
        while true {
            var next = Entry(replica: .max, last: 0)
            if i < iEnd { next.replica = min(next.replica, entries[i].replica) }
            if j < jEnd { next.replica = min(next.replica, entries[j].replica) }
            if isHeadPending { next.replica = min(next.replica, head.replica) }
            if next.replica == .max { break }
            if i < iEnd, entries[i].replica == next.replica {
                next.last = max(next.last, entries[i].last)
                i += 1
            }
            if j < jEnd, entries[j].replica == next.replica {
                next.last = max(next.last, entries[j].last)
                j += 1
            }
            if isHeadPending, head.replica == next.replica {
                next.last = max(next.last, head.last)
                isHeadPending = false
            }
            if next.replica != Int32(own) { entries.append(next) }
        }
        return Handle(start: Int32(start), count: Int32(entries.count - start))
    }

    /// A context of these entries, which may be in any order, on top of another one. Each must be greater.
    mutating func add(_ more: [Entry], to base: Handle) throws(DecodeFault) -> Handle {
        try makeRoom(Int(base.count) + more.count)
        let sorted = more.sorted { $0.replica < $1.replica }
        let start = entries.count
        var (i, iEnd) = (Int(base.start), Int(base.start + base.count))
        var former: Int32 = -1
        for entry in sorted {
            if entry.replica == former { throw .notCanonical(field: "context") }
            former = entry.replica
            while i < iEnd, entries[i].replica < entry.replica {
                entries.append(entries[i])
                i += 1
            }
            if i < iEnd, entries[i].replica == entry.replica {
                if entries[i].last >= entry.last { throw .notCanonical(field: "context") }
                i += 1
            }
            entries.append(entry)
        }
        while i < iEnd {
            entries.append(entries[i])
            i += 1
        }
        iEnd = i
        return Handle(start: Int32(start), count: Int32(entries.count - start))
    }

    private func makeRoom(_ count: Int) throws(DecodeFault) {
        let limit = WireLimits.blockContextEntriesMax
        if entries.count + count > limit {
            throw .overLimit(
                field: "contexts", value: UInt64(entries.count + count), limit: UInt64(limit))
        }
    }
}
