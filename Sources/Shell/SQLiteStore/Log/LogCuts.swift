// Logs that begin at a cut, in SQLite: how they are collected, and forgotten. A run that goes takes along
// what names its changes: it knows their documents itself, or, of before schema 6, an index does.

public import Bytes
public import Causality
public import Node
public import Wire

extension SQLiteReads {
    public func cut(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure) -> SequenceNumber {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return .none }
            return try tables.connection[.cut].first([.integer(number), .blob(replica.raw.bytes)]) {
                SequenceNumber(UInt64($0.integer(0)))
            } ?? .none
        }
    }

    public func cuts(_ space: SpaceID) throws(StoreFailure) -> VersionVector {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return VersionVector() }
            return VersionVector(
                try tables.connection[.cuts].all([.integer(number)]) { row throws(StoreFailure) in
                    VersionVector.Entry(
                        try StoredForms.replica(row.blob(0), in: tables.path),
                        SequenceNumber(UInt64(row.integer(1))))
                })
        }
    }

    public func logBytes(_ space: SpaceID) throws(StoreFailure) -> Int {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return 0 }
            return try tables.lastRun(number)?.logBytes ?? 0
        }
    }

    public func touched(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [(position: CommitPosition, keys: [Key])]
    {
        let found = try read { tables throws(StoreFailure) in
            guard limit > 0, position < RunNumber.positionMax, let number = try tables.number(of: space)
            else { return [TouchedChange]() }
            var found: [TouchedChange] = []
            let (low, high) = RunNumber.bounds(of: number)
            let from = SQLValue.integer(RunNumber(space: number, position: position.next).value)
            try tables.connection[.touchedRuns].forEach([low, from, high]) { row throws(StoreFailure) in
                let run = RunNumber(row.integer(0))
                let count = Int(row.integer(1))
                let keys =
                    row.isNull(2)
                    ? try tables.oldKeys(of: run, count: count, in: number)
                    : try StoredForms.keys(row.blob(2), count: count, in: tables.path)
                for (index, keys) in keys.enumerated() where found.count < limit {
                    let place = CommitPosition(run.position.value + UInt64(index))
                    if place > position { found.append(TouchedChange(position: place, keys: keys)) }
                }
                return found.count < limit
            }
            return found
        }
        return found.map { ($0.position, $0.keys) }
    }
}

/// The documents of one change.
private struct TouchedChange: Sendable {
    let position: CommitPosition
    let keys: [Key]
}

extension SQLiteTables {
    /// The documents of each change of a run that does not name them itself.
    fileprivate func oldKeys(of run: RunNumber, count: Int, in space: Int64) throws(StoreFailure) -> [[Key]] {
        var keys = [[Key]](repeating: [], count: count)
        let first = Int64(run.position.value)
        let values: [SQLValue] = [.integer(space), .integer(first), .integer(first + Int64(count) - 1)]
        try connection[.oldTouched].forEach(values) { row throws(StoreFailure) in
            keys[Int(row.integer(0) - first)].append(try StoredForms.key(row.blob(1), in: path))
            return true
        }
        return keys
    }
}

extension SQLiteStore {
    public mutating func startLog(
        _ space: SpaceID, _ replica: ReplicaID, at boundary: BoundaryRecord, seal: Seal?
    ) throws(StoreFailure) {
        let name = LogName(space: try number(of: space), replica: replica)
        let log = try log(name)
        boundary.checkStart(of: replica, heldThrough: log.last, seal: seal)
        try writer[.setCut].run([.integer(log.number), .integer(Int64(boundary.last.value))])
        known.logs[name]?.last = boundary.last
        try addBoundary(space, replica, boundary)
        if let seal { try addSeal(space, seal, isBoundary: true) }
    }

    public mutating func collect(
        _ space: SpaceID, _ replica: ReplicaID, through last: SequenceNumber, keeping: [DotRange],
        rowsMax: Int
    ) throws(StoreFailure) -> (rows: Int, bytes: Int, isDone: Bool) {
        let number = try number(of: space)
        let name = LogName(space: number, replica: replica)
        let log = try log(name)
        let plan = CollectionPlan(of: replica, through: last, keeping: keeping)
        let place: [SQLValue] = [.integer(log.number), .integer(Int64(last.value))]
        plan.check(
            cut: try cut(space, replica), head: log.last,
            hasBoundary: try writer[.hasBoundary].first(place) { _ in true } ?? false)
        try writer[.setCut].run(place)
        let before = try figures(of: number)
        var removal = Removal(rowsMax: rowsMax, hasSkipped: try hasSkipped(number))
        for stretch in plan.runs where removal.isOpen {
            try removeRuns(of: log.number, in: stretch, number, &removal)
        }
        try runsWereRemoved(removal, from: number, before)
        for (query, stretches) in [(Query.removeBoundaries, plan.boundaries), (.removeSeals, plan.seals)] {
            for stretch in stretches where removal.isOpen {
                try writer[query].run([
                    .integer(log.number), .integer(Int64(stretch.first.value)),
                    .integer(Int64(stretch.last.value)), .integer(removal.rowsLeft),
                ])
                removal.rows += writer.changes
                removal.looked += writer.changes
            }
        }
        // The seal that it knew as the last may be gone.
        known.logs[name] = nil
        return (removal.rows, removal.bytes, removal.isOpen)
    }

    public mutating func forgetLog(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure) {
        let number = try number(of: space)
        guard let log = try tables.log(number, replica)?.number else { return }
        let before = try figures(of: number)
        var removal = Removal(rowsMax: .max, hasSkipped: try hasSkipped(number))
        let all = CollectionPlan(of: replica, through: .max, keeping: [])
        for stretch in all.runs { try removeRuns(of: log, in: stretch, number, &removal) }
        try runsWereRemoved(removal, from: number, before)
        for sql in Schema.tablesOfLogs.map({ "DELETE FROM \($0) WHERE log = ?" }) + [
            "DELETE FROM logs WHERE number = ?"
        ] {
            try writer.run(sql, [.integer(log)])
        }
        known.logs[LogName(space: number, replica: replica)] = nil
    }

    /// What a collection has done so far.
    private struct Removal {
        let rowsMax: Int
        /// Some changes of the space are skipped.
        let hasSkipped: Bool
        /// Deleted ones.
        var rows = 0
        var looked = 0
        var bytes = 0
        /// The last one that went.
        var lastRun: Int64 = 0

        init(rowsMax: Int, hasSkipped: Bool) {
            (self.rowsMax, self.hasSkipped) = (rowsMax, hasSkipped)
        }

        var rowsLeft: Int { rowsMax - looked }
        /// Nothing is left over for another call.
        var isOpen: Bool { looked < rowsMax }
    }

    /// A run that is about to go.
    private struct GoingRun {
        let number: RunNumber
        let changes: Int
        let bytes: Int
        /// Nil: it does not name them.
        let keys: [[Key]]?
    }

    private func hasSkipped(_ space: Int64) throws(StoreFailure) -> Bool {
        try writer[.anySkipped].first([.integer(space)]) { _ in true } ?? false
    }

    /// Deletes runs that lie in the stretch, the first ones first, as long as the removal is open.
    private func removeRuns(
        of log: Int64, in stretch: CollectionPlan.Stretch, _ space: Int64, _ removal: inout Removal
    ) throws(StoreFailure) {
        let path = writer.path
        let values: [SQLValue] = [
            .integer(log), .integer(Int64(stretch.first.value)), .integer(Int64(stretch.last.value)),
        ]
        // Read first and deleted then: a statement that walks over rows must not lose them on the way.
        var (going, looked) = ([GoingRun](), removal.looked)
        let rowsMax = removal.rowsMax
        try writer[.goingRuns].forEach(values) { row throws(StoreFailure) in
            guard looked < rowsMax else { return false }
            let changes = Int(row.integer(1))
            going.append(
                GoingRun(
                    number: RunNumber(row.integer(0)), changes: changes, bytes: Int(row.integer(2)),
                    keys: row.isNull(3)
                        ? nil : try StoredForms.keys(row.blob(3), count: changes, in: path)))
            // A row of documents at least goes with each change.
            looked += 1 + changes
            return true
        }
        removal.looked = looked
        for run in going {
            try untouch(run, space, &removal)
            try writer[.removeRun].run([.integer(run.number.value)])
            removal.rows += 1
            removal.bytes += run.bytes
            removal.lastRun = max(removal.lastRun, run.number.value)
        }
    }

    /// Deletes what names the changes of a run.
    private func untouch(_ run: GoingRun, _ space: Int64, _ removal: inout Removal) throws(StoreFailure) {
        let first = Int64(run.number.position.value)
        if let keys = run.keys {
            for (position, keys) in zip(first..., keys) {
                for key in keys {
                    try writer[.untouchChange].run([.integer(space), .blob(key), .integer(position)])
                    removal.rows += writer.changes
                }
            }
        } else {
            let last = first + Int64(run.changes) - 1
            try writer[.untouchOld].run([.integer(space), .integer(first), .integer(last)])
            removal.rows += writer.changes
        }
        if removal.hasSkipped {
            let last = first + Int64(run.changes) - 1
            try writer[.unskip].run([.integer(space), .integer(first), .integer(last)])
            removal.rows += writer.changes
        }
    }

    /// If the space's last run went, what only that one said is kept elsewhere: where the space ended, beside
    /// the space; its figures, in the run that is last now.
    private mutating func runsWereRemoved(_ removal: Removal, from space: Int64, _ before: Figures)
        throws(StoreFailure)
    {
        guard removal.lastRun > 0 else { return }
        var figures = before
        figures.ofRun.logBytes -= removal.bytes
        if figures.lastRun?.value == removal.lastRun {
            try writer[.setFloor].run([.integer(space), .integer(Int64(figures.lastPosition.value))])
            figures.lastRun = try tables.lastRun(space)?.number
            figures.writtenOfRun = nil
        }
        known.figures[space] = figures
    }
}

extension Query {
    static let cut = Query("SELECT cut FROM logs WHERE space = ? AND replica = ?")
    static let cuts = Query("SELECT replica, cut FROM logs WHERE space = ? AND cut > 0 ORDER BY replica")
    static let setCut = Query("UPDATE logs SET cut = ?2 WHERE number = ?1 AND cut <> ?2")
    static let setFloor = Query("UPDATE spaces SET floor = ?2 WHERE number = ?1")
    static let hasBoundary = Query("SELECT 1 FROM boundaries WHERE log = ? AND last = ?")
    static let anySkipped = Query("SELECT 1 FROM skipped WHERE space = ? LIMIT 1")
    static let goingRuns = Query(
        """
        SELECT number, changes, length(bytes), keys FROM runs WHERE log = ?1 AND first BETWEEN ?2 AND ?3
        AND last <= ?3 ORDER BY first
        """)
    static let touchedRuns = Query(
        """
        SELECT number, changes, keys FROM runs WHERE number BETWEEN
        (SELECT coalesce(max(number), ?1) FROM runs WHERE number BETWEEN ?1 AND ?2) AND ?3
        ORDER BY number
        """)
    static let oldTouched = Query(
        """
        SELECT position, key FROM touched INDEXED BY touched_of_old WHERE space = ? AND position
        BETWEEN ? AND ? AND old = 1 ORDER BY position, key
        """)
    static let removeRun = Query("DELETE FROM runs WHERE number = ?")
    static let untouchChange = Query("DELETE FROM touched WHERE space = ? AND key = ? AND position = ?")
    static let untouchOld = Query(
        """
        DELETE FROM touched INDEXED BY touched_of_old WHERE space = ? AND position BETWEEN ? AND ?
        AND old = 1
        """)
    static let unskip = Query("DELETE FROM skipped WHERE space = ? AND position BETWEEN ? AND ?")
    static let removeBoundaries = Query(
        """
        DELETE FROM boundaries WHERE log = ?1 AND last IN (SELECT last FROM boundaries WHERE log = ?1
        AND last BETWEEN ?2 AND ?3 LIMIT ?4)
        """)
    static let removeSeals = Query(
        """
        DELETE FROM seals WHERE log = ?1 AND last IN (SELECT last FROM seals WHERE log = ?1
        AND last BETWEEN ?2 AND ?3 LIMIT ?4)
        """)
}
