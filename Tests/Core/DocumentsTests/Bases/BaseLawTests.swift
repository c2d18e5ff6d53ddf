// The laws of bases (LIFECYCLE 2 and 3) over drawn histories: a base is a function of what the checkpoint
// holds, going on from one shows in nothing, and everybody ends in the same bytes. REPL_BASE_LAWS=100000 in a
// release build runs more of them (Sources/Docs/TESTING.md); a history that fails is named by its seed.

import Causality
import DocumentModel
import Glibc
import Testing

@testable import Documents

@Suite struct BaseLawTests {
    /// How many drawn histories of each sort of author.
    private static var histories: UInt64 {
        getenv("REPL_BASE_LAWS").flatMap { UInt64(String(cString: $0)) } ?? 40
    }

    private static func history(_ seed: UInt64, _ authors: Authors) -> BaseHistory {
        let kinds = ContainerKind.allCases
        let focus = seed % 2 == 0 ? nil : kinds[Int(seed / 2) % kinds.count]
        return BaseHistory(seed: seed, authors, replicas: 3, changes: 9, focus: focus)
    }

    @Test(
        "a base is the same in any order; who went on from one ends in the same bytes as everybody else",
        arguments: Authors.allCases)
    func confluence(authors: Authors) throws {
        for seed in 0..<Self.histories {
            let history = Self.history(seed, authors)
            var random = SeededGenerator(seed: seed)
            let comment = Comment(rawValue: "\(authors) \(seed)")
            for level in 1..<history.chain.count + 1 {
                let again = history.chain.made(level, history.all, using: &random)
                #expect(again == history.chain.base(level), comment)
            }
            // A newcomer, two observers with moments of their own, and the authors.
            let last = history.chain.count
            var newcomer = history.chain.document(last)
            let rest = history.all.filter { !history.chain.held(last).contains($0.last) }
            let order = DeliveryOrders.drawn(of: rest, after: history.chain.held(last), using: &random)
            for change in order {
                _ = newcomer.apply(change.operations, stamps: change.stamps, wantsPatches: false)
            }
            newcomer.purge(asOf: history.chain.stable(last))
            newcomer.checkInvariants()
            let expected = newcomer.encodeSnapshot()
            for number in [98, 99] as [UInt64] {
                let observer = try observe(history, number, using: &random)
                #expect(observer.document.encodeSnapshot() == expected, comment)
            }
            for author in history.replicas {
                var author = author
                for change in history.changes { author.execute(change, history.chain) }
                author.rebase(to: last, history.chain)
                author.purge(history.chain)
                author.purge(history.chain)
                #expect(author.replica.document.encodeSnapshot() == expected, comment)
            }
            let model = ModelDocument(
                of: history.all, forgetting: history.chain.forgotten(last, history.all))
            #expect(model.typed == newcomer.typed, comment)
            #expect(model.plain == newcomer.plain, comment)
        }
    }

    /// Executes everything in a drawn order, with rebases, purges and snapshots in between.
    private func observe(
        _ history: BaseHistory, _ number: UInt64, using random: inout SeededGenerator
    ) throws -> SimulatedReplica {
        var observer = BasedReplica(SimulatedReplica(number))
        let order = DeliveryOrders.drawn(of: history.all, after: VersionVector(), using: &random)
        for change in order {
            guard let based = history.changes.first(where: { $0.change.last == change.last }) else {
                continue
            }
            observer.execute(based, history.chain)
            switch Int.random(in: 0...5, using: &random) {
            case 0, 1: observer.purge(history.chain)
            case 2:
                observer.rebase(to: Int.random(in: 0...history.chain.count, using: &random), history.chain)
            case 3: try observer.replica.reopen()
            default: break
            }
        }
        observer.rebase(to: history.chain.count, history.chain)
        observer.purge(history.chain)
        return observer.replica
    }

    @Test("who goes on from bases and who never does see the same after every change")
    func neverObservable() throws {
        for seed in 0..<Self.histories {
            let history = Self.history(seed + 50_000, .unaware)
            var random = SeededGenerator(seed: seed)
            var (based, never) = (BasedReplica(SimulatedReplica(98)), SimulatedReplica(99))
            for change in DeliveryOrders.drawn(of: history.all, after: VersionVector(), using: &random) {
                based.execute(BasedChange(change: change, level: 0), history.chain)
                never.execute(change)
                if Bool.random(using: &random) {
                    for level in 1..<history.chain.count + 1 { based.rebase(to: level, history.chain) }
                    based.purge(history.chain)
                }
                let comment = Comment(rawValue: "\(seed), after \(change.last)")
                #expect(based.replica.document.typed == never.document.typed, comment)
                #expect(based.replica.plain == never.plain, comment)
            }
        }
    }

    @Test("after every change a document shows what the definition says of its base and the rest")
    func definition() throws {
        for seed in 0..<Self.histories / 4 {
            let history = Self.history(seed + 90_000, .hostile)
            var random = SeededGenerator(seed: seed)
            var observer = BasedReplica(SimulatedReplica(98))
            for change in DeliveryOrders.drawn(of: history.all, after: VersionVector(), using: &random) {
                guard let based = history.changes.first(where: { $0.change.last == change.last }) else {
                    continue
                }
                observer.execute(based, history.chain)
                if Bool.random(using: &random) {
                    observer.rebase(
                        to: Int.random(in: 0...history.chain.count, using: &random), history.chain)
                }
                let forgotten = history.chain.forgotten(observer.level, history.all)
                let model = ModelDocument(of: observer.executed, forgetting: forgotten)
                let comment = Comment(rawValue: "\(seed), after \(change.last)")
                #expect(model.typed == observer.replica.document.typed, comment)
            }
        }
    }
}
