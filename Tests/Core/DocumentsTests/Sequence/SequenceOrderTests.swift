// The order's queries, its behaviour on origins and ranges that nobody honest names, and what it costs when
// many insert at one place.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite("Sequence order")
struct SequenceOrderTests {
    /// "abcdef" of author 1 with "xy" of author 2 in the middle.
    private func sample() -> SequenceOrder {
        var order = SequenceOrder()
        order.insert(first: dot(1, 1), count: 6, left: nil, right: nil, visible: true)
        order.insert(first: dot(2, 1), count: 2, left: dot(1, 3), right: dot(1, 4), visible: true)
        return order
    }

    @Test("queries by index and by dot agree")
    func queries() {
        var order = sample()
        order.setVisible(DotRange(replica(1), SequenceNumber(2), SequenceNumber(3)), false) { _, _ in }
        #expect(order.totalCount == 8 && order.visibleCount == 6)
        let visible = [dot(1, 1), dot(2, 1), dot(2, 2), dot(1, 4), dot(1, 5), dot(1, 6)]
        #expect(order.visibleDots == visible)
        for (index, dot) in visible.enumerated() {
            #expect(order.dot(atVisibleIndex: index) == dot)
            #expect(order.visibleIndex(of: dot) == index)
            #expect(order.isVisible(dot))
        }
        #expect(order.visibleIndex(of: dot(1, 2)) == 1 && order.visibleIndex(of: dot(1, 3)) == 1)
        #expect(!order.isVisible(dot(1, 2)) && order.contains(dot(1, 2)))
        #expect(order.visibleIndex(of: dot(1, 7)) == nil && !order.contains(dot(3, 1)))
        #expect(
            order.visibleRanges(in: 1..<5) == [
                DotRange(replica(2), SequenceNumber(1), SequenceNumber(2)),
                DotRange(replica(1), SequenceNumber(4), SequenceNumber(5)),
            ])
        #expect(order.visibleRanges(in: 6..<6).isEmpty)
    }

    @Test("origins are the visible position before and whatever stands after it, deleted or not")
    func origins() {
        var order = sample()
        order.setVisible(DotRange(replica(1), SequenceNumber(2), SequenceNumber(3)), false) { _, _ in }
        #expect(order.origins(forInsertionAtVisibleIndex: 0) == (nil, dot(1, 1)))
        #expect(order.origins(forInsertionAtVisibleIndex: 1) == (dot(1, 1), dot(1, 2)))
        #expect(order.origins(forInsertionAtVisibleIndex: 3) == (dot(2, 2), dot(1, 4)))
        #expect(order.origins(forInsertionAtVisibleIndex: 6) == (dot(1, 6), nil))
        #expect(order.origins(after: dot(1, 3)) == (dot(1, 3), dot(2, 1)))
        #expect(order.origins(after: dot(9, 9)) == (nil, dot(1, 1)))
        #expect(SequenceOrder().origins(forInsertionAtVisibleIndex: 0) == (nil, nil))
    }

    @Test("hiding and showing a range tells the visible groups in an order that can be applied")
    func groups() {
        var order = sample()
        var mirror = order.visibleDots
        for (first, last, visible) in [
            (2, 5, false), (1, 3, false), (1, 6, true), (3, 4, false), (1, 9, false),
        ] {
            let range = DotRange(
                replica(1), SequenceNumber(UInt64(first)), SequenceNumber(UInt64(last)))
            var groups: [(index: Int, count: Int)] = []
            order.setVisible(range, visible) { groups.append(($0, $1)) }
            if !visible {
                for group in groups { mirror.removeSubrange(group.index..<group.index + group.count) }
            } else {
                let now = order.visibleDots
                for group in groups {
                    mirror.insert(contentsOf: now[group.index..<group.index + group.count], at: group.index)
                }
            }
            #expect(mirror == order.visibleDots)
            order.setVisible(range, visible) { _, _ in Issue.record("a second time changes nothing") }
            order.checkInvariants()
        }
    }

    @Test("hidden insertions, unknown ranges and impossible dots do nothing visible and never trap")
    func hostile() {
        var order = sample()
        #expect(order.insert(first: dot(3, 1), count: 3, left: dot(1, 6), right: nil, visible: false) == 8)
        #expect(order.visibleCount == 8 && order.totalCount == 11)
        #expect(order.insert(first: dot(3, 2), count: 1, left: nil, right: nil, visible: true) == nil)
        order.insert(first: dot(5, 10), count: 2, left: nil, right: nil, visible: false)
        #expect(order.insert(first: dot(5, 8), count: 3, left: nil, right: nil, visible: true) == nil)
        #expect(order.insert(first: dot(5, 8), count: 2, left: nil, right: nil, visible: false) != nil)
        let before = order.encoded
        #expect(order.insert(first: dot(4, 0), count: 1, left: nil, right: nil, visible: true) == nil)
        #expect(order.insert(first: dot(4, 1), count: 0, left: nil, right: nil, visible: true) == nil)
        let beyond = Dot(replica(4), SequenceNumber(.max))
        #expect(order.insert(first: beyond, count: 9, left: nil, right: nil, visible: true) == nil)
        order.setVisible(DotRange(replica(8), SequenceNumber(1), SequenceNumber(.max - 1)), true) { _, _ in
            Issue.record("nobody knows replica 8")
        }
        order.setVisible(DotRange(replica(1), SequenceNumber(7), SequenceNumber(.max)), true) { _, _ in
            Issue.record("replica 1 ends at 6")
        }
        #expect(order.encoded == before)
        // Origins the wrong way round, the same twice, unknown, in the future.
        for (index, pair) in [
            (dot(1, 4), dot(1, 2)), (dot(1, 3), dot(1, 3)), (beyond, dot(1, 1)), (dot(2, 1), beyond),
            (dot(1, 6), dot(3, 3)), (dot(3, 3), dot(1, 6)), (beyond, beyond),
        ].enumerated() {
            #expect(
                order.insert(first: dot(10 + index, 1), count: 2, left: pair.0, right: pair.1, visible: true)
                    != nil)
            order.checkInvariants()
        }
    }

    @Test(
        "ten thousand replicas that insert at one place are sorted without a cliff", .timeLimit(.minutes(1)))
    func siblings() {
        let places: [(left: Dot?, right: Dot?, count: Int)] = [
            (dot(1, 5), dot(1, 6), 1_000), (dot(1, 10), nil, 10_000), (nil, dot(1, 1), 1_000),
        ]
        for (left, right, count) in places {
            var order = SequenceOrder()
            order.insert(first: dot(1, 1), count: 10, left: nil, right: nil, visible: true)
            for step in 0..<count {
                let author = 2 + (step &* 7_919) % count
                order.insert(first: dot(author, 1), count: 2, left: left, right: right, visible: true)
            }
            order.checkInvariants()
            #expect(order.totalCount == 10 + 2 * count)
            let authors = order.dots.filter { $0.replica != replica(1) && $0.sequence.value == 1 }
            #expect(authors == authors.sorted())
        }
    }

    @Test("value semantics: a copy keeps its state")
    func copies() {
        let order = sample()
        let bytes = order.encoded
        var copy = order
        copy.insert(first: dot(3, 1), count: 5, left: nil, right: dot(1, 1), visible: true)
        copy.setVisible(DotRange(replica(1), SequenceNumber(1), SequenceNumber(6)), false) { _, _ in }
        #expect(order.encoded == bytes && order.visibleCount == 8)
        #expect(copy.visibleCount == 7)
    }
}
