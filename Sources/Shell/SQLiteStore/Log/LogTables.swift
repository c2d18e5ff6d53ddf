// Logs in SQLite: runs as they were appended, in the rows of which a space's commit order lies, boundaries
// and seals.

public import Bytes
public import Causality
import Crypto
public import Node
public import Wire

extension SQLiteReads {
    public func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector {
        try read { tables throws(StoreFailure) in
            guard let number = try tables.number(of: space) else { return VersionVector() }
            return VersionVector(
                try tables.connection[.logs].all([.integer(number)]) { row throws(StoreFailure) in
                    VersionVector.Entry(
                        try StoredForms.replica(row.blob(0), in: tables.path),
                        SequenceNumber(UInt64(row.integer(1))))
                })
        }
    }

    public func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int)
        throws(StoreFailure) -> [StoredRun]
    {
        try read { tables throws(StoreFailure) in
            guard let log = try tables.number(of: replica, in: space) else { return [] }
            var (found, bytes) = ([StoredRun](), 0)
            try tables.connection[.runs].forEach([.integer(log), .integer(Int64(from.value))]) { row in
                let run = StoredRun(
                    replica: replica, first: SequenceNumber(UInt64(row.integer(0))),
                    last: SequenceNumber(UInt64(row.integer(1))),
                    position: RunNumber(row.integer(2)).position, changes: Int(row.integer(3)),
                    bytes: row.blob(4))
                found.append(run)
                bytes += run.bytes.count
                return bytes <= bytesMax
            }
            return found
        }
    }

    public func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber)
        throws(StoreFailure) -> Int
    {
        try read { tables throws(StoreFailure) in
            guard let log = try tables.number(of: replica, in: space) else { return 0 }
            // No log reaches beyond Int64.
            let after = Int64(clamping: sequence.value)
            return try tables.connection[.countChanges].first([.integer(log), .integer(after)]) {
                Int($0.integer(0))
            } ?? 0
        }
    }

    public func commits(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        try read { tables throws(StoreFailure) in
            guard limit > 0, position < RunNumber.positionMax, let number = try tables.number(of: space)
            else {
                return []
            }
            var found: [CommitRecord] = []
            let (low, high) = RunNumber.bounds(of: number)
            let from = SQLValue.integer(RunNumber(space: number, position: position.next).value)
            try tables.connection[.commits].forEach([low, from, high]) { row throws(StoreFailure) in
                let replica = try StoredForms.replica(row.blob(0), in: tables.path)
                var next = RunNumber(row.integer(1)).position
                var first = SequenceNumber(UInt64(row.integer(2)))
                for part in try StoredForms.layout(row.blob(3), in: tables.path) {
                    if next > position, found.count < limit {
                        found.append(
                            CommitRecord(
                                position: next, replica: replica, first: first,
                                last: first + (part.length - 1),
                                status: part.status))
                    }
                    (next, first) = (next.next, first + part.length)
                }
                return found.count < limit
            }
            return found
        }
    }

    public func boundary(_ space: SpaceID, _ replica: ReplicaID, before sequence: SequenceNumber)
        throws(StoreFailure) -> BoundaryRecord?
    {
        try read { tables throws(StoreFailure) in
            guard let log = try tables.number(of: replica, in: space) else { return nil }
            return try tables.connection[.boundary].first([.integer(log), .integer(Int64(sequence.value))]) {
                row in
                BoundaryRecord(last: SequenceNumber(UInt64(row.integer(0))), state: row.blob(1))
            }
        }
    }

    public func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int)
        throws(StoreFailure) -> [Seal]
    {
        try read { tables throws(StoreFailure) in
            guard let log = try tables.number(of: replica, in: space) else { return [] }
            let values: [SQLValue] = [.integer(log), .integer(Int64(from.value)), .integer(limit)]
            return try tables.connection[.seals].all(values) { row throws(StoreFailure) in
                Seal(
                    replica: replica, last: SequenceNumber(UInt64(row.integer(0))),
                    chainHash: try StoredForms.bytes32(row.blob(1), in: tables.path),
                    signature: try StoredForms.signature(row.blob(2), in: tables.path))
            }
        }
    }
}

extension SQLiteStore {
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
            .integer(Int64(run.last.value)), .integer(run.changes), .integer(figures.ofRun.documents),
            .blob(StoredForms.encode(layoutOf: changes)), .blob(run.bytes),
            .integer(figures.ofRun.logBytes + run.bytes.count), .blob(StoredForms.encode(keysOf: touched)),
        ])
        positions += last.value - figures.lastPosition.value
        (figures.lastRun, figures.lastPosition) = (runNumber, last)
        figures.ofRun.logBytes += run.bytes.count
        figures.writtenOfRun = figures.ofRun
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

    public mutating func mark(
        _ space: SpaceID, _ changes: [CommitRecord], touched: [[Key]], as status: ChangeStatus
    ) throws(StoreFailure) {
        precondition(changes.count == touched.count, "\(changes.count) changes, \(touched.count) lists")
        let number = try number(of: space)
        // Changes of one run mostly follow each other: its layout is written once for all of them.
        var open: OpenLayout?
        for (record, keys) in zip(changes, touched) {
            let position = record.position.value
            if let layout = open, !layout.holds(position) {
                try write(layout)
                open = nil
            }
            var layout: OpenLayout
            if let open { layout = open } else { layout = try self.layout(around: record, in: number) }
            let index = Int(position - layout.position)
            layout.parts[index].status = status
            // One that was appended as void touched nothing.
            let isNew = record.status == .void && status != .void
            if isNew { layout.more.append((index, keys)) }
            open = layout
            for key in keys {
                try writer[.markTouched].run([
                    .integer(number), .blob(key), .integer(Int64(position)),
                    .integer(Int64(status.rawValue)),
                ])
                guard isNew else { continue }
                try writer[.touchAtLast].run([
                    .integer(number), .blob(key), .integer(Int64(position)),
                    .integer(try log(LogName(space: number, replica: record.replica)).number),
                    .integer(Int64(record.first.value)), .integer(Int64(record.last.value)),
                    .integer(Int64(status.rawValue)), .integer(layout.run),
                ])
            }
        }
        if let open { try write(open) }
    }

    /// The layout of a run that is being changed.
    private struct OpenLayout {
        let run: Int64
        let position: UInt64
        var parts: [StoredForms.Part]
        /// Documents that changes of it touch from now on, by where they stand.
        var more: [(index: Int, keys: [Key])] = []

        func holds(_ position: UInt64) -> Bool {
            (self.position..<self.position + UInt64(parts.count)).contains(position)
        }
    }

    private func write(_ layout: OpenLayout) throws(StoreFailure) {
        let path = writer.path
        try writer[.putLayout].run([.integer(layout.run), .blob(StoredForms.encode(layout.parts))])
        if layout.more.isEmpty { return }
        // A run of before schema 6 names none: `touched_of_old` does.
        let named = try writer[.keysOfRun].first([.integer(layout.run)]) { row throws(StoreFailure) in
            row.isNull(0) ? nil : try StoredForms.keys(row.blob(0), count: layout.parts.count, in: path)
        }
        guard case .some(.some(var keys)) = named else { return }
        for (index, more) in layout.more {
            keys[index] += more.filter { !keys[index].contains($0) }
        }
        try writer[.putKeys].run([.integer(layout.run), .blob(StoredForms.encode(keysOf: keys))])
    }

    /// The run that holds the change.
    private func layout(around record: CommitRecord, in space: Int64) throws(StoreFailure) -> OpenLayout {
        let path = writer.path
        let (low, _) = RunNumber.bounds(of: space)
        let values = [low, .integer(RunNumber(space: space, position: record.position).value)]
        let found = try writer[.layout].first(values) { row throws(StoreFailure) in
            let run = RunNumber(row.integer(0))
            return OpenLayout(
                run: run.value, position: run.position.value,
                parts: try StoredForms.layout(row.blob(1), in: path))
        }
        guard let found, record.position.value - found.position < UInt64(found.parts.count) else {
            throw .unusable(.file(path: path, .noChange(at: record.position)))
        }
        return found
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
}

extension Query {
    static let logs = Query(
        """
        SELECT replica, max(cut, coalesce(
        (SELECT last FROM runs WHERE log = logs.number ORDER BY first DESC LIMIT 1), 0))
        FROM logs WHERE space = ? ORDER BY replica
        """)
    static let runs = Query(
        """
        SELECT first, last, number, changes, bytes FROM runs WHERE log = ?1 AND last >= ?2 AND first >=
        (SELECT coalesce(max(first), 0) FROM runs WHERE log = ?1 AND first <= ?2) ORDER BY first
        """)
    static let countChanges = Query("SELECT coalesce(sum(changes), 0) FROM runs WHERE log = ? AND first > ?")
    static let addRun = Query("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    static let commits = Query(
        """
        SELECT logs.replica, runs.number, runs.first, runs.layout FROM runs
        CROSS JOIN logs ON logs.number = runs.log WHERE runs.number BETWEEN
        (SELECT coalesce(max(number), ?1) FROM runs WHERE number BETWEEN ?1 AND ?2) AND ?3
        ORDER BY runs.number
        """)
    static let layout = Query(
        """
        SELECT number, layout FROM runs WHERE number BETWEEN ? AND ?
        ORDER BY number DESC LIMIT 1
        """)
    static let putLayout = Query("UPDATE runs SET layout = ?2 WHERE number = ?1")
    static let markTouched = Query(
        "UPDATE touched SET status = ?4 WHERE space = ?1 AND key = ?2 AND position = ?3")
    static let keysOfRun = Query("SELECT keys FROM runs WHERE number = ?")
    static let putKeys = Query("UPDATE runs SET keys = ?2 WHERE number = ?1")
    static let addTouched = Query("INSERT INTO touched VALUES (?, ?, ?, ?, ?, ?, ?, 0)")
    static let touchAtLast = Query(
        """
        INSERT INTO touched VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT keys IS NULL FROM runs WHERE number = ?))
        ON CONFLICT DO NOTHING
        """)
    static let boundary = Query(
        "SELECT last, state FROM boundaries WHERE log = ? AND last < ? ORDER BY last DESC LIMIT 1")
    static let addBoundary = Query(
        "INSERT INTO boundaries VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state")
    static let seals = Query(
        "SELECT last, chain, signature FROM seals WHERE log = ? AND last >= ? ORDER BY last LIMIT ?")
    static let lastSeal = Query("SELECT last, boundary FROM seals WHERE log = ? ORDER BY last DESC LIMIT 1")
    static let addSeal = Query(
        """
        INSERT INTO seals VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET chain = excluded.chain,
        signature = excluded.signature, boundary = max(boundary, excluded.boundary)
        """)
    static let removeSeal = Query("DELETE FROM seals WHERE log = ? AND last = ?")
}
