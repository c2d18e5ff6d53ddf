// The reading half of the contract over one connection. The writer's own reads and the readers' go through
// the same code, so they cannot come to different answers.

import Bytes
import Causality
import Node
import Wire

/// Reads over a connection: inside the write transaction for the writer, inside a snapshot for a reader.
struct Queries {
    let connection: Connection

    private var path: String { connection.path }

    /// The space's number; nil when it is unknown.
    func number(of space: SpaceID) throws(StoreFailure) -> Int64? {
        if let known = connection.numbers[space] { return known }
        let number = try connection[.spaceNumber].first([.blob(space.raw.bytes)]) { $0.integer(0) }
        if let number { connection.numbers[space] = number }
        return number
    }

    func log(_ space: Int64, _ replica: ReplicaID) throws(StoreFailure) -> (
        number: Int64, last: SequenceNumber
    )? {
        try connection[.log].first([.integer(space), .blob(replica.raw.bytes)]) { row in
            (row.integer(0), SequenceNumber(UInt64(row.integer(1))))
        }
    }

    /// The log's number; nil when the space or the log is unknown.
    private func number(of replica: ReplicaID, in space: SpaceID) throws(StoreFailure) -> Int64? {
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
                documents: Int(row.integer(2)))
        }
    }

    func meta(_ name: String) throws(StoreFailure) -> [UInt8]? {
        try connection[.meta].first([.text(name)]) { $0.blob(0) }
    }

    func spaces() throws(StoreFailure) -> [SpaceRecord] {
        try connection[.spaces].all([]) { row throws(StoreFailure) in
            // Where the record was written last, or the last change since.
            let written = CommitPosition(UInt64(row.integer(4)))
            let last = try lastRun(row.integer(5))?.lastPosition ?? .start
            return SpaceRecord(
                id: SpaceID(raw: try StoredForms.bytes32(row.blob(0), in: path)), name: row.text(1),
                keys: row.blob(2), incarnation: row.isNull(3) ? nil : UInt64(bitPattern: row.integer(3)),
                position: max(written, last))
        }
    }

    func rosterOperations(_ space: SpaceID) throws(StoreFailure) -> [[UInt8]] {
        guard let number = try number(of: space) else { return [] }
        return try connection[.roster].all([.integer(number)]) { $0.blob(0) }
    }

    func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector {
        guard let number = try number(of: space) else { return VersionVector() }
        return VersionVector(
            try connection[.logs].all([.integer(number)]) { row throws(StoreFailure) in
                VersionVector.Entry(
                    try StoredForms.replica(row.blob(0), in: path), SequenceNumber(UInt64(row.integer(1))))
            })
    }

    func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int)
        throws(StoreFailure) -> [StoredRun]
    {
        guard let log = try number(of: replica, in: space) else { return [] }
        var (found, bytes) = ([StoredRun](), 0)
        try connection[.runs].forEach([.integer(log), .integer(Int64(from.value))]) { row in
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

    func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber)
        throws(StoreFailure) -> Int
    {
        guard let log = try number(of: replica, in: space) else { return 0 }
        // No log reaches beyond Int64.
        let after = Int64(clamping: sequence.value)
        return try connection[.countChanges].first([.integer(log), .integer(after)]) {
            Int($0.integer(0))
        } ?? 0
    }

    func boundary(_ space: SpaceID, _ replica: ReplicaID, before sequence: SequenceNumber)
        throws(StoreFailure) -> BoundaryRecord?
    {
        guard let log = try number(of: replica, in: space) else { return nil }
        return try connection[.boundary].first([.integer(log), .integer(Int64(sequence.value))]) {
            row in
            BoundaryRecord(last: SequenceNumber(UInt64(row.integer(0))), state: row.blob(1))
        }
    }

    func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int)
        throws(StoreFailure) -> [Seal]
    {
        guard let log = try number(of: replica, in: space) else { return [] }
        let values: [SQLValue] = [.integer(log), .integer(Int64(from.value)), .integer(limit)]
        return try connection[.seals].all(values) { row throws(StoreFailure) in
            Seal(
                replica: replica, last: SequenceNumber(UInt64(row.integer(0))),
                chainHash: try StoredForms.bytes32(row.blob(1), in: path),
                signature: try StoredForms.signature(row.blob(2), in: path))
        }
    }

    func commits(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        guard limit > 0, position < RunNumber.positionMax, let number = try number(of: space) else {
            return []
        }
        var found: [CommitRecord] = []
        let (low, high) = RunNumber.bounds(of: number)
        let from = SQLValue.integer(RunNumber(space: number, position: position.next).value)
        try connection[.commits].forEach([low, from, high]) { row throws(StoreFailure) in
            let replica = try StoredForms.replica(row.blob(0), in: path)
            var next = RunNumber(row.integer(1)).position
            var first = SequenceNumber(UInt64(row.integer(2)))
            for part in try StoredForms.layout(row.blob(3), in: path) {
                if next > position, found.count < limit {
                    found.append(
                        CommitRecord(
                            position: next, replica: replica, first: first, last: first + (part.length - 1),
                            status: part.status))
                }
                (next, first) = (next.next, first + part.length)
            }
            return found.count < limit
        }
        return found
    }

    func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        guard let number = try number(of: space) else { return [] }
        let values: [SQLValue] = [
            .integer(number), .blob(document), .integer(Int64(position.value)), .integer(limit),
        ]
        return try connection[.commitsTouching].all(values) { row throws(StoreFailure) in
            CommitRecord(
                position: CommitPosition(UInt64(row.integer(0))),
                replica: try StoredForms.replica(row.blob(1), in: path),
                first: SequenceNumber(UInt64(row.integer(2))), last: SequenceNumber(UInt64(row.integer(3))),
                status: try StoredForms.status(row.integer(4), in: path))
        }
    }

    func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        guard let number = try number(of: space) else { return nil }
        return try connection[.document].first([.integer(number), .blob(key)]) { row throws(StoreFailure) in
            DocumentRecord(
                key: key, isVisible: row.integer(0) != 0,
                frontier: try StoredForms.dots(row.blob(2), in: path),
                position: CommitPosition(UInt64(row.integer(1))))
        }
    }

    func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        guard let number = try number(of: space) else { return [] }
        // One lower and one upper bound, both exact, so that a page is a seek and a walk. The least key after
        // `after` has a zero byte more; the least after all with `prefix` has its last byte one greater. 0xFF
        // is in no UTF-8.
        var lower = Array(prefix.utf8)
        if let after, after >= prefix { lower = Array(after.utf8) + [0] }
        var upper = Array(prefix.utf8)
        if let last = upper.popLast() { upper.append(last + 1) } else { upper = [0xFF] }
        let values: [SQLValue] = [.integer(number), .blob(lower), .blob(upper), .integer(limit)]
        return try connection[.documents].all(values) { row throws(StoreFailure) in
            DocumentRecord(
                key: try StoredForms.key(row.blob(0), in: path), isVisible: true,
                frontier: try StoredForms.dots(row.blob(2), in: path),
                position: CommitPosition(UInt64(row.integer(1))))
        }
    }

    func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int {
        guard let number = try number(of: space) else { return 0 }
        return try documentCount(number)
    }

    /// As the last run says; as the space does while it has none.
    func documentCount(_ space: Int64) throws(StoreFailure) -> Int {
        if let last = try lastRun(space) { return last.documents }
        return try connection[.countDocuments].first([.integer(space)]) { Int($0.integer(0)) } ?? 0
    }

    func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord? {
        guard let number = try number(of: space) else { return nil }
        return try connection[.snapshot].first([.integer(number), .blob(key)]) { row in
            SnapshotRecord(position: CommitPosition(UInt64(row.integer(0))), bytes: row.blob(1))
        }
    }

    func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord? {
        guard let number = try number(of: space) else { return nil }
        return try connection[.idempotency].first([.integer(number), .blob(key)]) {
            row throws(StoreFailure) in
            IdempotencyRecord(
                bodyHash: try StoredForms.bytes32(row.blob(0), in: path),
                change: row.isNull(1) ? nil : try StoredForms.dots(row.blob(1), in: path).first,
                version: row.text(2), expires: UInt64(row.integer(3)))
        }
    }

    func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord] {
        guard let number = try number(of: space) else { return [] }
        return try connection[.forks].all([.integer(number)]) { row throws(StoreFailure) in
            ForkRecord(
                replica: try StoredForms.replica(row.blob(0), in: path),
                first: SequenceNumber(UInt64(row.integer(1))), since: UInt64(row.integer(2)),
                proof: row.blob(3))
        }
    }

    func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord] {
        guard let number = try number(of: space) else { return [] }
        return try connection[.skipped].all([.integer(number)]) { row throws(StoreFailure) in
            let change = CommitRecord(
                position: CommitPosition(UInt64(row.integer(0))),
                replica: try StoredForms.replica(row.blob(1), in: path),
                first: SequenceNumber(UInt64(row.integer(2))), last: SequenceNumber(UInt64(row.integer(3))),
                status: .skipped)
            return SkippedRecord(
                change: change, reason: try StoredForms.reason(row.integer(4), in: path),
                since: UInt64(row.integer(5)))
        }
    }
}

/// What the last run of a space says about it.
struct LastRun {
    let number: RunNumber
    let changes: Int
    /// Visible documents of the space.
    var documents: Int

    var lastPosition: CommitPosition { CommitPosition(number.position.value + UInt64(changes) - 1) }
}
