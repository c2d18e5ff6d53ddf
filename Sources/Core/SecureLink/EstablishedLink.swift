// What is known when the handshake is complete.

public import Causality

/// The authenticated facts of a link.
public struct EstablishedLink: Equatable, Sendable {
    /// Our side.
    public let role: LinkRole
    /// The space under whose key the link was opened: that of channel 0.
    public let space: SpaceID
    /// Which of our keys it was.
    public let use: PSKCandidate.Use
    /// What the peer's certificate says; its signature held. Whether the roster lists the device is the
    /// caller's to check, and whether it is our own.
    public let peer: LinkCertificate.Claim
    /// 64 bytes, the same on both sides and on no other link: what proofs on this link are bound to.
    public let handshakeHash: [UInt8]

    public init(
        role: LinkRole, space: SpaceID, use: PSKCandidate.Use, peer: LinkCertificate.Claim,
        handshakeHash: [UInt8]
    ) {
        precondition(handshakeHash.count == 64, "a handshake hash of \(handshakeHash.count) bytes")
        self.role = role
        self.space = space
        self.use = use
        self.peer = peer
        self.handshakeHash = handshakeHash
    }
}
