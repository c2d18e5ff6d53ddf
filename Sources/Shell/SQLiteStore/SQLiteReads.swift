// Reads in SQLite, written once for the writer and for readers beside it, so that they cannot come to
// different answers. Each concern of the contract has a folder, with its statements, its reads as an
// extension of `SQLiteReads`, and its writes as one of `SQLiteStore`.

import Bytes
import Causality
public import Node

/// A store or a reader over SQLite: what it lends its connection to reads in the same way.
public protocol SQLiteReads: StoreReading {
    /// Runs `body` on the tables as they are now: inside the write transaction for the writer, inside its
    /// snapshot for a reader.
    func read<Result: Sendable>(_ body: (SQLiteTables) throws(StoreFailure) -> Result)
        throws(StoreFailure) -> Result
}

/// The tables as one connection shows them, with the look-ups that several concerns need.
public struct SQLiteTables {
    let connection: Connection

    var path: String { connection.path }

    /// The space's number; nil when it is unknown.
    func number(of space: SpaceID) throws(StoreFailure) -> Int64? {
        if let known = connection.numbers[space] { return known }
        let number = try connection[.spaceNumber].first([.blob(space.raw.bytes)]) { $0.integer(0) }
        if let number { connection.numbers[space] = number }
        return number
    }

    /// The log's number and its last sequence; nil when nothing of it is held.
    func log(_ space: Int64, _ replica: ReplicaID) throws(StoreFailure) -> (
        number: Int64, last: SequenceNumber
    )? {
        try connection[.log].first([.integer(space), .blob(replica.raw.bytes)]) { row in
            (row.integer(0), SequenceNumber(UInt64(row.integer(1))))
        }
    }

    /// The log's number; nil when the space or the log is unknown.
    func number(of replica: ReplicaID, in space: SpaceID) throws(StoreFailure) -> Int64? {
        guard let number = try number(of: space) else { return nil }
        return try connection[.logNumber].first([.integer(number), .blob(replica.raw.bytes)]) {
            $0.integer(0)
        }
    }

    /// Positions that spaces had used which are removed: so much is never counted less.
    func removedPositions() throws(StoreFailure) -> UInt64 {
        try meta(Self.removedPositionsName)?.reduce(0) { $0 << 8 | UInt64($1) } ?? 0
    }

    static let removedPositionsName = "removed-positions"

    /// The last run of a space in commit order, as far as others follow from it; nil when it has none.
    func lastRun(_ space: Int64) throws(StoreFailure) -> LastRun? {
        let (low, high) = RunNumber.bounds(of: space)
        return try connection[.lastRunOfSpace].first([low, high]) { row in
            LastRun(
                number: RunNumber(row.integer(0)), changes: Int(row.integer(1)),
                documents: Int(row.integer(2)), logBytes: Int(row.integer(3)))
        }
    }

    /// Also what the store itself keeps by name.
    func meta(_ name: String) throws(StoreFailure) -> [UInt8]? {
        try connection[.meta].first([.text(name)]) { $0.blob(0) }
    }

    /// As the last run says; as the space does while it has none.
    func documentCount(_ space: Int64) throws(StoreFailure) -> Int {
        if let last = try lastRun(space) { return last.documents }
        return try connection[.countDocuments].first([.integer(space)]) { Int($0.integer(0)) } ?? 0
    }

    /// The last position of a space that a change has used, whether it is still there or not.
    func lastPosition(_ space: Int64) throws(StoreFailure) -> CommitPosition {
        let gone = try connection[.floor].first([.integer(space)]) {
            CommitPosition(UInt64($0.integer(0)))
        }
        return max(gone ?? .start, try lastRun(space)?.lastPosition ?? .start)
    }
}

/// What the last run of a space says about it.
struct LastRun {
    let number: RunNumber
    let changes: Int
    /// Visible documents of the space.
    var documents: Int
    /// Canonical bytes of all its runs.
    var logBytes: Int

    var lastPosition: CommitPosition { CommitPosition(number.position.value + UInt64(changes) - 1) }
}

extension Query {
    static let spaceNumber = Query("SELECT number FROM spaces WHERE id = ?")
    static let lastRunOfSpace = Query(
        """
        SELECT number, changes, documents, kept FROM runs WHERE number BETWEEN ? AND ?
        ORDER BY number DESC LIMIT 1
        """)
    static let countDocuments = Query("SELECT documents FROM spaces WHERE number = ?")
    static let logNumber = Query("SELECT number FROM logs WHERE space = ? AND replica = ?")
    static let log = Query(
        """
        SELECT number, max(cut, coalesce(
        (SELECT last FROM runs WHERE log = logs.number ORDER BY first DESC LIMIT 1), 0))
        FROM logs WHERE space = ? AND replica = ?
        """)
    static let floor = Query("SELECT floor FROM spaces WHERE number = ?")
}
