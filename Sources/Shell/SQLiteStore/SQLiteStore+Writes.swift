// The writing half of the contract. Each function is a few statements inside the transaction that `begin`
// opened.

public import Bytes
public import Causality
import Crypto
public import Node
public import Wire

extension SQLiteStore {
    public mutating func setMeta(_ name: String, _ value: [UInt8]?) throws(StoreFailure) {
        try writing()
        if let value {
            try writer[.putMeta].run([.text(name), .blob(value)])
        } else {
            try writer[.removeMeta].run([.text(name)])
        }
    }

    public mutating func put(_ space: SpaceRecord) throws(StoreFailure) {
        try writing()
        let incarnation = space.incarnation.map { SQLValue.integer(Int64(bitPattern: $0)) }
        try writer[.putSpace].run([
            .blob(space.id.raw.bytes), .text(space.name), .blob(space.keys), incarnation ?? .null,
            .integer(Int64(space.position.value)),
        ])
    }

    public mutating func remove(_ space: SpaceID) throws(StoreFailure) {
        try writing()
        guard let number = try Queries(connection: writer).number(of: space) else { return }
        let ofLogs = ["boundaries", "seals"].map {
            "DELETE FROM \($0) WHERE log IN (SELECT number FROM logs WHERE space = ?)"
        }
        let ofSpace = [
            "roster", "runs", "touched", "documents", "snapshots", "idempotency", "forks", "skipped", "logs",
        ].map {
            "DELETE FROM \($0) WHERE space = ?"
        }
        for sql in ofLogs + ofSpace + ["DELETE FROM spaces WHERE number = ?"] {
            try writer.run(sql, [.integer(number)])
        }
        pending.spaces[space] = nil
        pending.documents[number] = nil
        writer.forgetNumbers()
        // Numbers of logs are never used twice, but those of this space must not be found any more.
        pending.logs = [:]
        pending.hasRemovedRuns = true
    }

    public mutating func addRosterOperation(_ space: SpaceID, _ bytes: [UInt8]) throws(StoreFailure) {
        try writer[.addRoster].run([.integer(try number(of: space)), .blob(bytes)])
    }

    public mutating func append(
        _ space: SpaceID, _ run: StoredRun, changes: [CommitRecord], touched: [[Key]]
    ) throws(StoreFailure) {
        run.checkLayout(of: changes, touched: touched)
        let number = try number(of: space)
        let log = try log(of: run.replica, in: number)
        precondition(
            run.first > log.last,
            "\(run.replica) is held up to \(log.last), a run from \(run.first) is appended")
        lastRun += 1
        pending.hasAppendedRuns = true
        try writer[.addRun].run([
            .integer(lastRun), .integer(log.number), .integer(number),
            .integer(Int64(run.position.value)),
            .integer(Int64(run.first.value)), .integer(Int64(run.last.value)), .integer(run.changes),
            .blob(StoredForms.encode(layoutOf: changes)), .blob(run.bytes),
        ])
        try writer[.advanceLog].run([.integer(log.number), .integer(Int64(run.last.value))])
        pending.logs[LogName(space: number, replica: run.replica)]?.last = run.last
        let addTouched = try writer[.addTouched]
        for (record, keys) in zip(changes, touched) {
            for key in keys {
                try addTouched.run([
                    .integer(number), .blob(key), .integer(Int64(record.position.value)),
                    .integer(log.number),
                    .integer(Int64(record.first.value)), .integer(Int64(record.last.value)),
                    .integer(Int64(record.status.rawValue)),
                ])
            }
        }
    }

    public mutating func addBoundary(_ space: SpaceID, _ replica: ReplicaID, _ boundary: BoundaryRecord)
        throws(StoreFailure)
    {
        let log = try log(of: replica, in: try number(of: space))
        try writer[.addBoundary].run([
            .integer(log.number), .integer(Int64(boundary.last.value)), .blob(boundary.state),
        ])
    }

    public mutating func addSeal(_ space: SpaceID, _ seal: Seal, isBoundary: Bool) throws(StoreFailure) {
        let log = try log(of: seal.replica, in: try number(of: space)).number
        let latest = try writer[.lastSeal].first([.integer(log)]) { row in
            (last: row.integer(0), isBoundary: row.integer(1) != 0)
        }
        let last = Int64(seal.last.value)
        if let latest, latest.last > last, !isBoundary { return }
        if let latest, latest.last < last, !latest.isBoundary {
            try writer[.removeSeal].run([.integer(log), .integer(latest.last)])
        }
        try writer[.addSeal].run([
            .integer(log), .integer(last), .blob(seal.chainHash.bytes), .blob(seal.signature.bytes),
            .integer(isBoundary ? 1 : 0),
        ])
    }

    public mutating func put(_ space: SpaceID, _ document: DocumentRecord, wasVisible: Bool)
        throws(StoreFailure)
    {
        let number = try number(of: space)
        try writer[.putDocument].run([
            .integer(number), .blob(document.key), .integer(document.isVisible ? 1 : 0),
            .integer(Int64(document.position.value)), .blob(StoredForms.encode(document.frontier)),
        ])
        if wasVisible != document.isVisible {
            pending.documents[number, default: 0] += document.isVisible ? 1 : -1
        }
    }

    public mutating func put(_ space: SpaceID, _ key: Key, _ snapshot: SnapshotRecord) throws(StoreFailure) {
        try writer[.putSnapshot].run([
            .integer(try number(of: space)), .blob(key), .integer(Int64(snapshot.position.value)),
            .blob(snapshot.bytes),
        ])
    }

    public mutating func put(_ space: SpaceID, _ key: Key, _ record: IdempotencyRecord) throws(StoreFailure) {
        try writer[.putIdempotency].run([
            .integer(try number(of: space)), .blob(key), .blob(record.bodyHash.bytes),
            record.change.map { .blob(StoredForms.encode([$0])) } ?? .null, .text(record.version),
            .integer(Int64(clamping: record.expires)),
        ])
    }

    public mutating func expireIdempotency(before wall: UInt64) throws(StoreFailure) {
        try writing()
        try writer[.expireIdempotency].run([.integer(Int64(clamping: wall))])
    }

    // MARK: Numbers

    /// After a failure SQLite may have ended the transaction by itself; a write then would commit on its own.
    private func writing() throws(StoreFailure) {
        if writer.isOutsideTransaction {
            throw .failed(code: 0, "a write to \(writer.path) outside a transaction, or after it failed")
        }
    }

    mutating func number(of space: SpaceID) throws(StoreFailure) -> Int64 {
        try writing()
        if let number = pending.spaces[space] { return number }
        guard let number = try Queries(connection: writer).number(of: space) else {
            preconditionFailure("a write to the unknown space \(space)")
        }
        pending.spaces[space] = number
        return number
    }

    /// The log's number and head; the log is made when it is new.
    mutating func log(
        of replica: ReplicaID, in space: Int64
    ) throws(StoreFailure) -> (number: Int64, last: SequenceNumber) {
        let name = LogName(space: space, replica: replica)
        if let log = pending.logs[name] { return log }
        if let log = try Queries(connection: writer).log(space, replica) {
            pending.logs[name] = log
            return log
        }
        let values: [SQLValue] = [.integer(space), .blob(replica.raw.bytes)]
        guard let number = try writer[.addLog].all(values, { $0.integer(0) }).first else {
            throw .failed(code: 0, "a new log got no number in \(writer.path)")
        }
        pending.logs[name] = (number, .none)
        return (number, .none)
    }
}
