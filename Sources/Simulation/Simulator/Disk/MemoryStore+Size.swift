// How large the disk of a simulated node is: the bytes of its rows, as a database without pages would have
// them. Only sums are read, so what a row costs beyond its columns is left out.

import Bytes
import Causality
import Node
import Wire

extension MemoryStore {
    /// Bytes of all rows. O(rows).
    var byteCount: Int {
        let meta = tables.meta.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
        return tables.spaces.values.reduce(meta) { $0 + $1.byteCount }
    }
}

extension MemoryTables.Space {
    fileprivate var byteCount: Int {
        let roster = roster.reduce(0) { $0 + $1.count }
        let logs = logs.values.reduce(0) { $0 + $1.byteCount }
        let rows =
            commits.count * Self.commitBytes
            + touched.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8Count } }
            + touching.reduce(0) { $0 + $1.value.count * ($1.key.utf8Count + Self.commitBytes) }
        let shown =
            documents.values.reduce(0) { $0 + $1.key.utf8Count + $1.frontier.count * Self.dotBytes }
            + snapshots.reduce(0) { $0 + $1.key.utf8Count + $1.value.bytes.count }
        let candidates = candidates.values.reduce(0) {
            $0 + $1.key.utf8Count + $1.frontier.count * Self.dotBytes + ($1.bytes?.count ?? 0)
        }
        let answers = idempotency.reduce(0) { $0 + $1.key.utf8Count + $1.value.version.utf8.count + 32 }
        return roster + logs + rows + shown + bases.values.reduce(0) { $0 + $1.size } + candidates + answers
            + record.keys.count
    }

    /// A replica's number, a sequence and a position; a replica and a sequence.
    private static var commitBytes: Int { 16 }
    private static var dotBytes: Int { 24 }
}

extension MemoryTables.Log {
    fileprivate var byteCount: Int {
        runs.reduce(0) { $0 + $1.bytes.count } + boundaries.values.reduce(0) { $0 + $1.state.count + 8 }
            + seals.count * Self.sealBytes
    }

    /// A signature and a sequence.
    private static var sealBytes: Int { 72 }
}
