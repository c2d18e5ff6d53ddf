// OPEN: a further space on a link that stands (DESIGN 8). The tag shows the peer which space is meant, and
// nobody else.

import Bytes

/// The body of OPEN, whose channel number becomes the space's.
struct OpenFrame: Hashable, Sendable {
    static let type: UInt8 = 4
    /// KDF(access secret, "repld-open-v1", handshake hash ‖ the opener's handshake role).
    let tag: Bytes32

    init(tag: Bytes32) { self.tag = tag }

    init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        tag = try Bytes32(from: &reader)
        try reader.finish()
    }

    func encoded() -> [UInt8] { tag.bytes }
}
