// The laws of THREATS.md, I1 and I2, for documents of all kinds mixed: whatever the order of delivery, and
// through snapshots, the same operations give the same document; and it is the one that the definition says.

import Bytes
import Causality
import DocumentModel
import Testing

@testable import Documents

/// A history: replicas author random changes and sometimes hear of each other's.
func history(
    seed: UInt64, replicas count: Int, changes target: Int, focus: ContainerKind? = nil
) -> (changes: [TestChange], [SimulatedReplica]) {
    var requests = RandomRequests(seed: seed, focus: focus)
    var replicas = (1...UInt64(count)).map { SimulatedReplica($0) }
    var changes: [TestChange] = []
    var attempts = 0
    while changes.count < target && attempts < target * 4 {
        attempts += 1
        let index = requests.number(0...count - 1)
        // Skewed clocks that also step back.
        replicas[index].clock = UInt64(requests.number(1...2_000))
        if requests.number(0...2) == 0 {
            let heard = changes.filter { $0.isReady(after: replicas[index].known) }
            for change in heard where requests.number(0...3) > 0 {
                if change.isReady(after: replicas[index].known) { replicas[index].execute(change) }
            }
        }
        let transaction = requests.transaction(for: replicas[index].document)
        if let change = replicas[index].author(transaction) { changes.append(change) }
    }
    return (changes, replicas)
}

func replay(_ order: [TestChange], reopening: Set<Int> = []) throws -> SimulatedReplica {
    var replica = SimulatedReplica(99)
    for (index, change) in order.enumerated() {
        replica.execute(change)
        if reopening.contains(index) { try replica.reopen() }
    }
    return replica
}

@Suite struct LawSuiteTests {
    @Test("every causal order of a small history gives the same bytes", arguments: 0..<30 as Range<UInt64>)
    func exhaustive(seed: UInt64) throws {
        let (changes, _) = history(seed: seed, replicas: 3, changes: 6)
        let orders = DeliveryOrders.all(of: changes, limit: 60)
        let first = try replay(changes)
        for order in orders { expectEqual(first, try replay(order), "seed \(seed)") }
    }

    @Test(
        "a drawn order, with snapshots in between, ends as the authors do and as the definition says",
        arguments: 1_000..<1_060 as Range<UInt64>)
    func sampled(seed: UInt64) throws {
        var (changes, replicas) = history(seed: seed, replicas: 4, changes: 24)
        exchange(&replicas, changes)
        var random = SeededGenerator(seed: seed)
        let order = DeliveryOrders.drawn(of: changes, using: &random)
        let reopening = Set(order.indices.filter { _ in Int.random(in: 0...3, using: &random) == 0 })
        let other = try replay(order, reopening: reopening)
        expectEqual(replicas[0], other, "seed \(seed)")
        let model = ModelDocument(of: order)
        #expect(model.plain == other.plain, "seed \(seed)")
        #expect(model.typed == other.document.typed, "seed \(seed)")
        #expect(other.document.typed?.plain == other.plain)
    }

    @Test(
        "each kind alone, with much concurrency, converges to what the definition says",
        arguments: ContainerKind.allCases, 0..<12 as Range<UInt64>)
    func focused(kind: ContainerKind, seed: UInt64) throws {
        var (changes, replicas) = history(seed: seed + 9_000, replicas: 4, changes: 20, focus: kind)
        exchange(&replicas, changes)
        var random = SeededGenerator(seed: seed)
        let other = try replay(DeliveryOrders.drawn(of: changes, using: &random), reopening: [5, 11])
        expectEqual(replicas[0], other, "\(kind) \(seed)")
        let model = ModelDocument(of: changes)
        #expect(model.plain == other.plain, "\(kind) \(seed)")
        #expect(model.typed == other.document.typed, "\(kind) \(seed)")
    }

    @Test("a long history with many replicas converges", arguments: 5_000..<5_003 as Range<UInt64>)
    func long(seed: UInt64) throws {
        var (changes, replicas) = history(seed: seed, replicas: 6, changes: 150)
        exchange(&replicas, changes)
        var random = SeededGenerator(seed: seed)
        let other = try replay(DeliveryOrders.drawn(of: changes, using: &random))
        expectEqual(replicas[0], other, "seed \(seed)")
        #expect(replicas[0].document.digest() == other.document.digest())
    }
}
