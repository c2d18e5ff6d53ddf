// The store's one argument: when it begins, what ends it, and what a lost batch gives back.

import Bytes
import Causality
import Simulator
import Testing
import Wire

@testable import Node

@Suite struct StoreTransactionTests {
    private var transaction = StoreTransaction(MemoryStore())

    @Test(
        "the first write begins a transaction, later ones go on in it, and without one nothing is committed"
    )
    mutating func begins() throws {
        var hasWritten = try transaction.commit()
        #expect(!hasWritten)
        try transaction.beginWriting()
        try transaction.beginWriting()
        try transaction.store.setMeta("a", [1])
        hasWritten = try transaction.commit()
        #expect(hasWritten && !transaction.isWriting)
        #expect(try transaction.store.meta("a") == [1])
    }

    @Test("the first failure decides: nothing is begun after it, and a rollback ends it")
    mutating func fails() throws {
        try transaction.beginWriting()
        try transaction.store.setMeta("a", [1])
        transaction.fail(.diskError)
        transaction.fail(.noSpace)
        #expect(transaction.failure == .diskError)
        do throws(StoreFailure) {
            try transaction.beginWriting()
            Issue.record("a batch that failed goes on")
        } catch {
            #expect(error == .diskError)
        }
        transaction.rollback()
        #expect(try transaction.store.meta("a") == nil)
        #expect(transaction.failure == nil && !transaction.isWriting)
    }

    @Test(
        "a read that fails costs the batch when something was written, but not for what does not decode"
    )
    mutating func reads() throws {
        transaction.readFailed(.diskError)
        #expect(transaction.failure == nil)
        try transaction.beginWriting()
        transaction.readFailed(.unusable(.unreadable(.starts, nil)))
        #expect(transaction.failure == nil)
        transaction.readFailed(.diskError)
        #expect(transaction.failure == .diskError)
    }

    @Test("a commit that fails stays open until it is rolled back")
    mutating func commits() throws {
        transaction.store.fault = .init(failure: .noSpace)
        try transaction.beginWriting()
        try transaction.store.setMeta("a", [1])
        do throws(StoreFailure) {
            _ = try transaction.commit()
            Issue.record("a full disk took a commit")
        } catch {
            #expect(error == .noSpace)
        }
        #expect(transaction.isWriting)
        transaction.rollback()
        #expect(try transaction.store.meta("a") == nil)
    }

    @Test("a lost batch gives back the cursors of a space that was left in it")
    mutating func epochs() throws {
        let (gone, stays) = (SpaceID(raw: Bytes32([UInt8](repeating: 1, count: 32))), SpaceID(raw: .zero))
        let cursor = Cursor(store: 7, space: gone, position: CommitPosition(3))
        var epochs = CursorEpochs(name: 7)
        try transaction.beginWriting()
        try epochs.write(to: &transaction)
        epochs.batchCommitted(hasWritten: try transaction.commit())
        #expect(epochs.isStored)
        epochs.leave(gone, 8, ends: [stays: CommitPosition(1)])
        #expect(!epochs.holds(cursor, of: gone) && !epochs.isStored)
        epochs.batchLost()
        #expect(epochs.holds(cursor, of: gone) && epochs.isStored && epochs.current == 7)
        let kept = try #require(try transaction.store.meta("store"))
        #expect(try CursorEpochs(decoding: kept).encoded() == epochs.encoded())
    }
}
