// New keys of a space: who gets them, who does not, and that nobody is left without.

import Bytes
import Causality
import Crypto
import Node
import Roster
import Simulator
import Testing
import Wire

@Suite struct KeyRotationTests {
    /// The names of all epochs that a node sees, and the one under which it seals.
    private func epochs(_ world: inout World, _ index: Int) -> [KeyEpochReport] {
        guard case .keyEpochs(let epochs, _) = world.ask(index, .keyEpochs(SpaceReference("notes"))) else {
            return []
        }
        return epochs
    }

    /// The one epoch under which all of these nodes seal; nil while they differ, or when it is not good.
    private func common(_ world: inout World, _ indices: [Int]) -> KeyEpochID? {
        var found: KeyEpochID?
        for index in indices {
            guard let current = epochs(&world, index).first(where: \.isCurrent), current.isGood,
                found == nil || found == current.id
            else { return nil }
            found = current.id
        }
        return found
    }

    private func keys(_ world: World, _ index: Int) throws -> SpaceKeys {
        let record = try #require(try world.diskCopy(index).spaces().first)
        return try SpaceKeys(decoding: record.keys, of: record.id)
    }

    private func device(_ world: World, _ index: Int) -> DeviceID {
        DeviceID(publicKey: world.nodes[index].deviceKey.publicKey)
    }

    @discardableResult
    private func rotate(_ world: inout World, _ index: Int) -> KeyEpochID? {
        guard case .keysRotated(let id) = world.ask(index, .rotateKeys(SpaceReference("notes"))) else {
            return nil
        }
        return id
    }

    @discardableResult
    private func remove(_ world: inout World, _ victim: Int, by admin: Int) -> KeyEpochID? {
        let request = NodeRequest.removeMember(
            SpaceReference("notes"), MemberReference(device(world, victim)), isDryRun: false)
        guard case .memberRemoved(let report) = world.ask(admin, request) else { return nil }
        return report.rotated
    }

    /// Node 0 made the space; the others joined with these roles. All are level.
    private func meeting(_ roles: [Role], seed: UInt64) throws -> World {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        for (place, role) in roles.enumerated() {
            world.addNode()
            let invited = world.invite(0, "notes", role: role)
            let token = try #require(invited)
            guard case .joined = world.join(place + 1, token) else {
                Issue.record("\(place + 1) did not join: \(world.logs())")
                return world
            }
        }
        _ = world.increment(0, "notes", "count")
        let readers = [0] + roles.indices.filter { roles[$0] != .relay }.map { $0 + 1 }
        let isLevel = world.run(within: 60_000) { $0.areEqual(readers, "notes") }
        #expect(isLevel, "\(world.logs())")
        return world
    }

    @Test("whoever is removed opens nothing that is sealed after, over a crash of the remover too")
    func removalRotates() throws {
        var world = try meeting([.writer, .writer], seed: 80)
        let begun = remove(&world, 1, by: 0)
        let id = try #require(begun)
        // What was answered is durable: roster, keys and removal stand in one transaction.
        world.crash(0)
        world.start(0)
        let isCommon = world.run(within: 60_000) { self.common(&$0, [0, 2]) == id }
        #expect(isCommon, "\(world.logs())")
        world.run(milliseconds: 60_000)
        let known = try keys(world, 1)
        let now = try keys(world, 0)
        let content = try #require(now.current.content)
        #expect(now.current.id == id && known.content(named: ContentKeyID(of: content)) == nil)
        #expect(!known.epochs.contains { $0.access == now.current.access })
        // The removed box heard of its removal and not of what came after.
        #expect(epochs(&world, 1).map(\.number) == [1] && world.alarms(1).contains("removed"))
        let isCounted = world.increment(2, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 2], "notes") }
        #expect(isCounted && isLevel && world.alarms(2).isEmpty && world.alarms(0).isEmpty)
    }

    @Test("after removals that crossed, the most senior admin begins the one epoch that is good")
    func crossedRemovals() throws {
        var world = try meeting([.admin, .admin, .writer, .writer, .writer], seed: 81)
        world.separate([0, 1, 4])
        let first = remove(&world, 3, by: 1)
        let second = remove(&world, 4, by: 2)
        #expect(first != nil && second != nil)
        world.reunite()
        let isCommon = world.run(within: 120_000) { self.common(&$0, [0, 1, 2, 5]) != nil }
        #expect(isCommon, "\(world.logs())")
        world.run(milliseconds: 60_000)
        let last = try #require(common(&world, [0, 1, 2, 5]))
        #expect(last != first && last != second)
        let all = epochs(&world, 5)
        // Both beginnings stand, are not good, and one followed: the creator is the most senior.
        #expect(
            all.count == 4 && all.count(where: \.isGood) == 1 && all.last?.author.device == device(world, 0))
        let isCounted = world.increment(5, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2, 5], "notes") }
        #expect(isCounted && isLevel, "\(world.logs())")
        let content = try #require(try keys(world, 0).current.content)
        for out in [3, 4] { #expect(try keys(world, out).content(named: ContentKeyID(of: content)) == nil) }
    }

    @Test("what each side of admins that removed each other sealed for itself is read by all")
    func stranded() throws {
        var world = try meeting([.admin, .writer, .writer], seed: 88)
        world.separate([1, 3])
        let (first, second) = (remove(&world, 1, by: 0), remove(&world, 0, by: 1))
        #expect(first != nil && second != nil)
        let areApart = world.run(within: 60_000) { world in
            self.common(&world, [0, 2]) == first && self.common(&world, [1, 3]) == second
        }
        #expect(areApart, "\(world.logs())")
        for index in 0..<4 {
            let isWritten = world.increment(index, "notes", Key("by-\(index)"))
            #expect(isWritten)
        }
        // Whoever else holds the junior's epoch is away for a while: the removed box itself gives it on.
        world.heal()
        world.separate([3])
        func listsVoid(_ world: inout World, _ index: Int) -> Bool {
            let request = NodeRequest.void(SpaceReference("notes"), VoidQuery())
            guard case .reading(let job, _) = world.ask(index, request) else { return false }
            var bytes: [UInt8] = []
            while let piece = try? job.next() { bytes += piece }
            return String(decoding: bytes, as: UTF8.self).contains("by-1")
        }
        let isHandedOver = world.run(within: 700_000) { listsVoid(&$0, 0) && listsVoid(&$0, 2) }
        #expect(isHandedOver, "\(world.logs())")
        // What the other one wrote counts, and comes with it.
        world.heal()
        let isLevel = world.run(within: 120_000) { world in
            world.areEqual([0, 2, 3], "notes") && self.common(&world, [0, 2, 3]) != nil
        }
        let text = String(decoding: world.export(2, "notes") ?? [], as: UTF8.self)
        #expect(isLevel && text.contains("by-3") && !text.contains("by-1"), "\(text) \(world.logs())")
        for index in [0, 2, 3] { #expect(world.alarms(index).isEmpty) }
    }

    @Test("a member that slept through thirty rotations comes back and reads everything")
    func sleeper() throws {
        var world = try meeting([.writer, .writer], seed: 82)
        world.separate([1])
        let isEarly = world.increment(1, "notes", "early")
        for _ in 0..<30 {
            let id = rotate(&world, 0)
            #expect(id != nil)
            let isCounted = world.increment(2, "notes", "count")
            #expect(isCounted)
            world.run(milliseconds: 300)
        }
        world.reunite()
        let isLevel = world.run(within: 120_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isEarly && isLevel && common(&world, [0, 1, 2]) != nil, "\(world.logs())")
        // After a restart too, from what it stored.
        world.crash(1)
        world.start(1)
        let isAgain = world.run(within: 60_000) { self.common(&$0, [0, 1, 2]) != nil }
        #expect(isAgain && epochs(&world, 1).count == 31)
    }

    @Test("links are answered under the current secret and thirty-two others, and not one more")
    func sleeperLimit() throws {
        for (rotations, isHeard) in [(32, true), (33, false)] {
            var world = try meeting([.writer], seed: 62)
            // The link that they have would outlast a short cut.
            world.separate([1])
            world.run(milliseconds: 120_000)
            for _ in 0..<rotations { rotate(&world, 0) }
            let isCounted = world.increment(1, "notes", "count")
            world.reunite()
            let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
            #expect(isCounted && isLevel == isHeard, "\(rotations) rotations: \(world.logs())")
        }
    }

    @Test("a newcomer that was added while an epoch began elsewhere gets its key without anybody's help")
    func newcomer() throws {
        for isAdderGone in [false, true] {
            var world = try meeting([.admin, .writer], seed: 83)
            let newcomer = world.addNode()
            world.separate([1, newcomer])
            let id = rotate(&world, 0)
            let isCounted = world.increment(2, "notes", "count")
            let invited = world.invite(1, "notes")
            let token = try #require(invited)
            guard case .joined = world.join(newcomer, token) else {
                Issue.record("no newcomer: \(world.logs())")
                return
            }
            if isAdderGone {
                // Who let it in stays away; the others give it after a while.
                let isTold = world.run(within: 30_000) { self.epochs(&$0, newcomer).count == 1 }
                #expect(isTold)
                world.crash(1)
            }
            world.reunite()
            let isCommon = world.run(within: 120_000) { self.common(&$0, [0, 2, newcomer]) == id }
            #expect(isCommon && isCounted, "\(world.logs())")
            let isWritten = world.increment(newcomer, "notes", "count")
            let isLevel = world.run(within: 120_000) { $0.areEqual([0, 2, newcomer], "notes") }
            #expect(isWritten && isLevel, "\(world.logs())")
            #expect(epochs(&world, 0).count == 2)
        }
    }

    @Test("a member that leaves takes its keys with it, and what follows is sealed under others")
    func leaving() throws {
        var world = try meeting([.writer, .admin], seed: 84)
        guard case .done = world.ask(1, .leaveSpace(SpaceReference("notes"), isForced: true)) else {
            Issue.record("no leave: \(world.logs())")
            return
        }
        let isCommon = world.run(within: 120_000) { self.common(&$0, [0, 2]) != nil }
        #expect(isCommon, "\(world.logs())")
        world.run(milliseconds: 60_000)
        #expect(epochs(&world, 2).count == 2 && epochs(&world, 2).last?.author.device == device(world, 0))
    }

    @Test("a member that becomes a relay carries on what it cannot read any more")
    func relay() throws {
        var world = try meeting([.writer, .writer], seed: 85)
        let request = NodeRequest.changeRole(
            SpaceReference("notes"), MemberReference(device(world, 1)), .relay)
        guard case .member = world.ask(0, request) else {
            Issue.record("no relay: \(world.logs())")
            return
        }
        let isCommon = world.run(within: 60_000) { self.common(&$0, [0, 2]) != nil }
        #expect(isCommon, "\(world.logs())")
        world.run(milliseconds: 60_000)
        #expect(try keys(world, 1).current.content == nil && keys(world, 0).current.content != nil)
        #expect(try keys(world, 1).current.name == keys(world, 0).current.name)
        let isCounted = world.increment(2, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 2], "notes") }
        #expect(isCounted && isLevel, "\(world.logs())")
    }

    @Test("only admins renew keys, and a removed box none")
    func rights() throws {
        var world = try meeting([.writer, .admin], seed: 86)
        guard
            case .failed(.noRight(have: .writer, need: .admin)) = world.ask(
                1, .rotateKeys(SpaceReference("notes")))
        else {
            Issue.record("a writer renewed the keys")
            return
        }
        remove(&world, 2, by: 0)
        let isKnown = world.run(within: 60_000) { $0.alarms(2).contains("removed") }
        #expect(isKnown, "\(world.logs())")
        guard case .failed(.removed("notes", _, _)) = world.ask(2, .rotateKeys(SpaceReference("notes")))
        else {
            Issue.record("a removed box renewed the keys")
            return
        }
    }

    @Test("two hundred members, cut in the middle of a rotation, end with one key")
    func twoHundred() throws {
        var world = World(seed: 87)
        let made = world.addMembers(200, of: "notes")
        #expect(made != nil)
        world.run(milliseconds: 3_000)
        let begun = rotate(&world, 0)
        // Four operations of packages are under way.
        world.run(milliseconds: 40)
        world.separate(Set(100..<200))
        let second = rotate(&world, 0)
        world.run(milliseconds: 5_000)
        world.reunite()
        #expect(begun != nil && second != nil)
        let all = Array(0..<200)
        var isCommon = false
        for _ in 0..<60 where !isCommon {
            world.run(milliseconds: 5_000)
            isCommon = common(&world, all) == second
        }
        let current = all.map { index in
            epochs(&world, index).map { "\($0.number)\($0.isGood ? "g" : "")\($0.isCurrent ? "c" : "")" }
        }
        #expect(isCommon, "\(current)\n\(world.nodes[0].log.suffix(50).joined(separator: "\n"))")
    }
}
