// The buffer's promises by seed: nothing before its context, nothing lost, bounds kept, what is dropped is
// named.

import Bytes
import Causality
import Replication
import Testing

private let space = SpaceID(raw: Bytes32([UInt8](repeating: 7, count: 32)))
private func replica(_ n: Int) -> ReplicaID { ReplicaID(raw: Bytes16(high: 0, low: UInt64(n))) }
private func device(_ n: UInt8) -> DeviceID { DeviceID(publicKey: Bytes32([UInt8](repeating: n, count: 32))) }
private func log(_ n: Int) -> LogID { LogID(space, replica(n)) }

/// One change of a model: one sequence, on a context.
private struct Model: Sendable, Hashable {
    let dot: Dot
    let context: VersionVector
}

/// Writers that see each other at random: a history in an order that respects causality.
private func history(_ dice: inout SeededGenerator, replicas: Int, changes: Int) -> [Model] {
    var seen = [VersionVector](repeating: VersionVector(), count: replicas)
    return (0..<changes).map { _ in
        let writer = Int.random(in: 0..<replicas, using: &dice)
        let other = Int.random(in: 0..<replicas, using: &dice)
        seen[writer].join(seen[other])
        let dot = Dot(replica(writer), seen[writer][replica(writer)] + 1)
        let change = Model(dot: dot, context: seen[writer])
        seen[writer].advance(to: dot)
        return change
    }
}

private func lack(_ change: Model, _ held: VersionVector) -> Lack? {
    let missing = change.context.entries(beyond: held).filter { $0.replica != change.dot.replica }
    guard let first = missing.first else { return nil }
    return .dot(Dot(first.replica, first.last), distance: UInt64(missing.count))
}

@Suite struct CausalBufferTests {
    @Test(
        "whatever the order of logs, everything comes out once, after its context, and the buffer ends empty")
    func orderAndNoLoss() {
        for seed in 0..<60 as Range<UInt64> {
            var dice = SeededGenerator(seed: seed)
            let changes = history(&dice, replicas: 2 + Int(seed % 7), changes: 200)
            // Logs arrive in order, interleaved at random: the order of several links.
            var queues = Dictionary(grouping: changes, by: \.dot.replica)
            var buffer = CausalBuffer<Model>()
            var held = VersionVector()
            var out: [Model] = []
            func execute(_ change: Model) {
                #expect(held.covers(change.context), "early: \(change.dot), seed \(seed)")
                held.advance(to: change.dot)
                out.append(change)
                buffer.advance(LogID(space, change.dot.replica), to: change.dot.sequence)
            }
            while !queues.isEmpty {
                guard let next = queues.keys.sorted().randomElement(using: &dice) else { break }
                guard let change = queues[next]?.removeFirst() else { break }
                if queues[next]?.isEmpty == true { queues[next] = nil }
                let id = LogID(space, next)
                let lacking = lack(change, held)
                if buffer.isWaiting(id) || lacking != nil {
                    buffer.add(
                        change, of: id, byteCount: 10, from: device(1), lack: lacking ?? .rosterHead(.zero))
                } else {
                    execute(change)
                }
                while let ready = buffer.next({ _, change in lack(change, held) }) { execute(ready.item) }
                buffer.checkInvariants()
            }
            #expect(out.count == changes.count && Set(out).count == out.count)
            #expect(buffer.isEmpty && buffer.byteCount == 0)
        }
    }

    @Test("a change that lacks a roster head waits for exactly that one")
    func rosterHead() {
        var buffer = CausalBuffer<Int>()
        let (a, b) = (Bytes32([UInt8](repeating: 1, count: 32)), Bytes32([UInt8](repeating: 2, count: 32)))
        buffer.add(1, of: log(1), byteCount: 1, from: device(1), lack: .rosterHead(a))
        buffer.add(2, of: log(2), byteCount: 1, from: device(1), lack: .rosterHead(b))
        var asked: [Int] = []
        buffer.arrive(b, in: SpaceID(raw: .zero))
        #expect(
            buffer.next { _, item in
                asked.append(item); return nil
            } == nil)
        buffer.arrive(b, in: space)
        #expect(
            buffer.next { _, item in
                asked.append(item); return nil
            }?.item == 2)
        #expect(asked == [2])
        buffer.checkInvariants()
        #expect(buffer.count == 1)
    }

    @Test("a release looks only at those that waited for what came")
    func releaseCost() {
        var buffer = CausalBuffer<Int>()
        for n in 1...2_000 {
            buffer.add(
                n, of: log(n), byteCount: 1, from: device(1),
                lack: .dot(Dot(replica(9_999), SequenceNumber(UInt64(n))), distance: 1))
        }
        var looks = 0
        for n in 1...2_000 as ClosedRange<UInt64> {
            buffer.advance(log(9_999), to: SequenceNumber(n))
            while buffer.next({ _, _ in
                looks += 1; return nil
            }) != nil {}
        }
        #expect(looks == 2_000 && buffer.isEmpty)
    }

    @Test("over a peer's bound its farthest logs go, are named with who sent them, and others' stay")
    func peerBound() {
        var buffer = CausalBuffer<Int>()
        let bytes = 64 << 10
        buffer.add(
            0, of: log(1), byteCount: bytes, from: device(2),
            lack: .dot(Dot(replica(9_999), SequenceNumber(1)), distance: 1_000_000))
        var dropped: [DroppedLog] = []
        for n in 2...300 {
            buffer.add(
                n, of: log(n), byteCount: bytes, from: device(1),
                lack: .dot(Dot(replica(9_999), SequenceNumber(UInt64(n))), distance: UInt64(n)))
            dropped += buffer.enforceBounds()
            #expect(buffer.byteCount(of: device(1)) <= ReplicationLimits.bufferBytesOfPeerMax)
        }
        buffer.checkInvariants()
        #expect(dropped.allSatisfy { $0.peers == [device(1)] && $0.changes == 1 })
        #expect(buffer.byteCount(of: device(2)) > 0, "an honest peer's changes stay")
        #expect(buffer.isWaiting(log(2)) && !dropped.isEmpty, "what is nearest to ready stays")
        #expect(buffer.count + dropped.count == 300)
        #expect(buffer.droppedCount == UInt64(dropped.count))
    }

    @Test("all peers together stay under the bound of the node")
    func totalBound() {
        var buffer = CausalBuffer<Int>()
        for n in 1...1_400 {
            buffer.add(
                n, of: log(n), byteCount: 64 << 10, from: device(UInt8(n % 20)),
                lack: n % 2 == 0
                    ? .rosterHead(.zero) : .dot(Dot(replica(9_999), SequenceNumber(1)), distance: UInt64(n)))
            _ = buffer.enforceBounds()
            #expect(buffer.byteCount <= ReplicationLimits.bufferBytesMax)
        }
        buffer.checkInvariants()
    }
}
