// Budgets: what a long life needs is never put off, what is beyond is, and comes later.

import Bytes
import Causality
import Crypto
import Roster
import Testing
import Wire

@Suite struct RosterBudgetTests {
    private let author = Box(2).device
    private static let day: UInt64 = 86_400_000

    private func now(_ milliseconds: UInt64) -> Instant {
        Instant(monotonic: 1_000_000 + milliseconds, wall: 1_700_000_000_000 + milliseconds)
    }

    /// Takes operations until one is put off, and says how many were taken.
    private func taken(
        _ count: Int, of bytes: Int, by role: Role?, _ budgets: inout RosterBudgets, at moment: UInt64
    ) -> Int {
        for number in 0..<count {
            guard budgets.isOpen(for: author, role, at: now(moment)) else { return number }
            budgets.spend(bytes, of: author, role, at: now(moment))
        }
        return count
    }

    @Test("a legitimate life fits many times over")
    func life() {
        // 1,000 devices joining within an hour, five days in a row.
        var budgets = RosterBudgets()
        for day in 0..<5 as Range<UInt64> {
            let count = taken(2_000, of: 700, by: .admin, &budgets, at: day * Self.day)
            #expect(count == 2_000)
        }
        // 200 members, 30 rotations of four operations with 64 packages each, all at once, by an admin and by
        // a writer; and twice that.
        for role in [Role.admin, .writer] {
            var budgets = RosterBudgets()
            let count = taken(240, of: 64 * 190, by: role, &budgets, at: 0)
            #expect(count == 240)
        }
        // A relay that says a new address every hour for a month.
        var relay = RosterBudgets()
        for hour in 0..<720 as Range<UInt64> {
            let count = taken(1, of: 500, by: .relay, &relay, at: hour * 3_600_000)
            #expect(count == 1)
        }
        #expect(relay.flooding.isEmpty)
    }

    @Test(
        "a flood is cut at the allowance, of operations and of bytes, and goes on at the rate",
        arguments: [Role.admin, .writer, .reader, .relay, nil])
    func flood(role: Role?) {
        let allowance = RosterAllowance.of(role)
        var budgets = RosterBudgets()
        let atOnce = taken(.max, of: 1, by: role, &budgets, at: 0)
        #expect(atOnce == allowance.operations)
        #expect(budgets.flooding == (role == nil ? [] : [author]))
        let later = taken(.max, of: 1, by: role, &budgets, at: Self.day / 2)
        #expect(later == min(allowance.operations, allowance.operationsPerDay / 2))
        var bytes = RosterBudgets()
        let large = RosterLimits.operationBytesMax
        let whole = taken(.max, of: large, by: role, &bytes, at: 0)
        #expect(whole == allowance.bytes / large)
    }

    @Test("what was put off is asked for when there is room again, not before")
    func asking() throws {
        var budgets = RosterBudgets()
        #expect(budgets.deadline { _ in .relay } == nil)
        _ = taken(.max, of: 1, by: .relay, &budgets, at: 0)
        let isNews = [budgets.putOff(100, of: author, .relay), budgets.putOff(100, of: author, .relay)]
        #expect(isNews == [true, false])
        let due = try #require(budgets.deadline { _ in .relay })
        // A sixteenth of 256 operations, at 144 a day.
        #expect((now(0).monotonic + Self.day / 9...now(0).monotonic + Self.day / 9 + 1).contains(due))
        let tooEarly = budgets.askAgain({ _ in .relay }, at: now(Self.day / 10))
        #expect(tooEarly.isEmpty)
        let asked = budgets.askAgain({ _ in .relay }, at: now(Self.day / 9 + 1))
        let isOpen = budgets.isOpen(for: author, .relay, at: now(Self.day / 9 + 1))
        #expect(asked == [author] && budgets.putOff.isEmpty && isOpen)
    }

    @Test("strangers share one account, whatever they call themselves, and nobody floods by it")
    func strangers() {
        var budgets = RosterBudgets()
        var count = 0
        for number in 0..<5_000 {
            let device = DeviceID(publicKey: hash("stranger \(number)"))
            guard budgets.isOpen(for: device, nil, at: now(0)) else { continue }
            budgets.spend(100, of: device, nil, at: now(0))
            count += 1
        }
        #expect(count == RosterAllowance.of(nil).operations && budgets.flooding.isEmpty)
        let isOpen = budgets.isOpen(for: author, .relay, at: now(0))
        #expect(isOpen, "members are not held up by them")
    }

    @Test("a restart forgives nothing, and time passes while the node is off")
    func kept() throws {
        var budgets = RosterBudgets()
        _ = taken(.max, of: 1, by: .relay, &budgets, at: 0)
        #expect(budgets.isChanged)
        let bytes = budgets.encoded(at: now(0))
        #expect(!budgets.isChanged)
        // Another process: its monotonic clock begins anew.
        let soon = Instant(monotonic: 5, wall: now(1_000).wall)
        var again = try RosterBudgets(decoding: bytes, at: soon)
        let isOpen = again.isOpen(for: author, .relay, at: soon)
        #expect(!isOpen && again.flooding == [author])
        let late = Instant(monotonic: 5, wall: now(3 * Self.day).wall)
        var later = try RosterBudgets(decoding: bytes, at: late)
        let isPaid = later.isOpen(for: author, .relay, at: late)
        #expect(isPaid && later.flooding.isEmpty)
        let early = Instant(monotonic: 5, wall: 7)
        var stepped = try RosterBudgets(decoding: bytes, at: early)
        let isEarlyOpen = stepped.isOpen(for: author, .relay, at: early)
        #expect(!isEarlyOpen, "a clock that stepped back pays nothing")
        for cut in bytes.indices {
            #expect(throws: DecodeFault.self) { try RosterBudgets(decoding: Array(bytes[..<cut]), at: soon) }
        }
    }
}

@Suite struct RosterRestoringTests {
    @Test("what the store kept makes the same roster, without a signature being looked at")
    func same() throws {
        let creator = Box(1)
        var roster = try Roster(genesis: genesis(by: creator))
        for number in 2..<20 { try roster.admit(Box(number), number == 2 ? .admin : .writer, by: creator) }
        var left = roster
        try roster.act(.deviceUpdate(.init(try Box(3).description())), by: Box(3))
        try left.admit(Box(30), .reader, by: Box(2))
        try left.act(removal(of: Box(4)), by: Box(2))
        try roster.take(left.operations(missingFrom: roster.summary()))
        try roster.act(.deviceUpdate(.init(try Box(5).description())), by: Box(5))
        var restored: Roster?
        for place in roster.places {
            if restored == nil {
                restored = try Roster(restoring: roster.bytes(at: place))
            } else {
                try restored?.restore(roster.bytes(at: place))
            }
        }
        let same = try #require(restored)
        same.checkInvariants()
        #expect(Answers(of: same) == Answers(of: roster))
        #expect(throws: RosterFault.self) { try restored?.restore(roster.bytes(at: roster.places[3])) }
    }

    @Test("nobody is given keys that all could read: box keys of small order are refused everywhere")
    func weakBoxKeys() throws {
        let creator = Box(1)
        let weak = [
            [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
            [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
            [UInt8](repeating: 0, count: 31) + [0x80],
            [0xed] + [UInt8](repeating: 0xff, count: 30) + [0xff],
            try #require(Hex.decode("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")),
            try #require(Hex.decode("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")),
        ]
        let name = try #require(DeviceName("weak"))
        for bytes in weak {
            let key = Bytes32(bytes)
            #expect(AgreementKey.isWeak(key) && Box(1).boxKey.agree(with: key) == nil)
            let description = DeviceDescription(name: name, boxKey: key)
            let start = Roster.genesis(
                name: try #require(SpaceName("home")), creator: description, nonce: hash("n").bytes,
                at: at(1),
                by: creator.key)
            #expect(throws: RosterFault.weakBoxKey(creator.device)) { _ = try Roster(genesis: start) }
            var roster = try Roster(genesis: genesis(by: creator))
            let update = RosterOperation(
                .deviceUpdate(.init(description)), on: roster.heads, at: at(2), by: creator.key)
            #expect(throws: RosterFault.weakBoxKey(creator.device)) { _ = try roster.add(update) }
            let (secret, body) = invite(1, .reader)
            try roster.act(body, by: creator)
            let add = RosterBody.Add(
                device: Box(2).device, role: .reader, invite: secret.id, description: description,
                sealedKeys: [1])
            let admission = RosterOperation(.add(add), on: roster.heads, at: at(3), by: creator.key)
            #expect(throws: RosterFault.weakBoxKey(Box(2).device)) { _ = try roster.add(admission) }
            #expect(roster.count == 2)
        }
        for number in 1...50 { #expect(!AgreementKey.isWeak(Box(number).boxKey.publicKey)) }
    }
}
