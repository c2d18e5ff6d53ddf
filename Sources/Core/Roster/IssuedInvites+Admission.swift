// The issuer's half of joining. Invites and roster change together, and the caller stores both in one
// transaction before the answer leaves: an invite that was answered is spent, whatever crashes. A joiner that
// lost the answer comes again and gets the same one until the invite expires.

public import Causality
public import Crypto
public import Wire

/// What the issuer does with a joiner's proof.
public enum JoinOutcome: Sendable {
    /// The device is a member now. Store the operation and the invites, then send the answer in order.
    case admitted(RosterOperation, answer: [RosterPlace])
    /// It is a member still and has lost what it held: it gets its keys again, with the role it has. The
    /// invite is spent: store the invites, then send the answer.
    case readmitted(answer: [RosterPlace])
    /// It was admitted before; nothing changed. Send the answer.
    case repeated(answer: [RosterPlace])
    /// Say which it is in the CLOSE. `invitesChanged`: a wrong proof was counted, store the invites.
    case refused(JoinRefusal, invitesChanged: Bool)
}

/// A joiner at the issuer's end of a link whose handshake is complete.
public struct JoinRequest: Sendable {
    /// As the preamble named it.
    public let invite: InviteID
    /// As the link's certificate proved it.
    public let device: DeviceID
    public let proof: JoinProof
    /// 64 bytes.
    public let handshakeHash: [UInt8]

    public init(invite: InviteID, device: DeviceID, proof: JoinProof, handshakeHash: [UInt8]) {
        self.invite = invite
        self.device = device
        self.proof = proof
        self.handshakeHash = handshakeHash
    }
}

extension IssuedInvites {
    /// What a holder hears before it proves anything more; nil: its proof decides.
    public func refusal(
        of invite: InviteID, to device: DeviceID, in roster: Roster, at now: Instant
    ) -> JoinRefusal? {
        guard let entry = entries[invite] else { return .unknown }
        switch entry.state {
        case .revoked: return .revoked
        case .burned: return .burned
        case .spent(let other, _) where other != device: return .spent
        case .spent: return entry.isExpired(at: now) ? .expired : nil
        case .open:
            if roster.isRevoked(invite) { return .revoked }
            return entry.isExpired(at: now) ? .expired : nil
        }
    }

    /// Decides about a joiner. `ephemeral` is fresh and used for nothing else.
    public mutating func admit(
        _ request: JoinRequest, in roster: inout Roster, keys: SpaceKeys, ephemeral: AgreementKey,
        at now: Instant, by key: SigningKey
    ) -> JoinOutcome {
        precondition(keys.space == roster.space, "keys of another space")
        // 1. What no proof can change.
        if let refusal = refusal(of: request.invite, to: request.device, in: roster, at: now) {
            return .refused(refusal, invitesChanged: false)
        }
        guard let entry = entries[request.invite] else { return .refused(.unknown, invitesChanged: false) }
        // 2. The proof; a wrong one counts, since only a holder of the secret gets this far.
        let inviteKey = entry.secret.signingKey().publicKey
        guard request.proof.device == request.device,
            request.proof.isValid(
                inviteKey: inviteKey, invite: request.invite, space: roster.space,
                handshakeHash: request.handshakeHash)
        else { return .refused(.wrongProof, invitesChanged: countWrongProof(of: request.invite)) }
        // 3. The same device again gets the same answer; with another box key it could not open it.
        if case .spent(_, let id) = entry.state {
            guard let operation = roster.operation(id), case .add(let add) = operation.body,
                add.description.boxKey == request.proof.description.boxKey
            else { return .refused(.spent, invitesChanged: false) }
            // One that was let in again needs the invite in its answer too, which came after its admission.
            return .repeated(answer: add.invite == request.invite ? roster.places(upTo: id) : roster.places)
        }
        // 4. A member that the roster still lists, with the same box key: its keys lie in its admission.
        if roster.role(of: request.device) != nil {
            guard
                let operation = roster.admission(
                    of: request.device, boxKey: request.proof.description.boxKey)
            else { return .refused(.alreadyMember, invitesChanged: false) }
            entries[request.invite]?.state = .spent(by: request.device, add: operation.id)
            return .readmitted(answer: roster.places)
        }
        // 5. A newcomer.
        let description = request.proof.description
        let add = RosterBody.Add(
            device: request.device, role: entry.role, invite: request.invite, description: description,
            sealedKeys: keys.sealed(for: entry.role, to: description.boxKey, ephemeral: ephemeral))
        do throws(RosterFault) {
            let operation = try roster.author(.add(add), at: now.timestamp, by: key)
            _ = try roster.add(operation)
            entries[request.invite]?.state = .spent(by: request.device, add: operation.id)
            return .admitted(operation, answer: roster.places(upTo: operation.id))
        } catch {
            return .refused(Self.refusal(for: error), invitesChanged: false)
        }
    }

    /// True when something changed: a proof of a spent invite is not counted.
    private mutating func countWrongProof(of id: InviteID) -> Bool {
        guard case .open(let before) = entries[id]?.state else { return false }
        let wrongProofs = before + 1
        entries[id]?.state =
            wrongProofs < RosterLimits.wrongProofsMax ? .open(wrongProofs: wrongProofs) : .burned
        return true
    }

    private static func refusal(for fault: RosterFault) -> JoinRefusal {
        switch fault {
        case .alreadyMember: .alreadyMember
        case .inviteRevoked: .revoked
        case .inviteSpent: .spent
        case .noRight: .issuerWithoutRight
        // The invite was issued by another device whose state this node took over.
        case .inviteUnknown: .unknown
        case .weakBoxKey: .weakBoxKey
        case .malformed, .notSigned, .notGenesis, .otherSpace, .notMember, .sameRole, .inviteRepeated,
            .notInOrder:
            preconditionFailure("an add of our own was refused: \(fault)")
        }
    }
}
