// Joining, both halves against each other: the happy path for every role, and each way in which it fails.

import Bytes
import Causality
import Crypto
import Roster
import Testing
import Wire

/// An issuing node and what it holds.
private final class Issuer {
    let box: Box
    var roster: Roster
    var invites = IssuedInvites()
    let keys: SpaceKeys
    private var serial = 0

    /// Another with the same state, which goes its own way.
    init(copying other: Issuer) {
        (box, roster, invites, keys, serial) = (
            other.box, other.roster, other.invites, other.keys, other.serial
        )
    }

    init(_ number: Int = 1) throws {
        box = Box(number)
        roster = try Roster(genesis: genesis(by: box))
        var entropy = Entropy(seed: secret(9, number))
        keys = SpaceKeys(founding: roster.space, from: &entropy)
    }

    func issue(_ role: Role, expires: UInt64 = 1_000) throws -> InviteToken {
        serial += 1
        let hint = try #require(PeerAddress("127.0.0.1:21420"))
        return try invites.issue(
            role, expirySeconds: expires, secret: secret(4, serial), hints: [hint], in: &roster,
            at: moment(seconds: 10), by: box.key
        ).token
    }

    func admit(
        _ proof: JoinProof, _ token: InviteToken, from device: DeviceID? = nil, link: String,
        at seconds: UInt64 = 20
    )
        -> Answered
    {
        serial += 1
        let request = JoinRequest(
            invite: token.secret.id, device: device ?? proof.device, proof: proof,
            handshakeHash: handshake(link))
        let outcome = invites.admit(
            request, in: &roster, keys: keys, ephemeral: AgreementKey(secret: secret(5, serial)),
            at: moment(seconds: seconds), by: box.key)
        return switch outcome {
        case .admitted(let operation, let places): .admitted(operation, answer: parts(places))
        case .readmitted(let places): .readmitted(answer: parts(places))
        case .repeated(let places): .repeated(answer: parts(places))
        case .refused(let refusal, let changed): .refused(refusal, invitesChanged: changed)
        }
    }

    private func parts(_ places: [RosterPlace]) -> [JoinAnswerPart] {
        JoinAnswerPart.parts(of: roster.operations(at: places))
    }
}

private func handshake(_ link: String) -> [UInt8] { Blake2b.hash512(Array(link.utf8)) }

private func proof(_ joining: Joining, by box: Box, link: String) throws -> JoinProof {
    joining.proof(
        name: try #require(DeviceName("new-\(box.number)")), addresses: [], handshakeHash: handshake(link),
        by: box.key)
}

/// A `JoinOutcome` with its answer read out.
private enum Answered {
    case admitted(RosterOperation, answer: [JoinAnswerPart])
    case readmitted(answer: [JoinAnswerPart])
    case repeated(answer: [JoinAnswerPart])
    case refused(JoinRefusal, invitesChanged: Bool)

    fileprivate var refusal: JoinRefusal? { if case .refused(let refusal, _) = self { refusal } else { nil } }
    fileprivate var answer: [JoinAnswerPart]? {
        switch self {
        case .admitted(_, let answer), .repeated(let answer), .readmitted(let answer): answer
        case .refused: nil
        }
    }
}

private func take(_ parts: [JoinAnswerPart], with joining: Joining) throws -> JoinedSpace? {
    var joining = joining
    for part in parts.dropLast() {
        let early = try joining.take(part.encoded())
        #expect(early == nil)
    }
    guard let last = parts.last else { return nil }
    return try joining.take(last.encoded())
}

@Suite struct JoiningTests {
    private let newcomer = Box(2)

    private func joining(_ token: InviteToken, as box: Box? = nil) -> Joining {
        let box = box ?? newcomer
        return Joining(token: token, device: box.device, boxKey: box.boxKey)
    }

    @Test(
        "a token brings its holder in with the invite's role and its keys; a relay gets no content key",
        arguments: Role.allCases)
    func happyPath(role: Role) throws {
        let issuer = try Issuer()
        let token = try InviteToken(issuer.issue(role).text())
        let joining = joining(token)
        let proof = try JoinProof(decoding: proof(joining, by: newcomer, link: "a").encoded())
        guard case .admitted(let operation, let answer) = issuer.admit(proof, token, link: "a") else {
            Issue.record("not admitted")
            return
        }
        issuer.roster.checkInvariants()
        #expect(issuer.roster.contains(operation.id) && issuer.roster.role(of: newcomer.device) == role)
        let joined = try #require(try take(answer, with: joining))
        #expect(joined.role == role && joined.name.string == "home")
        #expect(joined.roster.rosterHash == issuer.roster.rosterHash)
        #expect(joined.keys.current.access == issuer.keys.current.access)
        #expect(joined.keys.current.content == (role == .relay ? nil : issuer.keys.current.content))
        let member = try #require(joined.roster.member(newcomer.device))
        #expect(member.description.name.string == "new-2" && member.addedBy == issuer.box.device)
    }

    @Test("a second device hears that the invite is spent; the first gets the same answer until it expires")
    func spentAndRepeated() throws {
        let issuer = try Issuer()
        let token = try issuer.issue(.writer)
        let first = joining(token)
        _ = try #require(issuer.admit(proof(first, by: newcomer, link: "a"), token, link: "a").answer)
        let count = issuer.roster.count
        let other = Box(3)
        let otherJoining = joining(token, as: other)
        #expect(
            issuer.admit(try proof(otherJoining, by: other, link: "b"), token, link: "b").refusal == .spent)
        // Others join meanwhile; the repeated answer does not depend on them.
        try issuer.roster.admit(Box(8), .reader, by: issuer.box)
        guard
            case .repeated(let answer) = issuer.admit(
                try proof(first, by: newcomer, link: "c"), token, link: "c", at: 1_000)
        else {
            Issue.record("not repeated")
            return
        }
        let joined = try #require(try take(answer, with: first))
        #expect(joined.keys == issuer.keys && joined.roster.count == count)
        #expect(issuer.roster.count == count + 2, "a repetition adds nothing")
        #expect(
            issuer.admit(try proof(first, by: newcomer, link: "d"), token, link: "d", at: 1_001).refusal
                == .expired)
        // Restarted with other box keys it could not open the answer.
        let strange = Joining(token: token, device: newcomer.device, boxKey: Box(5).boxKey)
        #expect(issuer.admit(try proof(strange, by: newcomer, link: "e"), token, link: "e").refusal == .spent)
    }

    @Test("expired, revoked, foreign and issuer-lost invites are told apart")
    func namedRefusals() throws {
        let issuer = try Issuer()
        let expired = try issuer.issue(.reader, expires: 15)
        #expect(
            issuer.admit(try proof(joining(expired), by: newcomer, link: "a"), expired, link: "a").refusal
                == .expired)
        #expect(expired.isExpired(at: moment(seconds: 16)))
        let revoked = try issuer.issue(.reader)
        let operation = try issuer.invites.revoke(
            revoked.secret.id, in: &issuer.roster, at: moment(seconds: 12), by: issuer.box.key)
        #expect(issuer.roster.contains(operation.id) && issuer.roster.isRevoked(revoked.secret.id))
        #expect(
            issuer.admit(try proof(joining(revoked), by: newcomer, link: "b"), revoked, link: "b").refusal
                == .revoked)
        // Revoked by another admin: the issuer only knows it from the roster.
        let elsewhere = try issuer.issue(.reader)
        try issuer.roster.admit(Box(7), .admin, by: issuer.box)
        try issuer.roster.act(.revokeInvite(elsewhere.secret.id), by: Box(7))
        #expect(
            issuer.admit(try proof(joining(elsewhere), by: newcomer, link: "c"), elsewhere, link: "c").refusal
                == .revoked)
        let other = try Issuer(6)
        #expect(other.invites.secret(of: revoked.secret.id) == nil)
        #expect(
            other.admit(try proof(joining(revoked), by: newcomer, link: "d"), revoked, link: "d").refusal
                == .unknown)
        #expect(throws: RosterFault.inviteUnknown(revoked.secret.id)) {
            _ = try other.invites.revoke(
                revoked.secret.id, in: &other.roster, at: moment(seconds: 1), by: other.box.key)
        }
        let token = try issuer.issue(.reader)
        try issuer.roster.act(roleChange(of: issuer.box, to: .writer), by: Box(7))
        #expect(
            issuer.admit(try proof(joining(token), by: newcomer, link: "e"), token, link: "e").refusal
                == .issuerWithoutRight)
    }

    @Test(
        "a proof of another link, space, invite, device or name is wrong, and five burn the invite"
    )
    func wrongProofs() throws {
        let issuer = try Issuer()
        let token = try issuer.issue(.writer)
        let good = try proof(joining(token), by: newcomer, link: "a")
        let foreign = InviteToken(
            secret: token.secret, space: SpaceID(raw: hash("other")), expirySeconds: 1_000, hints: [])
        let stranger = InviteToken(
            secret: InviteSecret(secret(8, 8)), space: token.space, expirySeconds: 1_000, hints: [])
        var renamed = good.encoded()
        renamed[1 + 32 + 1] ^= 1
        let wrong: [(JoinProof, DeviceID?, String)] = [
            (good, nil, "b"),
            (try proof(joining(foreign), by: newcomer, link: "a"), nil, "a"),
            (try proof(joining(stranger), by: newcomer, link: "a"), nil, "a"),
            (good, Box(3).device, "a"),
            (try JoinProof(decoding: renamed), nil, "a"),
        ]
        for (number, (proof, device, link)) in wrong.enumerated() {
            let before = Issuer(copying: issuer)
            guard
                case .refused(.wrongProof, invitesChanged: true) = issuer.admit(
                    proof, token, from: device, link: link)
            else {
                Issue.record("proof \(number) was not refused as wrong")
                return
            }
            #expect(before.admit(good, token, link: "a").answer != nil, "fewer than five leave it open")
        }
        #expect(issuer.admit(good, token, link: "a").refusal == .burned)
        #expect(issuer.roster.role(of: newcomer.device) == nil)
        #expect(issuer.invites.secret(of: token.secret.id) != nil, "its holder still hears why")
    }

    @Test("a member that lost its state and is still listed gets its keys again, with the role it has")
    func stillListed() throws {
        let issuer = try Issuer()
        let first = try issuer.issue(.reader)
        let joined = try take(
            try #require(
                issuer.admit(try proof(joining(first), by: newcomer, link: "a"), first, link: "a").answer),
            with: joining(first))
        let count = issuer.roster.count
        // By another invite, of another role: no operation is needed, so none can be refused anywhere.
        let second = try issuer.issue(.writer)
        let outcome = issuer.admit(try proof(joining(second), by: newcomer, link: "b"), second, link: "b")
        guard case .readmitted(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let again = try #require(try take(answer, with: joining(second)))
        #expect(again.role == .reader && again.keys == joined?.keys)
        #expect(issuer.roster.count == count + 1, "the second invite, and nothing else")
        // The same answer when it was lost; and the token is spent for everybody else.
        let repeated = issuer.admit(try proof(joining(second), by: newcomer, link: "c"), second, link: "c")
        #expect(try take(try #require(repeated.answer), with: joining(second))?.role == .reader)
        #expect(issuer.invites.isSpent(second.secret.id))
        let other = Box(3)
        #expect(
            issuer.admit(try proof(joining(second, as: other), by: other, link: "d"), second, link: "d")
                .refusal
                == .spent)
    }

    @Test(
        "a member with another box key, and the creator, cannot be given keys again: their invite stays open")
    func alreadyMember() throws {
        let issuer = try Issuer()
        let token = try issuer.issue(.writer)
        let creator = Joining(token: token, device: issuer.box.device, boxKey: issuer.box.boxKey)
        #expect(
            issuer.admit(try proof(creator, by: issuer.box, link: "z"), token, link: "z").refusal
                == .alreadyMember)
        let other = Box(3)
        #expect(
            issuer.admit(try proof(joining(token, as: other), by: other, link: "b"), token, link: "b").answer
                != nil)
        let next = try issuer.issue(.writer)
        let changed = Joining(token: next, device: other.device, boxKey: newcomer.boxKey)
        #expect(
            issuer.admit(try proof(changed, by: other, link: "c"), next, link: "c").refusal == .alreadyMember)
        #expect(!issuer.invites.isSpent(next.secret.id))
    }

    @Test("who left comes back by a new invite")
    func comesBack() throws {
        let issuer = try Issuer()
        let first = try issuer.issue(.writer)
        _ = issuer.admit(try proof(joining(first), by: newcomer, link: "a"), first, link: "a")
        try issuer.roster.act(.leave, by: newcomer)
        let second = try issuer.issue(.reader)
        let answer = try #require(
            issuer.admit(proof(joining(second), by: newcomer, link: "b"), second, link: "b").answer)
        #expect(try take(answer, with: joining(second))?.role == .reader)
    }

    @Test("only admins issue, and only so many at once; what is of no use any more gives way first")
    func issuing() throws {
        let issuer = try Issuer()
        let writer = Box(4)
        try issuer.roster.admit(writer, .writer, by: issuer.box)
        #expect(throws: IssueFault.refused(.noRight(author: writer.device, need: .administer, have: .writer)))
        {
            _ = try issuer.invites.issue(
                .reader, expirySeconds: 9, secret: secret(7, 7), hints: [], in: &issuer.roster,
                at: moment(seconds: 1), by: writer.key)
        }
        let useless = try issuer.issue(.reader, expires: 5)
        for _ in 1..<RosterLimits.issuedInvitesMax { _ = try issuer.issue(.reader) }
        #expect(issuer.invites.count == RosterLimits.issuedInvitesMax)
        _ = try issuer.issue(.reader)
        #expect(issuer.invites.secret(of: useless.secret.id) == nil)
        #expect(throws: IssueFault.tooMany(limit: RosterLimits.issuedInvitesMax)) {
            _ = try issuer.issue(.reader)
        }
        let day: UInt64 = 24 * 3_600
        var kept = issuer.invites
        let early = kept.forget(at: moment(seconds: 1_000 + 30 * day))
        let late = kept.forget(at: moment(seconds: 1_001 + 30 * day))
        #expect(!early && late && kept.count == 0)
    }

    @Test("issued invites survive their store: the same secrets, states and answers")
    func storedInvites() throws {
        let issuer = try Issuer()
        let (open, spent, revoked, burned) = (
            try issuer.issue(.reader), try issuer.issue(.writer), try issuer.issue(.relay),
            try issuer.issue(.admin)
        )
        let first = try proof(joining(spent), by: newcomer, link: "a")
        #expect(issuer.admit(first, spent, link: "a").answer != nil)
        _ = try issuer.invites.revoke(
            revoked.secret.id, in: &issuer.roster, at: moment(seconds: 1), by: issuer.box.key)
        let other = Box(3)
        for _ in 0..<RosterLimits.wrongProofsMax {
            _ = issuer.admit(try proof(joining(burned, as: other), by: other, link: "x"), burned, link: "y")
        }
        _ = issuer.admit(try proof(joining(open, as: other), by: other, link: "x"), open, link: "y")
        let bytes = issuer.invites.encoded()
        issuer.invites = try IssuedInvites(decoding: bytes)
        #expect(issuer.invites.encoded() == bytes && issuer.invites.count == 4)
        let asks: [(InviteToken, JoinRefusal?)] = [
            (open, nil), (spent, .spent), (revoked, .revoked), (burned, .burned),
        ]
        for (token, refusal) in asks {
            #expect(
                issuer.invites.refusal(
                    of: token.secret.id, to: other.device, in: issuer.roster, at: moment(seconds: 20))
                    == refusal)
        }
        if case .repeated = issuer.admit(first, spent, link: "a") {
        } else {
            Issue.record("not repeated after a restart")
        }
        for cut in 0..<bytes.count {
            #expect(throws: DecodeFault.self) { _ = try IssuedInvites(decoding: Array(bytes[..<cut])) }
        }
        #expect(throws: DecodeFault.trailing(count: 1)) { _ = try IssuedInvites(decoding: bytes + [0]) }
    }
}

@Suite struct JoinAnswerTests {
    private let newcomer = Box(2)

    @Test("an answer of many parts is put together again, and no part is over its limit")
    func manyParts() throws {
        let issuer = try Issuer()
        for _ in 0..<40 {
            try issuer.roster.act(.resolve([UInt8](repeating: 1, count: 32_000)), by: issuer.box)
        }
        let token = try issuer.issue(.writer)
        let joining = Joining(token: token, device: newcomer.device, boxKey: newcomer.boxKey)
        let answer = try #require(
            issuer.admit(proof(joining, by: newcomer, link: "a"), token, link: "a").answer)
        #expect(answer.count == 3 && answer.allSatisfy { $0.byteCount <= RosterLimits.joinPartBytesMax })
        #expect(answer.map(\.isLast) == [false, false, true])
        #expect(try take(answer, with: joining)?.role == .writer)
        var early = joining
        #expect(throws: JoinFault.otherSpace) { _ = try early.take(answer[1].encoded()) }
        var doubled = joining
        _ = try doubled.take(answer[0].encoded())
        #expect(throws: JoinFault.self) { _ = try doubled.take(answer[0].encoded()) }
    }

    @Test(
        "the joiner believes no answer without its own admission by its invite into its space with its keys"
    )
    func lyingIssuer() throws {
        let issuer = try Issuer()
        let token = try issuer.issue(.writer)
        let joining = Joining(token: token, device: newcomer.device, boxKey: newcomer.boxKey)
        func answer(_ roster: Roster) -> [JoinAnswerPart] { JoinAnswerPart.parts(of: roster.operations()) }
        // Another space.
        #expect(throws: JoinFault.otherSpace) { _ = try take(answer(Issuer(6).roster), with: joining) }
        // Nothing adds the joiner.
        #expect(throws: JoinFault.notAdmitted) { _ = try take(answer(issuer.roster), with: joining) }
        // Added, but removed in the same answer.
        let removed = Issuer(copying: issuer)
        _ = removed.admit(try proof(joining, by: newcomer, link: "a"), token, link: "a")
        try removed.roster.act(removal(of: newcomer), by: issuer.box)
        #expect(throws: JoinFault.notAdmitted) { _ = try take(answer(removed.roster), with: joining) }
        // By another invite, which is for who was let in before: then its keys must open all the same.
        let otherInvite = Issuer(copying: issuer)
        try otherInvite.roster.admit(newcomer, .writer, by: issuer.box)
        #expect(throws: JoinFault.keys(.notOpened)) {
            _ = try take(answer(otherInvite.roster), with: joining)
        }
        // And the roster must know the token's invite.
        let withoutInvite = try Issuer()
        try withoutInvite.roster.admit(newcomer, .writer, by: withoutInvite.box)
        #expect(throws: JoinFault.otherInvite) { _ = try take(answer(withoutInvite.roster), with: joining) }
        // An invite of the right id whose key is not the token's: made by somebody who only saw the id.
        let forged = try Issuer()
        let key = Box(9).key.publicKey
        let body = RosterBody.Invite(id: token.secret.id, role: .writer, expirySeconds: 1_000, key: key)
        try forged.roster.act(.invite(body), by: forged.box)
        try forged.roster.act(add(newcomer, .writer, by: token.secret), by: forged.box)
        #expect(throws: JoinFault.otherInvite) { _ = try take(answer(forged.roster), with: joining) }
        // Keys that do not open, of another space, and a writer's without the content key.
        #expect(throws: JoinFault.keys(.notOpened)) { try self.takeKeys([1, 2, 3], issuer, token, joining) }
        let ephemeral = AgreementKey(secret: secret(6, 6))
        let foreign = try Issuer(6).keys.sealed(
            for: .writer, to: newcomer.boxKey.publicKey, ephemeral: ephemeral)
        #expect(throws: JoinFault.keys(.otherSpace)) { try self.takeKeys(foreign, issuer, token, joining) }
        let relayed = issuer.keys.sealed(for: .relay, to: newcomer.boxKey.publicKey, ephemeral: ephemeral)
        #expect(throws: JoinFault.keysDoNotFit(.writer)) {
            try self.takeKeys(relayed, issuer, token, joining)
        }
    }

    private func takeKeys(_ sealed: [UInt8], _ issuer: Issuer, _ token: InviteToken, _ joining: Joining)
        throws
    {
        let issuer = Issuer(copying: issuer)
        let body = RosterBody.Add(
            device: newcomer.device, role: .writer, invite: token.secret.id,
            description: try newcomer.description(),
            sealedKeys: sealed)
        try issuer.roster.act(.add(body), by: issuer.box)
        _ = try take(JoinAnswerPart.parts(of: issuer.roster.operations()), with: joining)
    }

    @Test("an answer in the wrong order, forged or cut is refused")
    func damagedAnswers() throws {
        let issuer = try Issuer()
        let token = try issuer.issue(.writer)
        let joining = Joining(token: token, device: newcomer.device, boxKey: newcomer.boxKey)
        let answer = try #require(
            issuer.admit(proof(joining, by: newcomer, link: "a"), token, link: "a").answer)
        let operations = answer.flatMap(\.operations)
        let swapped = JoinAnswerPart.parts(of: [operations[0], operations[2], operations[1]])
        #expect(throws: JoinFault.notInOrder) { _ = try take(swapped, with: joining) }
        var bytes = operations[1].bytes
        bytes[bytes.count - 1] ^= 1
        let forged = JoinAnswerPart.parts(of: [operations[0], try RosterOperation(decoding: bytes)])
        #expect(throws: JoinFault.refused(.notSigned(by: issuer.box.device))) {
            _ = try take(forged, with: joining)
        }
        let whole = answer[0].encoded()
        for cut in 0..<whole.count {
            var joining = joining
            #expect(throws: JoinFault.self) { _ = try joining.take(Array(whole[..<cut])) }
        }
    }

    @Test("codes of refusals are unique, stable and say 410 for what was good once")
    func codes() {
        #expect(Set(JoinRefusal.allCases.map(\.code)).count == JoinRefusal.allCases.count)
        #expect(JoinRefusal.allCases.map(\.closeCode) == [18, 19, 20, 23, 24, 21, 25, 26, 27])
        #expect(JoinRefusal.allCases.filter { $0.status == 410 } == [.spent, .expired, .revoked, .burned])
        #expect(JoinRefusal(rawValue: 19) == .expired && JoinRefusal(rawValue: 22) == nil)
    }
}

@Suite struct SpaceKeysTests {
    @Test("keys survive the store, open for their box only, and are not taken for another space's")
    func coding() throws {
        var entropy = Entropy(seed: secret(9, 1))
        let space = SpaceID(raw: hash("space"))
        let keys = SpaceKeys(founding: space, from: &entropy)
        #expect(keys.current.number == .first && keys.current.access != keys.current.content)
        #expect(try SpaceKeys(decoding: keys.encoded(), of: space) == keys)
        #expect(keys.accessSecrets() == [keys.current.access])
        let content = try #require(keys.current.content)
        #expect(keys.content(named: ContentKeyID(of: content)) == content)
        #expect(keys.content(named: ContentKeyID(of: keys.current.access)) == nil)
        let sealed = keys.sealed(
            for: .reader, to: Box(2).boxKey.publicKey, ephemeral: AgreementKey(secret: secret(5, 1)))
        #expect(try SpaceKeys(opening: sealed, with: Box(2).boxKey, of: space) == keys)
        #expect(sealed.count <= RosterLimits.sealedKeysBytesMax)
        #expect(throws: SpaceKeysFault.notOpened) {
            _ = try SpaceKeys(opening: sealed, with: Box(3).boxKey, of: space)
        }
        let other = SpaceID(raw: hash("other"))
        #expect(throws: SpaceKeysFault.otherSpace) {
            _ = try SpaceKeys(opening: sealed, with: Box(2).boxKey, of: other)
        }
        let bytes = keys.encoded()
        for cut in 0..<bytes.count {
            #expect(throws: SpaceKeysFault.self) {
                _ = try SpaceKeys(decoding: Array(bytes[..<cut]), of: space)
            }
        }
        // Two epochs read back in order, and none twice.
        let epoch = Array(bytes.dropFirst(34))
        let second = Array(epoch[..<3]) + [2] + Array(epoch[4...])
        #expect(
            try SpaceKeys(decoding: bytes[..<33] + [2] + epoch + second, of: space).current.number
                == KeyEpochNumber(2))
        for wrong in [epoch + epoch, second + epoch] {
            #expect(throws: SpaceKeysFault.malformed(.notCanonical(field: "epochs"))) {
                _ = try SpaceKeys(decoding: bytes[..<33] + [2] + wrong, of: space)
            }
        }
        #expect(throws: SpaceKeysFault.malformed(.outOfRange(field: "epochs"))) {
            _ = try SpaceKeys(decoding: bytes[..<33] + [0], of: space)
        }
    }
}
