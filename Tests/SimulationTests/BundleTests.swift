// Bundles between boxes that do not meet: what one carries, what its reader takes of it, and that a link that
// comes later finds nothing left to do.

import Bytes
import Causality
import Crypto
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct BundleTests {
    /// Nodes that are members of "notes", level, and do not reach each other any more.
    func strangers(_ count: Int, seed: UInt64, writes: Int = 6) -> World {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: count)
        #expect(isMade, "\(world.logs())")
        for number in 0..<writes { _ = world.increment(number % count, "notes", Key("doc/\(number % 3)")) }
        let all = Array(0..<count)
        let isLevel = world.run(within: 60_000) { $0.areEqual(all, "notes") }
        #expect(isLevel, "\(world.logs())")
        // What each says of its software has its time, too.
        world.run(milliseconds: 10_000)
        part(&world, count)
        return world
    }

    func part(_ world: inout World, _ count: Int) {
        for index in 0..<count { world.separate([index]) }
        world.run(milliseconds: 120_000)
    }

    func text(_ world: inout World, _ index: Int) -> String {
        String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
    }

    @Test("two boxes that never meet are equal after a bundle each way, and say so")
    func bothWays() {
        var world = strangers(2, seed: 3_000)
        for number in 0..<20 {
            _ = world.increment(0, "notes", Key("doc/\(number % 4)"))
            _ = world.splice(1, "notes", Key("text/\(number % 3)"), at: 0, "word \(number) ")
        }
        let there = world.bundle(0, for: 1)
        world.expectTaken(1, there, new: 20, changes: 20, documents: 4)
        let back = world.bundle(1, for: 0)
        world.expectTaken(0, back, new: 20)
        world.expectEqual([0, 1])
        // Each knows what the other holds: from the bundle that it read.
        guard case .bundle(.nothingNew)? = world.writeBundle(0, .member(world.member(1))).refusal else {
            Issue.record("something is left for 1")
            return
        }
        // 1 has not heard that 0 has its changes, which the next bundle of 0 says.
        _ = world.increment(0, "notes", "doc/0")
        world.expectTaken(1, world.bundle(0, for: 1), new: 1)
        let last = world.writeBundle(1, .member(world.member(0)))
        guard case .bundle(.nothingNew)? = last.refusal else {
            Issue.record("\(last)")
            return
        }
        world.reunite()
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        let alarms = world.alarms(0) + world.alarms(1)
        #expect(isLevel && alarms.isEmpty, "\(alarms) \(world.logs())")
    }

    @Test("a bundle that is taken twice changes nothing, nor does one's own")
    func twice() {
        var world = strangers(2, seed: 3_001)
        for number in 0..<9 { _ = world.increment(0, "notes", Key("doc/\(number)")) }
        let bundle = world.bundle(0)
        let first = world.takeBundle(1, bundle)
        #expect(first.number("new") == 9 && first.number("changes") == 15, "\(first)")
        let before = world.export(1, "notes")
        let second = world.takeBundle(1, bundle, pieceBytes: 17)
        #expect(second.number("new") == 0 && second.number("changes") == 15, "\(second)")
        #expect(second.number("documents") == 0 && second.number("lacking") == 0, "\(second)")
        let after = world.export(1, "notes")
        #expect(after == before)
        world.expectTaken(0, bundle, new: 0)
    }

    @Test("a bundle since a version holds what came after it, and says what lacks where that is not held")
    func since() {
        var world = strangers(3, seed: 3_002)
        for _ in 0..<5 { _ = world.increment(0, "notes", "doc/a") }
        guard case .transaction(_, let version, _)? = world.set(0, "notes", "doc/b", "x", 1) else {
            Issue.record("no version")
            return
        }
        for _ in 0..<4 { _ = world.increment(0, "notes", "doc/c") }
        let late = world.bundle(0, .since(version))
        // Six changes before them are on no way to node 1.
        let early = world.takeBundle(1, late)
        #expect(early.number("new") == 0 && early.number("changes") == 4, "\(early)")
        #expect(early.number("lacking") == 4, "\(early)")
        world.expectTaken(1, world.bundle(0), lacking: 0)
        world.expectEqual([0, 1])
        // Who holds the version takes all of it.
        world.expectTaken(2, world.bundle(1, for: 2), new: 10)
        guard case .transaction(_, let newest, _)? = world.set(0, "notes", "doc/d", "x", 1) else {
            Issue.record("no version")
            return
        }
        guard case .bundle(.nothingNew)? = world.writeBundle(0, .since(newest)).refusal,
            case .invalidVersion? = world.writeBundle(0, .since("nonsense")).refusal,
            case .noSuchChange? = world.writeBundle(1, .since(newest)).refusal,
            case .noSuchMember? = world.writeBundle(0, .member(MemberReference("nobody"))).refusal,
            case .bundle(.noCheckpoint)? = world.writeBundle(0, .base).refusal
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test("what waits for what another bundle brings is there when that was taken, in any order")
    func anyOrder() {
        var world = strangers(3, seed: 3_003)
        for _ in 0..<3 { _ = world.increment(0, "notes", "doc/0") }
        let first = world.bundle(0)
        world.expectTaken(1, first, new: 3)
        // Made on what node 0 wrote.
        for _ in 0..<3 { _ = world.increment(1, "notes", "doc/0") }
        let second = world.bundle(1, for: 0)
        let early = world.takeBundle(2, second)
        #expect(early.number("new") == 0 && early.number("lacking") == 3, "\(early)")
        world.expectTaken(2, first, new: 6)
        world.expectEqual([1, 2])
        world.expectTaken(2, second, lacking: 0)
    }

    @Test("cut anywhere, a bundle gives what stands before, says where it ends, and goes on when it is whole")
    func cutAnywhere() {
        var world = strangers(2, seed: 3_004)
        for number in 0..<3 { _ = world.increment(0, "notes", Key("doc/\(number)")) }
        let bundle = world.bundle(0, for: 1)
        var new = 0
        for count in 0..<bundle.count {
            let result = world.takeBundle(1, Array(bundle[..<count]), pieceBytes: 1 << 20)
            guard case .endsEarly? = result.fault?.reason else {
                Issue.record("\(count) of \(bundle.count) bytes: \(result)")
                return
            }
            #expect(result.position == UInt64(count), "\(result)")
            new += result.tally.new
        }
        #expect(new == 3)
        world.expectTaken(1, bundle, new: 0)
        world.expectEqual([0, 1])
    }

    @Test("no bit of a bundle can be turned: what is behind it is not taken, and nobody is accused")
    func turnedBits() {
        var world = strangers(2, seed: 3_005)
        for number in 0..<2 { _ = world.increment(0, "notes", Key("doc/\(number)")) }
        let bundle = world.bundle(0, for: 1)
        for place in 0..<bundle.count {
            var turned = bundle
            turned[place] ^= 1 << UInt8(place % 8)
            let result = world.takeBundle(1, turned, pieceBytes: 1 << 20)
            #expect(!result.isWhole, "byte \(place)")
            let isSaid = result.fault != nil || result.stop != nil || result.error != nil
            #expect(isSaid, "byte \(place): \(result)")
            // A head of two boxes fits only the key that it was written with: its first record shows it.
            let head = 61 + 2 * 88
            if place >= head, case .notAuthentic? = result.fault?.reason {
                #expect(result.fault.map { $0.offset <= UInt64(place) } == true, "byte \(place)")
            }
        }
        let alarms = world.alarms(1)
        #expect(alarms.isEmpty)
        world.expectTaken(1, bundle)
        world.expectEqual([0, 1])
        let long = world.takeBundle(1, bundle + [0])
        #expect(long.fault?.reason == .goesOn, "\(long)")
        world.reunite()
        _ = world.increment(0, "notes", "doc/0")
        let isLinked = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLinked, "\(world.logs())")
    }

    @Test("who dies while reading keeps what was answered, and goes on with the same file")
    func interrupted() {
        var dice = SeededGenerator(seed: 9)
        var world = strangers(2, seed: 3_006)
        for number in 0..<120 {
            let long = String(repeating: "x", count: 9_000)
            _ = world.splice(0, "notes", Key("text/\(number % 5)"), at: 0, long)
        }
        let bundle = world.bundle(0, for: 1)
        var known = 0
        for requests in [1, 2, 3, 4] {
            let part = world.takeBundle(1, bundle, records: 1, requestsMax: requests)
            #expect(part.answer == nil)
            known += part.tally.new
            world.crashAndStart(1, &dice)
        }
        #expect(known > 0)
        let rest = world.takeBundle(1, bundle)
        #expect(rest.number("new").map { Int($0) + known } == 120, "\(known): \(rest)")
        world.expectEqual([0, 1])
    }

    @Test("a bundle is for the members of its space, and for none else")
    func otherSpaces() throws {
        var world = strangers(2, seed: 3_007)
        let isMade = world.createSpace(1, "other")
        #expect(isMade)
        _ = world.increment(0, "notes", "doc/0")
        let bundle = world.bundle(0)
        guard case .bundle(.foreign)? = world.takeBundle(1, bundle, in: "other").error,
            case .noSuchSpace? = world.takeBundle(1, bundle, in: "nowhere").error
        else {
            Issue.record("taken for another space")
            return
        }
        let stranger = world.addNode()
        let id = String(repeating: "ab", count: 32)
        guard case .bundle(.foreign)? = world.takeBundle(stranger, bundle, in: id).error else {
            Issue.record("taken by who is in no space")
            return
        }
        // A member that its writer does not know yet.
        world.reunite()
        let token = world.invite(0, "notes")
        guard case .joined? = world.join(stranger, try #require(token)) else {
            Issue.record("not joined")
            return
        }
        guard case .bundle(.sealedForOthers(_, let members))? = world.takeBundle(stranger, bundle).error
        else {
            Issue.record("opened by who was no member")
            return
        }
        #expect(members == 2)
        #expect(!bundle.contains(Array("box0".utf8)) && !bundle.contains(Array("doc/".utf8)))
    }
}
