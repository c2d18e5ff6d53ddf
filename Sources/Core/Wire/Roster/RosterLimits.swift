// How large the parts of a roster may be. A peer that is over one commits a fault: its operation is refused.
// Limits are part of the format: raising one is a new version of the wire, since old nodes would refuse what
// new ones make.

/// Limits of roster operations, invite tokens and joining.
public enum RosterLimits {
    /// Canonical bytes of one roster operation, signature included.
    public static let operationBytesMax = 65_536
    /// Heads that one operation, or one change, names. An author that sees more names these many and so joins
    /// them.
    public static let headsMax = 256
    /// A space's name, ASCII.
    public static let spaceNameBytesMax = 64
    /// A device's name, UTF-8; 1 to this many.
    public static let deviceNameBytesMax = 64
    /// One address "host:port"; also a hint of a token, whose length is one byte.
    public static let addressBytesMax = 255
    /// Addresses of one device, hints of one token.
    public static let addressesMax = 16
    /// Space keys sealed to one device.
    public static let sealedKeysBytesMax = 512
    /// Devices that one key epoch seals for.
    public static let epochPackagesMax = 64
    /// Replicas of the removed device that a `remove` or `role` names.
    public static let frontierMax = 1_024
    /// Devices that one checkpoint names absent: what fits `reservedBytesMax`.
    public static let absentMax = 1_000
    /// Payload of the operations whose meaning is or was reserved.
    public static let reservedBytesMax = 32_768
    /// Operations that wait for their heads, per space; the oldest goes first and is fetched again.
    public static let waitingMax = 1_024
    /// Their bytes in all.
    public static let waitingBytesMax = 1_048_576
    /// Ids in a summary of what a side holds.
    public static let summaryMax = 64
    /// Of them, those next to the heads, one by one; farther back they get sparser.
    public static let summaryNearest = 8
    /// Views kept for reuse, per space; recomputed when dropped.
    public static let viewsKeptMax = 64
    /// Key epochs whose secrets a node keeps, and as many whose content keys it has from later ones; beyond
    /// it the oldest go, and nothing stored is lost by it: segments are made anew for whom they are sent to.
    public static let epochsMax = 4_096
    /// Earlier epochs whose content keys a new one brings: what fits the wrapped field.
    public static let wrappedEpochsMax = 6
    /// Content keys of the first epoch that others say they have: only its members can tell the true one.
    public static let firstEpochsMax = 16
    /// Older access secrets under which links may be opened.
    public static let olderSecretsMax = 32
    /// Letters of an invite token after its prefix: no token that the other limits allow has more.
    public static let tokenLettersMax = 6_784
    /// Bytes of operations in one part of a join answer; a part stays far below a frame.
    public static let joinPartBytesMax = 524_288
    /// What this version puts into one frame of operations, and into one part of a join answer.
    public static let pieceBytesMax = 65_536
    public static let pieceOperationsMax = 64
    /// Bytes of a whole join answer that a joiner accepts.
    public static let joinAnswerBytesMax = 64 * 1_048_576
    /// Invites that an issuing node keeps, per space, spent and expired ones included.
    public static let issuedInvitesMax = 256
    /// Wrong proofs that burn an invite.
    public static let wrongProofsMax = 5
    /// Seconds that a spent or expired invite is remembered.
    public static let inviteMemorySeconds: UInt64 = 30 * 24 * 3_600
}
