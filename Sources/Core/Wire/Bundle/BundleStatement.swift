// What the writer of a bundle holds, signed: on a link a HAVE says it. Who reads the bundle knows from it
// what to put into the next one for its writer, and that its own changes have arrived there.

public import Bytes
public import Causality
public import Crypto

/// What a device held, durably, when it wrote a bundle.
public struct BundleStatement: Hashable, Sendable {
    private static let label = Array("repld bundle statement v1\0".utf8)

    public let device: DeviceID
    /// By the writer's clock: of two statements of a device the later one counts.
    public let timestamp: Timestamp
    /// Of its roster.
    public let heads: [Bytes32]
    public let held: VersionVector
    private let signature: Signature

    /// `held`: at most `WireLimits.haveEntriesMax` logs.
    public init(
        heads: [Bytes32], held: VersionVector, in space: SpaceID, at timestamp: Timestamp, by key: SigningKey
    ) {
        precondition(held.count <= WireLimits.haveEntriesMax, "\(held.count) logs")
        device = DeviceID(publicKey: key.publicKey)
        self.timestamp = timestamp
        self.heads = Array(heads.sorted().prefix(RosterLimits.headsMax))
        self.held = held
        signature = key.sign(
            Self.message(device, timestamp, heads: self.heads, held: held, in: space))
    }

    /// True when the device signed it, for this space. About 40 µs.
    public func isSigned(in space: SpaceID) -> Bool {
        let message = Self.message(device, timestamp, heads: heads, held: held, in: space)
        return Ed25519.verify(signature, of: message, by: device.publicKey)
    }

    private static func message(
        _ device: DeviceID, _ timestamp: Timestamp, heads: [Bytes32], held: VersionVector, in space: SpaceID
    ) -> [UInt8] {
        var writer = ByteWriter(reserving: 128 + held.count * 24)
        writer.raw(label)
        space.raw.encode(into: &writer)
        encode(device, timestamp, heads: heads, held: held, into: &writer)
        return writer.bytes
    }

    private static func encode(
        _ device: DeviceID, _ timestamp: Timestamp, heads: [Bytes32], held: VersionVector,
        into writer: inout ByteWriter
    ) {
        device.publicKey.encode(into: &writer)
        writer.u64(timestamp.milliseconds)
        RosterHeads.encode(heads, into: &writer)
        writer.varint(held.count)
        for entry in held.entries {
            entry.replica.raw.encode(into: &writer)
            writer.varint(entry.last.value)
        }
    }

    public func encode(into writer: inout ByteWriter) {
        Self.encode(device, timestamp, heads: heads, held: held, into: &writer)
        signature.encode(into: &writer)
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        device = DeviceID(publicKey: try Bytes32(from: &reader))
        timestamp = Timestamp(milliseconds: try reader.u64())
        guard timestamp <= .max else { throw .outOfRange(field: "timestamp") }
        heads = try RosterHeads.decode(from: &reader)
        var entries: [VersionVector.Entry] = []
        for _ in 0..<(try reader.count(limit: WireLimits.haveEntriesMax, field: "logs")) {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            if let last = entries.last, last.replica >= replica { throw .notCanonical(field: "logs") }
            entries.append(.init(replica, try SequenceNumber(from: &reader, field: "log")))
        }
        held = VersionVector(entries)
        signature = try Signature(from: &reader)
    }
}
