// Which cursors of a change stream this store can go on from (decision 0091). A position alone does not say
// so: a disk that was put back, noticed or not, counts on from an older position, and what then stands at a
// position is not what a watcher was told of before. So each start of the node has a random name, cursors
// carry the name of the start that made them, and the store keeps how far it had come at the next one.
//
//     start 7C…  ────────────┤ 412            cursor 7C….390 is good, 7C….413 was never here
//     start 1F…               ├──────── …     names of starts that the disk has lost are unknown

import Bytes
import Causality
import Wire

/// The starts of a node over its store, and whether the store has them as they are here.
struct CursorEpochs: Sendable {
    /// An earlier start, up to the one after it.
    struct Former: Sendable, Equatable {
        let name: UInt64
        /// Where each space stood at its end.
        fileprivate(set) var ends: [SpaceID: CommitPosition]
    }

    /// Oldest first, at most `formerMax`.
    private(set) var former: [Former] = []
    /// The name of this start, random: cursors that it gives out carry it.
    private(set) var current: UInt64
    /// The store has all of it.
    private(set) var isStored = false
    /// As they were before the open batch, when a space is left in it; nil: the batch changes nothing.
    private var before: (former: [Former], current: UInt64, isStored: Bool)?

    /// Cursors of a start before so many others are answered with a resync.
    static let formerMax = 64
    private static let version: UInt8 = 1

    /// A store that is new, or whose continuity is uncertain: all cursors given out before are foreign.
    init(name: UInt64) { current = name }

    /// True when everything up to the cursor is in this store, and what it has beyond came after.
    func holds(_ cursor: Cursor, of space: SpaceID) -> Bool {
        cursor.isOf(store: current, space: space)
            || former.contains { start in
                cursor.isOf(store: start.name, space: space)
                    && start.ends[space].map { cursor.position <= $0 } ?? false
            }
    }

    /// The node starts again: after the last start it came to these positions.
    mutating func begin(_ name: UInt64, after ends: [SpaceID: CommitPosition]) {
        former.append(Former(name: current, ends: ends))
        former.removeFirst(max(0, former.count - Self.formerMax))
        current = name
        isStored = false
    }

    /// A space is gone, and counts from the start again if it comes back: its cursors are foreign from now
    /// on, those of the other spaces, which came to `ends`, are not.
    mutating func leave(_ space: SpaceID, _ name: UInt64, ends: [SpaceID: CommitPosition]) {
        if before == nil { before = (former, current, isStored) }
        begin(name, after: ends)
        for index in former.indices { former[index].ends[space] = nil }
    }

    // MARK: The batch

    /// Goes into each batch that is about to be committed, until one of them was.
    func write(to transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure) {
        if isStored { return }
        try transaction.beginWriting()
        try transaction.store.setMeta(NodeMeta.store, encoded())
    }

    /// The batch was committed; `hasWritten`: with what `write` put in it.
    mutating func batchCommitted(hasWritten: Bool) {
        if hasWritten { isStored = true }
        before = nil
    }

    /// The batch is lost: the spaces that it left are still here.
    mutating func batchLost() {
        guard let before = self.before.take() else { return }
        (former, current, isStored) = before
    }

    // MARK: Encoding

    /// version u8 · name u64 · count, starts: name u64 · count, spaces: id 32 · position varint.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.version)
        writer.u64(current)
        writer.varint(former.count)
        for start in former {
            writer.u64(start.name)
            writer.varint(start.ends.count)
            for (space, end) in start.ends.sorted(by: { $0.key < $1.key }) {
                space.raw.encode(into: &writer)
                writer.varint(end.value)
            }
        }
        return writer.bytes
    }

    /// Also the form of before, which was a name alone.
    init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        if bytes.count == 8 {
            self.init(name: try reader.u64())
            return
        }
        let version = try reader.u8()
        if version != Self.version { throw .unknownTag(field: "starts", value: UInt64(version)) }
        self.init(name: try reader.u64())
        for _ in 0..<(try reader.count(limit: Self.formerMax, field: "starts")) {
            let name = try reader.u64()
            var ends: [SpaceID: CommitPosition] = [:]
            for _ in 0..<(try reader.count(limit: 1 << 16, field: "spaces")) {
                let space = SpaceID(raw: try Bytes32(from: &reader))
                ends[space] = CommitPosition(try reader.varint())
            }
            former.append(Former(name: name, ends: ends))
        }
        try reader.finish()
    }
}
