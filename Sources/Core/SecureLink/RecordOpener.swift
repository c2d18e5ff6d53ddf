// Bytes to records, however the network cut them. A record is opened where it lies in the received buffer;
// only an incomplete one at the end is kept, at most 65,537 bytes.

/// The receiving direction of an established link.
struct RecordOpener: Sendable {
    /// One record: its header, and where its body lies in `buffer` until the next call.
    struct Record {
        let header: RecordHeader
        let body: Range<Int>
    }

    private var cipher: NoiseCipherState
    private(set) var buffer: [UInt8] = []
    /// Everything in `buffer` before this is done with.
    private var offset = 0

    init(_ cipher: NoiseCipherState) { self.cipher = cipher }

    mutating func append(_ bytes: consuming [UInt8]) {
        if buffer.isEmpty { buffer = bytes } else { buffer.append(contentsOf: bytes) }
    }

    /// The next record; nil when it is not complete, which also lets the memory of the others go.
    mutating func next() throws(LinkFault) -> Record? {
        let available = buffer.count - offset - 2
        guard available >= 0 else { return keepRest() }
        let length = Int(buffer[offset]) << 8 | Int(buffer[offset + 1])
        if length < SecureLinkLimits.recordOverheadBytes { throw .recordTooShort(bytes: length) }
        guard available >= length else { return keepRest() }
        let start = offset + 2
        guard cipher.openInPlace(&buffer, start..<start + length) else {
            throw .recordNotAuthentic(number: cipher.counter)
        }
        if cipher.counter % SecureLinkLimits.recordsPerKey == 0 { cipher.rekey() }
        offset = start + length
        let header = try RecordHeader(decoding: buffer, at: start)
        return Record(header: header, body: start + RecordHeader.byteCount..<offset - 16)
    }

    private mutating func keepRest() -> Record? {
        if offset > 0 {
            buffer = offset == buffer.count ? [] : Array(buffer[offset...])
            offset = 0
        }
        return nil
    }
}
