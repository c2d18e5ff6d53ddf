// What waits, what is sent to whom, and the bounds of both.

import Bytes
import Causality
import Crypto
import Roster
import Testing
import Wire

@Suite struct RosterExchangeTests {
    private let creator = Box(1)

    private func said(_ text: String, by box: Box) throws -> RosterBody {
        .deviceUpdate(
            .init(DeviceDescription(name: try #require(DeviceName(text)), boxKey: box.boxKey.publicKey)))
    }

    @Test("an early operation waits for its heads, and then it and those behind it are added at once")
    func waits() throws {
        var author = try Roster(genesis: genesis(by: creator))
        let operations = try (0..<5).map { try author.act(said("name-\($0)", by: creator), by: creator) }
        var roster = try Roster(genesis: author.genesis)
        for operation in operations.dropFirst().reversed() {
            guard case .waiting(let missing) = try roster.add(operation) else {
                Issue.record("\(operation.id) did not wait")
                return
            }
            #expect(missing == operation.heads)
        }
        #expect(roster.wantedHeads == [operations[0].id])
        #expect(roster.authors(waitingFor: operations[0].id) == [creator.device])
        #expect(roster.authors(waitingFor: operations[4].id).isEmpty)
        guard case .waiting = try roster.add(operations[2]) else {
            Issue.record("a waiting operation is told to wait again")
            return
        }
        guard case .added(let added) = try roster.add(operations[0]) else {
            Issue.record("the first was not added")
            return
        }
        #expect(added == operations)
        #expect(
            roster.waitingCount == 0 && roster.wantedHeads.isEmpty && roster.rosterHash == author.rosterHash)
        guard case .known = try roster.add(operations[3]) else {
            Issue.record("a held operation is known")
            return
        }
        roster.checkInvariants()
        #expect(throws: RosterFault.malformed(.truncated(needed: 64, available: 1))) {
            _ = try roster.add(decoding: [1])
        }
        var fromBytes = try Roster(genesis: author.genesis)
        for operation in author.operations() { _ = try fromBytes.add(decoding: operation.bytes) }
        #expect(Answers(of: fromBytes) == Answers(of: roster))
    }

    @Test("an operation that turns out invalid after it waited is dropped and counted")
    func invalidAfterWaiting() throws {
        var author = try Roster(genesis: genesis(by: creator))
        let operation = try author.act(said("x", by: creator), by: creator)
        let forged = RosterOperation(.leave, on: [operation.id], at: at(3), by: Box(66).key)
        var roster = try Roster(genesis: author.genesis)
        try roster.take([forged, operation])
        #expect(!roster.contains(forged.id) && roster.refusedAfterWaiting == 1 && roster.waitingCount == 0)
    }

    @Test("what waits is bounded by count and by bytes, the oldest goes first and can come again")
    func waitingBounds() throws {
        var roster = try Roster(genesis: genesis(by: creator))
        var oldest: [RosterOperation] = []
        for number in 0..<RosterLimits.waitingMax + 20 {
            let operation = RosterOperation(.leave, on: [hash("\(number)")], at: at(1), by: creator.key)
            if number < 20 { oldest.append(operation) }
            _ = try roster.add(operation)
        }
        #expect(roster.waitingCount == RosterLimits.waitingMax)
        roster.checkInvariants()
        #expect(!roster.wantedHeads.contains { head in oldest.contains { $0.heads == [head] } })
        guard case .waiting = try roster.add(oldest[0]) else {
            Issue.record("a dropped operation waits again")
            return
        }
        let large = [UInt8](repeating: 7, count: RosterLimits.reservedBytesMax)
        for number in 0..<40 {
            let heads = [hash("large \(number)")]
            _ = try roster.add(RosterOperation(.resolve(large), on: heads, at: at(1), by: creator.key))
        }
        #expect(roster.waitingBytes <= RosterLimits.waitingBytesMax && roster.waitingCount < 40)
        #expect(roster.waitingCount >= 30)
        roster.checkInvariants()
    }

    @Test("each side sends what the other lacks, in an order that never waits, and little more")
    func exchange() throws {
        let second = Box(2)
        var left = try Roster(genesis: genesis(by: creator))
        try left.admit(second, .admin, by: creator)
        for number in 0..<300 { try left.act(said("shared-\(number)", by: creator), by: creator) }
        var right = left
        for number in 0..<10 { try left.act(said("left-\(number)", by: creator), by: creator) }
        for number in 0..<7 { try right.act(said("right-\(number)", by: second), by: second) }
        #expect(left.summary().count <= RosterLimits.summaryMax && left.summary().contains(left.space.raw))
        let toRight = left.operations(missingFrom: right.summary())
        let toLeft = right.operations(missingFrom: left.summary())
        #expect(toRight.count == 10 && toLeft.count == 7)
        for operation in toRight {
            guard case .added = try right.add(operation) else {
                Issue.record("\(operation.id) had to wait")
                return
            }
        }
        try left.take(toLeft)
        #expect(left.rosterHash == right.rosterHash && Answers(of: left) == Answers(of: right))
        #expect(left.operations(missingFrom: right.heads).isEmpty)
        #expect(left.missing(of: right.summary() + [hash("nobody's")]) == [hash("nobody's")])
        #expect(left.operations().map(\.id) == right.operations().map(\.id))
        // Two that are level say so in less than a kilobyte.
        let have = RosterHaveFrame(heads: left.heads, summary: Array(Set(left.summary()).sorted()))
        #expect(have.encoded().count < 1_000)
        #expect(Set(left.operations(missingFrom: [])) == Set(right.operations()))
    }

    @Test("sides that went far apart still find a common ancestor, at the cost of sending some twice")
    func farApart() throws {
        let second = Box(2)
        var left = try Roster(genesis: genesis(by: creator))
        try left.admit(second, .admin, by: creator)
        for number in 0..<200 { try left.act(said("shared-\(number)", by: creator), by: creator) }
        var right = left
        for number in 0..<100 { try left.act(said("left-\(number)", by: creator), by: creator) }
        for number in 0..<100 { try right.act(said("right-\(number)", by: second), by: second) }
        let sent = left.operations(missingFrom: right.summary())
        #expect(sent.count >= 100 && sent.count < 220)
        try right.take(sent)
        #expect(left.heads.allSatisfy(right.contains))
    }

    @Test("whoever names heads names at most the limit, keeps its own standing in view, and joins the rest")
    func floodOfHeads() throws {
        let writer = Box(2)
        var roster = try Roster(genesis: genesis(by: creator))
        let start = roster.heads
        for number in 0..<RosterLimits.headsMax + 40 {
            _ = try roster.add(
                RosterOperation(said("n\(number)", by: creator), on: start, at: at(5), by: creator.key))
        }
        let (secret, body) = invite(1, .writer)
        let invited = RosterOperation(body, on: start, at: at(5), by: creator.key)
        _ = try roster.add(invited)
        _ = try roster.add(
            RosterOperation(add(writer, .writer, by: secret), on: [invited.id], at: at(6), by: creator.key))
        #expect(roster.heads.count == RosterLimits.headsMax + 41)
        let named = roster.headsToName(inChangesOf: writer.device)
        #expect(named.count == 1, "what others say of themselves is nothing that a change stands on")
        let view = try roster.viewing(named)
        #expect(roster.isStored(by: writer.device, in: view))
        try roster.act(said("me", by: writer), by: writer)
        #expect(roster.heads.count == 42)
    }
}
