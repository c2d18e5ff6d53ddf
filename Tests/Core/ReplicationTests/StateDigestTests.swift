// Digests do not depend on order, and lead to the document that differs.

import Bytes
import Causality
import Replication
import Testing

@Suite struct StateDigestTests {
    private func lines(_ count: Int) -> [StateDigest.Line] {
        (0..<count).map { number in
            StateDigest.Line(
                key: Key("note/\(number)"),
                digest: Bytes32([UInt8](repeating: UInt8(number % 251), count: 32)))
        }
    }

    @Test("the order of documents does not matter, a single bit does")
    func order() {
        var dice = SeededGenerator(seed: 5)
        let all = lines(500)
        var (a, b, c) = (StateDigest(), StateDigest(), StateDigest())
        for line in all { a.add(line) }
        for line in all.shuffled(using: &dice) { b.add(line) }
        for line in all.dropLast() { c.add(line) }
        #expect(a == b && a.whole == b.whole)
        #expect(c.whole != a.whole)
        var swapped = StateDigest()
        for (index, line) in all.enumerated() {
            swapped.add(.init(key: line.key, digest: all[(index + 1) % all.count].digest))
        }
        #expect(swapped.whole != a.whole, "digests of other documents' places do not cancel out")
    }

    @Test("parts and lists lead to the document that differs")
    func localise() throws {
        let all = lines(500)
        for victim in [0, 17, 499] {
            var other = all
            other[victim] = .init(key: all[victim].key, digest: Bytes32([UInt8](repeating: 255, count: 32)))
            var (a, b) = (StateDigest(), StateDigest())
            for line in all { a.add(line) }
            for line in other { b.add(line) }
            let part = try #require(StateDigest.firstDifference(a.partHashes, b.partHashes))
            #expect(part == StateDigest.part(of: all[victim].key))
            let mine = all.filter { StateDigest.part(of: $0.key) == part }
            let theirs = other.filter { StateDigest.part(of: $0.key) == part }
            #expect(StateDigest.firstDifference(mine, theirs) == all[victim].key)
        }
        #expect(StateDigest.firstDifference([1, 2], [1, 2]) == nil)
    }
}
