// A checkpoint: what its author proposes to be final, in the roster, where everybody sees it. Vectors of
// thousands of logs do not fit an operation, so it names one change, its *witness*: a change of its author
// whose context names all that the author holds. All else is fetched by hash: the table of the logs, and the
// manifest of the documents (decision 0183, WIRE.md "Checkpoints").

public import Bytes
public import Causality

/// Which operations of logs a checkpoint counts with. A change with one beyond it is void where the
/// checkpoint covers it, for ever: else no base could ever be computed where nobody knows the operation.
public struct OperationVersion: Hashable, Comparable, Sendable {
    public let value: UInt32

    public init(_ value: UInt32) { self.value = value }

    /// Tags 1 to 14 and 64.
    public static let first = OperationVersion(1)
    /// Of this program.
    public static let current = first

    public static func < (left: OperationVersion, right: OperationVersion) -> Bool {
        left.value < right.value
    }
}

/// The content of a `checkpoint` operation.
public struct CheckpointBody: Hashable, Sendable {
    private static let version: UInt8 = 1

    /// The checkpoint that it follows; nil for the first of a space.
    public let previous: Bytes32?
    /// The author's change that, with all it was made on, is covered.
    public let witness: Dot
    /// Members that are not waited for, ascending.
    public let absent: [DeviceID]
    public let operationVersion: OperationVersion
    /// Of the `CheckpointTable`.
    public let table: Bytes32
    /// Of the `BaseManifest`: the documents as all that is covered makes them.
    public let manifest: Bytes32

    public init(
        previous: Bytes32?, witness: Dot, absent: [DeviceID], operationVersion: OperationVersion = .current,
        table: Bytes32, manifest: Bytes32
    ) {
        precondition(witness.sequence > .none && witness.sequence <= .max, "a witness at \(witness)")
        precondition(absent.count <= RosterLimits.absentMax, "\(absent.count) devices are absent")
        precondition(zip(absent, absent.dropFirst()).allSatisfy { $0 < $1 }, "the absent are ascending")
        self.previous = previous
        self.witness = witness
        self.absent = absent
        self.operationVersion = operationVersion
        self.table = table
        self.manifest = manifest
    }

    /// Nil for other bytes than `encode` makes. Earlier versions took any bytes for valid, so these say
    /// nothing and are no fault.
    init?(payload: [UInt8]) {
        var reader = ByteReader(payload)
        do throws(DecodeFault) {
            guard try reader.u8() == Self.version else { return nil }
            switch try reader.u8() {
            case 0: previous = nil
            case 1: previous = try Bytes32(from: &reader)
            default: return nil
            }
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            witness = Dot(replica, try SequenceNumber(from: &reader, field: "witness"))
            let count = try reader.count(limit: RosterLimits.absentMax, field: "absent")
            var absent: [DeviceID] = []
            for _ in 0..<count {
                let device = DeviceID(publicKey: try Bytes32(from: &reader))
                if let last = absent.last, last >= device { return nil }
                absent.append(device)
            }
            self.absent = absent
            let version = try reader.varint()
            guard version <= UInt64(UInt32.max) else { return nil }
            operationVersion = OperationVersion(UInt32(version))
            table = try Bytes32(from: &reader)
            manifest = try Bytes32(from: &reader)
            try reader.finish()
        } catch {
            return nil
        }
    }

    func encode(into writer: inout ByteWriter) {
        writer.u8(Self.version)
        writer.u8(previous == nil ? 0 : 1)
        previous?.encode(into: &writer)
        witness.replica.raw.encode(into: &writer)
        writer.varint(witness.sequence.value)
        writer.varint(absent.count)
        for device in absent { device.publicKey.encode(into: &writer) }
        writer.varint(UInt64(operationVersion.value))
        table.encode(into: &writer)
        manifest.encode(into: &writer)
    }
}
