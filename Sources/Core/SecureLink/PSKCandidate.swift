// A key under which a link may be opened, and what it stands for. The initiator picks one; the responder
// tries all it has on message 1, because a preamble that named the space would tell outsiders who is in it.

public import Bytes
public import Causality
public import Crypto

/// One pre-shared key of this node.
public struct PSKCandidate: Sendable {
    /// What the key was derived from.
    public enum Use: Hashable, Sendable {
        /// The space's access secret of this epoch.
        case mesh(epoch: UInt64)
        /// An invite's secret.
        case join(invite: Bytes16)
    }

    public let space: SpaceID
    public let use: Use
    public let psk: Secret
    /// Hash of the space's sorted roster heads, for our certificate. A joiner has none: zero.
    public let rosterHash: Bytes32

    public init(space: SpaceID, use: Use, psk: Secret, rosterHash: Bytes32) {
        precondition(psk.count == 32, "a pre-shared key of \(psk.count) bytes")
        self.space = space
        self.use = use
        self.psk = psk
        self.rosterHash = rosterHash
    }

    /// The preamble under which this key is used.
    var preamble: Preamble {
        switch use {
        case .mesh: Preamble(profile: .mesh, inviteID: .zero)
        case .join(let invite): Preamble(profile: .join, inviteID: invite)
        }
    }

    /// True when a link with this preamble may be opened under this key.
    func fits(_ preamble: Preamble) -> Bool {
        self.preamble.profile == preamble.profile && self.preamble.inviteID == preamble.inviteID
    }
}
