// The local half of the road: a transaction becomes one change. Everything that can be refused is refused
// before the change exists; documents that a refused transaction had already touched are made again.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Wire

extension Node {
    mutating func transact(
        _ id: RequestID, in index: SpaceHandle, _ transaction: Transaction, at now: Instant
    )
        throws(NodeError)
    {
        precondition(!transaction.operations.isEmpty, "the control API refuses an empty transaction")
        do throws(NodeError) {
            try need(.writer, in: index)
            // A repeat writes nothing, so the floor of free disk does not concern it.
            if try repeatAnswer(id, in: index, transaction) { return }
            if diskFree < NodeLimits.diskFloorBytes {
                throw .storeFull("\(diskFree >> 20) MiB are free, the floor is 256 MiB")
            }
            try check(transaction.conditions, in: index)
            let outcome = try author(transaction, in: index, at: now)
            if let idempotency = transaction.idempotency {
                try remember(outcome, for: idempotency, in: index, at: now)
            }
            counters.transactions += 1
            batch.answer(
                id, .transaction(change: outcome.change, version: outcome.version, cursor: cursor(of: index)))
        } catch {
            counters.transactionsRefused += 1
            throw error
        }
    }

    // MARK: Idempotency

    /// True when the key was seen and its answer given again.
    private mutating func repeatAnswer(_ id: RequestID, in index: SpaceHandle, _ transaction: Transaction)
        throws(NodeError) -> Bool
    {
        guard let idempotency = transaction.idempotency, !isPlanted("repeated-transaction-written") else {
            return false
        }
        let space = spaces[index].id
        let known = try reading(in: index) { node throws(StoreFailure) in
            try node.store.idempotency(space, idempotency.key)
        }
        // One that is over stays until the next sweep, which knows whether the clock was set.
        guard let known else { return false }
        guard known.bodyHash == idempotency.bodyHash else { throw .idempotencyKeyReused }
        batch.answer(
            id, .transaction(change: known.change, version: known.version, cursor: cursor(of: index)))
        return true
    }

    private mutating func remember(
        _ outcome: TransactionOutcome, for idempotency: Transaction.Idempotency, in index: SpaceHandle,
        at now: Instant
    ) throws(NodeError) {
        let record = IdempotencyRecord(
            bodyHash: idempotency.bodyHash, change: outcome.change, version: outcome.version,
            expires: now.wall + NodeLimits.idempotencyMilliseconds)
        let space = spaces[index].id
        try stored { node throws(StoreFailure) in
            try node.transaction.beginWriting()
            try node.store.put(space, idempotency.key, record)
        }
    }

    // MARK: Conditions

    private mutating func check(_ conditions: [Condition], in index: SpaceHandle) throws(NodeError) {
        for (number, condition) in conditions.enumerated() {
            if try !holds(condition, in: index) { throw .conditionFailed(index: number) }
        }
    }

    private mutating func holds(_ condition: Condition, in index: SpaceHandle) throws(NodeError) -> Bool {
        let cached = try reading(condition.document, in: index) { node throws(StoreFailure) in
            try node.spaces[index].takeDocument(condition.document, from: &node.transaction)
        }
        defer { spaces[index].documents.cache.put(cached) }
        switch condition.test {
        case .equals(let path, let value): return cached.document.value(at: path)?.readsLike(value) ?? false
        case .exists(let path, let expected): return (cached.document.value(at: path) != nil) == expected
        case .version(let text):
            guard let token = VersionToken(text) else { throw .invalidVersion(text) }
            let frontier = cached.record.frontier
            // What it showed is void, in part or whole: the document did change.
            if token.frontier.contains(where: spaces[index].forks.closed.isClosed) { return false }
            if frontier.allSatisfy(token.frontier.contains) { return true }
            try stored { node throws(StoreFailure) in
                try node.spaces[index].writeRun(to: &node.transaction)
            }
            return try reading(in: index) { node throws(StoreFailure) in
                try node.past(of: token, in: index, covers: frontier)
            }
        }
    }

    /// True when every dot is in the causal past of the token: nothing touched the document since.
    private func past(of token: VersionToken, in index: SpaceHandle, covers dots: [Dot])
        throws(StoreFailure) -> Bool
    {
        var past = VersionVector()
        var reader = LogReader(space: spaces[index].id)
        for dot in token.frontier where spaces[index].held.contains(dot) {
            past.advance(to: dot)
            if let found = try reader.find(dot, from: store) { past.join(found.change.context) }
        }
        return dots.allSatisfy(past.contains)
    }

    // MARK: Authoring

    private mutating func author(_ transaction: Transaction, in index: SpaceHandle, at now: Instant)
        throws(NodeError) -> TransactionOutcome
    {
        try stored { node throws(StoreFailure) in
            try node.spaces[index].openOwnLog(of: node.device, &node.entropy, in: &node.transaction)
        }
        var draft = try stored { node throws(StoreFailure) in
            try node.spaces[index].draft(
                at: now, touching: transaction.operations.lazy.map(\.document), from: &node.transaction
            )
        }
        do throws(NodeError) {
            var number = 0
            while number < transaction.operations.count {
                try spaces[index].author(
                    transaction.operations, &number, into: &draft, from: &self.transaction)
            }
            return try spaces[index].finish(draft, cursors: epochs.current, in: &self.transaction)
        } catch {
            // A failed store takes the whole batch with it; there is nothing to put back then.
            if self.transaction.failure == nil {
                try stored { node throws(StoreFailure) in
                    try node.spaces[index].undo(draft, from: &node.transaction)
                }
            }
            throw error
        }
    }
}

/// What a transaction came to.
struct TransactionOutcome: Sendable {
    /// Nil when it changed nothing.
    let change: Dot?
    let version: String
}
