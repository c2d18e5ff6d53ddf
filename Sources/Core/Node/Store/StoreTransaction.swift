// The store with the transaction that is open on it: the one argument of everything that reads or writes.
//
//     idle ── beginWriting ──▶ writing ── commit ──▶ idle      the first write of a batch begins it
//      └──────────┬───────────────┘
//               fail ──▶ failed ── rollback ──▶ idle           the first failure decides; nothing is written
//
// A batch that only reads begins no transaction and costs the disk nothing.

import Bytes
import Causality

/// A store, and what has become of the batch's transaction on it.
struct StoreTransaction<Store: ChangeStore> {
    /// Read it at any time. Write only after `beginWriting` in the same batch: a store traps else.
    var store: Store
    /// The store's write transaction is open.
    private(set) var isWriting = false
    /// Why this batch cannot be committed any more; its later inputs are refused with it.
    private(set) var failure: StoreFailure?

    init(_ store: Store) { self.store = store }

    /// True when the batch is lost and its transactions are not: they are made again in another log.
    var isOvertaken: Bool {
        if case .overtaken = failure { true } else { false }
    }

    /// Opens the store's transaction unless it is open. Every write goes through here first.
    mutating func beginWriting() throws(StoreFailure) {
        if let failure { throw failure }
        if isWriting { return }
        try store.begin()
        isWriting = true
    }

    /// The first failure decides; the rest of the batch is refused.
    mutating func fail(_ failure: StoreFailure) {
        if self.failure == nil { self.failure = failure }
    }

    /// A step that only read has failed. A row that does not decode concerns its readers alone; after any
    /// other failure the store may have ended the open transaction, and then the batch is lost.
    mutating func readFailed(_ failure: StoreFailure) {
        if case .unusable = failure { return }
        if isWriting { fail(failure) }
    }

    /// Makes what was written durable; false when nothing was. After a throw it is still to be ended.
    mutating func commit() throws(StoreFailure) -> Bool {
        precondition(failure == nil, "a batch that failed is not committed: \(failure.debugDescription)")
        guard isWriting else { return false }
        try store.commit()
        isWriting = false
        return true
    }

    /// Undoes what was written since the last commit and begins anew.
    mutating func rollback() {
        if isWriting { store.rollback() }
        (isWriting, failure) = (false, nil)
    }

    /// After a failed sync: the state of the disk is unknown, so nothing of it is touched any more.
    mutating func abandon() { (isWriting, failure) = (false, nil) }

    /// Begins the next batch after a commit. Reads that failed while its effects were made concern nobody
    /// else.
    mutating func beginBatch() {
        precondition(!isWriting, "something was written after the commit and before the next batch")
        failure = nil
    }
}

extension StoreTransaction {
    /// Runs a step of a request that may write: if it fails in the store, the batch is lost as a whole.
    mutating func writing<Result>(
        _ body: (inout StoreTransaction) throws(StoreFailure) -> Result
    ) throws(NodeError) -> Result {
        do throws(StoreFailure) {
            return try body(&self)
        } catch {
            fail(error)
            throw NodeError(error)
        }
    }

    /// Runs a step of a request that only reads: what cannot be read fails this request and no other.
    /// `document`: the one that is read, when it is one.
    mutating func reading<Result>(
        _ document: Key? = nil, of space: SpaceID? = nil, _ body: (Store) throws(StoreFailure) -> Result
    ) throws(NodeError) -> Result {
        do throws(StoreFailure) {
            return try body(store)
        } catch {
            readFailed(error)
            guard let document, let space else { throw NodeError(error) }
            throw NodeError(error, reading: document, of: space)
        }
    }
}

extension StoreTransaction: Sendable where Store: Sendable {}
