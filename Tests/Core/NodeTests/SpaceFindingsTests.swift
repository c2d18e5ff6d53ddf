// What a node found out about a space goes where the space goes: it outlives a lost batch, and leaving the
// space is its end.

import Bytes
import Causality
import Documents
import Simulator
import Testing
import Wire

@testable import Node

@Suite struct SpaceFindingsTests {
    private let other = DeviceID(publicKey: Bytes32([UInt8](repeating: 9, count: 32)))

    private func codes(_ node: inout TestNode) throws -> [String] {
        guard case .status(let report) = try node.ask(.status) else { throw Unexpected() }
        return report.alarms.map(\.code)
    }

    /// A node in two spaces that has something to say of the second, and of itself.
    private func node() throws -> TestNode {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "home"))
        _ = try node.ask(.createSpace(name: "notes"))
        let notes = try #require(node.node.spaces.first { $0.name == "notes" }?.id)
        for space in [nil, notes] {
            node.node.raise(
                Alarm(code: "cloned", message: "a message", hint: "a hint", since: 1, space: space))
        }
        let handle = try #require(node.node.spaces.handle(of: notes))
        node.node.spaces[handle].findings.claims.insert(other)
        node.node.spaces[handle].findings.reissues.scheduleUnheard(
            ReplicaID(raw: Bytes16(high: 1, low: 1)), at: node.now.monotonic + 1_000_000)
        return node
    }

    @Test("an alarm is raised once, and a lost batch takes no alarm, claim or re-issue with it")
    func lostBatch() throws {
        var node = try node()
        node.node.store.fault = .init(failure: .noSpace)
        _ = try node.refusal(
            .transact(
                .init("notes"),
                Transaction(
                    operations: [set("a", [.key("x")], number(1))], conditions: [], idempotency: nil)))
        node.node.store.fault = nil
        #expect(try codes(&node) == ["cloned", "cloned"])
        let notes = try #require(node.node.spaces.indices.first { node.node.spaces[$0].name == "notes" })
        #expect(node.node.spaces[notes].findings.claims == [other])
        #expect(node.node.spaces[notes].findings.reissues.deadline != nil)
        node.node.raise(
            Alarm(
                code: "cloned", message: "another message", hint: "a hint", since: 2,
                space: node.node.spaces[notes].id))
        #expect(try codes(&node) == ["cloned", "cloned"])
    }

    @Test("a space that is left takes its alarms, claims and re-issues with it, and no other's")
    func leaving() throws {
        var node = try node()
        _ = try node.ask(.leaveSpace(.init("home"), isForced: true))
        #expect(try codes(&node) == ["cloned", "cloned"])
        _ = try node.ask(.leaveSpace(.init("notes"), isForced: true))
        #expect(try codes(&node) == ["cloned"])
        #expect(node.node.spaces.isEmpty)
        #expect(node.node.raisedAlarms.allSatisfy { $0.space == nil })
    }
}
