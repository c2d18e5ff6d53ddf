// Two ends of a link over a model of a store: whatever is lost on the way, both end with everything, and what
// a peer holds or showed is not sent to it.

import Bytes
import Causality
import Replication
import Testing

private func replica(_ n: Int) -> ReplicaID { ReplicaID(raw: Bytes16(high: 0, low: UInt64(n))) }
private func vector(_ pairs: [(Int, UInt64)]) -> VersionVector {
    VersionVector(pairs.map { VersionVector.Entry(replica($0.0), SequenceNumber($0.1)) })
}

/// A store: changes of one sequence each, in commit order.
private struct Side {
    var commits: [Dot] = []
    var held = VersionVector()
    var sync = SpaceSync()
    var received = 0

    mutating func write(_ n: Int) { append(Dot(replica(n), held[replica(n)] + 1)) }
    mutating func append(_ dot: Dot) {
        commits.append(dot)
        held.advance(to: dot)
    }

    /// What goes out now: dots, in commit order, until the window is full.
    mutating func send() -> [Dot] {
        guard sync.peerHave != nil else { return [] }
        if sync.cursor == nil {
            let missing = sync.missing(of: held)
            let first = commits.firstIndex { dot in
                missing.contains { $0.replica == dot.replica && $0.sequence <= dot.sequence }
            }
            sync.rewind(to: UInt64(first ?? commits.count))
        }
        var out: [Dot] = []
        while let cursor = sync.cursor, cursor < commits.count, sync.hasRoom {
            let dot = commits[Int(cursor)]
            if sync.needs(dot.replica, dot.sequence) {
                out.append(dot)
                sync.recordSent(dot.replica, to: dot.sequence, bytes: 100_000)
            }
            sync.pass(cursor + 1)
        }
        return out
    }
}

@Suite struct SpaceSyncTests {
    @Test("over a link that loses segments, both sides end with everything, by seed")
    func converges() throws {
        for seed in 0..<40 as Range<UInt64> {
            var dice = SeededGenerator(seed: seed)
            var sides = [Side(), Side()]
            for index in 0..<2 { sides[index].sync.graft([]) }
            for _ in 0..<60 { sides[0].write(Int.random(in: 0..<5, using: &dice)) }
            for _ in 0..<60 { sides[1].write(Int.random(in: 5..<10, using: &dice)) }
            var now: UInt64 = 0
            for round in 0..<2_000 {
                now += 100
                for (from, to) in [(0, 1), (1, 0)] {
                    if let have = sides[from].sync.nextHave(sides[from].held, at: now) {
                        try sides[to].sync.peerHolds(VersionVector(have.entries), isFull: have.isFull)
                    }
                    for dot in sides[from].send() {
                        try sides[to].sync.recordReceived(bytes: 100_000)
                        // One in ten is dropped by the receiver, which therefore asks again.
                        let isNext = dot.sequence == sides[to].held[dot.replica] + 1
                        if !isNext || (round < 1_000 && Int.random(in: 0..<10, using: &dice) == 0) {
                            if dot.sequence > sides[to].held[dot.replica] { sides[to].sync.askAgain(at: now) }
                            continue
                        }
                        sides[to].append(dot)
                        sides[to].sync.peerShowed(dot.replica, to: dot.sequence)
                        sides[to].received += 1
                    }
                    if let total = sides[to].sync.acknowledgement() {
                        try sides[from].sync.acknowledge(total: total)
                    }
                }
                if sides[0].held == sides[1].held, sides[0].sync.isLevel(with: sides[0].held) { break }
            }
            #expect(sides[0].held == sides[1].held, "seed \(seed)")
            #expect(sides[0].received == 60 && sides[1].received == 60, "each change is taken once")
        }
    }

    @Test("what the peer holds or showed itself is not sent to it")
    func noEcho() throws {
        var sync = SpaceSync()
        sync.graft([])
        #expect(!sync.needs(replica(1), SequenceNumber(1)))
        try sync.peerHolds(vector([(1, 5)]), isFull: true)
        #expect(!sync.needs(replica(1), SequenceNumber(5)) && sync.needs(replica(1), SequenceNumber(6)))
        sync.peerShowed(replica(2), to: SequenceNumber(9))
        #expect(!sync.needs(replica(2), SequenceNumber(9)) && sync.needs(replica(2), SequenceNumber(10)))
        sync.recordSent(replica(1), to: SequenceNumber(8), bytes: 10)
        #expect(!sync.needs(replica(1), SequenceNumber(8)))
        #expect(
            sync.missing(of: vector([(1, 9), (2, 9), (3, 2)])) == [
                Dot(replica(1), SequenceNumber(9)), Dot(replica(3), SequenceNumber(1)),
            ])
        // In full it says again what it lacks, and that goes out again.
        try sync.peerHolds(vector([(1, 5)]), isFull: true)
        #expect(sync.needs(replica(1), SequenceNumber(8)) && sync.cursor == nil)
    }

    @Test("the window closes at its size and opens with acknowledgements; too many of them are a fault")
    func window() throws {
        var sync = SpaceSync()
        try sync.peerHolds(VersionVector(), isFull: true)
        var sent = 0
        while sync.hasRoom {
            sent += 1
            sync.recordSent(replica(1), to: SequenceNumber(UInt64(sent)), bytes: 100_000)
        }
        #expect(sent == ReplicationLimits.windowBytes / 100_000 + 1)
        try sync.acknowledge(total: 500_000)
        #expect(sync.hasRoom)
        #expect(throws: SpaceSync.Fault.acknowledgedTooMuch(total: 9_999_999, sent: UInt64(sent) * 100_000)) {
            try sync.acknowledge(total: 9_999_999)
        }
        #expect(throws: SpaceSync.Fault.deltaFirst) {
            var fresh = SpaceSync()
            try fresh.peerHolds(VersionVector(), isFull: false)
        }
    }

    @Test("a full HAVE after a drop comes late enough that a full buffer is not filled in a loop")
    func askAgain() {
        var sync = SpaceSync()
        let held = vector([(1, 3)])
        #expect(sync.nextHave(held, at: 0)?.isFull == true)
        #expect(sync.nextHave(held, at: 1) == nil)
        for now in 10..<20 as Range<UInt64> { sync.askAgain(at: now) }
        #expect(sync.nextHave(held, at: 999) == nil)
        #expect(sync.nextHave(held, at: 1_000)?.isFull == true)
        #expect(sync.nextHave(held, at: 3_000) == nil)
    }

    @Test("behind and ahead are counted in sequences")
    func difference() throws {
        var sync = SpaceSync()
        try sync.peerHolds(vector([(1, 5), (2, 7)]), isFull: true)
        let difference = sync.difference(to: vector([(1, 2), (3, 4)]))
        #expect(difference.behind == 10 && difference.ahead == 4)
    }

    @Test("deltas may not name more logs altogether than one HAVE in full")
    func manyLogs() throws {
        var sync = SpaceSync()
        try sync.peerHolds(vector([(1, 1)]), isFull: true, logsMax: 4)
        try sync.peerHolds(vector([(1, 2), (2, 1), (3, 1), (4, 1)]), isFull: false, logsMax: 4)
        #expect(throws: SpaceSync.Fault.tooManyLogs(5)) {
            try sync.peerHolds(vector([(5, 1)]), isFull: false, logsMax: 4)
        }
        // In full it names them anew.
        try sync.peerHolds(vector([(6, 1)]), isFull: true, logsMax: 4)
        try sync.peerHolds(vector([(7, 1)]), isFull: false, logsMax: 4)
        #expect(sync.peerHave == vector([(6, 1), (7, 1)]))
    }
}
