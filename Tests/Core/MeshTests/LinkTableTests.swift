// Two links to one device: both ends must keep the same one, whatever they see first.

import Bytes
import Causality
import Testing

@testable import Mesh

private func device(_ n: UInt8) -> DeviceID { DeviceID(publicKey: Bytes32([UInt8](repeating: n, count: 32))) }

@Suite struct LinkTableTests {
    /// Links that two devices open to each other at once, seen by each end in its own order.
    @Test("both ends keep one and the same link, whoever dialled and whatever order they saw")
    func symmetric() {
        let (a, b) = (device(1), device(2))
        var dice = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            // Connections 0..<n; each is dialled by a or by b.
            let count = Int.random(in: 2...4, using: &dice)
            let byA = (0..<count).map { _ in Bool.random(using: &dice) }
            var (tableA, tableB) = (LinkTable<Int>(own: a), LinkTable<Int>(own: b))
            var closed: Set<Int> = []
            for c in (0..<count).shuffled(using: &dice) {
                let verdict = tableA.enter(c, peer: b, instance: 1, isInitiator: byA[c]) { _ in false }
                closed.formUnion(verdict.close)
                if !verdict.isAccepted { closed.insert(c) }
            }
            for c in (0..<count).shuffled(using: &dice) {
                let verdict = tableB.enter(c, peer: a, instance: 2, isInitiator: !byA[c]) { _ in false }
                closed.formUnion(verdict.close)
                if !verdict.isAccepted { closed.insert(c) }
            }
            let kept = (0..<count).filter { !closed.contains($0) }
            #expect(kept.count == 1, "dialled by a: \(byA), closed: \(closed.sorted())")
            if byA.contains(true), let first = kept.first {
                #expect(byA[first], "the lower device's link stays")
            }
            for c in closed {
                tableA.remove(c)
                tableB.remove(c)
            }
            #expect(tableA.connections == kept && tableB.connections == kept)
        }
    }

    @Test("a silent link never wins, even if the lower device dialled it")
    func silent() {
        var table = LinkTable<Int>(own: device(1))
        _ = table.enter(1, peer: device(2), instance: 5, isInitiator: true) { _ in false }
        let verdict = table.enter(2, peer: device(2), instance: 5, isInitiator: false) { _ in true }
        #expect(verdict == LinkTable<Int>.Verdict(isAccepted: true, close: [1], probe: []))
        #expect(table.connections == [2])
    }

    @Test("another instance of a device is accepted and the older one asked for a sign of life")
    func instances() {
        var table = LinkTable<Int>(own: device(1))
        _ = table.enter(1, peer: device(2), instance: 5, isInitiator: true) { _ in false }
        let verdict = table.enter(2, peer: device(2), instance: 6, isInitiator: true) { _ in false }
        #expect(verdict == LinkTable<Int>.Verdict(isAccepted: true, close: [], probe: [1]))
        #expect(table.count == 2)
        #expect(table.peers == [device(2)])
    }
}
