// Random histories of bases and candidates that are put, replaced, removed, moved, rolled back and found
// again after a restart, over each store, against tables that hold every record by itself.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let other = space(2)

/// What is held, as plainly as it can be said.
private struct Model: Equatable {
    var bases: [Key: BaseRecord] = [:]
    var candidates: [Key: CandidateRecord] = [:]

    func check(_ store: any ChangeStore, _ chance: inout SeededGenerator, _ step: Comment) throws {
        let all = bases.values.sorted { $0.key < $1.key }
        let next = candidates.values.sorted { $0.key < $1.key }
        #expect(try store.bases(home, after: nil, limit: .max) == all, step)
        #expect(try store.candidates(home, after: nil, limit: .max) == next, step)
        #expect(try store.baseBytes(home) == (all.reduce(0) { $0 + $1.size }, all.count), step)
        #expect(try store.documentCount(home) == all.count(where: \.isVisible), step)
        // Any part of them, from either end.
        let limit = Int.random(in: 1...40, using: &chance)
        let after = key(Int.random(in: 0..<keyCount, using: &chance))
        #expect(
            try store.bases(home, after: after, limit: limit)
                == Array(all.filter { $0.key > after }.prefix(limit)), step)
        #expect(
            try store.candidates(home, after: after, limit: limit)
                == Array(next.filter { $0.key > after }.prefix(limit)), step)
        // The same as pages of any sizes.
        let counts = (0...3).map { _ in Int.random(in: 1...40, using: &chance) }
        for start in [nil, after] {
            var rest = all.filter { base in start.map { $0 < base.key } ?? true }[...]
            var pages: [[UInt8]] = []
            for count in counts where !rest.isEmpty {
                pages.append(BasePage(documents: rest.prefix(count).map(\.inPage)).encoded())
                rest = rest.dropFirst(count)
            }
            #expect(try store.encodedPages(home, after: start, counts: counts) == pages, step)
        }
        let shown = all.filter(\.isVisible).map(\.record)
        #expect(
            try store.documents(home, prefix: "k", after: after, limit: limit)
                == Array(shown.filter { $0.key > after }.prefix(limit)), step)
        #expect(
            try store.documents(home, prefix: "k", before: after, limit: limit)
                == Array(shown.reversed().filter { $0.key < after }.prefix(limit)), step)
    }
}

extension BaseRecord {
    fileprivate var inPage: BasePage.Document {
        BasePage.Document(key: key, frontier: frontier, snapshot: bytes)
    }
}

private let keyCount = 400
private func key(_ number: Int) -> Key { Key("k\(1_000 + number)") }

private func page(of records: some Collection<CandidateRecord>) throws -> CandidatePage {
    let documents = records.map {
        BasePage.Document(key: $0.key, frontier: $0.frontier, snapshot: $0.bytes ?? [])
    }
    return CandidatePage(
        try PageOutline(decoding: BasePage(documents: documents).encoded()),
        isVisible: records.map(\.isVisible))
}

/// One history: the same steps to the store and to the model.
private struct History {
    var disk: Disk
    var model = Model()
    var chance: SeededGenerator

    private mutating func bytes() -> [UInt8] {
        // Mostly small ones, a few that lie apart, some empty.
        let most = [0, 60, 60, 60, 500, 2_000].randomElement(using: &chance) ?? 0
        return [UInt8](
            repeating: UInt8.random(in: 0...255, using: &chance),
            count: Int.random(in: 0...most, using: &chance))
    }

    private mutating func frontier() -> [Dot] {
        (0..<Int.random(in: 0...2, using: &chance)).map { Dot(replica(UInt64($0)), SequenceNumber(9)) }
    }

    private mutating func base(_ key: Key) -> BaseRecord {
        BaseRecord(
            key: key, isVisible: Bool.random(using: &chance), frontier: frontier(),
            position: CommitPosition(UInt64.random(in: 1...3, using: &chance)), bytes: bytes())
    }

    private mutating func candidate(_ key: Key) -> CandidateRecord {
        if Int.random(in: 0...9, using: &chance) == 0 {
            return CandidateRecord(key: key, isVisible: false, frontier: [], bytes: nil)
        }
        return CandidateRecord(
            key: key, isVisible: Bool.random(using: &chance), frontier: frontier(), bytes: bytes())
    }

    /// Keys next to each other, or anywhere.
    private mutating func keys() -> [Key] {
        let count = Int.random(in: 1...60, using: &chance)
        if Bool.random(using: &chance) {
            let first = Int.random(in: 0..<keyCount, using: &chance)
            return (first..<min(keyCount, first + count)).map { Key("k\(1_000 + $0)") }
        }
        return (0..<count / 4 + 1).map { _ in key(Int.random(in: 0..<keyCount, using: &chance)) }
    }

    private mutating func putCandidates() throws {
        let first = Int.random(in: 1..<keyCount, using: &chance)
        let count = Int.random(in: 1...80, using: &chance)
        let after = key(first - 1)
        var all: [CandidateRecord] = []
        for number in first..<min(keyCount, first + count) where Int.random(in: 0...4, using: &chance) > 0 {
            all.append(
                CandidateRecord(
                    key: key(number), isVisible: Bool.random(using: &chance), frontier: frontier(),
                    bytes: bytes()))
        }
        var (pages, rest) = ([CandidatePage](), all[...])
        while !rest.isEmpty {
            let some = rest.prefix(Int.random(in: 1...30, using: &chance))
            pages.append(try page(of: some))
            rest.removeFirst(some.count)
        }
        try disk.store.putCandidates(home, after: after, pages)
        guard let last = all.last?.key else { return }
        model.candidates = model.candidates.filter { $0.key <= after || $0.key > last }
        for one in all { model.candidates[one.key] = one }
    }

    private mutating func promote() throws {
        let limit = Int.random(in: 1...120, using: &chance)
        let position = CommitPosition(UInt64.random(in: 4...6, using: &chance))
        guard let moved = try disk.store.promoteCandidates(home, limit: limit, at: position) else { return }
        #expect(moved.documents > 0)
        #expect(moved.documents <= limit || model.bases.isEmpty && moved.documents == model.candidates.count)
        let first = model.candidates.values.sorted { $0.key < $1.key }.prefix(moved.documents)
        #expect(first.last?.key == moved.lastKey && first.count(where: \.isVisible) == moved.visible)
        for one in first {
            let bytes = try #require(one.bytes, "what is no document any more cannot be a base")
            #expect(model.bases[one.key] == nil)
            model.bases[one.key] = BaseRecord(
                key: one.key, isVisible: one.isVisible, frontier: one.frontier, position: position,
                bytes: bytes)
            model.candidates[one.key] = nil
        }
        #expect(first.reduce(0) { $0 + (model.bases[$1.key]?.size ?? 0) } == moved.bytes)
    }

    mutating func step() throws {
        switch Int.random(in: 0...9, using: &chance) {
        case 0...2:
            for key in keys() {
                let base = base(key)
                try disk.store.put(home, base)
                model.bases[key] = base
            }
        case 3:
            for key in keys() {
                try disk.store.removeBase(home, key)
                model.bases[key] = nil
                #expect(try disk.store.base(home, key) == nil)
            }
        case 4:
            for key in keys() {
                let candidate = candidate(key)
                try disk.store.put(home, candidate)
                model.candidates[key] = candidate
            }
        case 5, 6: try putCandidates()
        case 7:
            let limit = Int.random(in: 1...50, using: &chance)
            let isMore = try disk.store.removeCandidates(home, limit: limit)
            for key in model.candidates.keys.sorted().prefix(limit) { model.candidates[key] = nil }
            #expect(isMore == !model.candidates.isEmpty)
        case 8: try promote()
        default:
            // The next base takes the place of the one before, a document at a time.
            for next in model.candidates.values.sorted(by: { $0.key < $1.key }).prefix(40) {
                if let bytes = next.bytes {
                    let base = BaseRecord(
                        key: next.key, isVisible: next.isVisible, frontier: next.frontier,
                        position: CommitPosition(7), bytes: bytes)
                    try disk.store.put(home, base)
                    model.bases[next.key] = base
                } else {
                    try disk.store.removeBase(home, next.key)
                    model.bases[next.key] = nil
                }
                _ = try disk.store.removeCandidates(home, limit: 1)
                model.candidates[next.key] = nil
            }
        }
        // What the open transaction sees, by itself and before it is written.
        for key in keys().prefix(5) {
            #expect(try disk.store.base(home, key) == model.bases[key])
            #expect(try disk.store.candidate(home, key) == model.candidates[key])
            #expect(try disk.store.document(home, key) == model.bases[key]?.record)
            #expect(try disk.store.snapshot(home, key)?.bytes == model.bases[key]?.bytes)
        }
    }
}

@Suite struct BaseModelTests {
    @Test("any history of bases and candidates", arguments: Kind.allCases, 0..<12 as Range<UInt64>)
    func histories(kind: Kind, seed: UInt64) throws {
        var history = History(disk: try Disk(kind), chance: SeededGenerator(seed: seed))
        let neighbour = BaseRecord(
            key: "k1100", isVisible: true, frontier: [], position: CommitPosition(1), bytes: [1])
        try history.disk.transact { store in
            try store.put(record(home))
            try store.put(record(other, "second"))
            try store.put(other, neighbour)
        }
        for transaction in 0..<40 {
            let before = history.model
            try history.disk.store.begin()
            for _ in 0..<Int.random(in: 1...4, using: &history.chance) { try history.step() }
            if Int.random(in: 0...5, using: &history.chance) == 0 {
                history.disk.store.rollback()
                history.model = before
            } else {
                try history.disk.store.commit()
            }
            if Int.random(in: 0...9, using: &history.chance) == 0 {
                history.disk = try history.disk.afterCrash()
            }
            try history.model.check(history.disk.store, &history.chance, "transaction \(transaction)")
            #expect(try history.disk.store.bases(other, after: nil, limit: 9) == [neighbour])
        }
    }
}
