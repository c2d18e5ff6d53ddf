// One node as its checker knows it: what its disk held after the last commit, what it acknowledged, what its
// watcher was told.

import Bytes
import Causality
import Documents
import Node

/// A node's durable state in the checker's own words.
struct NodeView {
    /// Prefixes by log, and the same as a vector.
    var held: [Int: SequenceNumber] = [:]
    var vector = VersionVector()
    var position = CommitPosition.start
    /// Every change that a watcher must be told of, in commit order.
    var lines: [Line] = []
    /// Acknowledged to programs of this node, and not taken back by a restored backup.
    var acknowledged: [Dot] = []
    /// Documents that changed since they were compared with the model last, in order of change.
    var unchecked: [Key] = []
    var watch = WatchView()

    struct Line {
        let position: CommitPosition
        let change: Dot
    }

    mutating func noteChanged(_ keys: [Key]) {
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
    /// The documents that the patches made; meaningful while `isWhole`.
    var values: [Key: PlainValue] = [:]
    /// It saw the state from the beginning and every line since.
    var isWhole = false
    /// Lines it has taken and not yet credited.
    var uncredited = 0
}
