// Early changes: verified, but not all of their context is known yet. They wait here, each log's in order,
// and only the first of a log is indexed, by one thing that it lacks: when that arrives it is looked at
// again, and either goes or waits for the next thing. So a release costs what it releases (Birman, Schiper
// and Stephenson 1991 scan instead).
//
//     log A   [4...6] [7...9]        first lacks B:12   -> indexed under B at 12
//     log C   [1...1]                first lacks a roster head -> indexed under that head
//
// The buffer is bounded, per peer that sent the changes and in all. Over a bound, whole logs are dropped, the
// one that lacks most first, and the caller is told from whom they must be fetched again: nothing is lost by
// it, need is computed (DESIGN 9). Dropping in the middle of a log would leave a gap that its verifier cannot
// cross.

public import Bytes
public import Causality

/// One log of one space.
public struct LogID: Hashable, Comparable, Sendable {
    public let space: SpaceID
    public let replica: ReplicaID

    public init(_ space: SpaceID, _ replica: ReplicaID) {
        self.space = space
        self.replica = replica
    }

    public static func < (left: LogID, right: LogID) -> Bool {
        left.space == right.space ? left.replica < right.replica : left.space < right.space
    }
}

/// Why a change cannot be executed yet.
public enum Lack: Hashable, Sendable {
    /// This dot of another log is not known; `distance` counts all sequences that its context is ahead of us.
    case dot(Dot, distance: UInt64)
    /// This roster operation is not known.
    case rosterHead(Bytes32)

    /// How far from ready; an unknown head counts as farther than any dot.
    var distance: UInt64 {
        switch self {
        case .dot(_, let distance): distance
        case .rosterHead: .max
        }
    }
}

/// What was dropped over a bound.
public struct DroppedLog: Equatable, Sendable {
    public let log: LogID
    public let changes: Int
    public let bytes: Int
    /// Who sent it, ascending: it must be fetched again from one of them.
    public let peers: [DeviceID]
}

/// Waiting changes of all spaces of a node.
public struct CausalBuffer<Item: Sendable>: Sendable {
    struct Entry: Sendable {
        let item: Item
        let bytes: Int
        let peer: DeviceID
    }

    /// A log's waiting changes in order; never empty, the dropped prefix aside.
    struct Queue: Sendable {
        var entries: [Entry] = []
        /// Entries before it are gone.
        var start = 0
        /// What the first lacks; nil while the log is in `awake`.
        var lack: Lack?

        var first: Entry { entries[start] }
        var count: Int { entries.count - start }
    }

    var queues: [LogID: Queue] = [:]
    /// Per log: who waits for a dot of it, descending by sequence, then log: the next to go is at the end.
    var byDot: [LogID: [Waiter]] = [:]
    /// Per space and head: who waits for it.
    var byHead: [SpaceID: [Bytes32: Set<LogID>]] = [:]
    /// Logs whose first change must be looked at again; the last is next. `awake` may name dropped logs, and
    /// names every other one once.
    var awake: [LogID] = []
    /// Sum over the queues, in all and per peer; peers with nothing are not in it.
    public private(set) var byteCount = 0
    var peerBytes: [DeviceID: Int] = [:]
    /// Changes dropped since start, for the metrics.
    public private(set) var droppedCount: UInt64 = 0

    struct Waiter: Hashable, Comparable, Sendable {
        let sequence: SequenceNumber
        let log: LogID
        static func < (left: Waiter, right: Waiter) -> Bool {
            left.sequence == right.sequence ? left.log < right.log : left.sequence < right.sequence
        }
    }

    public init() {}

    public var isEmpty: Bool { queues.isEmpty }
    /// Waiting changes, all logs together. O(logs).
    public var count: Int { queues.values.reduce(0) { $0 + $1.count } }
    public func byteCount(of peer: DeviceID) -> Int { peerBytes[peer] ?? 0 }
    /// True when changes of this log wait: later ones of it must wait behind them.
    public func isWaiting(_ log: LogID) -> Bool { queues[log] != nil }
    /// What the log's first change lacks.
    public func lack(of log: LogID) -> Lack? { queues[log]?.lack }
    /// A log's waiting changes in order.
    public func items(of log: LogID) -> [Item] {
        guard let queue = queues[log] else { return [] }
        return queue.entries[queue.start...].map(\.item)
    }
    /// The last of a log's waiting changes, behind which the next one goes.
    public func lastItem(of log: LogID) -> Item? { queues[log]?.entries.last?.item }
    /// Logs with waiting changes in a space, ascending.
    public func logs(of space: SpaceID) -> [LogID] { queues.keys.filter { $0.space == space }.sorted() }

    /// Adds the next change of its log. `lack` is what keeps it from being ready; for a log that waits
    /// already it is ignored, since the change waits behind the others first.
    public mutating func add(
        _ item: Item, of log: LogID, byteCount bytes: Int, from peer: DeviceID, lack: Lack
    ) {
        let entry = Entry(item: item, bytes: bytes + ReplicationLimits.bufferOverheadBytes, peer: peer)
        byteCount += entry.bytes
        peerBytes[peer, default: 0] += entry.bytes
        if queues[log] != nil {
            queues[log]?.entries.append(entry)
        } else {
            queues[log] = Queue(entries: [entry])
            index(log, by: lack)
        }
    }

    /// The log reached `last`: whoever waited for a dot up to there is looked at again.
    public mutating func advance(_ log: LogID, to last: SequenceNumber) {
        guard let next = byDot[log]?.last, next.sequence <= last, var left = byDot.removeValue(forKey: log)
        else { return }
        while let waiter = left.last, waiter.sequence <= last {
            left.removeLast()
            wake(waiter.log)
        }
        if !left.isEmpty { byDot[log] = left }
    }

    /// The roster operation is known now.
    public mutating func arrive(_ head: Bytes32, in space: SpaceID) {
        guard let woken = byHead[space]?.removeValue(forKey: head) else { return }
        if byHead[space]?.isEmpty == true { byHead[space] = nil }
        for log in woken.sorted() { wake(log) }
    }

    /// Takes the next change that is ready, if any: `lack` says what a change still lacks. Call it until it
    /// gives nil, telling `advance` of each change that was executed. The order is the same in every process.
    public mutating func next(_ lack: (LogID, Item) -> Lack?) -> (log: LogID, item: Item, peer: DeviceID)? {
        while let log = awake.popLast() {
            guard let queue = queues[log], queue.lack == nil else { continue }
            let entry = queue.first
            if let lacking = lack(log, entry.item) {
                index(log, by: lacking)
                continue
            }
            pop(log)
            return (log, entry.item, entry.peer)
        }
        return nil
    }

    /// Drops logs until every bound holds again; what was dropped, in the order of dropping.
    public mutating func enforceBounds() -> [DroppedLog] {
        if isPlanted("buffer-unbounded") { return [] }
        var dropped: [DroppedLog] = []
        let over = peerBytes.filter { $0.value > ReplicationLimits.bufferBytesOfPeerMax }.keys.sorted()
        for peer in over {
            let theirs = queues.filter { _, queue in
                queue.entries[queue.start...].contains { $0.peer == peer }
            }
            // Down to seven eighths at once: the next change does not begin it all again.
            let aim = ReplicationLimits.bufferBytesOfPeerMax / 8 * 7
            for log in Self.farthestFirst(theirs) where byteCount(of: peer) > aim {
                dropped.append(drop(log))
            }
        }
        if byteCount > ReplicationLimits.bufferBytesMax {
            let aim = ReplicationLimits.bufferBytesMax / 8 * 7
            for log in Self.farthestFirst(queues) where byteCount > aim { dropped.append(drop(log)) }
        }
        return dropped
    }

    /// Forgets a log's waiting changes (its space is left, or its branch is refused).
    public mutating func drop(_ log: LogID) -> DroppedLog {
        guard let queue = queues.removeValue(forKey: log) else {
            return DroppedLog(log: log, changes: 0, bytes: 0, peers: [])
        }
        unindex(log, queue.lack)
        let entries = queue.entries[queue.start...]
        for entry in entries { forget(entry) }
        droppedCount += UInt64(entries.count)
        return DroppedLog(
            log: log, changes: entries.count, bytes: entries.reduce(0) { $0 + $1.bytes },
            peers: Set(entries.map(\.peer)).sorted())
    }

    // MARK: The index

    private mutating func index(_ log: LogID, by lack: Lack) {
        queues[log]?.lack = lack
        switch lack {
        case .dot(let dot, _):
            let key = LogID(log.space, dot.replica)
            let waiter = Waiter(sequence: dot.sequence, log: log)
            var waiters = byDot.removeValue(forKey: key) ?? []
            waiters.insert(waiter, at: Self.position(of: waiter, in: waiters))
            byDot[key] = waiters
        case .rosterHead(let head):
            byHead[log.space, default: [:]][head, default: []].insert(log)
        }
    }

    private mutating func unindex(_ log: LogID, _ lack: Lack?) {
        switch lack {
        case nil: break
        case .dot(let dot, _):
            let key = LogID(log.space, dot.replica)
            let waiter = Waiter(sequence: dot.sequence, log: log)
            guard var waiters = byDot.removeValue(forKey: key) else { return }
            let position = Self.position(of: waiter, in: waiters)
            if position < waiters.count, waiters[position] == waiter { waiters.remove(at: position) }
            if !waiters.isEmpty { byDot[key] = waiters }
        case .rosterHead(let head):
            byHead[log.space]?[head]?.remove(log)
            if byHead[log.space]?[head]?.isEmpty == true { byHead[log.space]?[head] = nil }
            if byHead[log.space]?.isEmpty == true { byHead[log.space] = nil }
        }
    }

    private mutating func wake(_ log: LogID) {
        guard queues[log] != nil else { return }
        queues[log]?.lack = nil
        awake.append(log)
    }

    /// The first change of the log is ready; the one behind it is looked at next.
    private mutating func pop(_ log: LogID) {
        guard var queue = queues.removeValue(forKey: log) else { return }
        forget(queue.first)
        queue.start += 1
        guard queue.count > 0 else { return }
        if queue.start > 64 && queue.start * 2 > queue.entries.count {
            queue.entries.removeFirst(queue.start)
            queue.start = 0
        }
        queue.lack = nil
        queues[log] = queue
        awake.append(log)
    }

    private mutating func forget(_ entry: Entry) {
        byteCount -= entry.bytes
        let left = (peerBytes[entry.peer] ?? 0) - entry.bytes
        peerBytes[entry.peer] = left > 0 ? left : nil
    }

    private static func farthestFirst(_ queues: [LogID: Queue]) -> [LogID] {
        queues.map { (lack: $0.value.lack?.distance ?? 0, log: $0.key) }
            .sorted { ($1.lack, $1.log) < ($0.lack, $0.log) }
            .map(\.log)
    }

    private static func position(of waiter: Waiter, in waiters: [Waiter]) -> Int {
        var (low, high) = (0, waiters.count)
        while low < high {
            let middle = (low + high) / 2
            if waiter < waiters[middle] { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
