// Why an issuing node does not admit a joiner that proved, by completing the handshake, that it holds the
// secret of an invite. Who does not hold one gets silence instead (DESIGN 8). The numbers travel in CLOSE and
// are never reused.

/// A named refusal, as it stands in the CLOSE of a joining link and in the API's answer.
public enum JoinRefusal: UInt16, Error, Hashable, Sendable, CaseIterable {
    /// Another device came by this invite.
    case spent = 18
    case expired = 19
    case revoked = 20
    /// Five wrong proofs were made for it.
    case burned = 23
    /// This node did not issue it, or has forgotten it.
    case unknown = 24
    /// The proof's signatures do not fit this invite, device and link.
    case wrongProof = 21
    /// The device is an active member already.
    case alreadyMember = 25
    /// The issuer may not admit any more: it is no admin now.
    case issuerWithoutRight = 26
    /// What is sealed to the joiner's box key would be open to all.
    case weakBoxKey = 27

    /// The number in a CLOSE frame.
    public var closeCode: UInt16 { rawValue }

    /// The API's code.
    public var code: String {
        switch self {
        case .spent: "invite-spent"
        case .expired: "invite-expired"
        case .revoked: "invite-revoked"
        case .burned: "invite-burned"
        case .unknown: "invite-foreign"
        case .wrongProof: "invite-proof-wrong"
        case .alreadyMember: "already-member"
        case .issuerWithoutRight: "issuer-without-right"
        case .weakBoxKey: "box-key-weak"
        }
    }

    /// The API's status: 410 for what was good once.
    public var status: Int {
        switch self {
        case .spent, .expired, .revoked, .burned: 410
        case .unknown, .weakBoxKey: 422
        case .wrongProof, .issuerWithoutRight: 403
        case .alreadyMember: 409
        }
    }

    /// What happened, for a person.
    public var message: String {
        switch self {
        case .spent: "the invite is spent: another device joined with it"
        case .expired: "the invite is expired"
        case .revoked: "the invite was revoked"
        case .burned: "the invite is burned: \(RosterLimits.wrongProofsMax) wrong proofs were made for it"
        case .unknown: "the invite is not known to the node that was reached"
        case .wrongProof: "the proof does not fit the invite"
        case .alreadyMember: "this device is a member of the space already"
        case .issuerWithoutRight: "the node that issued the invite may not admit any more"
        case .weakBoxKey: "the box key in the proof is of small order, so nothing can be sealed to it"
        }
    }
}
