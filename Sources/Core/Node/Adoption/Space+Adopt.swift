// Adopting a void change: a change of our own that merges what it says into what is here, and names it
// (decisions 0172, 0173). The mark that it was done is in the same store transaction.

import Bytes
import Causality
import Crypto
public import Documents
import Identity
import Replication
import Wire

/// Why a change was not adopted, or not all of it. Raw values are those of the API.
public enum AdoptionSkip: Hashable, Sendable {
    /// This device adopted it before.
    case adopted
    /// It is not held here.
    case notHeld
    /// It counts, or is about to.
    case notVoid
    /// It is against the rules of operations.
    case invalid
    /// It has operations of a newer version.
    case newerVersion
    /// It adopts another change itself.
    case adoption
    /// Its log went on in two ways, and its device wrote it again.
    case reissued
    /// A document that it touches is incomplete or cannot be read here.
    case incomplete
    /// What it becomes is larger than a change may be.
    case tooLarge
    /// Nothing of it is left to be made: what it deletes is gone.
    case nothing
    /// Nothing of it could be made.
    case refused(AdoptionRefusal)
    /// It was adopted, but not all of it.
    case partly(AdoptionRefusal)

    public var name: String {
        switch self {
        case .adopted: "adopted"
        case .notHeld: "not-held"
        case .notVoid: "not-void"
        case .invalid: "invalid"
        case .newerVersion: "newer-version"
        case .adoption: "adoption"
        case .reissued: "issued-again"
        case .incomplete: "incomplete"
        case .tooLarge: "too-large"
        case .nothing: "nothing-left"
        case .refused(let refusal): refusal.rawValue
        case .partly(let refusal): "partly-\(refusal.rawValue)"
        }
    }
}

/// What adopting one change came to.
enum AdoptionOutcome: Equatable, Sendable {
    case skipped(AdoptionSkip)
    /// `left`: what could not be made of it. `isElsewhere`: another device adopted it too.
    case adopted(by: Dot, left: AdoptionRefusal?, isElsewhere: Bool)
}

extension Space {
    /// Adopts one change, if it can be; whether the node may write is the caller's to ask.
    mutating func adopt(
        _ id: Dot, by device: DeviceID, _ entropy: inout Entropy, at now: Instant, cursors epoch: UInt64,
        with logs: inout LogReader, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> AdoptionOutcome {
        let space = self.id
        let (change, skip) = try transaction.writing { transaction throws(StoreFailure) in
            try writeRun(to: &transaction)
            return try adoptable(id, with: &logs, from: transaction.store)
        }
        guard let change else { return .skipped(skip) }
        for key in change.touched {
            guard try isComplete(key, in: &transaction) else { return .skipped(.incomplete) }
        }
        var draft = try transaction.writing { transaction throws(StoreFailure) in
            try openOwnLog(of: device, &entropy, in: &transaction)
            return try self.draft(at: now, touching: change.touched, from: &transaction)
        }
        guard let mark = mark(of: change, in: draft) else { return .skipped(.nothing) }
        draft.operations.append(mark)
        draft.next = draft.next.advanced(by: 1)
        let made = try merge(change, into: &draft, with: &logs, in: &transaction)
        guard draft.operations.count > 1 else {
            return .skipped(made.refusal.map { .refused($0) } ?? .nothing)
        }
        let outcome: TransactionOutcome
        do throws(NodeError) {
            outcome = try finish(draft, cursors: epoch, in: &transaction)
        } catch {
            guard case .transactionTooLarge = error else { throw error }
            try transaction.writing { transaction throws(StoreFailure) in
                try undo(draft, from: &transaction)
            }
            return .skipped(.tooLarge)
        }
        guard let adopting = outcome.change else {
            preconditionFailure("a draft with operations is a change")
        }
        let record = AdoptionRecord(change: adopting, copies: made.copies)
        let isElsewhere = try transaction.writing { transaction throws(StoreFailure) in
            try record.write(id, by: .own, in: space, to: &transaction.store)
            return try transaction.store.standingAdoption(of: id, by: .other, in: space, with: &logs) != nil
        }
        return .adopted(by: adopting, left: made.refusal, isElsewhere: isElsewhere)
    }

    /// The change, or why it is not to be adopted.
    private func adoptable(_ id: Dot, with logs: inout LogReader, from store: some StoreReading)
        throws(StoreFailure) -> (Change?, AdoptionSkip)
    {
        guard let record = try store.status(of: id, in: self.id, with: &logs) else { return (nil, .notHeld) }
        guard record.status == .void else { return (nil, .notVoid) }
        if try store.standingAdoption(of: id, by: .own, in: self.id, with: &logs) != nil,
            !isPlanted("adopted-twice")
        {
            return (nil, .adopted)
        }
        let change = try logs.change(record, from: store)
        if !Admission.isStaticallyValid(change) { return (nil, .invalid) }
        if Admission.hasUnknownOperations(change) { return (nil, .newerVersion) }
        if change.operations.first?.adopted != nil { return (nil, .adoption) }
        return (change, .nothing)
    }

    private mutating func isComplete(
        _ key: Key, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> Bool {
        try transaction.writing { transaction throws(StoreFailure) in
            do throws(StoreFailure) {
                let cached = try documents.take(key, from: transaction.store)
                defer { documents.cache.put(cached) }
                return !cached.document.isIncomplete
            } catch {
                guard case .unusable = error else { throw error }
                return false
            }
        }
    }

    /// The operation that says what the draft adopts; nil: the draft was made on nothing.
    private func mark(of change: Change, in draft: Draft) -> Operation? {
        let stamp = OperationStamp(dot: draft.next, timestamp: draft.timestamp, context: draft.context)
        let others = draft.context.entries.lazy.map { Dot($0.replica, $0.last) }
        let own = draft.first.value > 1 ? Dot(draft.replica, draft.first.previous) : nil
        let seen = stamp.covers(change.id) ? change.id : others.first ?? own
        guard let seen, let document = change.touched.first else { return nil }
        return Operation(adopting: change.id, in: document, naming: seen)
    }

    /// Makes the operations of a change again, one by one.
    private mutating func merge(
        _ change: Change, into draft: inout Draft, with logs: inout LogReader,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> (copies: [AdoptedRange], refusal: AdoptionRefusal?) {
        try transaction.writing { transaction throws(StoreFailure) in
            var recall = AdoptionRecall(
                transaction.store, id, of: change, first: Dot(draft.replica, draft.first), logs: logs)
            var refusal: AdoptionRefusal?
            for (operation, stamp) in zip(change.operations, change.stamps()) where operation.touchesDocument
            {
                var cached = try documents.take(operation.document, from: transaction.store)
                if draft.before[operation.document] == nil {
                    draft.before[operation.document] = cached.record
                }
                let released = try released(of: operation.document, in: transaction.store)
                let adopted = cached.document.adopt(
                    operation, stamp, &recall, dot: draft.next, timestamp: draft.timestamp,
                    context: draft.context, released: released, wantsPatches: watchers > 0)
                documents.cache.put(cached)
                for copy in adopted.copies { recall.copies.add(copy) }
                draft.add(adopted.authored, to: operation.document)
                refusal = refusal ?? adopted.refusal
            }
            if let failure = recall.failure { throw failure }
            logs = recall.logs
            return (recall.copies, refusal)
        }
    }

    /// Of what a document's marks may be merged: nothing, where it is younger than the base.
    private func released(of key: Key, in store: some StoreReading) throws(StoreFailure) -> VersionVector {
        guard let base = documents.bases.newest else { return VersionVector() }
        if try store.base(id, key) != nil { return base.released }
        return try store.candidate(id, key) != nil ? base.released : VersionVector()
    }

    /// A change that was just appended adopts another: that is remembered.
    mutating func recordAdoption(
        of adopted: Dot, by change: Change, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        try transaction.beginWriting()
        let isOwn = author(of: change.replica) == membership.device
        try AdoptionRecord(change: change.id).write(
            adopted, by: isOwn ? .own : .other, in: id, to: &transaction.store)
    }
}
