// Histories with a chain of checkpoints: W1 ⊂ W2 ⊂ …, V of each being W of the one before. Who writes after
// a checkpoint was made has seen V of it, not W, so operations concurrent with W∖V exist; who knows that one
// stands goes on from its base, and nobody hears of what such an author wrote before knowing it too (the
// acknowledgements stand in its context).

import Bytes
import Causality
import DocumentModel
import Testing

@testable import Documents

/// One change, and how many checkpoints its author knew to stand.
struct BasedChange {
    let change: TestChange
    let level: Int
}

/// Who writes in a history.
enum Authors: CaseIterable {
    /// Honest ones who never hear that a checkpoint stands: nothing that they see was ever dropped.
    case unaware
    /// Honest ones who go on from bases, each from its own moment on.
    case aware
    /// Among them one who makes old operations again under new dots, naming whatever was dropped.
    case hostile
}

/// A drawn history with its checkpoints.
struct BaseHistory {
    private(set) var changes: [BasedChange] = []
    private(set) var chain = BaseChain()
    private(set) var replicas: [BasedReplica]
    let authors: Authors
    var requests: RandomRequests

    init(seed: UInt64, _ authors: Authors, replicas count: Int, changes target: Int, focus: ContainerKind?) {
        requests = RandomRequests(seed: seed, focus: focus)
        self.authors = authors
        replicas = (1...UInt64(count)).map { BasedReplica(SimulatedReplica($0)) }
        var attempts = 0
        while changes.count < target && attempts < target * 4 {
            attempts += 1
            step(requests.number(0...count - 1))
            if requests.number(0...3) == 0 && !changes.isEmpty { propose() }
        }
    }

    var all: [TestChange] { changes.map(\.change) }

    private mutating func step(_ index: Int) {
        // Skewed clocks that also step back.
        replicas[index].replica.clock = UInt64(requests.number(1...2_000))
        if requests.number(0...1) == 0 {
            for change in changes where requests.number(0...3) > 0 {
                replicas[index].execute(change, chain)
            }
        }
        if authors != .unaware && requests.number(0...1) == 0 {
            replicas[index].rebase(to: chain.count, chain)
        }
        if authors == .hostile, requests.number(0...2) == 0, let change = repeated(by: index) {
            changes.append(BasedChange(change: change, level: replicas[index].level))
            replicas[index].noteExecuted(change)
            return
        }
        let transaction = requests.transaction(for: replicas[index].replica.document)
        guard let change = replicas[index].replica.author(transaction) else { return }
        changes.append(BasedChange(change: change, level: replicas[index].level))
        replicas[index].noteExecuted(change)
    }

    /// Somebody's old operation, made again: it names what may be gone.
    private mutating func repeated(by index: Int) -> TestChange? {
        guard !changes.isEmpty else { return nil }
        let old = requests.pick(requests.pick(all).operations)
        let stamp = replicas[index].replica.nextStamp()
        guard old.isStaticallyValid(stamp) else { return nil }
        let change = TestChange(operations: [old], stamps: [stamp])
        replicas[index].replica.execute(change)
        return change
    }

    /// A checkpoint: all hold W of the one before; W has what had not seen that, and some of the rest.
    private mutating func propose() {
        let stable = chain.held(chain.count)
        for index in replicas.indices {
            for change in changes where stable.contains(change.change.last) {
                replicas[index].execute(change, chain)
            }
        }
        var held = stable
        for change in all where !change.covers(stable) || requests.number(0...2) == 0 {
            held.join(change.stamps[0].context)
            held.advance(to: change.last)
        }
        guard held != stable else { return }
        chain.append(held, all, using: &requests.random)
    }
}

extension TestChange {
    func covers(_ vector: VersionVector) -> Bool {
        vector.entries.allSatisfy { stamps[0].covers(Dot($0.replica, $0.last)) }
    }
}

/// The checkpoints of a history and the bases made for them.
struct BaseChain {
    private var vectors: [VersionVector] = []
    private var bases: [[UInt8]?] = []

    var count: Int { vectors.count }
    /// W of a checkpoint, from 1 on; of 0: nothing.
    func held(_ level: Int) -> VersionVector { level == 0 ? VersionVector() : vectors[level - 1] }
    /// V of a checkpoint.
    func stable(_ level: Int) -> VersionVector { held(max(1, level) - 1) }
    func base(_ level: Int) -> [UInt8]? { level == 0 ? nil : bases[level - 1] }

    mutating func append(
        _ held: VersionVector, _ changes: [TestChange], using random: inout SeededGenerator
    ) {
        vectors.append(held)
        bases.append(nil)
        bases[count - 1] = made(count, changes, using: &random)
    }

    /// The base of a checkpoint, made in a drawn order.
    func made(_ level: Int, _ changes: [TestChange], using random: inout SeededGenerator) -> [UInt8]? {
        let (before, held) = (self.held(level - 1), self.held(level))
        let since = changes.filter { held.contains($0.last) && !before.contains($0.last) }
        var builder: BaseBuilder
        do throws(DecodeFault) {
            builder = try BaseBuilder(SimulatedReplica.key, from: base(level - 1))
        } catch {
            Issue.record("base \(level - 1) is unreadable: \(error)")
            return nil
        }
        for change in DeliveryOrders.drawn(of: since, after: before, using: &random) {
            builder.apply(change.operations, stamps: change.stamps)
        }
        let base = builder.finish(asOf: stable(level))
        base?.checkInvariants()
        return base?.encodeSnapshot()
    }

    /// The document of somebody who starts from a base.
    func document(_ level: Int) -> Document {
        do throws(DecodeFault) {
            return try base(level).map { bytes throws(DecodeFault) in try Document(snapshot: bytes) }
                ?? Document(key: SimulatedReplica.key)
        } catch {
            Issue.record("base \(level) is unreadable: \(error)")
            return Document(key: SimulatedReplica.key)
        }
    }

    /// What a model needs: the chain up to a checkpoint.
    func forgotten(_ level: Int, _ changes: [TestChange]) -> ModelForgotten {
        ModelForgotten(
            of: Array(SimulatedReplica.key.utf8), changes.map(\.forModel),
            chain: (0...level).map { level in
                held(level).entries.map { (replica: $0.replica, last: $0.last.value) }
            })
    }
}

/// A replica that goes on from bases.
struct BasedReplica {
    var replica: SimulatedReplica
    /// The newest checkpoint that it knows to stand; its document is that one's base and the rest.
    private(set) var level = 0
    private(set) var executed: [TestChange] = []

    init(_ replica: SimulatedReplica) { self.replica = replica }

    /// Executes a change when it is new and ready.
    mutating func execute(_ based: BasedChange, _ chain: BaseChain) {
        let change = based.change
        guard !replica.known.contains(change.last), change.isReady(after: replica.known) else { return }
        rebase(to: based.level, chain)
        replica.execute(change)
        executed.append(change)
    }

    mutating func noteExecuted(_ change: TestChange) { executed.append(change) }

    /// A checkpoint stands: the document is its base and the rest. Nothing while W of it is not here.
    mutating func rebase(to level: Int, _ chain: BaseChain) {
        guard level > self.level, replica.known.covers(chain.held(level)) else { return }
        self.level = level
        replica.document = chain.document(level)
        let held = chain.held(level)
        for change in executed where !held.contains(change.last) {
            _ = replica.document.apply(change.operations, stamps: change.stamps, wantsPatches: false)
        }
        replica.document.checkInvariants()
    }

    mutating func purge(_ chain: BaseChain) {
        replica.document.purge(asOf: chain.stable(level))
        replica.document.checkInvariants()
    }
}

extension DeliveryOrders {
    /// One causal order of what follows `known`.
    static func drawn(
        of changes: [TestChange], after known: VersionVector, using random: inout SeededGenerator
    ) -> [TestChange] {
        var known = known
        var waiting = changes
        var order: [TestChange] = []
        while true {
            let ready = waiting.indices.filter { waiting[$0].isReady(after: known) }
            guard let index = ready.randomElement(using: &random) else { break }
            let change = waiting.remove(at: index)
            known.advance(to: change.last)
            order.append(change)
        }
        precondition(waiting.isEmpty, "a checkpoint holds all that its changes were made on")
        return order
    }
}
