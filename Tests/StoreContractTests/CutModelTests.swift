// Random histories of appending, cutting, collecting, forgetting, rolling back and restarting, over each
// store, against a model that keeps every change in one list.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)

/// What is held, as plainly as it can be said.
private struct Model {
    struct Run {
        let run: StoredRun
        let touched: [[Key]]
    }

    var runs: [Run] = []
    var heads: [ReplicaID: SequenceNumber] = [:]
    var cuts: [ReplicaID: SequenceNumber] = [:]
    var boundaries: [ReplicaID: [UInt64]] = [:]
    /// The last position that was ever used.
    var position: UInt64 = 0
    var documents: Set<Key> = []

    var logBytes: Int { runs.reduce(0) { $0 + $1.run.bytes.count } }

    mutating func collect(_ replica: ReplicaID, _ last: UInt64, _ kept: [DotRange]) {
        runs.removeAll { held in
            held.run.replica == replica && held.run.last.value <= last
                && !kept.contains { $0.first <= held.run.last && held.run.first <= $0.last }
        }
        cuts[replica] = SequenceNumber(last)
        boundaries[replica]?.removeAll { boundary in
            boundary < last
                && !kept.contains { $0.first.value <= boundary + 1 && boundary <= $0.last.value }
        }
    }

    func check(_ store: any ChangeStore, _ step: Comment) throws {
        let heads = heads.sorted { $0.key < $1.key }.map { VersionVector.Entry($0.key, $0.value) }
        #expect(try store.heads(home) == VersionVector(heads), step)
        let cuts = cuts.sorted { $0.key < $1.key }.map { VersionVector.Entry($0.key, $0.value) }
        #expect(try store.cuts(home) == VersionVector(cuts), step)
        #expect(try store.logBytes(home) == logBytes, step)
        #expect(try store.documentCount(home) == documents.count, step)
        #expect(try store.spaces().first?.position.value == position, step)
        let commits = try store.commits(home, after: .start, limit: .max)
        let positions = runs.flatMap { held in
            (0..<held.run.changes).map { held.run.position.value + UInt64($0) }
        }
        #expect(commits.map(\.position.value) == positions, step)
        let touched = try store.touched(home, after: .start, limit: .max)
        #expect(touched.map(\.position.value) == positions, step)
        #expect(touched.map(\.keys) == runs.flatMap(\.touched), step)
        for key in ["k0", "k1", "k2"] as [Key] {
            let naming = zip(positions, runs.flatMap(\.touched)).filter { $0.1.contains(key) }.map(\.0)
            let found = try store.commits(home, touching: key, after: .start, limit: .max)
            #expect(found.map(\.position.value) == naming, step)
        }
        for number in 1...3 as ClosedRange<UInt64> {
            let log = replica(number)
            let mine = runs.map(\.run).filter { $0.replica == log }
            #expect(try store.runs(home, log, from: SequenceNumber(1), bytesMax: .max) == mine, step)
            #expect(
                try store.changeCount(home, log, after: .none) == mine.reduce(0) { $0 + $1.changes }, step)
            var (found, before) = ([UInt64](), SequenceNumber.max)
            while let boundary = try store.boundary(home, log, before: before) {
                found.insert(boundary.last.value, at: 0)
                before = boundary.last
            }
            #expect(found == boundaries[log] ?? [], step)
        }
    }
}

/// One history: the same steps to the store and to the model.
private struct History {
    var disk: Disk
    var model = Model()
    var chance: SeededGenerator

    mutating func append(_ log: ReplicaID) throws {
        let first = (model.heads[log] ?? .none).value + 1
        let lengths = (0..<Int.random(in: 1...4, using: &chance)).map { _ in
            Int.random(in: 1...3, using: &chance)
        }
        let bytes = [UInt8](repeating: 1, count: Int.random(in: 0...30, using: &chance))
        let sample = run(log, from: first, at: model.position + 1, lengths, bytes: bytes)
        let touched: [[Key]] = lengths.map { _ in
            (0..<3).filter { _ in Bool.random(using: &chance) }.map { Key("k\($0)") }
        }
        try disk.store.add(home, sample, touching: touched)
        for key in Set(touched.joined()).sorted() where model.documents.insert(key).inserted {
            try disk.store.put(home, document(key))
        }
        model.runs.append(Model.Run(run: sample.run, touched: touched))
        model.heads[log] = sample.run.last
        model.position += UInt64(lengths.count)
        if Bool.random(using: &chance) {
            try disk.store.addBoundary(home, log, BoundaryRecord(last: sample.run.last, state: [1]))
            try disk.store.addSeal(home, seal(log, sample.run.last.value % 250), isBoundary: true)
            model.boundaries[log, default: []].append(sample.run.last.value)
        }
    }

    mutating func collect(_ log: ReplicaID) throws {
        let cut = (model.cuts[log] ?? .none).value
        guard let last = (model.boundaries[log] ?? []).filter({ $0 >= cut }).randomElement(using: &chance)
        else { return }
        var (kept, start) = ([DotRange](), UInt64(0))
        for boundary in model.boundaries[log] ?? [] where boundary <= last {
            if Int.random(in: 0..<4, using: &chance) == 0, boundary > start {
                kept.append(DotRange(log, SequenceNumber(start + 1), SequenceNumber(boundary)))
            }
            start = boundary
        }
        let rowsMax = Int.random(in: 1...12, using: &chance)
        var isDone = false
        while !isDone {
            isDone = try disk.store.collect(
                home, log, through: SequenceNumber(last), keeping: kept, rowsMax: rowsMax
            ).isDone
        }
        model.collect(log, last, kept)
    }

    mutating func start(_ log: ReplicaID) throws {
        let last = (model.heads[log] ?? .none).value + UInt64.random(in: 1...9, using: &chance)
        try disk.store.startLog(
            home, log, at: BoundaryRecord(last: SequenceNumber(last), state: [2]), seal: nil)
        (model.heads[log], model.cuts[log]) = (SequenceNumber(last), SequenceNumber(last))
        model.boundaries[log, default: []].append(last)
    }

    mutating func forget(_ log: ReplicaID) throws {
        try disk.store.forgetLog(home, log)
        (model.heads[log], model.cuts[log], model.boundaries[log]) = (nil, nil, nil)
        model.runs.removeAll { $0.run.replica == log }
    }

    mutating func step() throws {
        let log = replica(UInt64.random(in: 1...3, using: &chance))
        switch Int.random(in: 0..<20, using: &chance) {
        case 0..<12: try append(log)
        case 12..<17: try collect(log)
        case 17..<19: try start(log)
        default: try forget(log)
        }
    }
}

@Suite struct CutModelTests {
    @Test(
        "what is left of logs after any history is what a plain list of changes says",
        arguments: Kind.allCases, Array(UInt64(1)...12))
    func histories(kind: Kind, seed: UInt64) throws {
        var history = History(disk: try Disk(kind), chance: SeededGenerator(seed: seed))
        try history.disk.transact { try $0.put(record(home)) }
        for number in 0..<40 {
            let before = history.model
            try history.disk.store.begin()
            for _ in 0..<Int.random(in: 1...4, using: &history.chance) { try history.step() }
            switch Int.random(in: 0..<6, using: &history.chance) {
            case 0:
                history.disk.store.rollback()
                history.model = before
            case 1:
                history.disk = try history.disk.afterCrash()
                history.model = before
            default: try history.disk.store.commit()
            }
            try history.model.check(history.disk.store, "seed \(seed), transaction \(number)")
        }
        let again = try history.disk.afterCrash()
        try history.model.check(again.store, "seed \(seed), after a restart")
    }
}
