// A hostile section: a context of tens of thousands of replicas, raised by every change. What it takes in
// memory is a small part of what the copies would.

import Bytes
import Causality
import Documents
import Identity
import Testing
import Wire

@Suite struct LargeContextTests {
    private static let replicas = (1...4_096).map { ReplicaID(raw: Bytes16(high: $0 << 8, low: 0)) }

    /// Changes that each raise `step` entries of a context that its first change names whole.
    private func section(step: Int, changes: Int) throws -> (author: Author, contexts: [VersionVector]) {
        var author = Author(1)
        var context = VersionVector(Self.replicas.map { VersionVector.Entry($0, SequenceNumber(1)) })
        var contexts: [VersionVector] = []
        for change in 0..<changes {
            if change > 0 {
                for n in 0..<step {
                    let replica = Self.replicas[(change * step + n) * 7 % Self.replicas.count]
                    context.advance(replica, to: SequenceNumber(context[replica].value + 1))
                }
            }
            try author.type("x", context: context)
            contexts.append(context)
            // What is expected is kept by its hash only: the test would hold what the node must not.
            if change % 50 != 0 { contexts[change] = VersionVector() }
        }
        author.seal()
        return (author, contexts)
    }

    @Test(
        "a section whose changes raise a large context each holds a few per cent of its copies",
        arguments: [(1, 300), (20, 60), (200, 20)])
    func memory(step: Int, changes: Int) throws {
        let (author, contexts) = try section(step: step, changes: changes)
        var reader = author.reader()
        let verified = try reader.verify(author.sealedRun()).changes.map(\.change)
        #expect(verified.count == changes)
        var entries = 0
        for (index, change) in verified.enumerated() {
            entries += change.contextEntries(beside: index == 0 ? nil : verified[index - 1])
            if !contexts[index].isEmpty { #expect(change.context == contexts[index]) }
        }
        // 24 bytes each. A whole section is four thousand changes of one step, or what 64 KiB hold of more.
        let copies = changes * Self.replicas.count
        #expect(entries < (step < 100 ? copies / 4 : copies + 1))
        #expect(step > 1 || entries < copies / 30, "\(entries) of \(copies)")
        let again = try #require(verified.last)
        #expect(again.contextEntries(beside: again) == 0)
    }

    @Test("contexts are what was written, however they were raised, and equal however they are kept")
    func equality() throws {
        for seed in 0..<6 as Range<UInt64> {
            var dice = SeededGenerator(seed: seed)
            var author = Author(2)
            var contexts: [VersionVector] = []
            let replicas = Self.replicas.prefix(Int.random(in: 1...1_500, using: &dice))
            var context = VersionVector(replicas.map { VersionVector.Entry($0, SequenceNumber(1)) })
            for _ in 0..<60 {
                for _ in 0..<Int.random(in: 0...40, using: &dice) {
                    guard let replica = Self.replicas.prefix(1_600).randomElement(using: &dice) else {
                        continue
                    }
                    context.advance(replica, to: SequenceNumber(context[replica].value + 1))
                }
                try author.type("x", context: context)
                contexts.append(context)
            }
            author.seal()
            var reader = author.reader()
            let verified = try reader.verify(author.sealedRun()).changes
            #expect(verified.map(\.change.context) == contexts)
            #expect(verified.map(\.change) == author.changes.map(\.change))
            #expect(Set(verified.map(\.change)) == Set(author.changes.map(\.change)))
        }
    }
}
