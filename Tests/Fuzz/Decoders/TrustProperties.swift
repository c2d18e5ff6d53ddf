// Roster, joining, tokens, and what the node stores of them.

import Bytes
import Causality
import Crypto
import Identity
import Node
import Roster
import Wire

enum TrustProperties {
    static let description = DeviceDescription(name: FuzzKeys.deviceName, boxKey: FuzzKeys.box.publicKey)
    static let genesis = Roster.genesis(
        name: FuzzKeys.spaceName, creator: description,
        nonce: [UInt8](repeating: 9, count: 32), at: Timestamp(milliseconds: 1), by: FuzzKeys.device)

    /// An operation as it comes, and its content once more under the hand of the space's admin.
    static func roster(_ bytes: [UInt8]) -> String? {
        guard let operation = try? RosterOperation(decoding: bytes) else { return nil }
        if operation.bytes != bytes { return "an operation has other bytes" }
        let heads = operation.body.isGenesis ? [] : [genesis.id]
        let signed = RosterOperation(
            operation.body, on: heads, at: operation.timestamp, by: FuzzKeys.device)
        guard let again = try? RosterOperation(decoding: signed.bytes), again == signed, again.isSigned()
        else {
            return "a signed operation is refused"
        }
        guard var roster = try? Roster(genesis: genesis) else { return "the genesis is refused" }
        _ = try? roster.add(signed)
        _ = try? roster.add(operation)
        roster.checkInvariants()
        for member in roster.members() { _ = roster.role(of: member.device) }
        _ = roster.inviteRecords()
        guard operation.body.isGenesis else { return nil }
        guard let other = try? Roster(genesis: signed) else { return "a signed genesis makes no space" }
        other.checkInvariants()
        return nil
    }

    /// The first byte picks: a proof, a part of an answer, or an answer that a joiner takes.
    static func join(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        switch choice % 3 {
        case 0:
            guard let proof = try? JoinProof(decoding: rest) else { return nil }
            return proof.encoded() == rest ? nil : "a proof has a second form"
        case 1:
            guard let part = try? JoinAnswerPart(decoding: rest) else { return nil }
            return part.encoded() == rest ? nil : "an answer has a second form"
        default:
            let token = InviteToken(
                secret: InviteSecret(FuzzKeys.secret(4)), space: SpaceID(raw: genesis.id), expirySeconds: 5,
                hints: [])
            var joining = Joining(
                token: token, device: DeviceID(publicKey: FuzzKeys.device.publicKey), boxKey: FuzzKeys.box)
            if let joined = try? joining.take(rest) { joined.roster.checkInvariants() }
            return nil
        }
    }

    /// The first byte picks the kind of text; for 0 it is a token's body, whose check bytes are made here.
    static func token(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        let text = String(decoding: rest, as: UTF8.self)
        switch choice % 6 {
        case 0:
            let check = Blake2b.hash256(rest, personal: "repld-invite-v1").bytes.prefix(3)
            let typed = InviteToken.prefix + Base32.encode(rest + check)
            guard let token = try? InviteToken(typed) else { return nil }
            return token.text() == typed ? nil : "a token has a second form"
        case 1:
            guard let token = try? InviteToken(text) else { return nil }
            guard let again = try? InviteToken(token.text()), again.text() == token.text() else {
                return "a token is refused as it is shown"
            }
            return nil
        case 2:
            guard let device = try? DeviceID(text: text) else { return nil }
            return (try? DeviceID(text: device.text)) == device ? nil : "a device id reads as another"
        case 3:
            guard let address = PeerAddress(text) else { return nil }
            return address.string == text ? nil : "an address reads as another"
        case 4:
            guard let version = VersionToken(text) else { return nil }
            return version.text == text ? nil : "a version has a second form"
        default:
            guard let dot = Dot(text) else { return nil }
            return dot.description == text ? nil : "a dot has a second form"
        }
    }

    static func stored(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        switch choice % 3 {
        case 0:
            guard let invites = try? IssuedInvites(decoding: rest) else { return nil }
            return invites.encoded() == rest ? nil : "stored invites have a second form"
        case 1:
            guard let keys = try? SpaceKeys(decoding: rest, of: FuzzKeys.space) else { return nil }
            return keys.encoded() == rest ? nil : "stored keys have a second form"
        default:
            guard let boundary = try? LogBoundary(decoding: rest) else { return nil }
            return boundary.encoded() == rest ? nil : "a stored boundary has a second form"
        }
    }
}
