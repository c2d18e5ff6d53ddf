// New blocks are cut here, from documents that come in key order.

import Bytes
import Node
import Wire

/// Cuts documents, as they come in key order, into new blocks.
struct BlockPacker {
    let kind: BlockKind
    let space: Int64
    private var entries: [BlockEntry] = []
    private var bytes = 0

    init(kind: BlockKind, space: Int64) { (self.kind, self.space) = (kind, space) }

    mutating func add(_ entry: BlockEntry, to tables: SQLiteTables) throws(StoreFailure) {
        if bytes + entry.bytesInBlock > StoreLimits.blockBytesAim { try finish(in: tables) }
        entries.append(entry)
        bytes += entry.bytesInBlock
    }

    mutating func finish(in tables: SQLiteTables) throws(StoreFailure) {
        if entries.isEmpty { return }
        _ = try tables.addBlock(entries, kind, space)
        (entries, bytes) = ([], 0)
    }
}

/// The same for candidates, from pages: what a page says of a document is copied into a block as it lies,
/// with flags in front.
struct PagePacker {
    private let space: Int64
    private var block = ByteWriter(reserving: StoreLimits.blockBytesAim)
    private var figures = BlockFigures()
    private var first: Key?
    private var last: Key?

    init(space: Int64) { self.space = space }

    mutating func add(_ page: CandidatePage, to tables: SQLiteTables) throws(StoreFailure) {
        for (document, isVisible) in zip(page.outline.documents, page.isVisible) {
            let isApart = document.snapshot.count > StoreLimits.baseBytesInline
            let row =
                isApart ? try tables.addLarge(page.outline.snapshot(of: document), of: space) : nil
            let bytes = 1 + (isApart ? document.head.count + 16 : document.whole.count)
            if block.count + bytes > StoreLimits.blockBytesAim { try finish(in: tables) }
            if first == nil { first = document.key }
            last = document.key
            DocumentBlock.append(
                document, of: page.outline.bytes, isVisible: isVisible, rowApart: row, to: &block)
            figures.add(document, isVisible: isVisible)
        }
    }

    mutating func finish(in tables: SQLiteTables) throws(StoreFailure) {
        guard let first, let last else { return }
        let values = SQLiteTables.values(first, last, at: BlockLayout.ofSpace, figures, block.bytes)
        _ = try tables.addBlock(of: values, .candidates, space)
        self = PagePacker(space: space)
    }
}
