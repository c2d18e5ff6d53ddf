// Snapshots of an order and of a text: what was written comes back, every second form is refused, and no
// bytes trap.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite("Snapshots of sequences")
struct SequenceCodingTests {
    private func decode(_ bytes: [UInt8]) throws(DecodeFault) -> SequenceOrder {
        var reader = ByteReader(bytes)
        let order = try SequenceOrder(from: &reader)
        try reader.finish()
        return order
    }

    @Test("an order comes back equal, and edits go on as on the original")
    func roundtrip() throws {
        for seed in 0..<60 {
            let history = SequenceHistory(
                seed: UInt64(seed), authors: 4, steps: 60, sync: 40, isHostile: seed % 3 == 0)
            var order = SequenceOrder()
            for (index, step) in history.steps.enumerated() {
                if index == 40 {
                    let bytes = order.encoded
                    order = try decode(bytes)
                    order.checkInvariants()
                    #expect(order.encoded == bytes)
                }
                order.apply(step)
            }
            order.checkInvariants()
            var whole = SequenceOrder()
            for step in history.steps { whole.apply(step) }
            #expect(whole.encoded == order.encoded, "seed \(seed)")
        }
    }

    @Test("an empty order is two bytes")
    func empty() throws {
        #expect(SequenceOrder().encoded == [0, 0])
        #expect(try decode([0, 0]).totalCount == 0)
    }

    @Test("a typed word is one span of few bytes")
    func word() throws {
        var order = SequenceOrder()
        for step in 1...5 {
            order.insert(
                first: dot(1, step), count: 1, left: step == 1 ? nil : dot(1, step - 1), right: nil,
                visible: true)
        }
        let replicaBytes = replica(1).raw.bytes
        #expect(order.encoded == [1] + replicaBytes + [1, 0, 0, 11, 0, 1, 0])
    }

    @Test("second forms and impossible trees are refused")
    func refused() {
        let head: [UInt8] = [1] + replica(1).raw.bytes
        func fault(_ bytes: [UInt8]) -> DecodeFault? {
            do {
                _ = try decode(bytes)
                return nil
            } catch {
                return error
            }
        }
        // One word in two spans; a span of nothing; the same dots twice; sequence 0.
        #expect(fault(head + [2, 0, 0, 3, 0, 1, 0, 0, 0, 3, 0, 1, 0]) == .notCanonical(field: "spans"))
        #expect(fault(head + [1, 0, 0, 1, 0, 1, 0]) == .outOfRange(field: "span length"))
        #expect(fault(head + [2, 0, 0, 3, 0, 1, 0, 0, 1, 3, 1, 1, 0]) == .notCanonical(field: "spans"))
        #expect(fault(head + [1, 0, 1, 3, 0, 1, 0]) == .outOfRange(field: "sequence"))
        // A subtree without root, a root for nothing, more closed than open, an origin that is nowhere.
        #expect(fault(head + [1, 0, 0, 3, 0, 2, 0]) == .outOfRange(field: "closed"))
        #expect(fault(head + [1, 0, 0, 3, 0, 0, 0]) == .outOfRange(field: "opened"))
        #expect(
            fault(head + [1, 0, 0, 3, 1, 1, 0]) == .overLimit(field: "closed", value: 1, limit: 0))
        #expect(fault(head + [1, 0, 0, 3, 0, 1, 1, 8]) == .outOfRange(field: "origin"))
        #expect(fault(head + [1, 1, 0, 3, 0, 1, 0]) == .outOfRange(field: "replica"))
        // A replica that is not used, replicas out of order.
        #expect(fault(head + [0]) == .notCanonical(field: "replicas"))
        #expect(
            fault([2] + replica(2).raw.bytes + replica(1).raw.bytes + [0]) == .notCanonical(field: "replicas")
        )
        #expect(fault([0, 0, 0]) == .trailing(count: 1))
    }

    @Test("damaged bytes are refused or read as some order, and what was read writes the same bytes")
    func damaged() {
        var random = SeededGenerator(seed: 77)
        var refused = 0
        for seed in 0..<400 {
            let history = SequenceHistory(seed: UInt64(seed % 20), authors: 3, steps: 25, sync: 40)
            var order = SequenceOrder()
            for step in history.steps { order.apply(step) }
            var bytes = order.encoded
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                // Past the names of the replicas, where it matters.
                let place = Int.random(in: min(49, bytes.count - 1)..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                default: bytes.removeSubrange(place...)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            do {
                let read = try decode(bytes)
                read.tree.checkInvariants()
                #expect(read.encoded == bytes)
            } catch {
                refused += 1
            }
        }
        #expect(refused > 100)
    }
}
