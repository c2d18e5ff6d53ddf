// Logs that go on in two ways: whose they may be, where each node closed them, and that nothing which was
// acknowledged is lost or counts twice by it (DESIGN 5; decisions 0062 and 0063).

import Bytes
import Causality
import DocumentModel
import Documents
import Identity
import Node
import Wire

extension Checker {
    /// Proofs that a node learned: its changes from there on are void. True: a checkpoint moved a closing,
    /// and what is final before it counts again.
    mutating func takeForks(_ index: Int, _ store: MemoryStore, in space: SpaceID) throws(Violation) -> Bool {
        var isLater = false
        let records: [ForkRecord]
        do throws(StoreFailure) {
            records = try store.forks(space)
        } catch {
            throw Violation(.stored, "node \(index): \(error)")
        }
        for record in records {
            let replica = record.replica
            let known = views[index].closed[replica]
            if known == record.first { continue }
            let isMoved = record.first > known ?? .max
            isLater = isLater || isMoved
            guard !isMoved || isClosedByCheckpoint(replica, at: record.first, index) else {
                throw Violation(
                    .sameValidity,
                    "node \(index) has log \(replica) closed at \(record.first), after it was at "
                        + "\(String(describing: known))")
            }
            // Its holder may be known by the proof only.
            if let device = universe.devices[replica], !universe.forking.contains(device) {
                throw Violation(
                    .oneChangeADot, "node \(index) closed log \(replica), which nobody wrote in two ways")
            }
            marks.insert(known == nil ? "log-closed" : isMoved ? "log-closed-later" : "log-closed-earlier")
            views[index].closed[replica] = record.first
            let from = min(record.first, known ?? .max)
            for number in universe.held(views[index].held[replica], from: from) {
                views[index].recordChanged(universe[number].documents)
            }
        }
        return isLater
    }

    /// Where logs are closed that anybody wrote: of what a branch would have been issued again into only some
    /// may know the name.
    func closed(at index: Int) -> [ReplicaID: SequenceNumber] {
        views[index].closed.filter { universe.branchesOf[$0.key] != nil }
    }

    /// The rows of a node's disk, with the numbers of their changes.
    func rows(
        of index: Int, _ store: MemoryStore, in space: SpaceID
    ) throws(Violation) -> [(number: Int, record: CommitRecord)] {
        let (records, cuts): ([CommitRecord], VersionVector)
        do throws(StoreFailure) {
            records = try store.commits(space, after: .start, limit: .max)
            cuts = try store.cuts(space)
        } catch {
            throw Violation(.stored, "node \(index): \(error)")
        }
        var rows: [(number: Int, record: CommitRecord)] = []
        for record in records {
            let dot = Dot(record.replica, record.last)
            if let number = universe.number(of: dot, views[index].held[dot.replica]) {
                rows.append((number, record))
            } else if !cuts.contains(dot) {
                // Before a cut it is of another branch than the base holds, in which the log begins now.
                throw Violation(.stored, "node \(index) has a record of \(dot), which it does not hold")
            }
        }
        return rows
    }

    /// What each record of a node's disk says of its change is what follows from its proofs.
    mutating func checkStatuses(_ index: Int, _ world: borrowing World) throws(Violation) {
        guard let space, !views[index].closed.isEmpty else { return }
        let store = world.nodes[index].node?.store ?? world.nodes[index].disk
        for (number, record) in try rows(of: index, store, in: space) {
            let known = universe[number]
            if isLate(number, at: index), views[index].inBase.contains(number) { continue }
            let isVoid = isForked(number, at: index) || isLate(number, at: index)
            let expected = isVoid ? .void : known.status
            guard record.status == expected else {
                throw Violation(
                    .sameValidity,
                    "node \(index): \(known.change.id) is \(record.status), "
                        + "not \(String(describing: expected))")
            }
        }
    }

    /// What is still to be re-issued, or was twice: each acknowledged transaction left one mark in the
    /// ledger. Nil when all is well at this node.
    /// `mayBeVoid` says of a change that it need not count.
    func ledgerFault(at index: Int, mayBeVoid: (Int) -> Bool = { _ in false }) -> String? {
        var shown: [Key: PlainValue] = [:]
        for number in 0..<Ledger.documents {
            let document = Ledger.document(UInt64(number))
            shown[document] = model(of: Array(document.utf8), at: index).plain
        }
        for (serial, change) in ledger.sorted(by: { $0.key < $1.key }) {
            let value = shown[Ledger.document(serial)]?[Ledger.key(serial)]
            switch value {
            case .scalar(.integer(1))?: continue
            // Adopted, and what was void stands again.
            case .scalar(.integer)? where isAdopted(in: Ledger.document(serial), at: index): continue
            case nil where change == nil || lost.contains(change ?? 0): continue
            case nil where change.map(mayBeVoid) == true: continue
            default:
                let dot = change.map { "\(universe[$0].change.id)" } ?? "no acknowledged change"
                return "transaction \(serial), \(dot), counts \(Self.string(value)) times at node \(index)"
                    + (change.map { ", " + statuses(of: $0) } ?? "")
            }
        }
        return nil
    }

    /// For a message: what a change is at the nodes that hold it.
    private func statuses(of number: Int) -> String {
        views.indices.filter { holds(number, at: $0) }.map { index in
            let status = status(number, at: index).map { "\($0)" } ?? "unknown"
            return "\(status) at node \(index)" + (isLate(number, at: index) ? " (late)" : "")
        }
        .joined(separator: ", ")
    }

    /// Something of the document was adopted: a counter may count it again.
    func isAdopted(in document: Key, at index: Int) -> Bool {
        (universe.touching[Array(document.utf8)] ?? []).contains {
            universe[$0].isAdopting && holds($0, at: index)
        }
    }
}

/// Where each transaction of a trial with forks counts itself, in the same change: a dot may get another name
/// when a branch is re-issued, so it cannot be looked for by its dot.
enum Ledger {
    static let documents = 4

    static func document(_ serial: UInt64) -> Key { Key("ledger/\(serial % UInt64(documents))") }
    static func key(_ serial: UInt64) -> Key { Key("t\(serial)") }
}
