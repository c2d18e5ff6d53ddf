// Checkpoints that stand on nodes: what each holds, what it lets go of documents, and what comes too late for
// it (LIFECYCLE 2), by the definitions and from the changes that the world knows.

import Bytes
import Causality
import DocumentModel
import Documents
import Identity
import Node
import Wire

extension Checker {
    /// Documents that a new base may have changed are compared again. True: the node came to one.
    mutating func takeChains(
        _ index: Int, _ store: MemoryStore, in space: SpaceID, _ world: borrowing World
    ) throws(Violation) -> Bool {
        guard let chains = world.nodes[index].node?.inspectCheckpoints(in: space) else { return false }
        let (before, now) = (views[index].chains.map { $0.last?.id }, chains.map { $0.last?.id })
        if before == now { return false }
        try checkMoved(index, from: views[index].chains.last, to: chains.last)
        views[index].chains = chains
        views[index].ended = chains.last.map { ended(by: $0, at: index) } ?? [:]
        if !views[index].ended.isEmpty { marks.insert("log-ended") }
        views[index].recordChanged(sortedKeys.map { Key(String(decoding: $0, as: UTF8.self)) })
        try checkStanding(index)
        try takeTaken(index, store, in: space)
        if before.isEmpty { recordInBase(index) }
        return true
    }

    /// A newcomer hears nothing of checkpoints before its base, nor of what came late for them, also of what
    /// it held already.
    private mutating func recordInBase(_ index: Int) {
        for held in views[index].held.values {
            let final = universe.held(held, from: SequenceNumber(1)).filter {
                isFinal($0, by: views[index].chains.last)
            }
            views[index].inBase.formUnion(final)
        }
    }

    /// A checkpoint that stands never unstands: of those that nodes are on each follows the others. Rivals
    /// can stand where a device that both waited for signed both ways; then the greater counts.
    private mutating func checkStanding(_ index: Int) throws(Violation) {
        for chain in views[index].chains {
            guard let (known, told) = zip(standing, chain).first(where: { $0.id != $1.id }) else {
                if chain.count > standing.count { standing = chain }
                continue
            }
            let both = known.required.intersection(told.required)
            guard both.contains(where: { universe.forking.contains($0) || excused.contains($0) }) else {
                throw Violation(
                    .oneChain,
                    "node \(index) goes on from checkpoint \(told.id), and elsewhere \(known.id) stands")
            }
            marks.insert("rivals-stand")
            if told.counts(before: known) { standing = chain }
        }
    }

    /// Nobody goes from the rival that counts to the lesser one.
    private func checkMoved(
        _ index: Int, from former: [InspectedCheckpoint]?, to new: [InspectedCheckpoint]?
    ) throws(Violation) {
        guard let parted = zip(former ?? [], new ?? []).first(where: { $0.id != $1.id }),
            parted.0.counts(before: parted.1)
        else { return }
        throw Violation(
            .oneChain, "node \(index) went from checkpoint \(parted.0.id) to \(parted.1.id), its lesser rival"
        )
    }

    /// A disk was put back: what stood there only is known to nobody any more, and the others may agree on
    /// something else. `view`: what the node is on again.
    mutating func putBack(_ index: Int, to view: NodeView) {
        views[index].chains = view.chains
        forgetStanding()
    }

    /// The longest chain that an honest node is on stands.
    mutating func forgetStanding() {
        let chains = views.indices.filter { !traitors.contains($0) }.flatMap { views[$0].chains }
        standing =
            chains.max { one, other in
                let parted = zip(one, other).first { $0.id != $1.id }
                return parted.map { $1.counts(before: $0) } ?? (one.count < other.count)
            } ?? []
    }

    /// A node that did not hold what its new base does has taken it, and what is in it is no news there.
    private mutating func takeTaken(_ index: Int, _ store: MemoryStore, in space: SpaceID) throws(Violation) {
        guard let newest = views[index].chains.last?.last, let final = finals[newest.id] else { return }
        let isTaken = final.contains { replica, held in
            universe.last(held) > max(views[index].vector[replica], universe.last(views[index].held[replica]))
        }
        guard isTaken else { return }
        marks.insert("base-taken")
        views[index].isMoved = true
        let cuts: VersionVector
        do throws(StoreFailure) {
            cuts = try store.cuts(space)
        } catch {
            throw Violation(.stored, "node \(index): \(error)")
        }
        for cut in cuts.entries where universe.last(views[index].held[cut.replica]) < cut.last {
            guard let held = universe.prefix(of: final[cut.replica], through: cut.last) else {
                throw Violation(
                    .stored,
                    "node \(index) has log \(cut.replica) begin at \(cut.last), which its base does not hold")
            }
            marks.insert("log-begins-at-cut")
            views[index].held[cut.replica] = held
            views[index].vector.advance(cut.replica, to: cut.last)
            for number in universe.held(held, from: SequenceNumber(1)) {
                views[index].statuses[number] =
                    isLate(number, at: index) ? .void : universe[number].status
            }
        }
    }

    /// A newcomer that takes a base shows nothing. Of one that is gone with the batch in which it answered
    /// nobody knows whether it had begun to.
    func isHiding(_ index: Int, _ world: borrowing World) -> Bool {
        guard let space else { return false }
        guard let node = world.nodes[index].node else { return true }
        return views[index].wasHiding || node.hidesDocuments(in: space)
    }

    // MARK: What is final

    /// A node came to a checkpoint. Whoever comes to it first has computed its base, and holds what it means
    /// beyond the one before.
    mutating func takeFinals(_ index: Int) {
        guard let newest = views[index].chains.last?.last else { return }
        var covered = covered(by: newest, at: index)
        // Nothing behind the end of a log that ended before.
        let before = views[index].chains.last.map { ended(by: Array($0.dropLast()), at: index) } ?? [:]
        for (replica, last) in before { covered.lower(replica, to: last) }
        coverages[newest.id] = covered
        if finals[newest.id] == nil {
            let former = views[index].chains.last?.dropLast().last { finals[$0.id] != nil }
            let known = former.flatMap { finals[$0.id] } ?? [:]
            finals[newest.id] = Dictionary(
                uniqueKeysWithValues: covered.entries.compactMap { entry in
                    let last = min(entry.last, views[index].closed[entry.replica]?.previous ?? .max)
                    // Of what the one before held as well the node may have nothing but the base.
                    let isKnown = universe.last(known[entry.replica]) >= last
                    let held = isKnown ? known[entry.replica] : views[index].held[entry.replica]
                    return universe.prefix(of: held, through: last).map { (entry.replica, $0) }
                })
        }
        // Of a log that goes on in two ways the base may have what the node's own log has not.
        for replica in views[index].closed.keys {
            let last = universe.last(finals[newest.id]?[replica])
            if last > .none { views[index].vector.advance(replica, to: last) }
        }
    }

    /// What is final of a log at a node; nil: nothing is.
    private func final(of replica: ReplicaID, by chain: [InspectedCheckpoint]?) -> HeldBranch? {
        chain?.last.flatMap { finals[$0.id]?[replica] }
    }

    /// True for a change that the node's base has, whether or not its log does.
    func isFinal(_ number: Int, by chain: [InspectedCheckpoint]?) -> Bool {
        universe.contains(number, final(of: universe[number].change.replica, by: chain))
    }

    /// What counts at a node: as far as its vector says, and of a closed log as far as its base holds it, of
    /// which the node may have another branch only.
    func counted(at index: Int) -> VersionVector {
        var counted = views[index].counted
        for replica in views[index].closed.keys {
            let last = universe.last(final(of: replica, by: views[index].chains.last))
            counted.advance(replica, to: min(last, views[index].end(of: replica)))
        }
        return counted
    }

    /// True for a change that is void at a node because its log goes on in two ways: it is closed there, or
    /// another branch is final.
    func isForked(_ number: Int, at index: Int) -> Bool {
        let change = universe[number].change
        if views[index].isClosed(change) { return true }
        let chain = views[index].chains.last
        return universe.last(final(of: change.replica, by: chain)) >= change.last
            && !isFinal(number, by: chain)
    }

    /// The change of a node's log, or of its base, that ends at a dot or is the one that goes beyond it; nil:
    /// it holds none.
    func lastNumber(of dot: Dot, at index: Int) -> Int? {
        let final = final(of: dot.replica, by: views[index].chains.last)
        let held = universe.last(final) >= dot.sequence ? final : views[index].held[dot.replica]
        return universe.held(held, from: dot.sequence).first
    }

    /// True when a node goes on from a checkpoint that holds a log up to there: it is closed behind that.
    func isClosedByCheckpoint(_ replica: ReplicaID, at first: SequenceNumber, _ index: Int) -> Bool {
        if finals.values.contains(where: { universe.last($0[replica]) == first.previous }) { return true }
        guard let newest = views[index].chains.last?.last else { return false }
        return covered(by: newest, at: index)[replica] == first.previous
    }

    /// What a checkpoint holds: a change of its author, and all that was made on.
    func covered(by checkpoint: InspectedCheckpoint, at index: Int) -> VersionVector {
        if let known = coverages[checkpoint.id] { return known }
        let witness = checkpoint.witness
        let number =
            universe.number(of: witness, views[index].held[witness.replica])
            ?? views.lazy.compactMap { universe.number(of: witness, $0.held[witness.replica]) }.first
        var covered = number.map { universe[$0].change.context } ?? VersionVector()
        covered.advance(to: witness)
        return covered
    }

    /// What a chain of checkpoints forgot of a document. All that they hold is final, so one answer stands.
    func forgotten(
        of key: [UInt8], _ changes: [ModelChange], by chain: [InspectedCheckpoint], at index: Int
    ) -> ModelForgotten {
        guard chain.count > 1, let newest = chain.last else { return ModelForgotten() }
        let name = KnownForgotten.Name(key: key, checkpoint: newest.id)
        if let known = knownForgotten.answers[name] { return known }
        let held = chain.map { checkpoint in
            covered(by: checkpoint, at: index).entries.map { (replica: $0.replica, last: $0.last.value) }
        }
        let forgotten = ModelForgotten(of: key, changes, chain: held)
        knownForgotten.answers[name] = forgotten
        return forgotten
    }

    /// Who holds an acknowledgement holds what it names.
    mutating func learnAcknowledged(in number: Int, at index: Int, _ world: borrowing World) {
        guard let space, let node = world.nodes[index].node else { return }
        for operation in universe[number].change.operations {
            guard case .acknowledge(let id?) = operation.body, followed[id] == nil else { continue }
            let chain = node.inspectChain(to: id, in: space)
            if !chain.isEmpty { followed[id] = Set(chain) }
        }
    }

    /// True for a change beyond the checkpoint that this node goes on from whose author may not have known
    /// what that lets go: nothing before it in its log acknowledges the checkpoint before or a later one, and
    /// its context does not cover what the one before holds.
    func isLate(_ number: Int, at index: Int) -> Bool {
        views[index].chains.contains { lateness(of: number, by: $0, at: index) != nil }
    }

    /// A checkpoint makes no change late of an author whom it waited for, if that author's disk was never
    /// exchanged.
    func checkMayBeLate(_ number: Int, at index: Int) throws(Violation) {
        let change = universe[number].change
        guard let author = universe.devices[change.replica], !universe.forking.contains(author),
            !excused.contains(author),
            views[index].chains.contains(where: { chain in
                lateness(of: number, by: chain, at: index)?.required.contains(author) ?? false
            })
        else { return }
        throw Violation(
            .neverLate,
            "node \(index) has \(change.id) of \(author.short) as late, which was waited for: "
                + log(of: change.replica, at: index))
    }

    /// For a message: the checkpoints that a node goes on from, and what a log acknowledges.
    func log(of replica: ReplicaID, at index: Int) -> String {
        func short(_ id: Bytes32) -> String { String(SpaceID(raw: id).description.prefix(8)) }
        let chain = (views[index].chains.last ?? []).suffix(3).map { checkpoint in
            "\(short(checkpoint.id)) (to \(covered(by: checkpoint, at: index)[replica].value))"
        }
        var said: [String] = []
        for number in universe.held(views[index].held[replica], from: SequenceNumber(1)) {
            for operation in universe[number].change.operations {
                guard case .acknowledge(let id) = operation.body else { continue }
                said.append("\(universe[number].change.last.value): \(id.map(short) ?? "nothing")")
            }
        }
        return "on \(chain.joined(separator: ", ")); its log acknowledges \(said.joined(separator: ", "))"
    }

    /// The checkpoint of a chain for which a change came too late; nil: it did not.
    private func lateness(
        of number: Int, by chain: [InspectedCheckpoint], at index: Int
    ) -> InspectedCheckpoint? {
        guard chain.count > 1, let newest = chain.last else { return nil }
        let change = universe[number].change
        if covered(by: newest, at: index)[change.replica] >= change.first {
            // Final, as the one before says.
            return lateness(of: number, by: Array(chain.dropLast()), at: index)
        }
        if let end = ended(by: chain, at: index)[change.replica], change.first > end { return newest }
        let released = chain[chain.count - 2]
        let held = views[index].held[change.replica]
        // What a base holds is known where its log is not.
        let final = final(of: change.replica, by: views[index].chains.last)
        let log = universe.contains(number, held) ? held : final
        for known in universe.held(log, from: SequenceNumber(1)) {
            let before = universe[known].change
            if before.first >= change.first { break }
            for operation in before.operations {
                guard case .acknowledge(let id?) = operation.body else { continue }
                if followed[id]?.contains(released.id) == true { return nil }
            }
        }
        let coversReleased = covered(by: released, at: index).entries.allSatisfy { entry in
            // Of a closed log nobody is asked for more than its trunk.
            let needed = min(entry.last, views[index].end(of: entry.replica))
            return entry.replica == change.replica || change.context[entry.replica] >= needed
        }
        return coversReleased ? nil : newest
    }
}

extension InspectedCheckpoint {
    fileprivate func counts(before rival: Self) -> Bool {
        depth == rival.depth ? rival.id < id : rival.depth < depth
    }
}

/// Models of what was forgotten, kept: to make one takes as many models of the document as there are
/// checkpoints.
final class KnownForgotten {
    struct Name: Hashable {
        let key: [UInt8]
        let checkpoint: Bytes32
    }

    var answers: [Name: ModelForgotten] = [:]
}
