// Documents of a base that are made side by side, and stopped at any change, are those that each makes from
// its own changes alone.

import Bytes
import Causality
import Documents
import Simulator
import Testing
import Wire

@testable import Node

@Suite struct BaseMakingTests {
    private static let keys = 24
    private static let rounds = 40

    /// Each transaction touches some documents; some are deleted and written again.
    private func written(seed: UInt64) throws -> (store: MemoryStore, space: SpaceID, marks: [VersionVector])
    {
        var (node, dice) = (try TestNode(), SeededGenerator(seed: seed))
        _ = try node.ask(.createSpace(name: "notes"))
        let space = try #require(try node.node.store.spaces().first).id
        var marks: [VersionVector] = []
        for round in 0..<Self.rounds {
            var operations: [OperationRequest] = []
            // One is deleted for good, and goes with the level behind.
            if round == 0 { operations.append(set("d100", [.key("k")], text("first"))) }
            if round == 11 { operations.append(OperationRequest(document: "d100", path: [], verb: .delete)) }
            for number in 1..<Self.keys where Int.random(in: 0..<3, using: &dice) == 0 {
                // Some documents are not touched by the later rounds.
                if number % 4 == 3, round >= Self.rounds / 2 { continue }
                let key = Key("d\(100 + number)")
                switch Int.random(in: 0..<8, using: &dice) {
                case 0: operations.append(OperationRequest(document: key, path: [], verb: .delete))
                case 1..<4: operations.append(increment(key, "n"))
                default:
                    let word = String(repeating: "w\(round) ", count: 1 + round % 50)
                    operations.append(set(key, [.key(Key("k\(round % 5)"))], text(word)))
                }
            }
            if operations.isEmpty { continue }
            _ = try node.transact("notes", operations)
            if round % 10 == 9 { marks.append(try node.node.store.heads(space)) }
        }
        return (node.node.store, space, marks)
    }

    private func work(_ levels: [VersionVector]) throws -> BaseWork {
        let covered = levels[levels.count - 1]
        let entry = try #require(covered.entries.first)
        return BaseWork(
            witness: Dot(entry.replica, entry.last), covered: covered,
            passed: Array(levels[1..<levels.count - 1]),
            released: levels[0], settled: VersionVector(), isTaken: false)
    }

    /// In groups, as `Space.makeDocuments` does, each slice of so much cost.
    private func made(
        _ keys: [Key], _ work: BaseWork, _ store: MemoryStore, _ space: SpaceID, slice: Int, bytesMax: Int
    ) throws -> (made: [CandidateRecord], groups: Int) {
        var (all, rest, groups) = ([CandidateRecord](), keys[...], 0)
        var reader = LogReader(space: space)
        while !rest.isEmpty {
            groups += 1
            var making = try BaseMaking(Array(rest), as: work, of: space, from: store, bytesMax: bytesMax)
            while !making.isDone {
                _ = try making.advance(slice, of: space, from: store, with: &reader)
            }
            let last = making.last
            all += making.finish()
            rest = rest.drop { $0 <= last }
        }
        return (all, groups)
    }

    /// By the definition: level by level, each change of the log in order.
    private func wanted(
        _ key: Key, _ levels: [VersionVector], _ store: MemoryStore, _ space: SpaceID
    ) throws -> CandidateRecord {
        var reader = LogReader(space: space)
        var (document, frontier): (Document?, [Dot]) = (nil, [])
        if let base = try store.base(space, key) {
            (document, frontier) = (try Document(snapshot: base.bytes), base.frontier)
        }
        var news = true
        for (former, covered) in zip(levels, levels.dropFirst()) {
            let changes = try store.commits(space, after: .start, limit: .max).filter {
                $0.last > former[$0.replica] && $0.last <= covered[$0.replica]
            }.map { try reader.change($0, from: store) }.filter { $0.touched.contains(key) }
            guard news || !changes.isEmpty else { continue }
            news = !changes.isEmpty
            var builder = BaseBuilder(key, from: document)
            for change in changes {
                let (operations, stamps) = change.operations(touching: key)
                builder.apply(operations, stamps: stamps)
                frontier.advance(by: change)
            }
            document = builder.finish(asOf: former)
            if document == nil { frontier = [] }
        }
        return CandidateRecord(
            key: key, isVisible: document?.isVisible ?? false, frontier: frontier,
            bytes: document?.encodeSnapshot())
    }

    @Test(
        "each is what its own changes make of it, in any slices and groups", arguments: [1, 2, 3] as [UInt64])
    func sideBySide(seed: UInt64) throws {
        var (store, space, marks) = try written(seed: seed)
        let keys = (0..<Self.keys).map { Key("d\(100 + $0)") }
        func check(_ levels: [VersionVector]) throws -> [CandidateRecord] {
            let wanted = try keys.map { try self.wanted($0, levels, store, space) }
            for (slice, bytesMax, groups) in [
                (1, .max, 1...1), (.max, .max, 1...1), (7, 1, keys.count...keys.count),
            ]
                as [(Int, Int, ClosedRange<Int>)]
            {
                let made = try made(keys, work(levels), store, space, slice: slice, bytesMax: bytesMax)
                #expect(made.made == wanted, "\(slice) \(bytesMax)")
                #expect(groups.contains(made.groups), "\(slice) \(bytesMax)")
            }
            return wanted
        }
        // The first checkpoint, and one through an open one; then what follows the first as a base.
        let first = try check([VersionVector(), marks[0]])
        _ = try check([VersionVector(), marks[1], marks[3]])
        try store.begin()
        let position = try #require(try store.commits(space, after: .start, limit: 5).last).position
        for one in first {
            guard let bytes = one.bytes else { continue }
            try store.put(
                space,
                BaseRecord(
                    key: one.key, isVisible: one.isVisible, frontier: one.frontier, position: position,
                    bytes: bytes))
        }
        try store.commit()
        _ = try check([marks[0], marks[1]])
        let last = try check([marks[0], marks[1], marks[2], marks[3]])
        #expect(last[0].bytes == nil && last.contains { $0.bytes != nil })
    }
}
