// A text: an order of Unicode scalars and, beside it, the content of those that are visible. The content of a
// deleted scalar is dropped at once (DESIGN 6: a deleted character stays deleted); its position stays.
//
// Whoever only reads a text needs no order. So one that comes from a snapshot or from a history stays
// *folded* until its first edit: the content is one array of bytes, the order is what it came as. `unfold` is
// the first line of everything that changes it.

import Bytes
import Causality

/// One splice of a text, in Unicode scalars of the text as the splices before have left it.
struct TextPatch: Equatable, Sendable {
    var index: Int
    var delete: Int
    var insert: String
    /// Index and delete in UTF-16 where that is another number.
    private(set) var utf16: UTF16Splice?

    init(index: Int, delete: Int, insert: String, utf16: UTF16Splice? = nil) {
        (self.index, self.delete, self.insert) = (index, delete, insert)
        count(UTF16Splice(index: utf16?.index ?? index, delete: utf16?.delete ?? delete))
    }

    var inUTF16: UTF16Splice { utf16 ?? UTF16Splice(index: index, delete: delete) }

    /// Takes a deletion in that stands directly behind or before this splice's place; `index` is the first of
    /// both.
    mutating func absorb(deletion next: TextPatch, at index: Int, _ utf16Index: Int) {
        let (mine, other) = (inUTF16, next.inUTF16)
        self.index = index
        delete += next.delete
        count(UTF16Splice(index: utf16Index, delete: mine.delete + other.delete))
    }

    private mutating func count(_ splice: UTF16Splice) {
        utf16 = splice == UTF16Splice(index: index, delete: delete) ? nil : splice
    }
}

/// The text container. Operations may arrive in any causal order.
struct TextContainer: Sendable {
    /// A text that nobody has edited here yet.
    private struct Folded: Sendable {
        enum Source: Sendable {
            /// What `SequenceOrder.encode` wrote; a checksum holds over it.
            case encoded([UInt8])
            case built(BuiltOrder)
        }

        let source: Source
        let utf8: [UInt8]
        let scalarCount: Int

        /// Nil when the bytes lie: the checksum holds, but they are no order of this content.
        func order() -> SequenceOrder? {
            switch source {
            case .built(let built):
                return SequenceOrder(built)
            case .encoded(let bytes):
                var reader = ByteReader(bytes)
                do throws(DecodeFault) {
                    let order = try SequenceOrder(from: &reader)
                    try reader.finish()
                    return order.visibleCount == scalarCount ? order : nil
                } catch {
                    return nil
                }
            }
        }
    }

    /// While it is there, `unfoldedOrder` and `content` are empty.
    private var folded: Folded?
    /// It could not be unfolded: a snapshot lied. It shows what it has and takes no edits; its document says
    /// that it is incomplete, and is rebuilt from the log.
    private(set) var isBroken = false
    private var unfoldedOrder = SequenceOrder()
    /// The content of the visible positions, in their order.
    private var content = TextRope()

    init() {}

    /// Visible Unicode scalars.
    var scalarCount: Int { folded?.scalarCount ?? content.scalarCount }
    var string: String {
        if let folded { return String(decoding: folded.utf8, as: UTF8.self) }
        return substring(0..<scalarCount)
    }

    var isFolded: Bool { folded != nil }
    /// True while nothing was ever inserted.
    var isEmpty: Bool { folded == nil && unfoldedOrder.totalCount == 0 }

    /// The order; of a folded text it is made for this call only.
    var order: SequenceOrder { folded?.order() ?? unfoldedOrder }

    /// The scalars of an index range, which must lie inside. Linear in its length, in a folded text in its
    /// own.
    func substring(_ range: Range<Int>) -> String {
        guard let folded else { return String(decoding: content.utf8(range), as: UTF8.self) }
        let scalars = String(decoding: folded.utf8, as: UTF8.self).unicodeScalars
        return String(String.UnicodeScalarView(scalars.dropFirst(range.lowerBound).prefix(range.count)))
    }

    /// Makes a text ready for edits. O(size) the first time.
    mutating func unfold() {
        guard let folded, !isBroken else { return }
        guard let order = folded.order() else {
            isBroken = true
            return
        }
        self.folded = nil
        unfoldedOrder = order
        folded.utf8.withUnsafeBufferPointer { content.insert($0, scalars: folded.scalarCount, at: 0) }
    }

    // MARK: Operations

    /// Applies `insertText`. Nil when nothing changed.
    mutating func insert(_ text: String, left: Dot?, right: Dot?, by stamp: OperationStamp) -> TextPatch? {
        var text = text
        let index = text.withUTF8 { utf8 -> Int? in
            insert(
                utf8, first: stamp.dot, left: stamp.covered(left), right: stamp.covered(right))
        }
        return index.map {
            TextPatch(
                index: $0, delete: 0, insert: text,
                utf16: UTF16Splice(index: content.utf16Offset(ofScalar: $0), delete: 0))
        }
    }

    /// Inserts UTF-8 between origins that are covered or nil; the index, nil when it is known already.
    @discardableResult
    mutating func insert(
        _ utf8: UnsafeBufferPointer<UInt8>, first: Dot, left: Dot?, right: Dot?
    ) -> Int? {
        unfold()
        if isBroken { return nil }
        let count = TextRope.scalarCount(of: utf8)
        let index = unfoldedOrder.insert(first: first, count: count, left: left, right: right, visible: true)
        if let index { content.insert(utf8, scalars: count, at: index) }
        return index
    }

    /// Applies `deleteText`: the patches, in the order in which they apply. `deleted` is where deletes of the
    /// same change have been; to `lookedAt` is added what this one looked at.
    mutating func delete(
        _ ranges: [DotRange], by stamp: OperationStamp, _ deleted: inout DeletedDots, _ lookedAt: inout Int
    ) -> [TextPatch] {
        var patches: [TextPatch] = []
        for range in ranges {
            guard let range = stamp.covered(range) else { continue }
            lookedAt += deleted.visit(range) { hide($0) { Self.add($0, to: &patches) } }
        }
        return patches
    }

    /// Deletes a range that is covered; tells each group that was visible.
    @discardableResult
    mutating func hide(_ range: DotRange, _ changed: (TextPatch) -> Void = { _ in }) -> DeleteLooks {
        unfold()
        if isBroken { return DeleteLooks() }
        return unfoldedOrder.setVisible(range, false) { index, count in
            let start = content.utf16Offset(ofScalar: index)
            let units = content.utf16Offset(ofScalar: index + count) - start
            content.remove(index..<index + count)
            changed(
                TextPatch(
                    index: index, delete: count, insert: "",
                    utf16: UTF16Splice(index: start, delete: units)))
        }
    }

    /// Deletions that touch become one patch.
    private static func add(_ next: TextPatch, to patches: inout [TextPatch]) {
        if let last = patches.last, last.index == next.index || last.index == next.index + next.delete {
            patches[patches.count - 1].absorb(deletion: next, at: next.index, next.inUTF16.index)
        } else {
            patches.append(next)
        }
    }

    /// A splice that counts in UTF-16, in scalars; nil when it is not inside or cuts a pair in two.
    mutating func inScalars(_ splice: UTF16Splice) -> (index: Int, delete: Int)? {
        unfold()
        let (end, isOver) = splice.index.addingReportingOverflow(splice.delete)
        guard !isOver, splice.delete >= 0, let start = content.scalarIndex(ofUTF16: splice.index),
            let last = content.scalarIndex(ofUTF16: end)
        else { return nil }
        return (start, last - start)
    }

    /// UTF-16 units.
    var utf16Count: Int {
        guard let folded else { return content.scalarCount + content.wideCount }
        return folded.scalarCount + TextRope.wideCount(of: folded.utf8)
    }

    // MARK: Authors

    /// The origins for an insertion at this scalar index (0 through `scalarCount`).
    func origins(at index: Int) -> (left: Dot?, right: Dot?) {
        folded == nil
            ? unfoldedOrder.origins(forInsertionAtVisibleIndex: index)
            : order.origins(forInsertionAtVisibleIndex: index)
    }

    /// The dots of an index range as `deleteText` takes them: ascending, disjoint, merged.
    func ranges(in range: Range<Int>) -> [DotRange] {
        DotRange.ascending(
            folded == nil ? unfoldedOrder.visibleRanges(in: range) : order.visibleRanges(in: range))
    }

    /// The same of a text that is about to be edited, in place: each call of the ones above copies the
    /// container.
    mutating func readyOrigins(at index: Int) -> (left: Dot?, right: Dot?) {
        unfold()
        return unfoldedOrder.origins(forInsertionAtVisibleIndex: index)
    }

    mutating func readyRanges(in range: Range<Int>) -> [DotRange] {
        unfold()
        return DotRange.ascending(unfoldedOrder.visibleRanges(in: range))
    }

    // MARK: Folding and coding

    /// Takes over what a history built, and the UTF-8 of its visible positions; there must be nothing yet.
    mutating func fold(_ built: BuiltOrder, utf8: [UInt8]) {
        precondition(isEmpty, "a text that has content is not built anew")
        let count = utf8.withUnsafeBufferPointer { TextRope.scalarCount(of: $0) }
        folded = Folded(source: .built(built), utf8: utf8, scalarCount: count)
    }

    /// The order and the visible UTF-8, each with its length in front.
    func encode(into writer: inout ByteWriter) {
        if let folded, case .encoded(let bytes) = folded.source {
            writer.counted(bytes)
        } else {
            var orderWriter = ByteWriter(reserving: 256)
            order.encode(into: &orderWriter)
            writer.counted(orderWriter.bytes)
        }
        writer.counted(folded?.utf8 ?? content.utf8(0..<content.scalarCount))
    }

    /// Reads what `encode` wrote, and leaves it folded: only of bytes over which a checksum holds.
    init(foldedFrom reader: inout ByteReader) throws(DecodeFault) {
        let order = try reader.counted(limit: reader.remaining, field: "order")
        let utf8 = try reader.counted(limit: reader.remaining, field: "text")
        if order.isEmpty { throw .outOfRange(field: "order") }
        guard utf8.withUnsafeBufferPointer({ TextRope.isUTF8($0) }) else {
            throw .invalidUTF8(at: reader.offset - utf8.count)
        }
        let count = utf8.withUnsafeBufferPointer { TextRope.scalarCount(of: $0) }
        folded = Folded(source: .encoded(order), utf8: utf8, scalarCount: count)
    }

    /// Reads the first version: the order without a length, then the UTF-8.
    init(ofFirstVersion reader: inout ByteReader) throws(DecodeFault) {
        unfoldedOrder = try SequenceOrder(from: &reader)
        var text = try reader.key(limit: reader.remaining, field: "text").string
        let isWhole = text.withUTF8 { utf8 in
            let count = TextRope.scalarCount(of: utf8)
            content.insert(utf8, scalars: count, at: 0)
            return count == unfoldedOrder.visibleCount
        }
        guard isWhole else { throw .outOfRange(field: "text") }
    }

    /// Stops with the broken invariant; for tests.
    func checkInvariants() {
        if isBroken { return }
        let order = order
        order.checkInvariants()
        content.checkInvariants()
        precondition(
            order.visibleCount == scalarCount, "\(order.visibleCount) visible, \(scalarCount) scalars")
    }
}
