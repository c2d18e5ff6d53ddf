// The local half of the road: a transaction becomes one change. Everything that can be refused is refused
// before the change exists; documents that a refused transaction had already touched are made again.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Wire

/// What a transaction came to.
struct TransactionOutcome: Sendable {
    /// Nil when it changed nothing.
    let change: Dot?
    let version: String
}

extension Space {
    /// What the transaction came to when its Idempotency-Key was seen first; nil: it was not, or has none.
    /// Of the table, not of a space: asked of one it would be copied whole beside the batch, for every write.
    static func outcomeOfRepeat(
        of request: Transaction, in space: SpaceID, from transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> TransactionOutcome? {
        guard let idempotency = request.idempotency, !isPlanted("repeated-transaction-written") else {
            return nil
        }
        let known = try transaction.reading { store throws(StoreFailure) in
            try store.idempotency(space, idempotency.key)
        }
        // One that is over stays until the next sweep, which knows whether the clock was set.
        guard let known else { return nil }
        guard known.bodyHash == idempotency.bodyHash else { throw .idempotencyKeyReused }
        return TransactionOutcome(change: known.change, version: known.version)
    }

    /// Checks the conditions, authors and executes. A throw leaves nothing of the transaction.
    mutating func transact(
        _ request: Transaction, by device: DeviceID, _ entropy: inout Entropy, at now: Instant,
        cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> TransactionOutcome {
        for (number, condition) in request.conditions.enumerated() {
            if try !holds(condition, in: &transaction) { throw .conditionFailed(index: number) }
        }
        let outcome = try author(request, by: device, &entropy, at: now, cursors: epoch, in: &transaction)
        guard let idempotency = request.idempotency else { return outcome }
        let record = IdempotencyRecord(
            bodyHash: idempotency.bodyHash, change: outcome.change, version: outcome.version,
            expires: now.wall + NodeLimits.idempotencyMilliseconds)
        try transaction.writing { transaction throws(StoreFailure) in
            try transaction.beginWriting()
            try transaction.store.put(id, idempotency.key, record)
        }
        return outcome
    }

    // MARK: Conditions

    private mutating func holds(
        _ condition: Condition, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> Bool {
        let cached = try transaction.reading(condition.document, of: id) { store throws(StoreFailure) in
            try documents.take(condition.document, from: store)
        }
        defer { documents.cache.put(cached) }
        switch condition.test {
        case .equals(let path, let value): return cached.document.value(at: path)?.readsLike(value) ?? false
        case .exists(let path, let expected): return (cached.document.value(at: path) != nil) == expected
        case .version(let text):
            guard let token = VersionToken(text) else { throw .invalidVersion(text) }
            let frontier = cached.record.frontier
            // What it showed is void, in part or whole: the document did change.
            if token.frontier.contains(where: closings.isClosed) { return false }
            if frontier.isEmpty, token.frontier.isEmpty { return true }
            // Of a document that is not there a checkpoint may have let go what the token does not know.
            let released = frontier.isEmpty ? documents.bases.newest?.released : nil
            let gone = released.map(closings.clamped)?.entries ?? []
            let asked = frontier + gone.map { Dot($0.replica, $0.last) }
            if asked.allSatisfy(token.frontier.contains) { return true }
            try transaction.writing { transaction throws(StoreFailure) in
                try logs.writeRun(to: &transaction)
            }
            return try transaction.reading { store throws(StoreFailure) in
                try past(of: token, covers: asked, in: store)
            }
        }
    }

    /// True when every dot is in the causal past of the token: nothing touched the document since.
    private func past(of token: VersionToken, covers dots: [Dot], in store: some StoreReading)
        throws(StoreFailure) -> Bool
    {
        var past = VersionVector()
        var reader = LogReader(space: id)
        let known = self.known
        for dot in token.frontier where known.contains(dot) {
            past.advance(to: dot)
            if let found = try reader.find(dot, from: store) { past.join(found.change.context) }
        }
        return dots.allSatisfy(past.contains)
    }

    // MARK: Authoring

    private mutating func author(
        _ request: Transaction, by device: DeviceID, _ entropy: inout Entropy, at now: Instant,
        cursors epoch: UInt64, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> TransactionOutcome {
        try transaction.writing { transaction throws(StoreFailure) in
            try openOwnLog(of: device, &entropy, in: &transaction)
        }
        try payAcknowledgement(by: device, &entropy, at: now, cursors: epoch, in: &transaction)
        var draft = try transaction.writing { transaction throws(StoreFailure) in
            try self.draft(
                at: now, touching: request.operations.lazy.map(\.document), from: &transaction)
        }
        do throws(NodeError) {
            var number = 0
            while number < request.operations.count {
                try author(request.operations, &number, into: &draft, from: &transaction)
            }
            return try finish(draft, cursors: epoch, in: &transaction)
        } catch {
            // A failed store takes the whole batch with it; there is nothing to put back then.
            if transaction.failure == nil {
                try transaction.writing { transaction throws(StoreFailure) in
                    try undo(draft, from: &transaction)
                }
            }
            throw error
        }
    }
}
