// A cursor of the change stream: a position in this node's commit order of a space, with the store and the
// space it belongs to. Another store (another box, a restored backup) has another order, another space
// other changes, so their cursors are foreign here and answered with a resync.

import Bytes
import Causality

/// Where a watcher stands. Opaque to programs; only the store that gave it out can continue it, in its space.
struct Cursor: Hashable, Sendable {
    /// Of the start of the node that gave it out (`CursorEpochs`), and of the space.
    private let origin: UInt64
    let position: CommitPosition

    /// `store`: its random name. The start of the space's hash is mixed in: no two spaces share an origin.
    init(store: UInt64, space: SpaceID, position: CommitPosition) {
        origin = space.raw.firstWord ^ store
        self.position = position
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let raw = Hex.decode(String(parts[0])), raw.count == 8,
            let value = UInt64(parts[1]), String(value) == parts[1]
        else { return nil }
        origin = raw.reduce(0) { $0 << 8 | UInt64($1) }
        position = CommitPosition(value)
    }

    /// It was given out by this store for this space.
    func isOf(store: UInt64, space: SpaceID) -> Bool {
        self == Cursor(store: store, space: space, position: position)
    }

    /// Of a line of the state that more lines of it follow: who goes on from there has not seen all of it and
    /// is answered with a resync.
    var textWithin: String { text + "+" }

    var text: String {
        String(unsafeUninitializedCapacity: 37) { text in
            Hex.write(origin, to: text, at: 0)
            text[16] = UInt8(ascii: ".")
            let digits = String(position.value).utf8
            for (place, digit) in digits.enumerated() { text[17 + place] = digit }
            return 17 + digits.count
        }
    }
}
