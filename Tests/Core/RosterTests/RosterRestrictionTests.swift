// What `remove` and `role` mean (decision 0167), case by case.

import Bytes
import Causality
import Crypto
import Roster
import Testing
import Wire

@Suite struct RosterRestrictionTests {
    private let creator = Box(1)
    private let writer = Box(2)

    private func change(_ last: UInt64, of log: UInt64 = 1) -> DotRange {
        DotRange(replica(log), SequenceNumber(1), SequenceNumber(last))
    }

    @Test("a removed writer keeps what the removal has in its frontier and nothing else")
    func frontierKeeps() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(writer, .writer, by: creator)
        let view = roster.wholeView
        #expect(roster.isExecuted(change(11), by: writer.device, in: view))
        let removal = try roster.act(removal(of: writer, keeping: frontier([(1, 10)])), by: creator)
        #expect(removal.revokesRights && roster.removal(of: writer.device) == removal)
        #expect(roster.removal(of: creator.device) == nil)
        #expect(roster.role(of: writer.device) == nil)
        #expect(roster.member(writer.device)?.state == .removed)
        #expect(roster.isStored(by: writer.device, in: view), "what was stored stays stored")
        #expect(roster.isExecuted(change(10), by: writer.device, in: view))
        #expect(!roster.isExecuted(change(11), by: writer.device, in: view))
        #expect(!roster.isExecuted(change(1, of: 2), by: writer.device, in: view))
        #expect(!roster.isStored(by: writer.device, in: roster.wholeView))
        #expect(roster.isExecuted(change(11), by: creator.device, in: view), "others are not concerned")
    }

    @Test("who was removed and added again writes again, and its old concurrent changes stay void")
    func addedAgain() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(writer, .writer, by: creator)
        let old = roster.wholeView
        try roster.act(removal(of: writer), by: creator)
        try roster.admit(writer, .writer, by: creator, invite: 50)
        #expect(roster.role(of: writer.device) == .writer && roster.removal(of: writer.device) == nil)
        #expect(roster.isExecuted(change(5), by: writer.device, in: roster.wholeView))
        #expect(!roster.isExecuted(change(5), by: writer.device, in: old))
    }

    @Test("who was given a role by somebody who might is listed, though who let it in might not")
    func roleWithoutAdmission() throws {
        let (second, third) = (Box(3), Box(4))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(second, .admin, by: creator)
        try roster.admit(third, .admin, by: creator)
        let common = roster.heads
        try roster.admit(writer, .writer, by: second)
        try roster.act(roleChange(of: writer, to: .reader), by: third)
        _ = try roster.add(RosterOperation(removal(of: second), on: common, at: at(70), by: creator.key))
        #expect(roster.role(of: writer.device) == .reader)
        let member = try #require(roster.member(writer.device))
        #expect(member.state == .active && member.role == .reader && member.addedBy == second.device)
        #expect(
            roster.description(of: writer.device)?.boxKey == writer.boxKey.publicKey,
            "without it nobody could seal keys for it")
    }

    @Test(
        "a writer made reader keeps earlier changes and loses concurrent ones; a raise voids nothing"
    )
    func roleDown() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(writer, .writer, by: creator)
        let before = roster.wholeView
        try roster.act(roleChange(of: writer, to: .admin), by: creator)
        #expect(roster.isExecuted(change(9), by: writer.device, in: before))
        try roster.act(roleChange(of: writer, to: .reader, keeping: frontier([(1, 7)])), by: creator)
        #expect(roster.role(of: writer.device) == .reader)
        #expect(roster.isExecuted(change(7), by: writer.device, in: before))
        #expect(!roster.isExecuted(change(8), by: writer.device, in: before))
        #expect(roster.isExecuted(change(8), by: writer.device, in: before, needing: .acknowledge))
        #expect(!roster.isStored(by: writer.device, in: roster.wholeView))
        try roster.act(roleChange(of: writer, to: .writer), by: creator)
        #expect(roster.isExecuted(change(20), by: writer.device, in: roster.wholeView))
    }

    @Test(
        "of concurrent roles the least counts, removal beats leaving, and of two removals the senior's stands"
    )
    func concurrent() throws {
        let second = Box(3)
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(writer, .writer, by: creator)
        try roster.admit(second, .admin, by: creator)
        let common = roster.heads
        func concurrently(_ left: RosterBody, _ a: Box, _ right: RosterBody, _ b: Box) throws -> Roster {
            var both = roster
            try both.take([
                RosterOperation(left, on: common, at: at(70), by: a.key),
                RosterOperation(right, on: common, at: at(71), by: b.key),
            ])
            return both
        }
        let roles = try concurrently(
            roleChange(of: writer, to: .admin), creator, roleChange(of: writer, to: .reader), second)
        #expect(roles.role(of: writer.device) == .reader)
        let gone = try concurrently(.leave, writer, removal(of: writer), creator)
        #expect(gone.member(writer.device)?.state == .removed)
        let mutual = try concurrently(removal(of: second), creator, removal(of: creator), second)
        #expect(mutual.role(of: second.device) == nil && mutual.role(of: creator.device) == .admin)
    }

    @Test("what a removed admin grants on an old view has no effect, nor what follows from it")
    func backDatedGrants() throws {
        let (rogue, planted, second) = (Box(3), Box(4), Box(5))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(rogue, .admin, by: creator)
        try roster.admit(writer, .reader, by: creator)
        var old = roster
        try roster.act(removal(of: rogue), by: creator)
        // The rogue goes on where it had not seen its removal, and so does whom it planted.
        try old.admit(planted, .admin, by: rogue)
        try old.admit(second, .writer, by: planted)
        try old.act(roleChange(of: writer, to: .writer), by: rogue)
        let view = old.wholeView
        #expect(old.isExecuted(change(1), by: second.device, in: view))
        try roster.take(old.operations())
        for box in [rogue, planted, second] {
            #expect(roster.role(of: box.device) == nil)
            let view = try roster.viewing(old.heads)
            #expect(roster.isStored(by: box.device, in: view), "kept all the same")
            #expect(!roster.isExecuted(change(1), by: box.device, in: view))
        }
        #expect(roster.role(of: writer.device) == .reader, "the raise has no effect")
        #expect(roster.members().map(\.device).contains(planted.device) == false)
    }

    @Test("grants that the remover had seen stay")
    func earlierGrantsStay() throws {
        let admin = Box(3)
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(admin, .admin, by: creator)
        try roster.admit(writer, .writer, by: admin)
        try roster.act(removal(of: admin), by: creator)
        #expect(roster.role(of: writer.device) == .writer)
        #expect(roster.isExecuted(change(1), by: writer.device, in: roster.wholeView))
    }

    @Test("a role lowered by an admin that a senior removed meanwhile is not lowered")
    func contestedLowering() throws {
        let rogue = Box(3)
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(rogue, .admin, by: creator)
        try roster.admit(writer, .writer, by: creator)
        let view = roster.wholeView
        let lowering = RosterOperation(
            roleChange(of: writer, to: .reader), on: roster.heads, at: at(80), by: rogue.key)
        var other = roster
        try other.take([lowering])
        #expect(
            other.takeRejudged() == [writer.device]
                && !other.isExecuted(change(1), by: writer.device, in: view))
        let removal = try roster.act(removal(of: rogue), by: creator)
        _ = roster.takeRejudged()
        try roster.take([lowering])
        #expect(roster.role(of: writer.device) == .writer && roster.takeRejudged().isEmpty)
        // Known later, the removal takes the lowering back.
        try other.take([removal])
        #expect(other.takeRejudged() == [rogue.device, writer.device])
        #expect(other.role(of: writer.device) == .writer)
        #expect(other.isExecuted(change(1), by: writer.device, in: view))
    }

    @Test("a junior's removal of a senior stands, until the senior's own comes to light")
    func juniorRemovesSenior() throws {
        let (senior, junior) = (Box(3), Box(4))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(senior, .admin, by: creator)
        try roster.admit(junior, .admin, by: creator)
        let common = roster.heads
        let view = roster.wholeView
        try roster.act(removal(of: senior), by: junior)
        #expect(roster.role(of: senior.device) == nil)
        #expect(
            roster.voidCause(of: change(3), by: senior.device, in: view)
                == VoidCause(kind: .removed, by: junior.device, timestamp: at(6)))
        try roster.take([RosterOperation(removal(of: junior), on: common, at: at(50), by: senior.key)])
        #expect(roster.role(of: senior.device) == .admin && roster.role(of: junior.device) == nil)
        #expect(roster.voidCause(of: change(3), by: senior.device, in: view) == nil)
        // The senior goes on, on a view that holds the removal that fell.
        try roster.admit(writer, .writer, by: senior)
        #expect(roster.role(of: writer.device) == .writer)
    }

    @Test("a grant that does not stand is the cause why its subject's changes have no effect")
    func notAdmitted() throws {
        let rogue = Box(3)
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(rogue, .admin, by: creator)
        var old = roster
        let removal = try roster.act(removal(of: rogue), by: creator)
        try old.admit(writer, .writer, by: rogue)
        let view = old.wholeView
        #expect(old.voidCause(of: change(1), by: writer.device, in: view) == nil)
        _ = old.takeRejudged()
        try old.take([removal])
        #expect(old.takeRejudged() == [rogue.device, writer.device])
        #expect(
            old.voidCause(of: change(1), by: writer.device, in: view)
                == VoidCause(kind: .notAdmitted, by: creator.device, timestamp: removal.timestamp))
    }

    @Test("whom somebody let in again who was out is shown why that does not count, and nothing else")
    func exclusion() throws {
        let rogue = Box(3)
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(rogue, .admin, by: creator)
        try roster.admit(writer, .writer, by: creator)
        let out = try roster.act(removal(of: writer), by: creator)
        var returned = roster
        try returned.admit(writer, .writer, by: rogue, invite: 50)
        #expect(returned.role(of: writer.device) == .writer && returned.exclusion(of: writer.device) == [])
        #expect(roster.exclusion(of: writer.device) == [out])
        let felling = try roster.act(removal(of: rogue), by: creator)
        #expect(roster.exclusion(of: writer.device) == [out], "nobody let it in again, as far as is known")
        try roster.take(returned.operations())
        try roster.admit(Box(4), .reader, by: creator)
        let shown = roster.exclusion(of: writer.device)
        #expect(shown == [out, felling] && roster.exclusion(of: creator.device) == [])
        // It knows then, and no more.
        let places = roster.places(missingFrom: returned.heads, upTo: shown.map(\.id))
        try returned.take(roster.operations(at: places))
        #expect(returned.isRemoved(writer.device) && returned.member(Box(4).device) == nil)
    }

    @Test("whom somebody removed whom it removed itself is shown why that counts")
    func exclusionOfRivals() throws {
        let (senior, junior) = (Box(3), Box(4))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(senior, .admin, by: creator)
        try roster.admit(junior, .admin, by: creator)
        let common = roster
        var removed = common
        _ = try removed.act(removal(of: junior), by: senior)
        try roster.take([RosterOperation(removal(of: senior), on: common.heads, at: at(50), by: creator.key)])
        // The newest removal, and the one that falls where the first is not known.
        var beside = common
        try beside.admit(Box(5), .reader, by: junior)
        let newest = try beside.act(removal(of: senior), by: junior)
        try roster.take(beside.operations())
        try roster.take(removed.operations())
        #expect(roster.isRemoved(senior.device) && roster.removal(of: senior.device) == newest)
        let shown = roster.exclusion(of: senior.device).map(\.id)
        try removed.take(roster.operations(at: roster.places(missingFrom: removed.heads, upTo: shown)))
        #expect(removed.isRemoved(senior.device), "\(shown)")
    }

    @Test("whoever would stay admin as the last one is shown that another one is left")
    func exclusionOfTheLastAdmin() throws {
        let (senior, junior) = (Box(3), Box(4))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(senior, .admin, by: creator)
        try roster.admit(junior, .admin, by: creator)
        let common = roster
        var last = common
        _ = try last.act(roleChange(of: senior, to: .writer), by: junior)
        _ = try last.act(.leave, by: junior)
        let out = RosterOperation(removal(of: creator), on: common.heads, at: at(50), by: senior.key)
        try last.take([out])
        #expect(last.role(of: creator.device) == .admin)
        try roster.take(last.operations())
        try roster.take([
            RosterOperation(roleChange(of: junior, to: .writer), on: common.heads, at: at(51), by: senior.key)
        ])
        #expect(roster.isRemoved(creator.device) && roster.role(of: senior.device) == .admin)
        let shown = roster.exclusion(of: creator.device).map(\.id)
        try last.take(roster.operations(at: roster.places(missingFrom: last.heads, upTo: shown)))
        #expect(last.isRemoved(creator.device), "\(shown)")
    }

    @Test("an admin of two grants acts on as long as one of them stands")
    func grantedTwice() throws {
        let (rogue, admin) = (Box(3), Box(4))
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(rogue, .admin, by: creator)
        try roster.admit(admin, .writer, by: creator)
        let common = roster.heads
        let removed = RosterOperation(removal(of: rogue), on: common, at: at(60), by: creator.key)
        for (box, time) in [(creator, 50), (rogue, 51)] as [(Box, UInt64)] {
            try roster.take([
                RosterOperation(roleChange(of: admin, to: .admin), on: common, at: at(time), by: box.key)
            ])
        }
        try roster.admit(writer, .writer, by: admin)
        try roster.take([removed])
        #expect(roster.role(of: admin.device) == .admin && roster.role(of: writer.device) == .writer)
    }

    @Test("removals in a circle leave the most senior in charge, and whoever left by itself out")
    func nobodyLeft() throws {
        let (a, b, c) = (creator, Box(3), Box(4))
        var roster = try Roster(genesis: genesis(by: a))
        try roster.admit(b, .admin, by: a)
        try roster.admit(c, .admin, by: b)
        let common = roster.heads
        let ofB = RosterOperation(removal(of: b), on: common, at: at(50), by: c.key)
        let ofC = RosterOperation(removal(of: c), on: [ofB.id], at: at(51), by: a.key)
        let ofA = RosterOperation(removal(of: a), on: common, at: at(52), by: b.key)
        var circle = roster
        try circle.take([ofB, ofC, ofA])
        #expect(circle.role(of: a.device) == .admin)
        #expect(circle.role(of: b.device) == nil && circle.role(of: c.device) == nil)
        var left = roster
        try left.take([ofB, RosterOperation(.leave, on: [ofB.id], at: at(53), by: a.key), ofC, ofA])
        #expect(left.member(a.device)?.state != .active)
        #expect(left.activeDevices().count == 1, "somebody is in charge")
    }

    @Test("a role that the device has is no change of role")
    func sameRole() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        try roster.admit(writer, .writer, by: creator)
        #expect(throws: RosterFault.sameRole(writer.device)) {
            try roster.act(roleChange(of: writer, to: .writer), by: creator)
        }
    }
}
