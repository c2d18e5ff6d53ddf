// Members that run a program of before the first removal: who must be upgraded is said, and nobody is shut
// out by accident (decision 0170).

import Bytes
import Causality
import Crypto
import Node
import Roster
import Simulator
import Testing
import Wire

@Suite struct OlderVersionTests {
    private let notes = SpaceReference("notes")

    private func device(_ world: World, _ index: Int) -> DeviceID {
        DeviceID(publicKey: world.nodes[index].deviceKey.publicKey)
    }

    /// Node 0 made the space, 1 runs an earlier program, 2 the present one. All are level.
    private func meeting(seed: UInt64) throws -> World {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        for index in 1...2 {
            world.addNode()
            if index == 1 { restart(&world, 1, at: .none) }
            let invited = world.invite(0, "notes", role: .writer)
            guard case .joined = world.join(index, try #require(invited)) else {
                Issue.record("\(index) did not join: \(world.logs())")
                return world
            }
        }
        let isCounted = world.increment(1, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isCounted && isLevel, "\(world.logs())")
        return world
    }

    private func restart(_ world: inout World, _ index: Int, at level: FeatureLevel) {
        world.crash(index)
        world.setLevel(level, of: index)
        world.start(index)
    }

    private func remove(_ world: inout World, _ victim: Int, isDryRun: Bool = false, isForced: Bool = false)
        -> NodeAnswer?
    {
        world.ask(
            0,
            .removeMember(
                notes, MemberReference(device(world, victim)), isDryRun: isDryRun, isForced: isForced))
    }

    private func isRefused(_ answer: NodeAnswer?, for older: [DeviceID]) -> Bool {
        guard case .failed(.olderVersion("notes", let members, more: 0, lacking: .removals)) = answer else {
            return false
        }
        return members.map(\.device) == older
    }

    /// What node 0 lists of a member.
    private func software(_ world: inout World, of index: Int) -> String? {
        guard case .members(let members) = world.ask(0, .members(notes)) else { return nil }
        let id = device(world, index)
        return members.first(where: { $0.device == id })?.software
    }

    @Test("before the first removal the members that must be upgraded are named, and then it works")
    func upgrade() throws {
        var world = try meeting(seed: 90)
        let old = device(world, 1)
        #expect(software(&world, of: 1) == nil && software(&world, of: 2) == "simulated")
        let removal = remove(&world, 2)
        let dry = remove(&world, 2, isDryRun: true)
        let keys = world.ask(0, .rotateKeys(notes))
        let demotion = world.ask(0, .changeRole(notes, MemberReference(device(world, 2)), .reader))
        for answer in [removal, dry, keys, demotion] {
            #expect(isRefused(answer, for: [old]), "\(answer as Any)")
        }
        // Earlier programs know of a new admin, and whoever goes itself need not be upgraded.
        guard case .memberRemoved = remove(&world, 1, isDryRun: true),
            case .memberRemoved = remove(&world, 2, isDryRun: true, isForced: true),
            case .member = world.ask(0, .changeRole(notes, MemberReference(device(world, 2)), .admin))
        else {
            Issue.record("refused: \(world.logs())")
            return
        }
        restart(&world, 1, at: .current)
        let isKnown = world.run(within: 60_000) { !isRefused(remove(&$0, 2, isDryRun: true), for: [old]) }
        #expect(isKnown, "\(world.logs())")
        // It says so in the roster with its next write, for those who are not linked to it.
        let isCounted = world.increment(1, "notes", "count")
        let isSaid = world.run(within: 60_000) { software(&$0, of: 1) == "simulated" }
        #expect(isCounted && isSaid, "\(world.logs())")
        restart(&world, 0, at: .current)
        guard case .memberRemoved(let report) = remove(&world, 2) else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        #expect(report.rotated != nil)
    }

    @Test("when somebody leaves, keys are not renewed while that would shut an earlier program out")
    func leaving() throws {
        var world = try meeting(seed: 91)
        let leaves = world.ask(2, .leaveSpace(notes, isForced: false))
        guard case .done = leaves else {
            Issue.record("\(leaves as Any): \(world.logs())")
            return
        }
        func epochs(_ world: inout World) -> Int {
            guard case .keyEpochs(let epochs, _) = world.ask(0, .keyEpochs(notes)) else { return 0 }
            return epochs.count
        }
        world.run(milliseconds: 180_000)
        #expect(epochs(&world) == 1)
        let isCounted = world.increment(0, "notes", "count")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isCounted && isLevel, "\(world.logs())")
        restart(&world, 1, at: .current)
        let isRenewed = world.run(within: 240_000) { epochs(&$0) == 2 }
        #expect(isRenewed, "\(world.logs())")
        let isLevelAgain = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevelAgain, "\(world.logs())")
    }
}
