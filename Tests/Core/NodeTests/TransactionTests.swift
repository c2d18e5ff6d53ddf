import Bytes
import Causality
import Crypto
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct TransactionTests {
    private func nodeWithSpace() throws -> TestNode {
        var node = try TestNode()
        guard case .space(let report) = try node.ask(.createSpace(name: "notes")) else { throw Unexpected() }
        #expect(report.role == .admin)
        return node
    }

    @Test("what was acknowledged is there after a crash, also from many batches and across boundaries")
    func durable() throws {
        var node = try nodeWithSpace()
        for index in 0..<40 {
            let long = String(repeating: "x\(index)", count: 400)
            _ = try node.transact(
                "notes", [increment("n", "views"), set(Key("d\(index % 7)"), [.key("t")], text(long))])
        }
        let before = try node.export("notes")
        var again = try node.restarted()
        #expect(try again.export("notes") == before)
        #expect(try again.plain("notes", "n")?["views"] == number(40))
        _ = try again.transact("notes", [increment("n", "views")])
        #expect(try again.plain("notes", "n")?["views"] == number(41))
    }

    @Test("a transaction of several operations is refused as a whole")
    func atomic() throws {
        var node = try nodeWithSpace()
        _ = try node.transact("notes", [set("a", [.key("x")], number(1))])
        let bad = Transaction(
            operations: [
                set("a", [.key("x")], number(2)), set("b", [.key("y")], number(2)),
                OperationRequest(
                    document: "a", path: [.key("list")], verb: .insert(.index(5), [number(1)])),
            ], conditions: [], idempotency: nil)
        // In one batch with a write before and after it: the batch's other changes stay.
        node.submit(
            .transact(
                .init("notes"), .init(operations: [increment("a", "n")], conditions: [], idempotency: nil)))
        let refused = node.submit(.transact(.init("notes"), bad))
        node.submit(
            .transact(
                .init("notes"), .init(operations: [increment("a", "n")], conditions: [], idempotency: nil)))
        node.commit()
        guard case .failed(.author(.indexPastEnd(5, 0), operation: 2))? = node.answers[refused]?.last else {
            Issue.record("\(String(describing: node.answers[refused]))")
            return
        }
        #expect(try node.export("notes") == "{\"key\":\"a\",\"value\":{\"n\":2,\"x\":1}}\n")
        var again = try node.restarted()
        #expect(try again.export("notes") == node.export("notes"))
    }

    @Test("a read of the same batch sees what it will commit")
    func sameBatch() throws {
        var node = try nodeWithSpace()
        node.submit(
            .transact(
                .init("notes"), .init(operations: [increment("a", "n")], conditions: [], idempotency: nil)))
        let read = node.submit(.readDocument(.init("notes"), key: "a", view: .plain, atLeast: nil))
        let list = node.submit(
            .listDocuments(.init("notes"), prefix: "", after: nil, limit: 10, atLeast: nil))
        #expect(node.answers[read] == nil, "nothing is answered before the commit")
        node.commit()
        guard case .document(_, .plain(let value), let version, _)? = node.answers[read]?.last,
            case .documents(let listings, nil, _)? = node.answers[list]?.last
        else { throw Unexpected() }
        #expect(value["n"] == number(1))
        #expect(listings == [DocumentListing(key: "a", version: version)])
    }

    @Test("conditions hold or nothing is written")
    func conditions() throws {
        var node = try nodeWithSpace()
        let (_, version) = try node.transact("notes", [set("a", [.key("x")], number(1))])
        let other = try node.transact("notes", [set("b", [.key("x")], number(1))])
        // The version of a later write on another document still stands for this one.
        for token in [version, other.version] {
            let condition = Condition(document: "a", test: .version(token))
            _ = try node.transact("notes", [increment("c", "n")], if: [condition])
        }
        _ = try node.transact("notes", [set("a", [.key("x")], number(2))])
        for test: Condition.Test in [
            .version(version), .version(other.version), .equals(path: [.key("x")], number(1)),
            .exists(path: [.key("y")], true), .exists(path: [], false),
        ] {
            let transaction = Transaction(
                operations: [increment("c", "n")], conditions: [Condition(document: "a", test: test)],
                idempotency: nil)
            guard case .conditionFailed(0) = try node.refusal(.transact(.init("notes"), transaction)) else {
                Issue.record("\(test) held")
                continue
            }
        }
        _ = try node.transact(
            "notes", [increment("c", "n")],
            if: [
                Condition(document: "a", test: .equals(path: [.key("x")], number(2))),
                Condition(document: "zz", test: .exists(path: [], false)),
            ])
        #expect(try node.plain("notes", "c")?["n"] == number(3))
    }

    @Test("a condition holds for what was read, also where the number reads like another")
    func readNumber() throws {
        var node = try nodeWithSpace()
        let held = PlainValue.scalar(.double(1e16))
        let read = number(10_000_000_000_000_000)
        _ = try node.transact("notes", [set("a", [.key("x")], .object([.init("y", .array([held]))]))])
        let test = Condition.Test.equals(path: [.key("x")], .object([.init("y", .array([read]))]))
        _ = try node.transact(
            "notes", [increment("c", "n")], if: [Condition(document: "a", test: test)])
        let other = Condition.Test.equals(
            path: [.key("x"), .key("y")], .array([number(10_000_000_000_000_001)]))
        let refused = Transaction(
            operations: [increment("c", "n")], conditions: [Condition(document: "a", test: other)],
            idempotency: nil)
        guard case .conditionFailed(0) = try node.refusal(.transact(.init("notes"), refused)) else {
            throw Unexpected()
        }
        #expect(try node.plain("notes", "c")?["n"] == number(1))
    }

    @Test("an idempotency key gives the same answer again, after a crash too, and refuses another body")
    func idempotency() throws {
        var node = try nodeWithSpace()
        func transaction(_ body: UInt8) -> NodeRequest {
            let hash = Bytes32([UInt8](repeating: body, count: 32))
            return .transact(
                .init("notes"),
                .init(
                    operations: [increment("a", "n")], conditions: [],
                    idempotency: .init(key: "k", bodyHash: hash)))
        }
        guard case .transaction(let first, _, _) = try node.ask(transaction(1)) else { throw Unexpected() }
        var again = try node.restarted()
        guard case .transaction(let second, _, _) = try again.ask(transaction(1)) else { throw Unexpected() }
        #expect(first == second && first != nil)
        #expect(try again.plain("notes", "a")?["n"] == number(1))
        guard case .idempotencyKeyReused = try again.refusal(transaction(2)) else { throw Unexpected() }
    }

    @Test(
        "an idempotency key is kept for a day of time that passed, whatever the wall clock was put to",
        arguments: [2, -2, 3_650] as [Int64])
    func idempotencyAndClock(days: Int64) throws {
        var node = try nodeWithSpace()
        let transaction = NodeRequest.transact(
            .init("notes"),
            .init(
                operations: [increment("a", "n")], conditions: [],
                idempotency: .init(key: "k", bodyHash: .zero)))
        guard case .transaction(let first, _, _) = try node.ask(transaction) else { throw Unexpected() }
        func pass(hours: UInt64, jump: Int64 = 0) {
            let wall = UInt64(Int64(node.now.wall + hours * 3_600_000) + jump)
            node.now = Instant(monotonic: node.now.monotonic + hours * 3_600_000 + 1, wall: wall)
            node.node.handle(.tick, at: node.now)
            node.commit()
        }
        pass(hours: 1, jump: days * 86_400_000)
        for _ in 0..<22 { pass(hours: 1) }
        guard case .transaction(let second, _, _) = try node.ask(transaction) else { throw Unexpected() }
        #expect(second == first)
        for _ in 0..<3 { pass(hours: 1) }
        guard case .transaction(let third, _, _) = try node.ask(transaction) else { throw Unexpected() }
        #expect(third != first, "a day later it is forgotten")
    }

    @Test("nothing that changes nothing is written")
    func nothing() throws {
        var node = try nodeWithSpace()
        let (change, version) = try node.transact("notes", [set("a", [.key("x")], number(1))])
        let same = try node.transact("notes", [set("a", [.key("x")], number(1))])
        #expect(change != nil && same.change == nil && same.version == version)
    }

    @Test("a commit that fails is answered with 507 and leaves no trace; the next one works")
    func fullDisk() throws {
        var node = try nodeWithSpace()
        _ = try node.transact("notes", [increment("a", "n")])
        node.node.store.fault = .init(failure: .noSpace)
        let refused = node.submit(
            .transact(
                .init("notes"), .init(operations: [increment("a", "n")], conditions: [], idempotency: nil)))
        let read = node.submit(.readDocument(.init("notes"), key: "a", view: .plain, atLeast: nil))
        node.commit()
        guard case .failed(.storeFull)? = node.answers[refused]?.last,
            case .document(_, .plain(let shown), _, _)? = node.answers[read]?.last
        else { throw Unexpected() }
        #expect(shown["n"] == number(1))
        #expect(try node.plain("notes", "a")?["n"] == number(1))
        _ = try node.transact("notes", [increment("a", "n")])
        #expect(try node.plain("notes", "a")?["n"] == number(2))
        var again = try node.restarted()
        #expect(try again.plain("notes", "a")?["n"] == number(2))
    }

    @Test("a failed sync stops the node and acknowledges nothing")
    func failedSync() throws {
        var node = try nodeWithSpace()
        node.node.store.fault = .init(failure: .failingSync)
        let refused = node.submit(
            .transact(
                .init("notes"), .init(operations: [increment("a", "n")], conditions: [], idempotency: nil)))
        node.commit()
        guard case .failed(.storeFailed)? = node.answers[refused]?.last, case .halt? = node.effects.last
        else {
            throw Unexpected()
        }
    }

    @Test("below the floor of free disk local writes get 507 and reads go on")
    func diskFloor() throws {
        var node = try nodeWithSpace()
        node.node.handle(.diskFree(bytes: 1 << 20), at: node.now)
        let transaction = Transaction(operations: [increment("a", "n")], conditions: [], idempotency: nil)
        guard case .storeFull = try node.refusal(.transact(.init("notes"), transaction)) else {
            throw Unexpected()
        }
        guard case .status(let low) = try node.ask(.status) else { throw Unexpected() }
        #expect(low.alarms.map(\.code) == ["disk-low"])
        node.node.handle(.diskFree(bytes: 1 << 40), at: node.now)
        _ = try node.transact("notes", [increment("a", "n")])
        guard case .status(let fine) = try node.ask(.status) else { throw Unexpected() }
        #expect(fine.alarms.isEmpty)
    }

    @Test("a store of uncertain continuity is written to under a new incarnation, and says so")
    func restored() throws {
        var node = try nodeWithSpace()
        let (first, _) = try node.transact("notes", [increment("a", "n")])
        var again = try node.restarted(discontinuity: "a backup was restored")
        let (second, _) = try again.transact("notes", [increment("a", "n")])
        #expect(first?.replica != second?.replica)
        #expect(try again.plain("notes", "a")?["n"] == number(2))
        guard case .status(let status) = try again.ask(.status) else { throw Unexpected() }
        #expect(status.alarms.map(\.code) == ["restored"])
    }
}
