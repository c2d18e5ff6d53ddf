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
        guard let number = try queries.number(of: space) else { return }
        // What counts as held never becomes less, or an older database could pass for this one.
        var removed = ByteWriter()
        removed.u64(try queries.removedPositions() + figures(of: number).lastPosition.value)
        try setMeta(Queries.removedPositionsName, removed.bytes)
        let ofLogs = ["boundaries", "seals"].map {
            "DELETE FROM \($0) WHERE log IN (SELECT number FROM logs WHERE space = ?)"
        }
        let ofSpace = [
            "roster", "touched", "documents", "snapshots", "idempotency", "forks", "skipped", "logs",
        ].map {
            "DELETE FROM \($0) WHERE space = ?"
        }
        for sql in ofLogs + ofSpace + ["DELETE FROM spaces WHERE number = ?"] {
            try writer.run(sql, [.integer(number)])
        }
        let (low, high) = RunNumber.bounds(of: number)
        try writer.run("DELETE FROM runs WHERE number BETWEEN ? AND ?", [low, high])
        // Numbers are never used twice, but those of this space must not be found any more.
        known.spaces[space] = nil
        known.figures[number] = nil
        known.logs = known.logs.filter { $0.key.space != number }
        writer.forgetNumbers()
    }

    public mutating func addRosterOperation(_ space: SpaceID, _ bytes: [UInt8]) throws(StoreFailure) {
        try writer[.addRoster].run([.integer(try number(of: space)), .blob(bytes)])
    }

    public mutating func append(
        _ space: SpaceID, _ run: StoredRun, changes: [CommitRecord], touched: [[Key]]
    ) throws(StoreFailure) {
        run.checkLayout(of: changes, touched: touched)
        let number = try number(of: space)
        let name = LogName(space: number, replica: run.replica)
        let log = try log(name)
        precondition(
            run.first > log.last,
            "\(run.replica) is held up to \(log.last), a run from \(run.first) is appended")
        var figures = try figures(of: number)
        let last = CommitPosition(run.position.value + UInt64(run.changes) - 1)
        precondition(
            run.position > figures.lastPosition, "a run at \(run.position) after \(figures.lastPosition)")
        let runNumber = RunNumber(space: number, position: run.position)
        try writer[.addRun].run([
            .integer(runNumber.value), .integer(log.number), .integer(Int64(run.first.value)),
            .integer(Int64(run.last.value)), .integer(run.changes), .integer(figures.documents),
            .blob(StoredForms.encode(layoutOf: changes)), .blob(run.bytes),
        ])
        positions += last.value - figures.lastPosition.value
        (figures.lastRun, figures.lastPosition) = (runNumber, last)
        figures.writtenDocuments = figures.documents
        known.figures[number] = figures
        known.logs[name]?.last = run.last
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
        let log = try log(LogName(space: try number(of: space), replica: replica))
        try writer[.addBoundary].run([
            .integer(log.number), .integer(Int64(boundary.last.value)), .blob(boundary.state),
        ])
    }

    public mutating func addSeal(_ space: SpaceID, _ seal: Seal, isBoundary: Bool) throws(StoreFailure) {
        let name = LogName(space: try number(of: space), replica: seal.replica)
        let log = try log(name)
        let last = Int64(seal.last.value)
        if let latest = log.seal, latest.last > last, !isBoundary { return }
        if let latest = log.seal, latest.last < last, !latest.isBoundary {
            try writer[.removeSeal].run([.integer(log.number), .integer(latest.last)])
        }
        try writer[.addSeal].run([
            .integer(log.number), .integer(last), .blob(seal.chainHash.bytes), .blob(seal.signature.bytes),
            .integer(isBoundary ? 1 : 0),
        ])
        if let latest = log.seal, latest.last > last { return }
        let wasBoundary = log.seal.map { $0.last == last && $0.isBoundary } ?? false
        known.logs[name]?.seal = (last, isBoundary || wasBoundary)
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
            var figures = try figures(of: number)
            figures.documents += document.isVisible ? 1 : -1
            known.figures[number] = figures
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

    public mutating func expireIdempotency(before wall: UInt64, moved: Int64) throws(StoreFailure) {
        try writing()
        if moved != 0 { try writer[.moveIdempotency].run([.integer(moved)]) }
        try writer[.expireIdempotency].run([.integer(Int64(clamping: wall))])
    }

    // MARK: Numbers

    /// After a failure SQLite may have ended the transaction by itself; a write then would commit on its own.
    private func writing() throws(StoreFailure) {
        if writer.isOutsideTransaction {
            throw .failed(FailedStep(doing: "writing", path: writer.path, answer: .outsideTransaction))
        }
    }

    mutating func number(of space: SpaceID) throws(StoreFailure) -> Int64 {
        try writing()
        if let number = known.spaces[space] { return number }
        guard let number = try queries.number(of: space) else {
            preconditionFailure("a write to the unknown space \(space)")
        }
        known.spaces[space] = number
        return number
    }

    /// Where a space ends.
    private mutating func figures(of space: Int64) throws(StoreFailure) -> Figures {
        if let figures = known.figures[space] { return figures }
        let last = try queries.lastRun(space)
        let documents = try queries.documentCount(space)
        let figures = Figures(
            lastRun: last?.number, lastPosition: last?.lastPosition ?? .start, documents: documents,
            writtenDocuments: documents)
        known.figures[space] = figures
        return figures
    }

    /// The head of a log, which is made when it is new.
    mutating func log(_ name: LogName) throws(StoreFailure) -> Log {
        if let log = known.logs[name] { return log }
        if let log = try queries.log(name.space, name.replica) {
            let seal = try writer[.lastSeal].first([.integer(log.number)]) { row in
                (last: row.integer(0), isBoundary: row.integer(1) != 0)
            }
            let found = Log(number: log.number, last: log.last, seal: seal)
            known.logs[name] = found
            return found
        }
        let values: [SQLValue] = [.integer(name.space), .blob(name.replica.raw.bytes)]
        guard let number = try writer[.addLog].all(values, { $0.integer(0) }).first else {
            throw .failed(FailedStep(doing: "adding a log", path: writer.path, answer: .noRow))
        }
        let new = Log(number: number, last: .none, seal: nil)
        known.logs[name] = new
        return new
    }
}
