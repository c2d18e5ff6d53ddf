// A member has begun more logs than a context may name. Whoever else writes goes on, and somebody is told.

import Bytes
import Causality
import Documents
import Replication
import Simulator
import Testing
import Wire

@testable import Node

@Suite struct CrowdTests {
    private func crowd(_ count: UInt64) -> [ReplicaID] {
        (1...count).map { ReplicaID(raw: Bytes16(high: $0 &* 0x9E37_79B9_7F4A_7C15, low: 5)) }.sorted()
    }

    @Test("a transaction is made whatever the number of logs, names few of them, and the node says why")
    func writes() throws {
        var node = try TestNode()
        guard case .space = try node.ask(.createSpace(name: "notes")) else { throw Unexpected() }
        let before = try node.transact("notes", [set("a", [.key("x")], number(1))])
        let device = DeviceID(publicKey: Bytes32([UInt8](repeating: 9, count: 32)))
        // As if they had been executed: their changes touched other documents.
        for replica in crowd(40_000) {
            node.node.spaces[0].logs.held.advance(replica, to: SequenceNumber(1))
            node.node.spaces[0].logs.census.note(replica, of: device)
        }
        node.node.recordCrowd(of: device, in: node.node.spaces.startIndex, at: node.now)
        let after = try node.transact("notes", [set("a", [.key("x")], number(2)), increment("b", "n")])
        #expect(after.change != nil && after.version != before.version)
        #expect(try node.plain("notes", "a")?["x"] == number(2))
        let again = try node.transact("notes", [increment("b", "n"), increment("b", "n")])
        #expect(again.change != nil)
        #expect(try node.plain("notes", "b")?["n"] == number(3))
        guard case .status(let report) = try node.ask(.status) else { throw Unexpected() }
        #expect(report.alarms.map(\.code) == ["many-logs"])
        let own = try #require(after.change)
        var reader = LogReader(space: node.node.spaces[0].id)
        let found = try #require(try reader.find(own, from: node.node.store))
        #expect(found.change.context.count == ReplicationLimits.logsOfDeviceNamed)
    }

    @Test("what the documents of a transaction are made of is named, whoever wrote it")
    func namesWhatItTouches() throws {
        var node = try TestNode()
        guard case .space = try node.ask(.createSpace(name: "notes")) else { throw Unexpected() }
        _ = try node.transact("notes", [set("a", [.key("x")], number(1)), set("b", [.key("x")], number(1))])
        let device = DeviceID(publicKey: Bytes32([UInt8](repeating: 9, count: 32)))
        let replicas = crowd(20_000)
        for replica in replicas {
            node.node.spaces[0].logs.held.advance(replica, to: SequenceNumber(1))
            node.node.spaces[0].logs.census.note(replica, of: device)
        }
        let spared = try #require(
            replicas.first {
                node.node.spaces[0].logs.census.named(of: node.node.spaces[0].held)[$0] == .none
            })
        var cached = try node.node.spaces[0].takeDocument("a", from: &node.node.transaction)
        cached.record.frontier.append(Dot(spared, SequenceNumber(1)))
        node.node.spaces[0].documents.cache.put(cached)
        for (document, isNamed) in [("a", true), ("b", false)] as [(Key, Bool)] {
            let draft = try node.node.spaces[0].draft(
                at: node.now, touching: [document], from: &node.node.transaction)
            #expect(draft.context.contains(Dot(spared, SequenceNumber(1))) == isNamed)
        }
    }
}
