// The 8 bytes at the start of every record's plaintext, always there, also where a record is a whole frame:
//
//     type u8 | flags u8 (bit 0: more fragments follow) | channel u16 | total u32 (body bytes of the frame)

import Bytes

/// What a record says about the frame that it is or belongs to.
package struct RecordHeader: Hashable, Sendable {
    package static let byteCount = 8
    private static let moreFlag: UInt8 = 1

    let type: UInt8
    let hasMore: Bool
    let channel: UInt16
    /// The same in every fragment of a frame.
    let total: UInt32

    init(type: UInt8, hasMore: Bool, channel: UInt16, total: UInt32) {
        precondition(type != 0, "type 0 is none")
        self.type = type
        self.hasMore = hasMore
        self.channel = channel
        self.total = total
    }

    /// From the 8 bytes of `bytes` at `offset`, which must be there.
    package init(decoding bytes: [UInt8], at offset: Int) throws(LinkFault) {
        precondition(offset >= 0 && offset + Self.byteCount <= bytes.count, "\(offset) of \(bytes.count)")
        type = bytes[offset]
        let flags = bytes[offset + 1]
        channel = UInt16(bytes[offset + 2]) << 8 | UInt16(bytes[offset + 3])
        total = bytes[(offset + 4)..<(offset + 8)].reduce(0) { $0 << 8 | UInt32($1) }
        hasMore = flags & Self.moreFlag != 0
        if type == 0 { throw .reservedType }
        if flags & ~Self.moreFlag != 0 { throw .reservedFlags(flags) }
        if total > UInt32(SecureLinkLimits.frameBytesMax) { throw .frameTooLarge(bytes: total) }
    }

    package func encode(into buffer: inout [UInt8]) {
        buffer.append(type)
        buffer.append(hasMore ? Self.moreFlag : 0)
        buffer.append(UInt8(channel >> 8))
        buffer.append(UInt8(truncatingIfNeeded: channel))
        for shift in [24, 16, 8, 0] as [UInt32] { buffer.append(UInt8(truncatingIfNeeded: total >> shift)) }
    }
}
