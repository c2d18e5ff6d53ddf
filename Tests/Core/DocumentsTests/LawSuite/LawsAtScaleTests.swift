// The laws over as many histories as one wants to wait for: REPL_LAWS=100000 in a release build runs a
// night's worth (Sources/Docs/TESTING.md); without it a few run with every build. A history that fails is
// named by its seed, and the seed is all one needs to see it again.

import Causality
import DocumentModel
import Glibc
import Testing

@testable import Documents

@Suite struct LawsAtScaleTests {
    /// How many drawn histories.
    private static var histories: UInt64 {
        getenv("REPL_LAWS").flatMap { UInt64(String(cString: $0)) } ?? 6
    }

    @Test(
        "every causal order of a small history of one kind gives the same bytes",
        arguments: ContainerKind.allCases)
    func everyOrder(kind: ContainerKind) throws {
        for seed in 0..<max(2, Self.histories / 1_000) {
            let (changes, _) = history(seed: seed + 700_000, replicas: 3, changes: 5, focus: kind)
            let first = try replay(changes)
            for order in DeliveryOrders.all(of: changes, limit: 120) {
                expectEqual(first, try replay(order), "\(kind) \(seed)")
            }
        }
    }

    @Test("histories that arrive in parts, twice, and through snapshots end alike and as the definition says")
    func inParts() throws {
        for seed in 0..<Self.histories {
            let kind = ContainerKind.allCases[Int(seed) % ContainerKind.allCases.count]
            let (changes, _) = history(
                seed: seed + 800_000, replicas: 4, changes: 30, focus: seed % 2 == 0 ? nil : kind)
            var random = SeededGenerator(seed: seed)
            var observers = [SimulatedReplica(98), SimulatedReplica(99)]
            for index in observers.indices {
                // Some arrive, some of them again, and whatever cannot be executed yet waits.
                for _ in 0..<6 {
                    let part = changes.filter { _ in Bool.random(using: &random) }
                    for change in part + part where change.isReady(after: observers[index].known) {
                        observers[index].execute(change)
                    }
                    if Bool.random(using: &random) { try observers[index].reopen() }
                }
                observers[index].execute(all: changes)
            }
            expectEqual(observers[0], observers[1], "seed \(seed)")
            let model = ModelDocument(of: changes)
            #expect(model.plain == observers[0].plain, "seed \(seed)")
            #expect(model.typed == observers[0].document.typed, "seed \(seed)")
        }
    }
}
