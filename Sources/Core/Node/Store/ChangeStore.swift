// The contract between the node and what keeps its data (DESIGN 11), by concern; each has its records, its
// reads and its writes in one file:
//
//   StoredLogs        runs of changes, boundaries, seals, forks, skipped changes
//   StoredDocuments   documents, snapshots, which changes touched them
//   StoredBases       documents as the newest checkpoint holds them, and its manifest
//   StoredIndexes     indexes that are declared here, and their entries
//   StoredRosters     spaces, roster operations
//   StoredPeers       small values by name: addresses, invites, …
//   StoredAnswers     what programs were answered
//
// Tests/StoreContractTests runs one suite a concern over the in-memory store of the simulator and over
// SQLite. All writes happen inside one transaction; reads of the same store see them at once; they are
// durable when `commit` returns, and not before.

/// Reads of a node's data, at one moment.
public protocol StoreReading: StoredLogs, StoredDocuments, StoredBases, StoredIndexes, StoredRosters,
    StoredPeers, StoredAnswers
{}

/// A node's durable data. One owner, one writer.
public protocol ChangeStore: StoreReading, LogStore, DocumentStore, BaseStore, IndexStore, RosterStore,
    PeerStore, AnswerStore
{
    associatedtype Reader: StoreReading & Sendable

    /// Opens the write transaction; a second `begin` before `commit` or `rollback` is a bug.
    mutating func begin() throws(StoreFailure)
    /// Everything since `begin` is on disk when this returns. After a throw nothing of it is.
    mutating func commit() throws(StoreFailure)
    /// Takes back everything since `begin`.
    mutating func rollback()
    /// Outside a transaction, while the node is idle: gives about `pagesMax` free pages of 4 KiB back to the
    /// file system; true: more are left. Nothing that is kept changes.
    mutating func shrink(pagesMax: Int) throws(StoreFailure) -> Bool
    /// The committed state of this moment, readable on another thread while the node goes on.
    func reader() throws(StoreFailure) -> Reader
}
