// Frames to records: u16 length ‖ ciphertext, where the plaintext is the header and up to 65,511 body bytes.
// The body is copied once, into the buffer that goes to the socket, and sealed there; many frames share one
// buffer.

/// The sending direction of an established link.
struct RecordSealer: Sendable {
    private var cipher: NoiseCipherState

    init(_ cipher: NoiseCipherState) { self.cipher = cipher }

    /// Appends the frame's records to `buffer`.
    mutating func seal(_ frame: LinkFrame, into buffer: inout [UInt8]) {
        let body = frame.body
        var start = 0
        repeat {
            let end = min(start + SecureLinkLimits.fragmentBytesMax, body.count)
            let header = RecordHeader(
                type: frame.type, hasMore: end < body.count, channel: frame.channel, total: UInt32(body.count)
            )
            seal(header, body[start..<end], into: &buffer)
            start = end
        } while start < body.count
    }

    private mutating func seal(
        _ header: RecordHeader, _ fragment: ArraySlice<UInt8>, into buffer: inout [UInt8]
    ) {
        let length = SecureLinkLimits.recordOverheadBytes + fragment.count
        precondition(length <= SecureLinkLimits.recordBytesMax, "a record of \(length) bytes")
        buffer.append(UInt8(length >> 8))
        buffer.append(UInt8(truncatingIfNeeded: length))
        let plaintextStart = buffer.count
        header.encode(into: &buffer)
        buffer.append(contentsOf: fragment)
        let plaintextEnd = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: 16))
        cipher.sealInPlace(&buffer, plaintextStart..<plaintextEnd)
        if cipher.counter % SecureLinkLimits.recordsPerKey == 0 { cipher.rekey() }
    }
}
