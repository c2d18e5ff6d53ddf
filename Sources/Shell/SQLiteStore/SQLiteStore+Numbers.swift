// What the writer looks up for most of its rows: numbers of spaces and logs, and where both end. Kept until a
// transaction is rolled back or a space removed (`SQLiteStore.Known`).

import Bytes
import Causality
import Node

extension SQLiteStore {
    /// After a failure SQLite may have ended the transaction by itself; a write then would commit on its own.
    func writing() throws(StoreFailure) {
        if writer.isOutsideTransaction {
            throw .failed(FailedStep(doing: "writing", path: writer.path, answer: .outsideTransaction))
        }
    }

    /// The number of a space that must be there: a write to another one is a bug.
    mutating func number(of space: SpaceID) throws(StoreFailure) -> Int64 {
        try writing()
        if let number = known.spaces[space] { return number }
        guard let number = try tables.number(of: space) else {
            preconditionFailure("a write to the unknown space \(space)")
        }
        known.spaces[space] = number
        return number
    }

    /// Where a space ends.
    mutating func figures(of space: Int64) throws(StoreFailure) -> Figures {
        if let figures = known.figures[space] { return figures }
        let last = try tables.lastRun(space)
        let ofRun = Figures.OfRun(
            documents: try tables.documentCount(space), logBytes: last?.logBytes ?? 0)
        let bases = try tables.baseFigures(space)
        let figures = Figures(
            lastRun: last?.number, lastPosition: try tables.lastPosition(space), ofRun: ofRun,
            writtenOfRun: ofRun, bases: bases, writtenBases: bases,
            hasRecords: try writer[.anyRecord].first([.integer(space)]) { _ in true } ?? false)
        known.figures[space] = figures
        return figures
    }

    /// The head of a log, which is made when it is new.
    mutating func log(_ name: LogName) throws(StoreFailure) -> Log {
        if let log = known.logs[name] { return log }
        if let log = try tables.log(name.space, name.replica) {
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

extension Query {
    static let anyRecord = Query("SELECT 1 FROM documents WHERE space = ? LIMIT 1")
    static let addLog = Query("INSERT INTO logs(space, replica) VALUES (?, ?) RETURNING number")
}
