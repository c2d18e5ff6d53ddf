// The aims of DESIGN 5: a typed character costs at most 20 bytes, a change of one operation at most 24 beyond
// what it says. A change of the format that makes logs larger shows here.

import Bytes
import Causality
import Documents
import Testing
import Wire

@Suite struct ChangeSizeTests {
    private let replica = ChangeGenerator(seed: 0).replica

    private func coder() -> LogCoder {
        var coder = LogCoder(replica: replica)
        _ = encoded(typed(first: 1, text: "H"), with: &coder)
        return coder
    }

    private func change(_ first: UInt64, _ document: Key, _ path: ContainerPath, _ action: Action)
        -> Change
    {
        Change(
            replica: replica, first: SequenceNumber(first),
            timestamp: Timestamp(milliseconds: 1_790_000_000_000 + first * 180), context: VersionVector(),
            declaration: nil, rosterHeads: [],
            operations: [Operation(document: document, body: .act(in: path, action))])
    }

    @Test("a character typed after the previous one takes 10 bytes")
    func typing() {
        var coder = coder()
        for first in 2...500 as ClosedRange<UInt64> {
            let count = encoded(typed(first: first, text: "a"), with: &coder).count
            #expect(count == 10)
        }
    }

    @Test("so does one typed in front of a foreign character, after the first mention of that")
    func typingBeforeForeign() {
        var coder = coder()
        let foreign = Dot(ReplicaID(raw: Bytes16(high: 1, low: 2)), SequenceNumber(70_000))
        let path = ContainerPath(generation: .first, steps: [ContainerStep(.key("body"), .text, .first)])
        var sizes: [Int] = []
        for first in 2...50 as ClosedRange<UInt64> {
            let left = Dot(replica, SequenceNumber(first - 1))
            sizes.append(
                encoded(
                    change(first, "note/1", path, .insertText(left: left, right: foreign, "a")), with: &coder
                ).count)
        }
        #expect(sizes.dropFirst().allSatisfy { $0 == 10 }, "\(sizes)")
    }

    @Test("a change of one operation costs at most 24 bytes beyond its names and values")
    func overhead() {
        let root = ContainerPath(generation: .first)
        let foreign = Dot(ReplicaID(raw: Bytes16(high: 1, low: 2)), SequenceNumber(70_000))
        let counter = ContainerPath(
            generation: .first, steps: [ContainerStep(.key("views"), .counter, .first)])
        // Each with the bytes of the names and values that it introduces.
        let cases: [(Change, Int)] = [
            (
                change(
                    2, "note/2", root,
                    .write(slot: .key("title"), value: .string("Groceries"), generation: .first)), 20
            ),
            (
                change(
                    3, "note/2", root,
                    .write(slot: .key("title"), value: .string("Grocery"), generation: .first)), 7
            ),
            (change(4, "note/2", counter, .increment(by: 1)), 6),
            (change(5, "note/2", counter, .increment(by: 1)), 1),
            (change(6, "note/2", root, .clear(slot: .key("title"), observed: [])), 0),
            (change(7, "note/1", root, .deleteText([DotRange(Dot(replica, SequenceNumber(1)))])), 0),
            (change(8, "note/1", root, .deleteText([DotRange(foreign)])), 16),
        ]
        var coder = coder()
        for (change, content) in cases {
            let overhead = encoded(change, with: &coder).count - content
            #expect(overhead <= 24, "\(change.operations) takes \(overhead) bytes beyond its content")
        }
    }
}
