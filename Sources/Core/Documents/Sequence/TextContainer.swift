// A text: an order of Unicode scalars and, beside it, the content of those that are visible. The content of a
// deleted scalar is dropped at once (DESIGN 6: a deleted character stays deleted); its position stays.

import Bytes
import Causality

/// One splice of a text, in Unicode scalars of the text as the splices before have left it.
struct TextPatch: Equatable, Sendable {
    var index: Int
    var delete: Int
    var insert: String
}

/// The text container. Operations may arrive in any causal order.
struct TextContainer: Sendable {
    private(set) var order = SequenceOrder()
    /// The content of the visible positions, in their order.
    private var content = TextRope()

    init() {}

    /// Visible Unicode scalars.
    var scalarCount: Int { content.scalarCount }
    var string: String { substring(0..<scalarCount) }

    /// The scalars of an index range, which must lie inside. Linear in its length.
    func substring(_ range: Range<Int>) -> String { String(decoding: content.utf8(range), as: UTF8.self) }

    /// Applies `insertText`. Nil when nothing changed.
    mutating func insert(_ text: String, left: Dot?, right: Dot?, by stamp: OperationStamp) -> TextPatch? {
        var text = text
        let index = text.withUTF8 { utf8 -> Int? in
            let count = TextRope.scalarCount(of: utf8)
            guard
                let index = order.insert(
                    first: stamp.dot, count: count, left: stamp.covered(left), right: stamp.covered(right),
                    visible: true)
            else { return nil }
            content.insert(utf8, scalars: count, at: index)
            return index
        }
        return index.map { TextPatch(index: $0, delete: 0, insert: text) }
    }

    /// Applies `deleteText`: the patches, in the order in which they apply.
    mutating func delete(_ ranges: [DotRange], by stamp: OperationStamp) -> [TextPatch] {
        var patches: [TextPatch] = []
        for range in ranges {
            guard let range = stamp.covered(range) else { continue }
            order.setVisible(range, false) { index, count in
                content.remove(index..<index + count)
                Self.add(index, count, to: &patches)
            }
        }
        return patches
    }

    /// Inserts UTF-8 of `count` scalars between origins that are covered or nil.
    mutating func insert(_ utf8: ArraySlice<UInt8>, count: Int, first: Dot, left: Dot?, right: Dot?) {
        guard let index = order.insert(first: first, count: count, left: left, right: right, visible: true)
        else { return }
        utf8.withUnsafeBufferPointer { content.insert($0, scalars: count, at: index) }
    }

    /// Deletes a range that is covered.
    mutating func hide(_ range: DotRange) {
        order.setVisible(range, false) { index, count in content.remove(index..<index + count) }
    }

    /// Takes over an order that was built elsewhere, and the UTF-8 of its visible positions.
    mutating func become(_ order: SequenceOrder, content utf8: [UInt8]) {
        precondition(self.order.totalCount == 0, "a text of \(self.order.totalCount) positions")
        self.order = order
        utf8.withUnsafeBufferPointer { content.insert($0, scalars: order.visibleCount, at: 0) }
    }

    /// Deletions that touch become one patch.
    private static func add(_ index: Int, _ count: Int, to patches: inout [TextPatch]) {
        if let last = patches.last, last.index == index || last.index == index + count {
            patches[patches.count - 1].index = index
            patches[patches.count - 1].delete += count
        } else {
            patches.append(TextPatch(index: index, delete: count, insert: ""))
        }
    }

    /// The origins for an insertion at this scalar index (0 through `scalarCount`).
    func origins(at index: Int) -> (left: Dot?, right: Dot?) {
        order.origins(forInsertionAtVisibleIndex: index)
    }

    /// The dots of an index range as `deleteText` takes them: ascending, disjoint, merged.
    func ranges(in range: Range<Int>) -> [DotRange] {
        DotRange.ascending(order.visibleRanges(in: range))
    }

    /// The order, then the content: a varint length and UTF-8.
    func encode(into writer: inout ByteWriter) {
        order.encode(into: &writer)
        writer.counted(content.utf8(0..<scalarCount))
    }

    init(from reader: inout ByteReader) throws(DecodeFault) {
        order = try SequenceOrder(from: &reader)
        var text = try reader.key(limit: reader.remaining, field: "text").string
        let isWhole = text.withUTF8 { utf8 in
            let count = TextRope.scalarCount(of: utf8)
            content.insert(utf8, scalars: count, at: 0)
            return count == order.visibleCount
        }
        guard isWhole else { throw .outOfRange(field: "text") }
    }

    /// Stops with the broken invariant; for tests.
    func checkInvariants() {
        order.checkInvariants()
        content.checkInvariants()
        precondition(
            order.visibleCount == scalarCount, "\(order.visibleCount) visible, \(scalarCount) scalars")
    }
}
