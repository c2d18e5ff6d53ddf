// The last events of a space, kept once for all its watchers. A watcher is a position in it; one that the
// ring has left behind is told to read again, so a stuck watcher costs nothing that grows.

import Bytes
import Documents

/// Events in commit order with a gap-free tail: every change after `start` that touched a document is in it.
struct EventRing: Sendable {
    struct Entry: Sendable {
        let position: CommitPosition
        let event: ChangeEvent
        let bytes: Int
    }

    /// Everything after this position that made an event is here.
    private(set) var start: CommitPosition
    private var entries: [Entry] = []
    private var head = 0
    private var bytes = 0

    init(start: CommitPosition) { self.start = start }

    var count: Int { entries.count - head }

    mutating func append(_ event: ChangeEvent, at position: CommitPosition) {
        precondition(position > start, "event at \(position.value) after \(start.value)")
        let size = event.documents.estimatedBytes
        entries.append(Entry(position: position, event: event, bytes: size))
        bytes += size
        while count > NodeLimits.ringEventsMax || (bytes > NodeLimits.ringBytesMax && count > 1) {
            dropFirst()
        }
    }

    /// Forgets all events: nobody watches, or the batch that made them failed.
    mutating func reset(to position: CommitPosition) {
        start = position
        entries = []
        head = 0
        bytes = 0
    }

    /// Events after `position`, at most `limit`; nil when the ring does not reach back that far.
    func events(after position: CommitPosition, limit: Int) -> ArraySlice<Entry>? {
        guard position >= start else { return nil }
        let first = index(after: position)
        return entries[first..<min(entries.count, first + limit)]
    }

    func count(after position: CommitPosition) -> Int { entries.count - index(after: position) }

    private func index(after position: CommitPosition) -> Int {
        var (low, high) = (head, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func dropFirst() {
        start = entries[head].position
        bytes -= entries[head].bytes
        head += 1
        if head > 1_024, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }
}

extension WatchLine {
    /// What it takes in memory, roughly.
    var estimatedBytes: Int {
        switch self {
        case .change(let event): event.documents.estimatedBytes
        case .state(_, let key, let patches):
            [ChangeEvent.DocumentPatches(key: key, patches: patches)].estimatedBytes
        case .resync: 128
        case .idle: 1
        }
    }
}

extension [ChangeEvent.DocumentPatches] {
    /// What an event of them takes in memory, roughly. O(their size).
    fileprivate var estimatedBytes: Int {
        reduce(128) { sum, document in
            document.patches.reduce(sum + 64 + document.key.utf8Count) { $0 + 64 + Self.size(of: $1.change) }
        }
    }

    private static func size(of change: Patch.Change) -> Int {
        switch change {
        case .delete: 0
        case .set(let value): size(of: value)
        case .spliceText(_, _, let insert): insert.utf8.count
        case .spliceList(_, _, let insert): insert.reduce(0) { $0 + size(of: $1) }
        }
    }

    // Values nest at most `DocumentLimits.nestingMax` deep.
    private static func size(of value: PlainValue) -> Int {
        switch value {
        case .scalar(.string(let key)): 32 + key.utf8Count
        case .scalar: 16
        case .array(let items): items.reduce(32) { $0 + size(of: $1) }
        case .object(let members): members.reduce(32) { $0 + 32 + $1.key.utf8Count + size(of: $1.value) }
        }
    }
}
