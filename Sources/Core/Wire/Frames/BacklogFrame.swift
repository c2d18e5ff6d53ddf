// How far the other side is behind, in changes. HAVE speaks in sequences, of which a change takes one or
// thousands, so only who holds the changes can count them. It is told for people, when a peer stays behind
// for a moment and while it does; nothing is decided by it.

public import Bytes

/// Changes that the sender holds durably and the receiver had not said it holds.
public struct BacklogFrame: FrameBody {
    public static let type = FrameType.backlog
    public let changes: UInt64

    public init(changes: UInt64) { self.changes = changes }

    public init(from reader: inout ByteReader) throws(DecodeFault) { changes = try reader.u64() }

    public func encode(into writer: inout ByteWriter) { writer.u64(changes) }
}
