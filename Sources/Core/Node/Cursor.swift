// A cursor of the change stream: a position in this node's commit order, with the store it belongs to. Another store
// (another box, a restored backup) has another order, so its cursors are foreign here and answered with a resync.

import Bytes

/// Where a watcher stands. Opaque to programs; only the store that gave it out can continue it.
struct Cursor: Hashable, Sendable {
    /// Changes whenever the store's continuity is uncertain.
    let store: UInt64
    let position: CommitPosition

    init(store: UInt64, position: CommitPosition) {
        self.store = store
        self.position = position
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let raw = Hex.decode(String(parts[0])), raw.count == 8,
            let value = UInt64(parts[1]), String(value) == parts[1]
        else { return nil }
        self.init(store: raw.reduce(0) { $0 << 8 | UInt64($1) }, position: CommitPosition(value))
    }

    var text: String {
        var writer = ByteWriter()
        writer.u64(store)
        return Hex.encode(writer.bytes) + "." + String(position.value)
    }
}
