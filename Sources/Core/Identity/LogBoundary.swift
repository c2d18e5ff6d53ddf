// What must be kept of a boundary so that the log can be read and go on from there without what lies before
// it.

public import Bytes
import Causality
public import Wire

/// A boundary with the hash there and the log's author.
public struct LogBoundary: Hashable, Sendable {
    public let position: BoundaryPosition
    public let chainHash: Bytes32
    public let declaration: Change.Declaration

    public init(position: BoundaryPosition, chainHash: Bytes32, declaration: Change.Declaration) {
        self.position = position
        self.chainHash = chainHash
        self.declaration = declaration
    }

    /// For the store: last u64, time u64, chain hash 32, device pk 32, incarnation u64.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 88)
        writer.u64(position.last.value)
        writer.u64(position.timestamp.milliseconds)
        chainHash.encode(into: &writer)
        declaration.device.publicKey.encode(into: &writer)
        writer.u64(declaration.incarnation)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let last = try reader.u64()
        let milliseconds = try reader.u64()
        if last > SequenceNumber.max.value { throw .outOfRange(field: "boundary") }
        if milliseconds > Timestamp.max.milliseconds { throw .outOfRange(field: "time") }
        position = BoundaryPosition(
            last: SequenceNumber(last), timestamp: Timestamp(milliseconds: milliseconds))
        chainHash = try Bytes32(from: &reader)
        let device = DeviceID(publicKey: try Bytes32(from: &reader))
        declaration = Change.Declaration(device: device, incarnation: try reader.u64())
        try reader.finish()
    }
}
