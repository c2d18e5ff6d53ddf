// What a node keeps of checkpoints beside documents does not grow with them, and goes with the space.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing

@Suite struct KeptContentTests {
    private func standing(_ world: inout World, _ index: Int) -> Bytes32? {
        guard case .checkpoints(let report)? = world.ask(index, .checkpoints(SpaceReference("notes"))) else {
            return nil
        }
        return report.standing?.id
    }

    /// A write at each of these, and a checkpoint that stands at all of them.
    private func checkpoint(_ world: inout World, round: Int, _ all: [Int]) -> Bool {
        for node in all { _ = world.set(node, "notes", Key("note/\(node)"), "round", Int64(round)) }
        guard world.run(within: 60_000, until: { $0.areEqual(all, "notes") }),
            case .checkpointProposed(let id)? = world.ask(
                0, .proposeCheckpoint(SpaceReference("notes"), absent: nil))
        else { return false }
        return world.run(within: 120_000) { world in all.allSatisfy { standing(&world, $0) == id } }
    }

    private func kept(_ world: World, _ index: Int, _ prefix: String) throws -> [String] {
        try world.nodes[index].node?.store.metaNames(beginningWith: prefix) ?? []
    }

    @Test("of checkpoints that others follow tables and manifests are forgotten, all but the newest few")
    func contents() throws {
        var world = World(seed: 940)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        for round in 0..<20 {
            let stands = checkpoint(&world, round: round, [0, 1])
            #expect(stands, "round \(round): \(world.logs())")
        }
        for node in 0..<2 {
            // Tables of eight, the manifest of the newest.
            let names = try kept(world, node, "content/")
            #expect(names.count <= 9, "\(names.count) of node \(node)")
        }
        world.crash(1)
        world.start(1)
        let stands = checkpoint(&world, round: 20, [0, 1])
        #expect(stands, "\(world.logs())")
        let late = world.addNode()
        let token = world.invite(0, "notes")
        guard case .joined? = world.join(late, try #require(token)) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        let isLevel = world.run(within: 120_000) { $0.areEqual([0, 1, late], "notes") }
        #expect(isLevel, "\(world.logs())")
    }

    @Test("a checkpoint stands where many documents in a row were made and deleted since the last one")
    func deletedInARow() throws {
        var world = World(seed: 942)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        for round in 0..<3 {
            for number in 0..<100 {
                let key = Key("gone/\(round)/\(100 + number)")
                _ = world.set(0, "notes", key, "n", 1)
                let removal = OperationRequest(document: key, path: [], verb: .delete)
                let transaction = Transaction(operations: [removal], conditions: [], idempotency: nil)
                _ = world.ask(0, .transact(SpaceReference("notes"), transaction))
            }
            let stands = checkpoint(&world, round: round, [0, 1])
            #expect(stands, "round \(round): \(world.logs())")
        }
    }

    @Test("who leaves a space keeps nothing of its checkpoints, and shows everything when it comes again")
    func leaving() throws {
        var world = World(seed: 941)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        for round in 0..<3 {
            let stands = checkpoint(&world, round: round, [0, 1, 2])
            #expect(stands, "\(world.logs())")
        }
        guard case .done? = world.ask(2, .leaveSpace(SpaceReference("notes"), isForced: false)) else {
            Issue.record("not left: \(world.logs())")
            return
        }
        let names = try kept(world, 2, "").filter { $0.contains("/") }
        #expect(names.isEmpty, "\(names)")
        world.run(milliseconds: 5_000)
        let token = world.invite(0, "notes")
        guard case .joined? = world.join(2, try #require(token)) else {
            Issue.record("not joined again: \(world.logs())")
            return
        }
        // Documents are made again from what is on the disk.
        world.crash(2)
        world.start(2)
        let isLevel = world.run(within: 120_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel, "\(world.logs())")
        world.crash(2)
        world.start(2)
        let isLevelAgain = world.run(within: 120_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevelAgain, "\(world.logs())")
    }
}
