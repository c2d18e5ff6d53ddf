// Bundles through what happens to a space: removals and new keys, forks, checkpoints whose log was let go.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Node
import Roster
import Simulator
import Testing
import Wire

@Suite struct BundleMembershipTests {
    private let bundles = BundleTests()
    private let checkpoints = CheckpointTests()

    @Test("a bundle brings the keys under which it is encrypted, and none to who was removed")
    func removal() throws {
        var world = bundles.strangers(3, seed: 3_100)
        let old = world.bundle(0)
        let request = NodeRequest.removeMember(SpaceReference("notes"), world.member(2), isDryRun: false)
        guard case .memberRemoved(let report)? = world.ask(0, request), report.rotated != nil else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        for _ in 0..<3 { _ = world.increment(0, "notes", "doc/secret") }
        let bundle = world.bundle(0, for: 1)
        // It is sealed for those who are members now.
        guard case .bundle(.sealedForOthers(_, let members))? = world.takeBundle(2, bundle).error else {
            Issue.record("who was removed opened it")
            return
        }
        #expect(members == 2)
        world.expectTaken(1, bundle, new: 3)
        world.expectEqual([0, 1])
        // What was sealed before still opens; nothing of what came after is in it.
        world.expectTaken(2, old, new: 0)
        let shown = bundles.text(&world, 2)
        #expect(!shown.contains("secret"))
        // Changes of the removed one, made after its removal, have no effect.
        for _ in 0..<2 { _ = world.increment(2, "notes", "doc/late") }
        world.expectTaken(1, world.bundle(2))
        let kept = bundles.text(&world, 1)
        #expect(!kept.contains("late"), "\(kept)")
        world.expectEqual([0, 1])
    }

    @Test("who learns of its own removal by a bundle takes nothing behind that")
    func ownRemoval() {
        var world = bundles.strangers(3, seed: 3_101)
        // 1 is an admin that does not know of the removal yet when it writes the bundle for 2.
        let promotion = NodeRequest.changeRole(SpaceReference("notes"), world.member(1), .admin)
        guard case .member? = world.ask(0, promotion) else {
            Issue.record("no admin: \(world.logs())")
            return
        }
        world.expectTaken(1, world.bundle(0, for: 1))
        let removal = NodeRequest.removeMember(SpaceReference("notes"), world.member(2), isDryRun: false)
        guard case .memberRemoved? = world.ask(0, removal) else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        // The roster reaches 2 by a link to 0, which says farewell; bundles do nothing for it then.
        let before = world.bundle(1)
        world.reunite()
        let isTold = world.run(within: 60_000) { $0.alarms(2).contains("removed") }
        #expect(isTold, "\(world.logs())")
        guard case .removed? = world.takeBundle(2, before).error else {
            Issue.record("taken by who was removed")
            return
        }
    }

    @Test("through three new epochs of keys: who slept gets all of them in one bundle")
    func rotations() {
        var world = bundles.strangers(3, seed: 3_102)
        for _ in 0..<3 {
            guard case .keysRotated? = world.ask(0, .rotateKeys(SpaceReference("notes"))) else {
                Issue.record("no new keys: \(world.logs())")
                return
            }
            for _ in 0..<2 { _ = world.increment(0, "notes", "doc/0") }
        }
        let first = world.bundle(0, for: 1)
        world.expectTaken(1, first, new: 6)
        // And on from there, by who only read them in a bundle.
        _ = world.increment(1, "notes", "doc/1")
        world.expectTaken(2, world.bundle(1, for: 2), new: 7)
        world.expectTaken(0, world.bundle(2, for: 0), new: 1)
        world.expectEqual([0, 1, 2])
    }

    @Test("a fork is proved by bundles alone, and no carrier is accused")
    func forks() {
        var world = World(seed: 3_103)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        for _ in 0..<4 { _ = world.increment(1, "notes", "count") }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel)
        let clone = world.addClone(of: 1)
        bundles.part(&world, 4)
        for index in [1, clone] {
            world.run(milliseconds: 3)
            _ = world.splice(index, "notes", "text", at: 0, "by \(index) ")
        }
        // Both branches reach 0, in two files; everything is in them, so the last common boundary is.
        world.expectTaken(0, world.bundle(1), new: 1)
        let second = world.takeBundle(0, world.bundle(clone))
        #expect(second.isWhole, "\(second)")
        world.run(milliseconds: 5_000)
        let alarms = world.alarms(0)
        #expect(alarms == ["fork"], "\(alarms) \(world.logs())")
        // Its next bundle brings the proof.
        let proof = world.takeBundle(2, world.bundle(0))
        #expect(proof.isWhole, "\(proof)")
        world.run(milliseconds: 5_000)
        let told = world.alarms(2)
        #expect(told == ["fork"], "\(told) \(world.logs())")
        world.expectEqual([0, 2])
        world.reunite()
        let isWhole = world.run(within: 600_000) { world in
            let text = String(decoding: world.export(0, "notes") ?? [], as: UTF8.self)
            return text.contains("by 1 ") && text.contains("by \(clone) ")
                && world.areEqual([0, 1, 2, clone], "notes")
        }
        #expect(isWhole, "\(world.logs())")
    }

    @Test("who was away while the log was cut takes the base from a bundle, and writes again without a link")
    func base() {
        var world = World(seed: 3_104)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2])
        for number in 0..<5 { _ = world.increment(2, "notes", Key("own/\(number)")) }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel && checkpoints.checkpoint(&world, at: 0, [0, 1, 2]) != nil, "\(world.logs())")
        world.separate([2])
        checkpoints.leaveOut(2, &world)
        for node in 0..<2 { _ = world.ask(node, .collect(SpaceReference("notes"))) }
        bundles.part(&world, 3)
        _ = world.increment(2, "notes", "own/late")
        // In pieces first: nothing is hidden for ever by a base that does not become whole.
        let bundle = world.bundle(0, for: 2)
        let half = world.takeBundle(2, Array(bundle[..<(bundle.count / 2)]))
        #expect(half.fault != nil)
        let shown = world.export(2, "notes")
        #expect(shown != nil, "\(world.logs())")
        let taken = world.takeBundle(2, bundle)
        #expect(taken.isWhole && taken.number("lacking") == 0 && taken.tally.baseDocuments > 0, "\(taken)")
        let isBack = world.run(within: 120_000) { $0.increment(2, "notes", "own/again") }
        #expect(isBack, "\(world.logs())")
        // What it wrote meanwhile was late, and is adopted.
        world.run(milliseconds: 120_000)
        world.expectTaken(0, world.bundle(2, for: 0))
        world.expectTaken(1, world.bundle(2, for: 1))
        world.run(milliseconds: 120_000)
        world.expectEqual([0, 1, 2])
        let text = bundles.text(&world, 0)
        #expect(text.contains("own/late") && text.contains("own/again"), "\(text)")
        // Taken again nothing changes, and the base is not begun again.
        let again = world.takeBundle(2, bundle)
        #expect(again.isWhole && again.number("new") == 0, "\(again) \(world.logs())")
        world.expectEqual([0, 1, 2])
    }

    /// A mesh of three that has let go of its log, and one that was let in and has no link since.
    private func newcomerApart(_ world: inout World) -> Int? {
        let isMade = checkpoints.collectedMesh(&world)
        #expect(isMade, "\(world.logs())")
        let late = world.addNode()
        guard let token = world.invite(0, "notes"), case .joined? = world.join(late, token) else {
            Issue.record("not joined: \(world.logs())")
            return nil
        }
        // It dies with the first link.
        world.crash(late)
        world.separate([late])
        world.start(late)
        return late
    }

    @Test("pages of a base that were answered are there after a crash, and the same file goes on behind them")
    func interruptedBase() throws {
        var world = World(seed: 3_107)
        guard let late = newcomerApart(&world) else { return }
        let bundle = world.bundle(1, .base)
        var held: [Int] = []
        for requests in 1...60 {
            let part = world.takeBundle(late, bundle, records: 1, requestsMax: requests)
            if part.isWhole { break }
            world.crash(late)
            world.start(late)
            let store = try #require(world.nodes[late].node?.store)
            let space = try #require(try store.spaces().first?.id)
            held.append(try store.candidates(space, after: nil, limit: .max).count)
        }
        // Some of twelve documents, not all of them at once.
        #expect(Set(held).intersection(1..<12).count > 1, "\(held)")
        let taken = world.takeBundle(late, bundle)
        #expect(taken.isWhole && taken.number("lacking") == 0, "\(taken) \(world.logs())")
        let writes = world.run(within: 120_000) { $0.increment(late, "notes", "count/2") }
        #expect(writes, "\(world.logs())")
    }

    @Test("a newcomer that met its inviter only to join gets everything by files, from the base on")
    func newcomer() {
        var world = World(seed: 3_105)
        guard let late = newcomerApart(&world) else { return }
        for node in 0..<3 { _ = world.increment(node, "notes", Key("late/\(node)")) }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel)
        let bundle = world.bundle(1, .base)
        let taken = world.takeBundle(late, bundle)
        #expect(taken.isWhole && taken.number("lacking") == 0, "\(taken) \(world.logs())")
        let writes = world.run(within: 120_000) { $0.increment(late, "notes", "count/2") }
        #expect(writes, "\(world.logs())")
        world.expectTaken(0, world.bundle(late, for: 0))
        let isAll = world.run(within: 60_000) { $0.areEqual([0, 1, 2, late], "notes") }
        #expect(isAll, "\(world.logs())")
    }
}
