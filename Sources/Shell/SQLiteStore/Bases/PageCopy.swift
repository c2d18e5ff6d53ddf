// Pages of a base, copied out of blocks: what a block says of a document is what a page says of it, with
// flags in front. A document for a peer is not made from it and written again.

import Bytes
import Node
import Wire

/// Copies documents, as they come in key order, into pages of so many each.
struct PageCopy {
    private var pages: [[UInt8]] = []
    private var page = BasePage.begin()
    /// How many documents the page has, and those behind it have.
    private var counts: ArraySlice<Int>
    private var documents = 0

    init(_ counts: [Int]) { self.counts = counts[...] }

    /// All pages are there.
    var isDone: Bool { counts.isEmpty }

    /// The documents of the next block, those up to `after` excluded.
    mutating func add(_ block: [UInt8], after: Key?, of tables: SQLiteTables) throws(StoreFailure) {
        for place in try DocumentBlock.places(block, after: after, in: tables.path) {
            guard let count = counts.first else { return }
            block.withUnsafeBufferPointer { bytes in
                page.raw(UnsafeBufferPointer(rebasing: bytes[place.key]))
                page.raw(UnsafeBufferPointer(rebasing: bytes[place.rest]))
            }
            if let row = place.rowApart { page.counted(try tables.large(row)) }
            documents += 1
            if documents == count { finish() }
        }
    }

    /// The pages; the last one as far as there are documents.
    consuming func end() -> [[UInt8]] {
        if documents > 0 { finish() }
        return pages
    }

    private mutating func finish() {
        pages.append(page.bytes)
        (page, documents) = (BasePage.begin(), 0)
        counts.removeFirst()
    }
}
