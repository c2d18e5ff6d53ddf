// The joiner's half: it proves itself on one link and then believes nothing that the answer does not prove.
// The roster must begin with the genesis that the token's SpaceID is the hash of, every operation must hold,
// one of them must add this device by this invite, and the sealed keys must open.

public import Bytes
public import Causality
public import Crypto
public import Wire

/// Why an issuer's answer does not make this device a member. The issuer's fault.
public enum JoinFault: Error, Equatable, Sendable {
    case malformed(DecodeFault)
    /// The first operation is not the genesis of the token's space.
    case otherSpace
    /// An operation that every replica refuses.
    case refused(RosterFault)
    /// An operation came before what it names, or twice.
    case notInOrder
    /// Over `RosterLimits.joinAnswerBytesMax`.
    case tooLarge(bytes: Int)
    /// Nothing in it adds this device by this invite, or it does not hold any more.
    case notAdmitted
    /// The invite in the roster is not the public half of the token's secret.
    case otherInvite
    case keys(SpaceKeysFault)
    /// A role that reads without the content key, or a relay with it.
    case keysDoNotFit(Role)
}

/// A space that this device has just become a member of. Only a checked answer makes one.
public struct JoinedSpace: Sendable {
    /// With everything of the answer; `operations()` is what to store.
    public let roster: Roster
    public let keys: SpaceKeys
    public let role: Role
    /// The creator's name for it: the default here.
    public var name: SpaceName { roster.name }
}

/// One attempt to join over one link, between its handshake and the last part of the answer.
public struct Joining: Sendable {
    public let token: InviteToken
    public let device: DeviceID
    private let boxKey: AgreementKey
    /// Nil before the first part.
    private var roster: Roster?
    private var byteCount = 0

    public init(token: InviteToken, device: DeviceID, boxKey: AgreementKey) {
        self.token = token
        self.device = device
        self.boxKey = boxKey
    }

    /// The proof for the link with this handshake hash (64 bytes).
    public func proof(
        name: DeviceName, addresses: [PeerAddress], handshakeHash: [UInt8], by key: SigningKey
    ) -> JoinProof {
        precondition(DeviceID(publicKey: key.publicKey) == device, "another device's key")
        let description = DeviceDescription(name: name, boxKey: boxKey.publicKey, addresses: addresses)
        return JoinProof(
            description, of: key, invite: token.secret, space: token.space, handshakeHash: handshakeHash)
    }

    /// Takes the body of one JOIN_ANSWER; the space once the last one is in. After a throw the attempt is
    /// over.
    public mutating func take(_ bytes: [UInt8]) throws(JoinFault) -> JoinedSpace? {
        let part: JoinAnswerPart
        do throws(DecodeFault) {
            part = try JoinAnswerPart(decoding: bytes)
        } catch {
            throw .malformed(error)
        }
        byteCount += part.byteCount
        guard byteCount <= RosterLimits.joinAnswerBytesMax else { throw .tooLarge(bytes: byteCount) }
        var operations = part.operations[...]
        var growing: Roster
        if let roster {
            growing = roster
        } else {
            guard let first = operations.popFirst() else { throw .otherSpace }
            growing = try begin(with: first)
        }
        roster = nil
        for operation in operations {
            let addition: RosterAddition
            do throws(RosterFault) {
                addition = try growing.add(operation)
            } catch {
                throw .refused(error)
            }
            guard case .added = addition else { throw .notInOrder }
        }
        if part.isLast { return try finish(growing) }
        roster = growing
        return nil
    }

    private func begin(with genesis: RosterOperation) throws(JoinFault) -> Roster {
        guard genesis.id == token.space.raw else { throw .otherSpace }
        do throws(RosterFault) {
            return try Roster(genesis: genesis)
        } catch {
            throw .refused(error)
        }
    }

    private func finish(_ complete: Roster) throws(JoinFault) -> JoinedSpace {
        var roster = complete
        // 1. This device, by this invite, with this box key, and still.
        guard let role = roster.role(of: device), let add = ownAdd(in: roster) else { throw .notAdmitted }
        // 2. By whoever issued the token, not by somebody who only knew the invite's id.
        let publicHalf = token.secret.signingKey().publicKey
        guard
            roster.inviteRecords(of: token.secret.id).contains(where: { record in
                record.invite.key == publicHalf
                    && (record.spentBy == device || (record.spentBy == nil && add.invite != token.secret.id))
            })
        else { throw .otherInvite }
        // 3. The keys.
        var keys: SpaceKeys
        do throws(SpaceKeysFault) {
            keys = try SpaceKeys(opening: add.sealedKeys, with: boxKey, of: roster.space)
        } catch {
            throw .keys(error)
        }
        // Who is let in again may have packages of later epochs; all lead back to earlier ones.
        _ = keys.read(KeyEpochs(of: &roster, for: device), in: roster, with: boxKey)
        guard (keys.current.content == nil) == (role == .relay) else { throw .keysDoNotFit(role) }
        return JoinedSpace(roster: roster, keys: keys, role: role)
    }

    /// By this invite; or, for a device that is let in again while it is still listed, by an earlier one.
    private func ownAdd(in roster: Roster) -> RosterBody.Add? {
        for operation in roster.operations() {
            guard case .add(let add) = operation.body, add.device == device, add.invite == token.secret.id,
                add.description.boxKey == boxKey.publicKey
            else { continue }
            return add
        }
        guard case .add(let add) = roster.admission(of: device, boxKey: boxKey.publicKey)?.body else {
            return nil
        }
        return add
    }
}
