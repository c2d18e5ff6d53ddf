// Blocks in SQLite, of bases and of candidates: looked up by key, and changed one document at a time. The
// writer keeps the block that it changed last open in memory, since documents come in key order mostly, and
// writes it when it comes to another one, or at the end of the transaction.
//
//     blocks of a space and kind     | a … f | h … k | m … z |     each is found by its last key
//     a document j                             ^ belongs to the first block whose last key is not less
//     a document zz                                          ^ and behind all to the last one
//
// Where a block is open, its documents in memory count, and not its row. A look-up finds it by the last key
// in its row, so a document beyond that key goes into it only where no other block stands behind it.

import Bytes
import Causality
import Node

extension SQLiteTables {
    // MARK: Reading

    /// A document of a block; nil: there is none.
    func entry(_ key: Key, of kind: BlockKind, _ space: Int64) throws(StoreFailure) -> BlockEntry? {
        let open = connection.blocks[kind].flatMap { $0.space == space ? $0 : nil }
        if let open, open.covers(key) { return open.entry(key) }
        let values = try names(kind, space) + [.blob(key)]
        let found = try connection[.blockOfKey].first(values) { row in
            (row: row.integer(0), position: row.integer(1), content: row.blob(2))
        }
        guard let found else { return nil }
        if let open, found.row == open.row { return open.entry(key) }
        let position = try position(found.position, of: kind, space)
        // A reader that comes to a block twice reads its documents one after the other.
        guard connection.lastBlockRead == found.row, connection.blocks[kind]?.isChanged != true else {
            connection.lastBlockRead = found.row
            return try DocumentBlock.entry(key, in: found.content, at: position, path)
        }
        let entries = try DocumentBlock.entries(found.content, at: position, in: path)
        guard let last = entries.last?.key else { return nil }
        let block = OpenBlock(space: space, row: found.row, storedLast: last, isLast: false, entries: entries)
        connection.blocks[kind] = block
        return block.entry(key)
    }

    private func layout(of space: Int64) throws(StoreFailure) -> BlockLayout {
        if let known = connection.layouts[space] { return known }
        let found = try connection[.blockLayout].first([.integer(space)]) { row in
            BlockLayout(
                generation: row.integer(0), position: CommitPosition(UInt64(row.integer(1))))
        }
        let layout = found ?? BlockLayout(generation: 0, position: .start)
        connection.layouts[space] = layout
        return layout
    }

    /// By which the blocks of a space and kind are found.
    func names(_ kind: BlockKind, _ space: Int64) throws(StoreFailure) -> [SQLValue] {
        [.integer(space), .integer(try generation(of: kind, space))]
    }

    func generation(of kind: BlockKind, _ space: Int64) throws(StoreFailure) -> Int64 {
        try layout(of: space).generation + (kind == .bases ? 0 : 1)
    }

    /// Of entries without one of their own, where a row says this.
    func position(_ stored: Int64, of kind: BlockKind, _ space: Int64) throws(StoreFailure)
        -> CommitPosition
    {
        if stored != BlockLayout.ofSpace { return CommitPosition(UInt64(stored)) }
        return kind == .bases ? try layout(of: space).position : .start
    }

    /// All candidates of a space without bases are its bases from now on. Both kinds are closed.
    func promoteAll(_ space: Int64, at position: CommitPosition) throws(StoreFailure) {
        let next = BlockLayout(generation: try generation(of: .candidates, space), position: position)
        try connection[.setBlockLayout].run([
            .integer(space), .integer(next.generation), .integer(Int64(position.value)),
        ])
        connection.layouts[space] = next
    }

    /// Documents in key order, `after` excluded; nil: from the first.
    func entries(of kind: BlockKind, _ space: Int64, after: Key?, limit: Int) throws(StoreFailure)
        -> [BlockEntry]
    {
        if limit < 1 { return [] }
        try write(kind)
        var found: [BlockEntry] = []
        let values = try names(kind, space) + [.blob(StoredForms.least(after: after))]
        try connection[.blocksFrom].forEach(values) { row throws(StoreFailure) in
            let position = try position(row.integer(0), of: kind, space)
            let entries = try DocumentBlock.entries(row.blob(1), at: position, in: path)
            for entry in entries where after.map({ $0 < entry.key }) ?? true {
                if found.count == limit { break }
                found.append(entry)
            }
            return found.count < limit
        }
        return found
    }

    /// A snapshot as an entry has it: in itself, or in a row of its own.
    func content(_ bytes: [UInt8], of space: Int64) throws(StoreFailure) -> BlockEntry.Content {
        if bytes.count <= StoreLimits.baseBytesInline { return .inline(bytes) }
        return .apart(row: try addLarge(bytes, of: space), bytes: bytes.count)
    }

    /// The row of a snapshot that lies apart.
    func addLarge(_ bytes: [UInt8], of space: Int64) throws(StoreFailure) -> Int64 {
        let values: [SQLValue] = [.integer(space), .blob(bytes)]
        guard let row = try connection[.addLarge].all(values, { $0.integer(0) }).first else {
            throw .failed(FailedStep(doing: "adding a snapshot", path: path, answer: .noRow))
        }
        return row
    }

    /// The snapshot of a document; nil: it is absent.
    func snapshot(of entry: BlockEntry) throws(StoreFailure) -> [UInt8]? {
        switch entry.content {
        case .absent: return nil
        case .inline(let bytes): return bytes
        case .apart(let row, _): return try large(row)
        }
    }

    /// A snapshot that lies apart.
    func large(_ row: Int64) throws(StoreFailure) -> [UInt8] {
        guard let bytes = try connection[.large].first([.integer(row)], { $0.blob(0) }) else {
            throw .unusable(.file(path: path, .column(.block)))
        }
        return bytes
    }

    // MARK: Writing

    /// Inserts or replaces a document, and returns the one that it replaced.
    func put(_ entry: BlockEntry, of kind: BlockKind, _ space: Int64) throws(StoreFailure) -> BlockEntry? {
        guard try openBlock(covering: entry.key, kind, space), var open = connection.blocks[kind] else {
            try begin([entry], kind, space)
            return nil
        }
        // Out of the connection while it changes, or all of it would be copied.
        connection.blocks[kind] = nil
        let place = open.place(of: entry.key)
        let replaced =
            place < open.entries.count && open.entries[place].key == entry.key ? open.entries[place] : nil
        if replaced != nil { open.entries[place] = entry } else { open.entries.insert(entry, at: place) }
        open.isChanged = true
        let isAtEnd = place == open.entries.count - 1
        let bytes = open.entries.reduce(0) { $0 + $1.bytesInBlock }
        let isFull = bytes > StoreLimits.blockBytesAim && open.entries.count > 1
        if isFull, isAtEnd, open.isLast {
            open.entries.removeLast()
            connection.blocks[kind] = open
            try begin([entry], kind, space)
        } else if isFull {
            try split(open, of: bytes, kind)
        } else {
            connection.blocks[kind] = open
        }
        return replaced
    }

    /// Removes a document and returns it; nil: there was none.
    func remove(_ key: Key, of kind: BlockKind, _ space: Int64) throws(StoreFailure) -> BlockEntry? {
        guard try openBlock(covering: key, kind, space), let found = connection.blocks[kind]?.entry(key),
            let place = connection.blocks[kind]?.place(of: key)
        else { return nil }
        try removeEntries(place..<place + 1, kind)
        return found
    }

    /// Removes the first documents, `limit` at most, and returns them.
    func removeFirst(of kind: BlockKind, _ space: Int64, limit: Int) throws(StoreFailure) -> [BlockEntry] {
        var removed: [BlockEntry] = []
        let values = try names(kind, space) + [.blob([])]
        while removed.count < limit {
            let first = try connection[.blockRow].first(values) { $0.integer(0) }
            guard let first else { break }
            try open(first, kind, space)
            guard let entries = connection.blocks[kind]?.entries.prefix(limit - removed.count) else { break }
            removed += entries
            try removeEntries(0..<entries.count, kind)
        }
        return removed
    }

    private func removeEntries(_ range: Range<Int>, _ kind: BlockKind) throws(StoreFailure) {
        guard var open = connection.blocks[kind] else { return }
        connection.blocks[kind] = nil
        open.entries.removeSubrange(range)
        open.isChanged = true
        if open.entries.isEmpty {
            try connection[.removeBlock].run([.integer(open.row)])
        } else {
            connection.blocks[kind] = open
        }
    }

    func hasAny(of kind: BlockKind, _ space: Int64) throws(StoreFailure) -> Bool {
        try connection[.anyBlock].first(try names(kind, space)) { _ in true } ?? false
    }

    /// True where new blocks may stand from one key to another, which may be bytes just behind one: no block
    /// reaches into that or lies around it.
    func isFree(from first: [UInt8], through last: Key, of kind: BlockKind, _ space: Int64)
        throws(StoreFailure) -> Bool
    {
        try write(kind)
        let values = try names(kind, space) + [.blob(first)]
        let next = try connection[.nextBlock].first(values) { row throws(StoreFailure) in
            try StoredForms.key(row.blob(0), in: path)
        }
        return next.map { last < $0 } ?? true
    }

    /// Cuts the first block in two, so that the first part holds `limit` documents at most and none that is
    /// absent; false: there is no such part.
    func cutFirstBlock(of kind: BlockKind, _ space: Int64, limit: Int) throws(StoreFailure) -> Bool {
        let values = try names(kind, space) + [.blob([])]
        guard let first = try connection[.blockRow].first(values, { $0.integer(0) }) else { return false }
        try open(first, kind, space)
        guard var open = connection.blocks[kind] else { return false }
        let part = open.entries.prefix(limit).prefix { entry in
            if case .absent = entry.content { false } else { true }
        }
        if part.isEmpty { return false }
        if part.count < open.entries.count {
            _ = try addBlock(part, kind, space)
            open.entries.removeFirst(part.count)
            open.isChanged = true
            connection.blocks[kind] = open
        }
        try close(kind)
        return true
    }

    /// Writes what is open; it stays open.
    func write(_ kind: BlockKind) throws(StoreFailure) {
        guard var open = connection.blocks[kind], open.isChanged, let last = open.entries.last?.key else {
            return
        }
        connection.blocks[kind] = nil
        try connection[.setBlock].run([.integer(open.row)] + Self.values(of: open.entries, kind))
        open.storedLast = last
        open.isChanged = false
        connection.blocks[kind] = open
    }

    /// From here on the rows say all.
    func close(_ kind: BlockKind) throws(StoreFailure) {
        try write(kind)
        connection.blocks[kind] = nil
    }

    // MARK: The open block

    /// The block to which a document of this key belongs is open; false: there is none at all.
    private func openBlock(covering key: Key, _ kind: BlockKind, _ space: Int64) throws(StoreFailure) -> Bool
    {
        if let open = connection.blocks[kind], open.space == space, open.covers(key) { return true }
        let values = try names(kind, space)
        if let row = try connection[.blockRow].first(values + [.blob(key)], { $0.integer(0) }) {
            try open(row, kind, space)
            return true
        }
        guard let row = try connection[.lastBlockRow].first(values, { $0.integer(0) }) else { return false }
        try open(row, kind, space)
        connection.blocks[kind]?.isLast = true
        return true
    }

    private func open(_ row: Int64, _ kind: BlockKind, _ space: Int64) throws(StoreFailure) {
        if connection.blocks[kind]?.row == row { return }
        try close(kind)
        connection.blocks[kind] = try connection[.block].first([.integer(row)]) {
            found throws(StoreFailure) in
            let position = try position(found.integer(1), of: kind, space)
            return OpenBlock(
                space: space, row: row, storedLast: try StoredForms.key(found.blob(0), in: path),
                isLast: false, entries: try DocumentBlock.entries(found.blob(2), at: position, in: path))
        }
    }

    /// A block of these documents behind all others; it is open then.
    private func begin(_ entries: [BlockEntry], _ kind: BlockKind, _ space: Int64) throws(StoreFailure) {
        try close(kind)
        let row = try addBlock(entries, kind, space)
        connection.blocks[kind] = OpenBlock(
            space: space, row: row, storedLast: entries[entries.count - 1].key, isLast: true,
            entries: entries)
    }

    /// The first half of a block into a row of its own; the second half is open. Its row is written too: what
    /// was added behind all others would be sought in the first half, whose row ends later than it says.
    private func split(_ open: OpenBlock, of bytes: Int, _ kind: BlockKind) throws(StoreFailure) {
        var (middle, passed) = (1, open.entries[0].bytesInBlock)
        while middle < open.entries.count - 1, passed + open.entries[middle].bytesInBlock <= bytes / 2 {
            passed += open.entries[middle].bytesInBlock
            middle += 1
        }
        var rest = open
        rest.entries.removeFirst(middle)
        connection.blocks[kind] = rest
        try write(kind)
        _ = try addBlock(open.entries[..<middle], kind, open.space)
    }

    func addBlock(
        _ entries: some RandomAccessCollection<BlockEntry>, _ kind: BlockKind, _ space: Int64
    ) throws(StoreFailure) -> Int64 {
        try addBlock(of: Self.values(of: entries, kind), kind, space)
    }

    /// The number of its row.
    func addBlock(of content: [SQLValue], _ kind: BlockKind, _ space: Int64) throws(StoreFailure) -> Int64 {
        let values = try names(kind, space) + content
        guard let row = try connection[.addBlock].all(values, { $0.integer(0) }).first else {
            throw .failed(FailedStep(doing: "adding a block of a base", path: path, answer: .noRow))
        }
        return row
    }

    /// All that stands in a row beside its number, space and kind.
    private static func values(
        of entries: some RandomAccessCollection<BlockEntry>, _ kind: BlockKind
    ) -> [SQLValue] {
        guard let first = entries.first, let last = entries.last else {
            preconditionFailure("a block without documents")
        }
        return values(
            first.key, last.key, at: kind == .bases ? Int64(first.position.value) : BlockLayout.ofSpace,
            BlockFigures(entries), DocumentBlock.encode(entries, at: first.position))
    }

    static func values(
        _ first: Key, _ last: Key, at position: Int64, _ figures: BlockFigures, _ content: [UInt8]
    ) -> [SQLValue] {
        [
            .blob(first), .blob(last), .integer(position), .integer(figures.documents),
            .integer(figures.visible), .integer(figures.bytes), .integer(figures.absent), .blob(content),
        ]
    }
}

extension Query {
    static let blockOfKey = Query(
        """
        SELECT number, position, content FROM blocks WHERE space = ? AND generation = ? AND last >= ?
        ORDER BY last LIMIT 1
        """)
    static let blockLayout = Query("SELECT base_generation, base_position FROM spaces WHERE number = ?")
    static let setBlockLayout = Query(
        "UPDATE spaces SET base_generation = ?2, base_position = ?3 WHERE number = ?1")
    static let blockRow = Query(
        "SELECT number FROM blocks WHERE space = ? AND generation = ? AND last >= ? ORDER BY last LIMIT 1")
    static let lastBlockRow = Query(
        "SELECT number FROM blocks WHERE space = ? AND generation = ? ORDER BY last DESC LIMIT 1")
    static let nextBlock = Query(
        "SELECT first FROM blocks WHERE space = ? AND generation = ? AND last >= ? ORDER BY last LIMIT 1")
    static let block = Query("SELECT last, position, content FROM blocks WHERE number = ?")
    static let blocksFrom = Query(
        "SELECT position, content FROM blocks WHERE space = ? AND generation = ? AND last >= ? ORDER BY last")
    static let anyBlock = Query("SELECT 1 FROM blocks WHERE space = ? AND generation = ? LIMIT 1")
    static let addBlock = Query(
        """
        INSERT INTO blocks(
        space, generation, first, last, position, documents, visible, bytes, absent, content)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
        """)
    static let setBlock = Query(
        """
        UPDATE blocks SET first = ?2, last = ?3, position = ?4, documents = ?5, visible = ?6, bytes = ?7,
        absent = ?8, content = ?9 WHERE number = ?1
        """)
    static let removeBlock = Query("DELETE FROM blocks WHERE number = ?")
    static let large = Query("SELECT bytes FROM large_snapshots WHERE number = ?")
    static let addLarge = Query("INSERT INTO large_snapshots(space, bytes) VALUES (?, ?) RETURNING number")
    static let removeLarge = Query("DELETE FROM large_snapshots WHERE number = ?")
}
