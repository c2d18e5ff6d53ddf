// Copies that go on apart (decision 0200): no two operations have one name, whatever is copied and edited.

import Replicating
import Testing

@Suite struct IdentityTests {
    @Test("both copies of a value are edited, and merge as concurrent edits")
    func bothEdited() throws {
        var one = ReplicatingText("base")
        var other = one
        one.append(" one")
        other.append(" other")
        #expect(one.version != other.version && !one.version.covers(other.version))
        let merged = try one.merged(with: other)
        #expect(try merged == other.merged(with: one))
        #expect(merged.string.contains(" one") && merged.string.contains(" other"))
        #expect(merged.version.writerCount == 2)
    }

    @Test("snapshots that are kept make no writers")
    func snapshots() {
        var text = ReplicatingText()
        var kept: [ReplicatingText] = []
        for step in 0..<100 {
            kept.append(text)
            text.append("\(step) ")
        }
        #expect(text.version.writerCount == 1)
        #expect(kept[50].string.hasSuffix("49 "))
    }

    @Test("whoever goes on from a snapshot is another writer; who stayed level is not")
    func undo() throws {
        var counter = ReplicatingCounter()
        counter += 1
        var snapshot = counter
        counter += 10
        snapshot += 100
        counter += 1_000
        #expect(counter.version.writerCount == 1 && snapshot.version.writerCount == 2)
        try counter.merge(snapshot)
        #expect(counter.value == 1_111)
    }

    @Test("a decoded value is a replica of its own")
    func decoded() throws {
        var counter = ReplicatingCounter(1)
        var copy = try ReplicatingCounter(bytes: counter.bytes)
        counter += 10
        copy += 100
        #expect(try counter.merged(with: copy).value == 111)
        #expect(try copy.merged(with: counter).version.writerCount == 2)
    }

    @Test("parts that are copied out are replicas of their own too")
    func parts() throws {
        var note = Note()
        note.owner.visits += 1
        var owner = note.owner
        owner.visits += 10
        note.owner.visits += 100
        #expect(owner.visits.value == 11 && note.owner.visits.value == 101)
        #expect(!owner.version.covers(note.version) && !note.version.covers(owner.version))
    }

    @Test("a hundred tasks that edit copies of one value at once lose nothing")
    func tasks() async throws {
        let base = ReplicatingCounter(1)
        let results = await withTaskGroup(of: ReplicatingCounter.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    var copy = base
                    for _ in 0..<10 { copy += 1 }
                    return copy
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var sum = base
        for result in results { try sum.merge(result) }
        #expect(sum.value == 1_001)
    }

    @Test("merging back and forth makes no writers")
    func backAndForth() throws {
        var (one, other) = (ReplicatingCounter(), ReplicatingCounter())
        for _ in 0..<50 {
            one += 1
            try other.merge(one)
            other += 1
            try one.merge(other)
        }
        #expect(one.value == 100 && one.version.writerCount == 2)
    }
}
