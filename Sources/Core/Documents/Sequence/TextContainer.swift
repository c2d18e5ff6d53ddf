// A text: an order of Unicode scalars and, beside it, the content of those that are visible. The content of a deleted
// scalar is dropped at once (DESIGN 6: a deleted character stays deleted); its position stays.

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
    private var scalars: [Unicode.Scalar] = []

    init() {}

    /// Visible Unicode scalars.
    var scalarCount: Int { scalars.count }
    var string: String { substring(0..<scalars.count) }

    /// The scalars of an index range, which must lie inside.
    func substring(_ range: Range<Int>) -> String {
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars[range])
        return String(result)
    }

    /// Applies `insertText`. Nil when nothing changed.
    mutating func insert(_ text: String, left: Dot?, right: Dot?, by stamp: OperationStamp) -> TextPatch? {
        let count = text.unicodeScalars.count
        guard
            let index = order.insert(
                first: stamp.dot, count: count, left: stamp.covered(left), right: stamp.covered(right),
                visible: true)
        else { return nil }
        scalars.insert(contentsOf: text.unicodeScalars, at: index)
        return TextPatch(index: index, delete: 0, insert: text)
    }

    /// Applies `deleteText`: the patches, in the order in which they apply.
    mutating func delete(_ ranges: [DotRange], by stamp: OperationStamp) -> [TextPatch] {
        var patches: [TextPatch] = []
        for range in ranges {
            guard let range = stamp.covered(range) else { continue }
            order.setVisible(range, false) { index, count in
                scalars.removeSubrange(index..<index + count)
                patches.append(TextPatch(index: index, delete: count, insert: ""))
            }
        }
        return patches
    }

    /// The origins for an insertion at this scalar index (0 through `scalarCount`).
    func origins(at index: Int) -> (left: Dot?, right: Dot?) {
        order.origins(forInsertionAtVisibleIndex: index)
    }

    /// The dots of an index range as `deleteText` takes them: ascending, disjoint, merged.
    func ranges(in range: Range<Int>) -> [DotRange] {
        DotRange.ascending(order.visibleRanges(in: range))
    }

    func encode(into writer: inout ByteWriter) {
        order.encode(into: &writer)
        writer.counted(Array(string.utf8))
    }

    init(from reader: inout ByteReader) throws(DecodeFault) {
        order = try SequenceOrder(from: &reader)
        let text = try reader.key(limit: reader.remaining, field: "text")
        scalars = Array(text.string.unicodeScalars)
        guard scalars.count == order.visibleCount else { throw .outOfRange(field: "text") }
    }
}
