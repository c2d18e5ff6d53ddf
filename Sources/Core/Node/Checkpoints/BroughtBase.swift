// The beginning of a base in a bundle: its table, as far as it came. Only what its checkpoint names begins
// anything, since until a base is whole nothing of the space is shown; and only where logs here end before
// those begin that follow it.

import Bytes
import Causality
import Wire

/// What came of a base before it was begun, and what the writers of bundles held.
struct BroughtBase: Sendable {
    /// The table of a checkpoint, whole, and not compared with its hash yet.
    struct Table: Sendable {
        let checkpoint: Bytes32
        let hash: Bytes32
        let table: [UInt8]
    }

    /// Whose base comes; nil: none does, or its table came.
    private var checkpoint: Bytes32?
    private var table: [UInt8] = []
    /// Before the base was begun: what to go back to if it does not become whole.
    var wasSeeding = false
    /// What the writer of the last bundle held: a newcomer that holds that is level with a member.
    var level: VersionVector?

    init() {}

    mutating func begin(_ checkpoint: Bytes32) {
        self.checkpoint = checkpoint
        table = []
    }

    /// Takes a part; the table when it is whole. It comes first, in order.
    mutating func table(with part: BasePartFrame) throws(DecodeFault) -> Table? {
        guard let checkpoint else { return nil }
        guard UInt64(table.count) == part.offset else { throw .outOfRange(field: "offset") }
        let limit = UInt64(WireLimits.tableBytesMax)
        if part.total > limit { throw .overLimit(field: "table", value: part.total, limit: limit) }
        table += try part.unpacked()
        guard UInt64(table.count) >= part.total else { return nil }
        defer { endFile() }
        return Table(checkpoint: checkpoint, hash: part.hash, table: table)
    }

    mutating func endFile() { (checkpoint, table) = (nil, []) }
}
