// What a peer, or a stranger, can do wrong on a connection. Before message 3 is accepted every fault is
// answered by silence; afterwards the link is closed with a named CLOSE.

/// The other side's wrong; each closes the connection.
public enum LinkFault: Error, Hashable, Sendable {
    // Preamble.
    /// The first bytes are not `RPLD`.
    case notThisProtocol
    /// Its versions and ours do not meet.
    case noCommonVersion(least: UInt8, greatest: UInt8)
    case unknownProfile(UInt8)
    /// Flags, or an invite id where none belongs, or versions the wrong way round.
    case preambleNotCanonical

    // Handshake.
    /// The length before a handshake message is not the one its number has.
    case messageLength(number: Int, bytes: Int)
    /// No key of ours opens message 1: a stranger, or a member with keys we have not.
    case noMatchingKey
    /// An ephemeral that was seen before.
    case replayed
    /// A handshake message that our state does not open.
    case messageNotAuthentic(number: Int)
    /// A public key of small order.
    case noAgreement
    case certificateMalformed
    case certificateSignature
    /// Five seconds went by.
    case handshakeTooSlow
    /// The stream ended before the handshake did. To a dialler: it was refused.
    case handshakeCutOff

    // Records.
    /// Too short for header and tag.
    case recordTooShort(bytes: Int)
    /// A record that was not sealed by the peer, or not as the next one: damaged, dropped, repeated,
    /// reordered.
    case recordNotAuthentic(number: UInt64)
    case reservedFlags(UInt8)
    case frameTooLarge(bytes: UInt32)
    /// The fragments hold more or less than their frame announced, or one adds nothing.
    case fragmentLength(total: UInt32, received: Int)
    /// A record of another frame between the fragments of one.
    case interleaved(type: UInt8, channel: UInt16)
    /// Type 0 is none.
    case reservedType
    /// PING, PONG and CLOSE belong to channel 0.
    case wrongChannel(type: UInt8, channel: UInt16)
    /// A CLOSE without a code, or whose reason is too long or no UTF-8.
    case closeMalformed
}
