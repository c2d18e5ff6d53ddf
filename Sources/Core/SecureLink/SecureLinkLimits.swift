// Everything that a peer could make grow, with its reason and what happens at the limit (DESIGN 8 and 12).

/// Limits of one connection.
public enum SecureLinkLimits {
    /// Protocol versions this build speaks, both ends inside.
    public static let versions: ClosedRange<UInt8> = 1...1
    /// A handshake that takes longer is closed without a byte. Milliseconds.
    public static let handshakeMilliseconds: UInt64 = 5_000
    /// Body of one frame, bytes. Larger: fault of a sender, bug of a caller.
    public static let frameBytesMax = 4 << 20
    /// Ciphertext of one record: what its u16 length can say.
    public static let recordBytesMax = Int(UInt16.max)
    /// Header and tag, the least that a record holds.
    public static let recordOverheadBytes = RecordHeader.byteCount + 16
    /// Body bytes that one record carries at most.
    public static let fragmentBytesMax = recordBytesMax - recordOverheadBytes
    /// Records sealed under one key; then both sides rekey.
    public static let recordsPerKey: UInt64 = 65_536
    /// UTF-8 bytes of the reason in a CLOSE. Longer ones are cut by us and a fault of a peer.
    public static let closeReasonBytesMax = 512
    /// How long an initiator's ephemeral is remembered against replay. Milliseconds.
    public static let replayMilliseconds: UInt64 = 600_000
    /// How many are remembered on a node; the oldest goes first. Only holders of a key can add one.
    public static let replayCountMax = 65_536
}
