// Fragments to frames. The fragments of a frame follow each other without another frame between them: TCP
// delivers in order anyway, so interleaving would only save time if a sender chose to, and would cost a
// buffer per channel. The buffer grows with the bytes that arrive, never by what a header announces.

/// Puts fragments together, one frame at a time.
package struct FrameAssembler: Sendable {
    // Two fields and not an enum with both: taken out of an enum, the buffer would be copied for every
    // fragment.
    /// Header of the frame whose fragments are arriving.
    private var first: RecordHeader?
    /// What has arrived of it; empty between frames, shorter than its total within one.
    private var body: [UInt8] = []

    package init() {}

    /// Body bytes held of a frame that is not complete.
    package var heldBytes: Int { body.count }

    /// Takes one record, whose body lies at `range` of `buffer`; returns the frame that it completes.
    package mutating func add(
        _ header: RecordHeader, _ buffer: [UInt8], _ range: Range<Int>
    ) throws(LinkFault) -> LinkFrame? {
        if let first {
            guard first.type == header.type, first.channel == header.channel else {
                throw .interleaved(type: header.type, channel: header.channel)
            }
            guard first.total == header.total else {
                throw .fragmentLength(total: header.total, received: body.count)
            }
        } else if !header.hasMore {
            guard range.count == Int(header.total) else {
                throw .fragmentLength(total: header.total, received: range.count)
            }
            return LinkFrame(type: header.type, channel: header.channel, body: Array(buffer[range]))
        }
        // A fragment adds something, and the announced total is reached with the last one and not before.
        let received = body.count + range.count
        guard !range.isEmpty, received <= Int(header.total), (received == Int(header.total)) != header.hasMore
        else {
            throw .fragmentLength(total: header.total, received: received)
        }
        body.append(contentsOf: buffer[range])
        if header.hasMore {
            first = header
            return nil
        }
        defer {
            first = nil
            body = []
        }
        return LinkFrame(type: header.type, channel: header.channel, body: body)
    }
}
