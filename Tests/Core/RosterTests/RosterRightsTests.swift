// The table of rights, kind by kind and role by role, and the rules that every kind checks beyond the right.

import Bytes
import Causality
import Crypto
import Roster
import Testing
import Wire

@Suite struct RosterRightsTests {
    private let creator = Box(1)

    /// A roster with a member of each role, who hold numbers 10 + role.
    private func rosterOfAllRoles() throws -> Roster {
        var roster = try Roster(genesis: genesis(by: creator))
        for role in Role.allCases { try roster.admit(Box(10 + Int(role.rawValue)), role, by: creator) }
        return roster
    }

    @Test(
        "the table of rights: relay none, reader acknowledge, writer data and key epochs, admin all"
    )
    func table() {
        let allowed = Role.allCases.map { role in Right.allCases.filter { role.allows($0) } }
        #expect(
            allowed == [
                [.ownDevice], [.ownDevice, .acknowledge], [.ownDevice, .acknowledge, .data, .keyEpoch],
                Right.allCases,
            ])
    }

    @Test("the creator is admin, everybody else is a stranger")
    func creatorIsAdmin() throws {
        let roster = try Roster(genesis: genesis(by: creator))
        #expect(roster.role(of: creator.device) == .admin)
        #expect(roster.role(of: Box(2).device) == nil)
        #expect(roster.name.string == "home")
        #expect(roster.heads == [roster.space.raw])
        let member = try #require(roster.members().first)
        #expect(member.state == .active && member.addedBy == creator.device && roster.members().count == 1)
    }

    @Test(
        "each kind of operation is taken from exactly the roles that have its right", arguments: Role.allCases
    )
    func kindsByRole(role: Role) throws {
        let author = Box(10 + Int(role.rawValue))
        let (_, inviteBody) = invite(500, .reader)
        let epoch = RosterBody.KeyEpoch(epoch: KeyEpochNumber(2), wrappedPrevious: [], packages: [])
        let checkpoint = CheckpointBody(
            previous: nil, witness: Dot(replica(1), SequenceNumber(1)), absent: [], table: .zero,
            manifest: .zero)
        let bodies: [(RosterBody, Right)] = [
            (inviteBody, .administer), (.revokeInvite(invite(1_010, .relay).0.id), .administer),
            (removal(of: Box(11)), .administer), (roleChange(of: Box(11), to: .writer), .administer),
            (.resolve([1]), .administer), (.checkpoint(checkpoint), .administer),
            (.unknown(kind: RosterBody.checkpointKind, [2]), .administer), (.keyEpoch(epoch), .keyEpoch),
            (.leave, .ownDevice), (.deviceUpdate(.init(try author.description())), .ownDevice),
            (.unknown(kind: 200, [9]), .acknowledge),
        ]
        for (body, right) in bodies {
            var roster = try rosterOfAllRoles()
            let operation = RosterOperation(body, on: roster.heads, at: at(99), by: author.key)
            if role.allows(right) {
                #expect(throws: Never.self) { _ = try roster.add(operation) }
                #expect(roster.contains(operation.id))
            } else {
                #expect(throws: RosterFault.noRight(author: author.device, need: right, have: role)) {
                    _ = try roster.add(operation)
                }
                #expect(!roster.contains(operation.id))
            }
            roster.checkInvariants()
        }
    }

    @Test("a stranger may do nothing, not even speak for itself")
    func stranger() throws {
        var roster = try rosterOfAllRoles()
        let stranger = Box(77)
        for body in [
            RosterBody.leave, .deviceUpdate(.init(try stranger.description())), removal(of: stranger),
        ] {
            let operation = RosterOperation(body, on: roster.heads, at: at(9), by: stranger.key)
            #expect(
                throws: RosterFault.noRight(author: stranger.device, need: body.right, have: nil)
            ) { _ = try roster.add(operation) }
        }
    }

    @Test("data is stored from writers and admins only, and from none before it was added")
    func data() throws {
        var roster = try rosterOfAllRoles()
        let founding = try roster.viewing([roster.space.raw])
        let whole = roster.wholeView
        for role in Role.allCases {
            let device = Box(10 + Int(role.rawValue)).device
            #expect(roster.isStored(by: device, in: whole) == (role >= .writer))
            #expect(roster.isStored(by: device, in: whole, needing: .acknowledge) == (role >= .reader))
            #expect(!roster.isStored(by: device, in: founding))
            let change = DotRange(replica(1), SequenceNumber(1), SequenceNumber(3))
            #expect(roster.isExecuted(change, by: device, in: whole) == (role >= .writer))
        }
    }

    @Test("rights are judged in the author's view, not by what is known meanwhile")
    func ownView() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        let writer = Box(2)
        try roster.admit(writer, .writer, by: creator)
        let before = roster.heads
        try roster.act(roleChange(of: writer, to: .admin), by: creator)
        let (_, body) = invite(7, .reader)
        let early = RosterOperation(body, on: before, at: at(50), by: writer.key)
        #expect(throws: RosterFault.noRight(author: writer.device, need: .administer, have: .writer)) {
            _ = try roster.add(early)
        }
        try roster.act(body, by: writer)
    }

    @Test(
        "only the issuer adds by its invite, once, into its role, unless revoked, and only who is no member")
    func adding() throws {
        let (admin, newcomer) = (Box(2), Box(3))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(admin, .admin, by: creator)
        let (secret, body) = invite(5, .writer)
        #expect(throws: RosterFault.inviteUnknown(secret.id)) {
            try roster.act(add(newcomer, .writer, by: secret), by: self.creator)
        }
        try roster.act(body, by: creator)
        #expect(throws: RosterFault.inviteRepeated(secret.id)) { try roster.act(body, by: self.creator) }
        #expect(throws: RosterFault.inviteUnknown(secret.id)) {
            try roster.act(add(newcomer, .writer, by: secret), by: admin)
        }
        #expect(throws: RosterFault.inviteUnknown(secret.id)) {
            try roster.act(add(newcomer, .admin, by: secret), by: self.creator)
        }
        #expect(throws: RosterFault.alreadyMember(admin.device)) {
            try roster.act(add(admin, .writer, by: secret), by: self.creator)
        }
        var revoked = roster
        try revoked.act(.revokeInvite(secret.id), by: admin)
        #expect(throws: RosterFault.inviteRevoked(secret.id)) {
            try revoked.act(add(newcomer, .writer, by: secret), by: self.creator)
        }
        try roster.act(add(newcomer, .writer, by: secret), by: creator)
        #expect(throws: RosterFault.inviteSpent(secret.id)) {
            try roster.act(add(Box(4), .writer, by: secret), by: self.creator)
        }
        let record = try #require(roster.inviteRecords().first { $0.invite.id == secret.id })
        #expect(record.spentBy == newcomer.device && !record.isRevoked && record.issuer == creator.device)
        #expect(revoked.inviteRecords().contains { $0.invite.id == secret.id && $0.isRevoked })
    }

    @Test("forged, foreign and genesis operations are refused by name")
    func forged() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        let operation = RosterOperation(.leave, on: roster.heads, at: at(5), by: creator.key)
        for index in [3, 40, operation.bytes.count - 1] {
            var bytes = operation.bytes
            bytes[index] ^= 1
            let forged = try RosterOperation(decoding: bytes)
            #expect(throws: RosterFault.notSigned(by: forged.author)) { _ = try roster.add(forged) }
        }
        let other = try genesis(by: creator, nonce: "other")
        #expect(throws: RosterFault.otherSpace) { _ = try roster.add(other) }
        #expect(throws: RosterFault.notGenesis) { _ = try Roster(genesis: operation) }
        var bytes = other.bytes
        bytes[bytes.count - 70] ^= 1
        let broken = try RosterOperation(decoding: bytes)
        #expect(throws: RosterFault.notSigned(by: creator.device)) { _ = try Roster(genesis: broken) }
    }

    @Test("what a member says of itself replaces what was said before, whoever said it")
    func deviceUpdate() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        let relay = Box(2)
        try roster.admit(relay, .relay, by: creator)
        #expect(roster.description(of: relay.device) == (try relay.description()))
        let address = try #require(PeerAddress("[fe80::1]:21420"))
        let said = DeviceDescription(
            name: try #require(DeviceName("cellar")), boxKey: Box(9).boxKey.publicKey, addresses: [address])
        try roster.act(.deviceUpdate(.init(said)), by: relay)
        #expect(roster.description(of: relay.device) == said)
        #expect(roster.member(relay.device)?.description == said)
        #expect(roster.description(of: Box(5).device) == nil)
    }

    @Test("who left has no right, is listed as having left, and may be added again by a new invite")
    func leaving() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        let writer = Box(2)
        try roster.admit(writer, .writer, by: creator)
        try roster.act(.leave, by: writer)
        #expect(roster.role(of: writer.device) == nil)
        let member = try #require(roster.member(writer.device))
        #expect(member.state == .left && member.role == .writer)
        #expect(throws: RosterFault.noRight(author: writer.device, need: .ownDevice, have: nil)) {
            try roster.act(.leave, by: writer)
        }
        try roster.admit(writer, .reader, by: creator, invite: 99)
        #expect(roster.role(of: writer.device) == .reader)
        #expect(roster.member(writer.device)?.state == .active)
    }
}
