// The part of the contract about logs that begin at a cut, over each store: how they start, are collected, go
// on, and are forgotten.

import Bytes
import Causality
import Node
import Testing
import Wire

private let home = space(1)
private let (a, b) = (replica(1), replica(2))

private func boundary(_ last: UInt64) -> BoundaryRecord {
    BoundaryRecord(last: SequenceNumber(last), state: [UInt8(last)])
}

/// A log of sections that are ten sequences long, two changes a run, and end with a boundary and its seal.
private func addSections(
    _ store: inout any ChangeStore, _ replica: ReplicaID, _ sections: Range<UInt64>, at position: UInt64
) throws {
    var position = position
    for section in sections {
        let first = section * 10 + 1
        let keys = [["x", Key("s\(section)")], ["y"]] as [[Key]]
        for half in [first, first + 5] {
            try store.add(home, run(replica, from: half, at: position, [2, 3]), touching: keys)
            position += 2
        }
        try store.addBoundary(home, replica, boundary(first + 9))
        try store.addSeal(home, seal(replica, first + 9), isBoundary: true)
    }
}

extension Disk {
    /// Collects to the end; how many rows and bytes went.
    fileprivate mutating func collect(
        _ replica: ReplicaID, through last: UInt64, keeping: [DotRange] = [], rowsMax: Int = 3
    ) throws -> (rows: Int, bytes: Int, calls: Int) {
        var (rows, bytes, calls) = (0, 0, 0)
        while true {
            var isDone = false
            try transact { store in
                let part = try store.collect(
                    home, replica, through: SequenceNumber(last), keeping: keeping, rowsMax: rowsMax)
                (rows, bytes, isDone) = (rows + part.rows, bytes + part.bytes, part.isDone)
            }
            calls += 1
            if isDone { return (rows, bytes, calls) }
        }
    }

    fileprivate func runs(_ replica: ReplicaID, from: UInt64 = 1) throws -> [UInt64] {
        try store.runs(home, replica, from: SequenceNumber(from), bytesMax: .max).map(\.first.value)
    }

    fileprivate func seals(_ replica: ReplicaID) throws -> [UInt64] {
        try store.seals(home, replica, from: SequenceNumber(1), limit: 99).map(\.last.value)
    }

    fileprivate func boundaries(_ replica: ReplicaID) throws -> [UInt64] {
        var (found, before) = ([UInt64](), SequenceNumber.max)
        while let boundary = try store.boundary(home, replica, before: before) {
            found.insert(boundary.last.value, at: 0)
            before = boundary.last
        }
        return found
    }

    fileprivate func positions() throws -> [UInt64] {
        try store.commits(home, after: .start, limit: 999).map(\.position.value)
    }
}

@Suite struct CutContractTests {
    @Test(
        "a log that is collected begins at the boundary, and everything before it is gone",
        arguments: Kind.allCases)
    func collect(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try addSections(&store, a, 0..<3, at: 1)
            try addSections(&store, b, 0..<1, at: 13)
            try store.add(home, run(a, from: 31, at: 17, [1]), touching: [["x"]])
        }
        #expect(try disk.store.cuts(home).isEmpty && disk.store.cut(home, a) == .none)
        #expect(try disk.store.logBytes(home) == 18)
        let (rows, bytes, calls) = try disk.collect(a, through: 20)
        // 4 runs, 12 documents of changes, the boundary and the seal at 10.
        #expect(rows == 18 && bytes == 8 && calls > 2)
        for _ in 0..<2 {
            #expect(try disk.runs(a) == [21, 26, 31] && disk.runs(a, from: 21) == [21, 26, 31])
            #expect(try disk.boundaries(a) == [20, 30] && disk.seals(a) == [20, 30])
            #expect(try disk.store.cut(home, a).value == 20 && disk.store.cut(home, b) == .none)
            #expect(try disk.store.cuts(home) == VersionVector([.init(a, SequenceNumber(20))]))
            #expect(try disk.store.heads(home)[a].value == 31 && disk.store.heads(home)[b].value == 10)
            #expect(try disk.positions() == Array(9...17))
            #expect(try disk.store.commits(home, after: CommitPosition(3), limit: 2).count == 2)
            #expect(try disk.store.touched(home, after: .start, limit: 1).map(\.position.value) == [9])
            let x = try disk.store.commits(home, touching: "x", after: .start, limit: 99)
            #expect(x.map(\.position.value) == [9, 11, 13, 15, 17])
            #expect(try disk.store.commits(home, touching: "s1", after: .start, limit: 9) == [])
            #expect(try disk.store.changeCount(home, a, after: .none) == 5)
            #expect(try disk.store.logBytes(home) == 10)
            #expect(try disk.store.spaces().first?.position.value == 17)
            disk = try disk.afterCrash()
        }
        // The same again finds nothing more; a later cut does.
        #expect(try disk.collect(a, through: 20, rowsMax: 99).rows == 0)
        #expect(try disk.collect(a, through: 30, rowsMax: 99).bytes == 4)
        #expect(try disk.runs(a) == [31] && disk.boundaries(a) == [30])
    }

    @Test(
        "sections that are kept stay readable, with their boundaries and seals", arguments: Kind.allCases)
    func keeping(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try addSections(&store, a, 0..<8, at: 1)
            try addSections(&store, b, 0..<1, at: 33)
        }
        let kept = [
            DotRange(a, SequenceNumber(51), SequenceNumber(60)),
            DotRange(b, SequenceNumber(1), SequenceNumber(10)),
            DotRange(a, SequenceNumber(21), SequenceNumber(30)),
            DotRange(a, SequenceNumber(1), SequenceNumber(10)),
        ]
        for rowsMax in [1, 4, 1_000] {
            var copy = try disk.afterCrash()
            let (rows, bytes, calls) = try copy.collect(a, through: 70, keeping: kept, rowsMax: rowsMax)
            #expect(bytes == 16 && calls > (rowsMax == 1 ? 7 : 0))
            // 8 runs with 6 documents a run, boundary 40; seals 20, 40 and 50.
            #expect(rows == 8 + 24 + 1 + 3)
            #expect(try copy.runs(a) == [1, 6, 21, 26, 51, 56, 71, 76])
            #expect(try copy.boundaries(a) == [10, 20, 30, 50, 60, 70, 80])
            #expect(try copy.seals(a) == [10, 30, 60, 70, 80])
            #expect(try copy.store.cut(home, a).value == 70 && copy.store.heads(home)[a].value == 80)
            #expect(try copy.positions().count == 20 && copy.store.logBytes(home) == 20)
            // Not kept any more.
            #expect(try copy.collect(a, through: 80, rowsMax: rowsMax).bytes == 16)
            #expect(try copy.runs(a) == [] && copy.boundaries(a) == [80] && copy.seals(a) == [80])
        }
    }

    @Test(
        "after everything was collected positions are not used again, and logs go on after the cut",
        arguments: Kind.allCases)
    func everything(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try addSections(&store, b, 0..<1, at: 1)
            try addSections(&store, a, 0..<2, at: 5)
            for key in ["x", "y"] as [Key] { try store.put(home, document(key)) }
        }
        // The last run of the space goes first, then all.
        for (replica, last, bytes) in [(a, UInt64(20), 4), (b, 10, 0)] {
            _ = try disk.collect(replica, through: last)
            for _ in 0..<2 {
                #expect(try disk.store.spaces().first?.position.value == 12)
                #expect(try disk.store.documentCount(home) == 2 && disk.store.logBytes(home) == bytes)
                #expect(try disk.store.heads(home)[a].value == 20 && disk.store.heads(home)[b].value == 10)
                disk = try disk.afterCrash()
            }
        }
        #expect(try disk.positions() == [] && disk.store.touched(home, after: .start, limit: 9).isEmpty)
        // Figures that stood in the last run go on beside the space.
        try disk.transact { try $0.put(home, document("z")) }
        disk = try disk.afterCrash()
        #expect(try disk.store.documentCount(home) == 3)
        try disk.transact { try $0.add(home, run(a, from: 21, at: 13, [4]), touching: [["x"]]) }
        disk = try disk.afterCrash()
        #expect(try disk.store.heads(home)[a].value == 24 && disk.runs(a) == [21])
        #expect(try disk.positions() == [13] && disk.store.documentCount(home) == 3)
        #expect(try disk.store.logBytes(home) == 2)
    }

    @Test("a collection that is rolled back has taken nothing away", arguments: Kind.allCases)
    func rollback(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try addSections(&store, a, 0..<2, at: 1)
        }
        let skipped = SkippedRecord(
            change: try disk.store.commits(home, after: .start, limit: 1)[0].marked(.skipped),
            reason: .quarantined, since: 5)
        try disk.transact { try $0.put(home, skipped) }
        try disk.store.begin()
        try disk.store.add(home, run(a, from: 21, at: 9, [1]), touching: [["x"]])
        let part = try disk.store.collect(
            home, a, through: SequenceNumber(20), keeping: [], rowsMax: 999)
        #expect(part.isDone && part.bytes == 8)
        #expect(try disk.runs(a) == [21] && disk.store.skipped(home) == [])
        try disk.store.forgetLog(home, a)
        #expect(try disk.store.heads(home).isEmpty)
        disk.store.rollback()
        #expect(try disk.runs(a) == [1, 6, 11, 16] && disk.boundaries(a) == [10, 20])
        #expect(try disk.seals(a) == [10, 20] && disk.store.cuts(home).isEmpty)
        #expect(try disk.positions() == Array(1...8) && disk.store.logBytes(home) == 8)
        #expect(try disk.store.skipped(home) == [skipped] && disk.store.heads(home)[a].value == 20)
        #expect(try disk.store.commits(home, touching: "x", after: .start, limit: 9).count == 4)
        // And what is skipped goes with its change.
        _ = try disk.collect(a, through: 10)
        #expect(try disk.store.skipped(home) == [])
    }

    @Test("a reader that was opened before a collection sees what was there", arguments: Kind.allCases)
    func reader(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            try addSections(&store, a, 0..<2, at: 1)
        }
        let reader: any StoreReading = try disk.store.reader()
        _ = try disk.collect(a, through: 20)
        #expect(try reader.runs(home, a, from: SequenceNumber(1), bytesMax: 99).count == 4)
        #expect(try reader.logBytes(home) == 8 && reader.cuts(home).isEmpty)
        #expect(try reader.touched(home, after: .start, limit: 99).count == 8)
        let late: any StoreReading = try disk.store.reader()
        #expect(try late.logBytes(home) == 0 && late.cut(home, a).value == 20)
        #expect(try late.spaces().first?.position.value == 8)
    }

    @Test("a log that is taken from a base is held up to its boundary, and goes on", arguments: Kind.allCases)
    func start(kind: Kind) throws {
        var disk = try Disk(kind)
        try disk.transact { store in
            try store.put(record(home))
            // Of this log something older is held.
            try addSections(&store, b, 0..<2, at: 1)
        }
        try disk.store.begin()
        try disk.store.startLog(home, a, at: boundary(70), seal: seal(a, 70))
        disk.store.rollback()
        #expect(try disk.store.heads(home)[a] == .none && disk.seals(a) == [])
        try disk.transact { store in
            try store.startLog(home, a, at: boundary(70), seal: seal(a, 70))
            try store.startLog(home, b, at: boundary(50), seal: nil)
        }
        for _ in 0..<2 {
            let heads = VersionVector([.init(a, SequenceNumber(70)), .init(b, SequenceNumber(50))])
            #expect(try disk.store.heads(home) == heads && disk.store.cuts(home) == heads)
            #expect(try disk.runs(a) == [] && disk.runs(b, from: 51) == [])
            #expect(try disk.store.boundary(home, a, before: .max) == boundary(70))
            #expect(try disk.boundaries(b) == [10, 20, 50] && disk.seals(a) == [70])
            disk = try disk.afterCrash()
        }
        // What was held of it before goes with the next collection.
        _ = try disk.collect(b, through: 50)
        #expect(try disk.runs(b) == [] && disk.boundaries(b) == [50])
        try disk.transact { store in
            try store.add(home, run(a, from: 71, at: 9, [2]), touching: [["x"]])
            try store.add(home, run(b, from: 51, at: 10, [3]), touching: [["x"]])
            try store.addSeal(home, seal(a, 72), isBoundary: false)
        }
        disk = try disk.afterCrash()
        #expect(try disk.store.heads(home)[a].value == 72 && disk.store.heads(home)[b].value == 53)
        #expect(try disk.seals(a) == [70, 72] && disk.positions() == [9, 10])
    }

    @Test("a log that is forgotten leaves nothing but its fork, and may come again", arguments: Kind.allCases)
    func forget(kind: Kind) throws {
        var disk = try Disk(kind)
        let fork = ForkRecord(replica: a, first: SequenceNumber(9), since: 1, proof: [1])
        try disk.transact { store in
            try store.put(record(home))
            try addSections(&store, b, 0..<1, at: 1)
            try addSections(&store, a, 0..<2, at: 5)
            try store.put(home, fork)
            try store.put(home, document("x"))
        }
        _ = try disk.collect(a, through: 10)
        try disk.transact { try $0.forgetLog(home, a) }
        try disk.transact { try $0.forgetLog(home, replica(3)) }
        for _ in 0..<2 {
            #expect(try disk.store.heads(home) == VersionVector([.init(b, SequenceNumber(10))]))
            #expect(try disk.store.cuts(home).isEmpty && disk.runs(a) == [] && disk.boundaries(a) == [])
            #expect(try disk.seals(a) == [] && disk.store.fork(home, a) == fork)
            #expect(try disk.positions() == [1, 2, 3, 4] && disk.store.logBytes(home) == 4)
            #expect(try disk.store.spaces().first?.position.value == 12)
            #expect(try disk.store.documentCount(home) == 1)
            let x = try disk.store.commits(home, touching: "x", after: .start, limit: 9)
            #expect(x.map(\.position.value) == [1, 3])
            disk = try disk.afterCrash()
        }
        try disk.transact { try $0.add(home, run(a, from: 1, at: 13, [1]), touching: [["x"]]) }
        #expect(try disk.store.heads(home)[a].value == 1)
    }
}

extension CommitRecord {
    fileprivate func marked(_ status: ChangeStatus) -> CommitRecord {
        CommitRecord(position: position, replica: replica, first: first, last: last, status: status)
    }
}
