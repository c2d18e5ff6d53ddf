// Proofs of forks, and changes that are held and not executed.

import Bytes
public import Causality
public import Node

extension SQLiteReads {
    public func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord] {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            return try tables.connection[.forks].all([.integer(number)]) { row throws(StoreFailure) in
                try Self.fork(row, in: tables.path)
            }
        }
    }

    public func fork(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure) -> ForkRecord? {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return nil }
            return try tables.connection[.fork].first([.integer(number), .blob(replica.raw.bytes)]) {
                row throws(StoreFailure) in try Self.fork(row, in: tables.path)
            }
        }
    }

    private static func fork(_ row: borrowing Row, in path: String) throws(StoreFailure) -> ForkRecord {
        ForkRecord(
            replica: try StoredForms.replica(row.blob(0), in: path),
            first: SequenceNumber(UInt64(row.integer(1))), since: UInt64(row.integer(2)), proof: row.blob(3))
    }

    public func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord] {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return [] }
            return try tables.connection[.skipped].all([.integer(number)]) { row throws(StoreFailure) in
                let change = CommitRecord(
                    position: CommitPosition(UInt64(row.integer(0))),
                    replica: try StoredForms.replica(row.blob(1), in: tables.path),
                    first: SequenceNumber(UInt64(row.integer(2))),
                    last: SequenceNumber(UInt64(row.integer(3))),
                    status: .skipped)
                return SkippedRecord(
                    change: change, reason: try StoredForms.reason(row.integer(4), in: tables.path),
                    since: UInt64(row.integer(5)))
            }
        }
    }
}

extension SQLiteStore {
    public mutating func put(_ space: SpaceID, _ fork: ForkRecord) throws(StoreFailure) {
        try writer[.putFork].run([
            .integer(try number(of: space)), .blob(fork.replica.raw.bytes),
            .integer(Int64(fork.first.value)), .integer(Int64(clamping: fork.since)), .blob(fork.proof),
        ])
    }

    public mutating func put(_ space: SpaceID, _ skipped: SkippedRecord) throws(StoreFailure) {
        let number = try number(of: space)
        let change = skipped.change
        try writer[.putSkipped].run([
            .integer(number), .integer(Int64(change.position.value)),
            .integer(try log(LogName(space: number, replica: change.replica)).number),
            .integer(Int64(change.first.value)), .integer(Int64(change.last.value)),
            .integer(Int64(skipped.reason.rawValue)), .integer(Int64(clamping: skipped.since)),
        ])
    }

    public mutating func removeSkipped(_ space: SpaceID, at position: CommitPosition) throws(StoreFailure) {
        try writer[.removeSkipped].run([
            .integer(try number(of: space)), .integer(Int64(position.value)),
        ])
    }
}

extension Query {
    static let forks = Query(
        "SELECT replica, first, since, proof FROM forks WHERE space = ? ORDER BY replica")
    static let fork = Query(
        "SELECT replica, first, since, proof FROM forks WHERE space = ? AND replica = ?")
    static let putFork = Query(
        """
        INSERT INTO forks(space, replica, first, since, proof) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET first = excluded.first, since = excluded.since, proof = excluded.proof
        """)
    static let skipped = Query(
        """
        SELECT skipped.position, logs.replica, skipped.first, skipped.last, skipped.reason, skipped.since
        FROM skipped JOIN logs ON logs.number = skipped.log WHERE skipped.space = ?
        ORDER BY skipped.position
        """)
    static let putSkipped = Query(
        """
        INSERT INTO skipped VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        reason = excluded.reason, since = excluded.since
        """)
    static let removeSkipped = Query("DELETE FROM skipped WHERE space = ? AND position = ?")
}
