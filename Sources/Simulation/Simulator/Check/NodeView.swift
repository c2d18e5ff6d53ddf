// One node as its checker knows it: what its disk held after the last commit, what it acknowledged, what its
// watcher was told.

import Bytes
import Causality
import Documents
import Node
import Roster
import Wire

/// A node's durable state in the checker's own words.
struct NodeView {
    /// What is held of each log, and the same as a vector.
    var held: [ReplicaID: HeldBranch] = [:]
    var vector = VersionVector()
    /// The last position looked at.
    var position = CommitPosition.start
    /// Logs that a proof closed, each at this sequence: from there on nothing counts.
    var closed: [ReplicaID: SequenceNumber] = [:]
    /// The ends of logs that ended by the checkpoint that its documents are made on.
    var ended: [ReplicaID: SequenceNumber] = [:]
    /// Every change that a watcher must be told of, in commit order.
    var lines: [Line] = []
    /// Changes that are held and not executed, although they are not void, in commit order: they touch their
    /// documents' versions and show nowhere else.
    var skips: [Line] = []
    /// Numbers of the changes acknowledged to programs of this node, and not taken back by a restored backup.
    var acknowledged: [Int] = []
    /// Documents that changed since they were compared with the model last, in order of change.
    var unchecked: [Key] = []
    var watch = WatchView()
    /// What its disk knew of its starts when it was started last, before it could write.
    var starts: [UInt8]?
    /// The latest state that a program was shown.
    var shown = CommitPosition.start
    /// The keys on its disk; in trials about members only.
    var keys: SpaceKeys?
    /// The record from which the keys were opened.
    var storedKeys: [UInt8]?
    /// What its disk says of each change, by number.
    var statuses: [Int: ChangeStatus] = [:]
    /// Changes that came when a base had them already. Whether one was late for a checkpoint before that,
    /// nobody told its node.
    var inBase: Set<Int> = []
    /// What counted may not any more, or again: somebody lost a right.
    var isTurned = false
    /// The checkpoints that its documents are made on, from the first on: up to the one that stands, and to
    /// the one that takes its place while that is so.
    var chains: [[InspectedCheckpoint]] = []
    /// A document showed otherwise on a new base: somebody had made anew what that lets go.
    var isMoved = false
    /// Changes are still to be judged by the operations that are held.
    var isRejudging = false

    /// Documents were refused to programs before the batch whose answers are told now, and after it: what was
    /// asked at its beginning is answered by the state before.
    var wasHiding = false
    var isHiding = false

    /// The space was left in the batch whose answers are told now.
    var isGone = false

    /// Documents were made again, so that lines and positions of before are not those of now.
    var isRemade: Bool { isTurned || isMoved || !closed.isEmpty }

    /// The checkpoint whose base all documents are made on, or are about to be.
    var base: Bytes32? { chains.last?.last?.id }

    /// A base lets nothing go before the second one.
    private var mayMove: Bool { chains.contains { $0.count > 1 } }

    /// True when a position can follow that of the last row: the next one, or a later one if something was
    /// made again between the two. `isCrashed`: right after the commit, in which it may have taken a base.
    mutating func takesPosition(
        _ next: CommitPosition, after last: CommitPosition, isCrashed: Bool
    ) -> Bool {
        if next == last { return true }
        guard next > last, isRemade || mayMove || isCrashed else { return false }
        isMoved = isMoved || !isRemade
        return true
    }

    struct Line {
        let position: CommitPosition
        let change: Dot
        /// Its batch judged changes again: it may have come void and count at the end, which a rebuild tells.
        var mayBeRebuilt = false
    }

    /// The vector up to where logs are closed: what counts here, and what a context can ask for.
    var counted: VersionVector {
        if closed.isEmpty, ended.isEmpty { return vector }
        return VersionVector(
            vector.entries.compactMap { entry in
                let last = min(entry.last, end(of: entry.replica))
                return last == .none ? nil : .init(entry.replica, last)
            })
    }

    /// The last sequence of a log that can count; the greatest where it is not closed.
    func end(of replica: ReplicaID) -> SequenceNumber {
        min(closed[replica]?.previous ?? .max, ended[replica] ?? .max)
    }

    /// True when a change is void because its log is closed before its end.
    func isClosed(_ change: Change) -> Bool { closed[change.replica].map { $0 <= change.last } ?? false }

    /// True when a change is void because its log ended before it: its author makes it again.
    func isBehindEnd(_ change: Change) -> Bool { ended[change.replica].map { change.first > $0 } ?? false }

    /// Executed and skipped changes behind a position: an answer that shows the position knows of neither.
    func changes(after position: CommitPosition) -> Set<Dot> {
        var later: Set<Dot> = []
        for list in [lines, skips] {
            for line in list.reversed() {
                if line.position <= position { break }
                later.insert(line.change)
            }
        }
        return later
    }

    mutating func recordChanged(_ keys: [Key]) {
        for key in keys where !unchecked.contains(key) { unchecked.append(key) }
    }
}

/// A change stream as its reader sees it.
struct WatchView {
    /// Set while the stream is open.
    var request: RequestID?
    /// The last cursor that came with a line; where the next stream goes on.
    var cursor: String?
    /// How many of the view's lines it was told of.
    var told = 0
    /// Of lines that were passed over, since a rebuild behind them tells them: where they stand.
    var owed: [CommitPosition] = []
    /// The documents that the patches made; meaningful while `isWhole`.
    var values: [Key: PlainValue] = [:]
    /// It saw the state from the beginning and every line since.
    var isWhole = false
    /// Lines it has taken and not yet credited.
    var uncredited = 0
    /// Something happened after which the stream may say resync, once.
    var mayResync = false
    /// Its cursor is of a state that the disk does not hold: it must say so before anything else.
    var mustResync = false
    /// How often the node started since the cursor was told.
    var startsSinceCursor = 0

    /// The node knows cursors of its last 64 starts (decision 0091).
    static let startsMax = 64
    /// Lines under way to a reader that has not taken them (decision 0077).
    static let uncreditedMax = 1_000
}
