// What is known of blocks in memory: which of a space are its bases, and the one of each kind that is open.

import Bytes
import Causality
import Node

/// What the documents of a block are.
enum BlockKind { case bases, candidates }

/// Which blocks of a space are its bases. Those of the next generation are candidates, so that all of them
/// become bases by one step where there were none.
struct BlockLayout {
    let generation: Int64
    /// The position of bases that were candidates and became bases all at once. Their rows say `ofSpace`.
    let position: CommitPosition
    /// Stands in a row in place of a position.
    static let ofSpace: Int64 = -1
}

/// Blocks whose rows may lag behind: one of each kind at most, of the connection that writes.
struct OpenBlocks {
    private var bases: OpenBlock?
    private var candidates: OpenBlock?

    subscript(kind: BlockKind) -> OpenBlock? {
        get { kind == .bases ? bases : candidates }
        set { if kind == .bases { bases = newValue } else { candidates = newValue } }
    }
}

/// One block in memory.
struct OpenBlock {
    let space: Int64
    /// Of its row.
    let row: Int64
    /// The last key, as the row has it.
    var storedLast: Key
    /// No block of its space and kind stands behind it.
    var isLast: Bool
    /// In key order.
    var entries: [BlockEntry]
    var isChanged = false

    /// The place of the first entry whose key is not less.
    func place(of key: Key) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func entry(_ key: Key) -> BlockEntry? {
        let place = place(of: key)
        return place < entries.count && entries[place].key == key ? entries[place] : nil
    }

    /// True when a document of this key belongs here, as far as that is known without a look at the others.
    func covers(_ key: Key) -> Bool {
        guard let first = entries.first?.key, first <= key else { return false }
        return isLast || key <= storedLast
    }
}
