// What programs see when executed changes become void: a line that says why, cursors that go on or are told
// to read again, versions that are still understood.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct RebuildTests {
    /// A space in which box 1 was copied, and both copies wrote what the others have not heard of yet.
    private func forked(_ world: inout World) -> Int {
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        _ = world.set(1, "notes", "doc", "both", 1)
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel)
        let clone = world.addClone(of: 1)
        world.separate([clone])
        world.run(milliseconds: 5)
        _ = world.set(1, "notes", "doc", "original", 2)
        world.run(milliseconds: 5)
        _ = world.set(clone, "notes", "doc", "copy", 3)
        let isHeard = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isHeard)
        return clone
    }

    private func lines(_ world: World, _ index: Int, _ id: RequestID) -> [WatchLine] {
        (world.nodes[index].answers[id] ?? []).compactMap {
            if case .watchLine(let line) = $0 { line } else { nil }
        }
    }

    @Test("an open stream gets a line with its cause, and its patches lead to what is shown")
    func watched() throws {
        var world = World(seed: 95)
        let clone = forked(&world)
        let id = world.request(0, .watch(.init("notes"), start: .now, prefix: "", follow: true))
        world.run(milliseconds: 10)
        world.reunite()
        let done = world.run(within: 300_000) { $0.areEqual([0, 1, 2, clone], "notes") }
        #expect(done, "\(world.logs())")
        let all = lines(world, 0, id)
        var shown: [Key: PlainValue] = ["both": .scalar(.integer(1)), "original": .scalar(.integer(2))]
        var causes: [String] = []
        for case .change(let event) in all {
            if let cause = event.cause { causes.append(cause) }
            for patch in event.documents.flatMap(\.patches) {
                guard case .key(let key)? = patch.path.first else { continue }
                if case .set(let value) = patch.change { shown[key] = value } else { shown[key] = nil }
            }
        }
        #expect(causes == ["forked"], "\(all)")
        #expect(shown.count == 3 && shown["original"] == .scalar(.integer(2)), "\(shown)")
        #expect(shown["copy"] == .scalar(.integer(3)), "\(shown)")
    }

    @Test("a cursor of before a rebuild is told to read again, one of after it goes on")
    func cursors() throws {
        var world = World(seed: 96)
        let clone = forked(&world)
        func cursor(_ world: inout World) -> String? {
            guard
                case .document(_, _, _, let cursor) = world.ask(
                    0, .readDocument(.init("notes"), key: "doc", view: .plain, atLeast: nil))
            else { return nil }
            return cursor
        }
        func resume(_ cursor: String, _ world: inout World) -> [WatchLine] {
            let id = world.request(
                0, .watch(.init("notes"), start: .cursor(cursor), prefix: "", follow: false))
            world.run(milliseconds: 10)
            return lines(world, 0, id)
        }
        let before = try #require(cursor(&world))
        world.reunite()
        let done = world.run(within: 300_000) { $0.areEqual([0, 1, 2, clone], "notes") }
        #expect(done, "\(world.logs())")
        let after = try #require(cursor(&world))
        _ = world.set(0, "notes", "doc", "later", 4)
        guard case .resync? = resume(before, &world).first else {
            Issue.record("the states before a rebuild were made again")
            return
        }
        let resumed = resume(after, &world)
        guard resumed.count == 1, case .change(let event)? = resumed.first else {
            Issue.record("\(resumed)")
            return
        }
        #expect(event.documents.first?.patches.first?.path == [.key("later")])
    }

    @Test("a version of before is known after, and a condition on it fails when what it showed is void")
    func versions() throws {
        var world = World(seed: 97)
        let clone = forked(&world)
        func version(_ world: inout World) -> String? {
            guard
                case .document(_, _, let version, _) = world.ask(
                    0, .readDocument(.init("notes"), key: "doc", view: .plain, atLeast: nil))
            else { return nil }
            return version
        }
        let before = try #require(version(&world))
        world.reunite()
        let done = world.run(within: 300_000) { $0.areEqual([0, 1, 2, clone], "notes") }
        #expect(done)
        let atLeast = AtLeast(version: before, timeoutSeconds: 1)
        let read = world.ask(
            2, .readDocument(.init("notes"), key: "doc", view: .plain, atLeast: atLeast))
        guard case .document? = read else {
            Issue.record("a version whose change is void is waited for: \(String(describing: read))")
            return
        }
        func conditional(_ version: String, _ world: inout World) -> NodeAnswer? {
            let operation = OperationRequest(
                document: "doc", path: [.key("x")], verb: .set(.scalar(.integer(1))))
            return world.ask(
                0,
                .transact(
                    .init("notes"),
                    Transaction(
                        operations: [operation],
                        conditions: [Condition(document: "doc", test: .version(version))],
                        idempotency: nil)))
        }
        guard case .failed(.conditionFailed)? = conditional(before, &world) else {
            Issue.record("a condition held on a state that is void")
            return
        }
        let now = try #require(version(&world))
        guard case .transaction? = conditional(now, &world) else {
            Issue.record("a condition on what is shown failed")
            return
        }
    }

    @Test("a wait for a change that became void is answered for the change that took its place")
    func waits() throws {
        var world = World(seed: 98)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        _ = world.increment(1, "notes", "doc")
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(isLevel)
        let clone = world.addClone(of: 1)
        for index in [1, clone] { world.separate([index]) }
        world.run(milliseconds: 5)
        _ = world.increment(1, "notes", "doc")
        world.run(milliseconds: 5)
        guard case .transaction(let made?, _, _)? = world.set(clone, "notes", "doc", "copy", 3) else {
            Issue.record("no change")
            return
        }
        world.reunite()
        let done = world.run(within: 300_000) { $0.areEqual([0, 1, clone], "notes") }
        #expect(done)
        let answer = world.ask(
            clone, .wait(.init("notes"), change: made, on: nil, timeoutSeconds: 60), within: 90_000)
        guard case .waited(_, _, complete: true)? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
    }
}
