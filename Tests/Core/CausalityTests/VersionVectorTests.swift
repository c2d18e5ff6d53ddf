import Bytes
import Causality
import Testing

private func replica(_ number: UInt64) -> ReplicaID { ReplicaID(raw: Bytes16(high: 0, low: number)) }

private func vector(_ pairs: [UInt64: UInt64]) -> VersionVector {
    VersionVector(pairs.map { VersionVector.Entry(replica($0.key), SequenceNumber($0.value)) })
}

@Suite struct VersionVectorTests {
    @Test("{A:1} is before {A:1, B:1}")
    func prefixIsBefore() {
        #expect(vector([1: 1]).order(to: vector([1: 1, 2: 1])) == .before)
        #expect(vector([1: 1, 2: 1]).order(to: vector([1: 1])) == .after)
    }

    @Test("the empty vector is before every other and equal to itself")
    func empty() {
        #expect(VersionVector().order(to: VersionVector()) == .equal)
        #expect(VersionVector().order(to: vector([1: 1])) == .before)
    }

    private func draw(_ random: inout SeededGenerator) -> VersionVector {
        var result = VersionVector()
        for _ in 0..<Int.random(in: 0...9, using: &random) {
            let last = SequenceNumber(.random(in: 1...5, using: &random))
            result.advance(replica(.random(in: 1...8, using: &random)), to: last)
        }
        return result
    }

    @Test("the meet is the greatest vector that both cover", arguments: 0..<200 as Range<UInt64>)
    func meet(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (a, b, c) = (draw(&random), draw(&random), draw(&random))
        let ab = a.met(with: b)
        #expect(ab == b.met(with: a) && a.covers(ab) && b.covers(ab))
        if a.covers(c) && b.covers(c) { #expect(ab.covers(c)) }
        for number in 1...8 as ClosedRange<UInt64> {
            #expect(ab[replica(number)] == min(a[replica(number)], b[replica(number)]))
        }
        #expect(a.met(with: a) == a && a.met(with: VersionVector()).isEmpty)
    }

    @Test("vectors that each know something the other lacks are concurrent")
    func concurrent() {
        #expect(vector([1: 2, 2: 1]).order(to: vector([1: 1, 2: 2])) == .concurrent)
    }

    @Test(
        "a join is the least vector that covers both, whatever the order", arguments: 0..<200 as Range<UInt64>
    )
    func join(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (a, b, c) = (draw(&random), draw(&random), draw(&random))
        var ab = a
        ab.join(b)
        var ba = b
        ba.join(a)
        #expect(ab == ba)
        #expect(ab.covers(a) && ab.covers(b))
        if c.covers(a) && c.covers(b) { #expect(c.covers(ab)) }
        var again = ab
        again.join(a)
        #expect(again == ab)
        var rebuilt = a
        for entry in b.entries(beyond: a) { rebuilt.advance(entry.replica, to: entry.last) }
        #expect(rebuilt == ab)
        #expect(ab.entries == ab.entries.sorted { $0.replica < $1.replica })
    }

    @Test("sequence 0 is not knowledge")
    func zero() {
        var result = VersionVector()
        result.advance(replica(1), to: .none)
        #expect(result.isEmpty)
        #expect(vector([1: SequenceNumber.max.value]).contains(Dot(replica(1), .max)))
    }

    @Test("a dot reads back from its text, and nothing else does")
    func dotText() {
        let dot = Dot(replica(7), SequenceNumber(12))
        #expect(Dot(dot.description) == dot)
        for text in ["", ":", "\(replica(7))", "\(replica(7)):0", "\(replica(7)):012", "\(replica(7)):12:1"] {
            #expect(Dot(text) == nil)
        }
    }
}
