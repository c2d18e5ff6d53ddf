// The logs that a checkpoint covers, one row each. Who holds them makes the same bytes as its author; who
// comes later verifies logs from their last boundary in it, and judges by it what lies outside. It is too
// large for an operation, so a checkpoint holds its hash (decision 0183, WIRE.md "Checkpoints").

public import Bytes
public import Causality
import Crypto

/// Where each log stands in a checkpoint.
public struct CheckpointTable: Hashable, Sendable {
    private static let version: UInt8 = 1
    private static let personal = "repld-cp-table-1"

    /// The boundary from which a log goes on where everything before it was let go.
    public struct Boundary: Hashable, Sendable {
        public let position: BoundaryPosition
        public let chainHash: Bytes32

        public init(position: BoundaryPosition, chainHash: Bytes32) {
            self.position = position
            self.chainHash = chainHash
        }
    }

    /// One log.
    public struct Row: Hashable, Sendable {
        public let replica: ReplicaID
        public let declaration: Change.Declaration
        /// The last sequence that the checkpoint covers; the end of a change.
        public let last: SequenceNumber
        /// The same of the checkpoint before, up to which the log may be let go; `.none` if it covers
        /// nothing of the log.
        public let previousLast: SequenceNumber
        /// Of the change that ends at `last`, as is the hash.
        public let timestamp: Timestamp
        public let chainHash: Bytes32
        /// The last one at or before `last`; nil: the log's beginning. Of a log that ended, its end.
        public let boundary: Boundary?
        /// The first sequence that never counts: of a proven fork, or one past the end of a log that ended.
        public let closedAt: SequenceNumber?
        /// The newest of the checkpoints that this one follows which the log acknowledges up to `last`,
        /// itself or by one that follows it.
        public let acknowledged: Bytes32?

        public init(
            replica: ReplicaID, declaration: Change.Declaration, last: SequenceNumber,
            previousLast: SequenceNumber, timestamp: Timestamp, chainHash: Bytes32, boundary: Boundary?,
            closedAt: SequenceNumber?, acknowledged: Bytes32?
        ) {
            self.replica = replica
            self.declaration = declaration
            self.last = last
            self.previousLast = previousLast
            self.timestamp = timestamp
            self.chainHash = chainHash
            self.boundary = boundary
            self.closedAt = closedAt
            self.acknowledged = acknowledged
        }
    }

    /// Ascending by replica, each once.
    public let rows: [Row]

    /// Logs that ended, ascending by replica. O(rows).
    public var ended: [Row] { rows.filter(\.hasEnded) }

    public init(rows: [Row]) {
        precondition(rows.count <= WireLimits.tableRowsMax, "\(rows.count) rows in a table")
        precondition(
            zip(rows, rows.dropFirst()).allSatisfy { $0.replica < $1.replica }, "a table is ascending")
        for row in rows { precondition(row.fault == nil, "a row with a wrong \(row.fault ?? "")") }
        self.rows = rows
    }

    /// All that the checkpoint covers: W. O(rows), as is `released`.
    public var covered: VersionVector { VersionVector(rows.map { .init($0.replica, $0.last) }) }

    /// What the checkpoint before covers, which is let go when this one stands: V.
    public var released: VersionVector {
        VersionVector(rows.filter { $0.previousLast > .none }.map { .init($0.replica, $0.previousLast) })
    }

    /// O(log rows).
    public func row(of replica: ReplicaID) -> Row? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].replica < replica { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].replica == replica ? rows[low] : nil
    }

    /// By which a checkpoint names a table of these bytes.
    public static func hash(of bytes: [UInt8]) -> Bytes32 { Blake2b.hash256(bytes, personal: personal) }
}

// MARK: Bytes

extension CheckpointTable {
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: rows.count * 180 + 8)
        writer.u8(Self.version)
        writer.varint(rows.count)
        for row in rows { row.encode(into: &writer) }
        return writer.bytes
    }

    /// Of this space: each replica is the hash of what its row declares.
    public init(of space: SpaceID, decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        if version != Self.version { throw .unknownTag(field: "table", value: UInt64(version)) }
        let count = try reader.count(limit: WireLimits.tableRowsMax, field: "table")
        var rows: [Row] = []
        rows.reserveCapacity(min(count, reader.remaining / Row.bytesMin))
        for _ in 0..<count {
            let row = try Row(from: &reader)
            if let former = rows.last, former.replica >= row.replica { throw .notCanonical(field: "table") }
            if row.replica != ReplicaID(space: space, declaration: row.declaration) {
                throw .outOfRange(field: "table replica")
            }
            rows.append(row)
        }
        try reader.finish()
        self.rows = rows
    }
}

extension CheckpointTable.Row {
    /// True of a log that its device went on from in another one: nothing behind `last` counts, so it begins
    /// there where it was let go.
    public var hasEnded: Bool { closedAt == last + 1 && boundary?.position.last == last }

    fileprivate static let bytesMin = 95

    /// Which field says what cannot be; nil: none.
    fileprivate var fault: String? {
        if last < SequenceNumber(1) || last >= .max { return "table last" }
        if previousLast > last { return "table previous" }
        if timestamp.milliseconds < 1 || timestamp > .max { return "table time" }
        if let closedAt, closedAt < SequenceNumber(1) || closedAt > .max { return "table closed" }
        guard let boundary else { return nil }
        let position = boundary.position
        if position.last < SequenceNumber(1) || position.last > last { return "table boundary" }
        let isEnd = position.last == last
        if isEnd ? position.timestamp != timestamp : position.timestamp >= timestamp {
            return "table boundary time"
        }
        if isEnd && boundary.chainHash != chainHash { return "table boundary hash" }
        return nil
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        replica.raw.encode(into: &writer)
        declaration.device.publicKey.encode(into: &writer)
        writer.u64(declaration.incarnation)
        writer.varint(last.value)
        writer.varint(previousLast.value)
        writer.varint(timestamp.milliseconds)
        chainHash.encode(into: &writer)
        writer.varint(boundary?.position.last.value ?? 0)
        if let boundary {
            writer.varint(boundary.position.timestamp.milliseconds)
            boundary.chainHash.encode(into: &writer)
        }
        writer.varint(closedAt?.value ?? 0)
        writer.u8(acknowledged == nil ? 0 : 1)
        acknowledged?.encode(into: &writer)
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeFault) {
        let replica = ReplicaID(raw: try Bytes16(from: &reader))
        let device = DeviceID(publicKey: try Bytes32(from: &reader))
        let declaration = Change.Declaration(device: device, incarnation: try reader.u64())
        let last = SequenceNumber(try reader.varint())
        let previousLast = SequenceNumber(try reader.varint())
        let timestamp = Timestamp(milliseconds: try reader.varint())
        let chainHash = try Bytes32(from: &reader)
        let end = SequenceNumber(try reader.varint())
        var boundary: CheckpointTable.Boundary?
        if end > .none {
            let time = Timestamp(milliseconds: try reader.varint())
            boundary = CheckpointTable.Boundary(
                position: BoundaryPosition(last: end, timestamp: time), chainHash: try Bytes32(from: &reader))
        }
        let closedAt = SequenceNumber(try reader.varint())
        let flag = try reader.u8()
        if flag > 1 { throw .unknownTag(field: "table acknowledged", value: UInt64(flag)) }
        self.init(
            replica: replica, declaration: declaration, last: last, previousLast: previousLast,
            timestamp: timestamp, chainHash: chainHash, boundary: boundary,
            closedAt: closedAt > .none ? closedAt : nil,
            acknowledged: flag == 1 ? try Bytes32(from: &reader) : nil)
        if let fault { throw .outOfRange(field: fault) }
    }
}
