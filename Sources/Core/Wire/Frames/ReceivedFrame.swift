// Flow control of segments. A HAVE says what is held, which a segment may be long before it is: it waits for
// its context, or was dropped and is asked for again. So the window is opened by what was taken in, whatever
// became of it.

public import Bytes

/// Segment bytes taken in on this channel since the link began.
public struct ReceivedFrame: FrameBody {
    public static let type = FrameType.received
    /// Frame bodies of type `segment`, all together.
    public let bytes: UInt64

    public init(bytes: UInt64) { self.bytes = bytes }

    public init(from reader: inout ByteReader) throws(DecodeFault) { bytes = try reader.u64() }

    public func encode(into writer: inout ByteWriter) { writer.u64(bytes) }
}
