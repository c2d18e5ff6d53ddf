// What a log has let go: it goes on being a part of the documents, and nothing takes another change for it.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Node
import Simulator
import Testing
import Wire

@Suite struct CollectedLogTests {
    struct Unexpected: Error { let answer: String }

    /// Writes one number; the change and the version.
    private func write(_ world: inout World, _ index: Int, _ document: Key, _ value: Int64) throws
        -> (change: Dot, version: String)
    {
        let answer = world.set(index, "notes", document, "x", value)
        guard case .transaction(let change?, let version, _)? = answer else {
            throw Unexpected(answer: "\(String(describing: answer))")
        }
        return (change, version)
    }

    /// True when a write is made on the condition, false when it is refused for it.
    private func isMade(_ world: inout World, on document: Key, _ test: Condition.Test) throws -> Bool {
        let operation = OperationRequest(
            document: "other", path: [.key("x")], verb: .set(.scalar(.integer(1))))
        let transaction = Transaction(
            operations: [operation], conditions: [Condition(document: document, test: test)],
            idempotency: nil)
        let answer = world.ask(0, .transact(SpaceReference("notes"), transaction))
        switch answer {
        case .transaction?: return true
        case .failed(.conditionFailed)?: return false
        default: throw Unexpected(answer: "\(String(describing: answer))")
        }
    }

    private func explain(_ world: inout World, _ change: Dot) throws -> ExplainReport {
        let answer = world.ask(0, .explain(SpaceReference("notes"), .change(change), peer: nil))
        guard case .explained(let report)? = answer else {
            throw Unexpected(answer: "\(String(describing: answer))")
        }
        return report
    }

    /// Goes on until three checkpoints stand that let the log before them go.
    private func letGo(_ world: inout World) throws {
        world.keepNothing([0, 1])
        for _ in 0..<4 {
            for number in 0..<80 {
                let text = String(repeating: "0123456789", count: 120)
                _ = world.splice(number % 2, "notes", Key("text/\(number % 5)"), at: 0, text)
            }
            let id = world.checkpoint([0, 1])
            #expect(id != nil, "\(world.logs())")
            world.collect([0, 1])
        }
    }

    @Test("a change that was let go is explained as a part of the documents, and one that is kept as ever")
    func explained() throws {
        var world = World(seed: 934)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        let first = try write(&world, 0, "note", 1).change
        #expect(try explain(&world, first).here.reason == .executed)
        try letGo(&world)
        let report = try explain(&world, first)
        #expect(report.here.reason == .collected && report.changes.map(\.change) == [first], "\(report)")
        #expect(report.peers.map(\.isHeld) == [true], "\(report)")
        let last = try write(&world, 0, "note", 2).change
        #expect(try explain(&world, last).here.reason == .executed)
    }

    @Test("a version from before what was let go holds for no document that changed since, or was deleted")
    func conditions() throws {
        var world = World(seed: 935)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade, "\(world.logs())")
        let kept = try write(&world, 0, "kept", 1).version
        let gone = try write(&world, 0, "gone", 1).version
        #expect(try self.isMade(&world, on: "kept", .version(kept)))
        let now = try write(&world, 0, "kept", 2).version
        let delete = OperationRequest(document: "gone", path: [], verb: .delete)
        let deletion = Transaction(operations: [delete], conditions: [], idempotency: nil)
        _ = world.ask(0, .transact(SpaceReference("notes"), deletion))
        #expect(try !self.isMade(&world, on: "gone", .version(gone)))
        try letGo(&world)
        #expect(try !self.isMade(&world, on: "kept", .version(kept)))
        #expect(try self.isMade(&world, on: "kept", .version(now)))
        #expect(try !self.isMade(&world, on: "gone", .version(gone)))
        #expect(try self.isMade(&world, on: "gone", .exists(path: [], false)))
        // Who knows all that was let go may say so of what never was.
        let fresh = try write(&world, 0, "other", 2).version
        #expect(try self.isMade(&world, on: "never", .version(fresh)))
    }

    @Test("a log that a base began anew behind what was held of it is read as far as that goes")
    func partHeld() throws {
        var world = World(seed: 946)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, 2])
        let first = try write(&world, 0, "note", 1).change
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel, "\(world.logs())")
        world.separate([2])
        let away = MemberReference(DeviceID(publicKey: world.nodes[2].deviceKey.publicKey).text)
        for _ in 0..<3 {
            // Of more sequences than lie between two boundaries.
            for _ in 0..<8 {
                _ = world.splice(0, "notes", "text", at: 0, String(repeating: "abcdefg", count: 100))
            }
            let id = world.checkpoint([0, 1], without: [away])
            #expect(id != nil, "\(world.logs())")
        }
        world.collect([0, 1])
        world.reunite()
        let isBack = world.run(within: 300_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isBack, "\(world.logs())")
        let answer = world.ask(2, .explain(SpaceReference("notes"), .change(first), peer: nil))
        guard case .explained(let report)? = answer else {
            throw Unexpected(answer: "\(String(describing: answer))")
        }
        #expect(report.changes.map(\.change) == [first], "\(report)")
        #expect([.executed, .collected].contains(report.here.reason), "\(report)")
    }
}
