// The laws of merging, over random structures by seed: the order of merges does not matter, what was merged
// twice counts once, and deltas, coding and forgetting bring what merging brings.

import Bytes
import Causality
import Replicating
import Testing

/// Three notes that were edited apart and merged here and there.
private func notes(_ seed: UInt64, edits: Int = 60) throws -> [Note] {
    try Surroundings.$current.withValue(.seeded(seed)) {
        var random = SeededGenerator(seed: seed)
        var notes = [Note(), Note(), Note()]
        for _ in 0..<edits {
            let index = Int.random(in: 0..<3, using: &random)
            notes[index].edit(&random)
            if Int.random(in: 0..<12, using: &random) == 0 {
                try notes[index].merge(notes[.random(in: 0..<3, using: &random)])
            }
        }
        return notes
    }
}

@Suite struct LawTests {
    @Test("merging is commutative, associative and idempotent", arguments: 0..<UInt64(60))
    func laws(seed: UInt64) throws {
        let notes = try notes(seed)
        let (a, b, c) = (notes[0], notes[1], notes[2])
        let ab = try a.merged(with: b)
        let abc = try ab.merged(with: c)
        for other in [
            try b.merged(with: a).merged(with: c), try a.merged(with: b.merged(with: c)),
            try c.merged(with: b).merged(with: a), try abc.merged(with: abc), try abc.merged(with: a),
            try c.merged(with: abc),
        ] {
            #expect(other == abc)
            #expect(other.state == abc.state && other.version == abc.version)
        }
        #expect(abc.version.covers(a.version) && abc.version.covers(c.version))
        abc.part.checkInvariants()
    }

    @Test("changes since a version bring what merging brings, also through bytes", arguments: 0..<UInt64(40))
    func changes(seed: UInt64) throws {
        let notes = try notes(seed)
        let merged = try notes[0].merged(with: notes[1])
        var level = notes[0]
        let changes = try notes[1].changes(since: level.version)
        try level.apply(try ReplicatingChanges(bytes: changes.bytes))
        #expect(level.state == merged.state && level.version == merged.version)
        try level.apply(changes)
        #expect(level.state == merged.state)
        #expect(try level.changes(since: merged.version).isEmpty)
        // From the beginning, to somebody who has nothing.
        var newcomer = Note()
        try newcomer.apply(try merged.changes(since: newcomer.version))
        #expect(newcomer.state == merged.state && newcomer == merged)
    }

    @Test("a value that was encoded and decoded goes on as the one that was not", arguments: 0..<UInt64(40))
    func coding(seed: UInt64) throws {
        let notes = try notes(seed)
        let decoded = try Note(bytes: notes[0].bytes)
        #expect(decoded == notes[0] && decoded.state == notes[0].state && decoded.version == notes[0].version)
        #expect(decoded.bytes == notes[0].bytes)
        #expect(try decoded.merged(with: notes[1]).state == notes[0].merged(with: notes[1]).state)
        #expect(try notes[2].merged(with: decoded).state == notes[2].merged(with: notes[0]).state)
    }

    @Test("what everybody has may be forgotten: merging goes on as before", arguments: 0..<UInt64(40))
    func forgetting(seed: UInt64) throws {
        let notes = try notes(seed)
        let common = notes[0].version.common(with: notes[1].version).common(with: notes[2].version)
        var short = notes
        for index in short.indices { try short[index].forget(through: common) }
        #expect(short[0] == notes[0] && short[0].state == notes[0].state)
        #expect(short[0].forgottenVersion == common)
        let all = try short[0].merged(with: short[1]).merged(with: short[2])
        #expect(try all.state == notes[2].merged(with: notes[1]).merged(with: notes[0]).state)
        let decoded = try Note(bytes: short[1].bytes)
        #expect(decoded.forgottenVersion == common)
        #expect(try decoded.merged(with: short[2]).state == short[2].merged(with: short[1]).state)
    }

    @Test("an assignment makes the target show what was assigned", arguments: 0..<UInt64(30))
    func assigning(seed: UInt64) throws {
        try Surroundings.$current.withValue(.seeded(seed)) {
            let notes = try notes(seed)
            var box = ReplicatingDictionary<String, Note>()
            box["a"] = notes[0]
            #expect(box["a"]?.detached() == notes[0].detached())
            box["a"] = notes[1]
            #expect(box["a"]?.title == notes[1].title && box["a"]?.body == notes[1].body)
            #expect(box["a"]?.people == notes[1].people && box["a"]?.scores == notes[1].scores)
            #expect(box["a"]?.tags == notes[1].tags && box["a"]?.order == notes[1].order)
            #expect(box["a"]?.counts == notes[1].counts && box["a"]?.texts == notes[1].texts)
            let list = ReplicatingArray(notes)
            #expect(list.count == 3 && list[2].body == notes[2].body && list[1].owner == notes[1].owner)
        }
    }
}
