// What programs are told of checkpoints: how much log is kept, refusals that need no checkpoint, and a log
// that does not go back to the beginning.

import Bytes
import Causality
import Documents
import Identity
import Simulator
import Testing
import Wire

@testable import Node

@Suite struct CheckpointRequestTests {
    private let home = SpaceReference("home")

    private func made() throws -> TestNode {
        var node = try TestNode()
        guard case .space = try node.ask(.createSpace(name: "home")) else { throw Unexpected() }
        return node
    }

    private func report(_ node: inout TestNode) throws -> CheckpointsReport {
        guard case .checkpoints(let report) = try node.ask(.checkpoints(home)) else { throw Unexpected() }
        return report
    }

    /// What the store holds of the space's log.
    private func stored(_ node: TestNode) throws -> Int {
        let space = try #require(node.node.store.spaces().first?.id)
        return try node.node.store.logBytes(space)
    }

    @Test("before anything is written nothing stands, nothing is open, and the log is empty and whole")
    func empty() throws {
        var node = try made()
        #expect(try report(&node) == CheckpointsReport(log: .init(bytes: 0, collectable: 0, since: "0")))
    }

    @Test("bytes of the log are those in the store, also of an open batch, and again after a restart")
    func bytes() throws {
        var node = try made()
        var last = 0
        for value in 1...3 as ClosedRange<Int64> {
            _ = try node.transact("home", [set("note", [.key("x")], number(value))])
            let log = try report(&node).log
            let held = try stored(node)
            #expect(log.bytes > last && log.bytes == held)
            #expect(log.collectable == 0 && log.since == "0")
            last = log.bytes
        }
        let write = Transaction(
            operations: [set("note", [.key("x")], number(4))], conditions: [], idempotency: nil)
        node.submit(.transact(home, write))
        let asked = node.submit(.checkpoints(home))
        node.commit()
        guard case .checkpoints(let open)? = node.answers[asked]?.last else { throw Unexpected() }
        let held = try stored(node)
        #expect(open.log.bytes > last && open.log.bytes == held)
        var again = try node.restarted()
        #expect(try report(&again).log == open.log)
    }

    @Test("who is named absent must be a member, and an empty space has nothing new")
    func refused() throws {
        var node = try made()
        guard
            case .noSuchMember("phone", _, _, _) = try node.refusal(
                .proposeCheckpoint(home, absent: [MemberReference("phone")])),
            case .nothingNew("home") = try node.refusal(.proposeCheckpoint(home, absent: nil)),
            case .noSuchSpace = try node.refusal(.proposeCheckpoint(SpaceReference("away"), absent: nil)),
            case .noSuchSpace = try node.refusal(.collect(SpaceReference("away"))),
            case .noSuchSpace = try node.refusal(.checkpoints(SpaceReference("away")))
        else { throw Unexpected() }
    }

    @Test("where nothing stands, nothing is collected")
    func collect() throws {
        var node = try made()
        _ = try node.transact("home", [set("note", [.key("x")], number(1))])
        let before = try report(&node)
        guard case .collected(let report) = try node.ask(.collect(home)) else { throw Unexpected() }
        #expect(report == CollectReport(bytes: 0, changes: 0))
        #expect(try self.report(&node) == before)
    }

    @Test("a log that was cut begins with a line that says where, once")
    func cut() throws {
        var node = try made()
        _ = try node.transact("home", [set("note", [.key("x")], number(1))])
        let store = node.node.store
        let space = try #require(store.spaces().first?.id)
        func lines(_ since: String?) throws -> [Substring] {
            let job = try LogJob(
                store: store.reader(), space: space, document: nil, after: nil, authors: [:], names: [:],
                collectedSince: since)
            return try TestNode.drain(job).split(separator: "\n")
        }
        let whole = try lines(nil)
        #expect(whole.count == 1)
        #expect(try lines("v,w") == [#"{"collected":true,"since":"v,w"}"#] + whole)
    }

    @Test("metrics have the log of each space; a checkpoint that does not stand has no age")
    func metrics() throws {
        var node = try made()
        _ = try node.transact("home", [set("note", [.key("x")], number(1))])
        guard case .metrics(let text) = try node.ask(.metrics) else { throw Unexpected() }
        for line in [
            #"repl_log_bytes{space="home"} \#(try stored(node))"#,
            #"repl_log_collectable_bytes{space="home"} 0"#,
            #"repl_checkpoint_waiting_members{space="home"} 0"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        #expect(!text.contains("repl_checkpoint_standing_seconds"))
    }
}
