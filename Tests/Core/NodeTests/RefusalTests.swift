// What is refused, and with what: a document that is damaged, a commit that fails, a name that looks like an
// id, an invite that is of no use any more.

import Bytes
import Causality
import Crypto
import Documents
import Roster
import Simulator
import Testing
import Wire

@testable import Node

@Suite struct RefusalTests {
    private func nodeWithSpace() throws -> TestNode {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        return node
    }

    private func transaction(
        _ operations: [OperationRequest], if conditions: [Condition] = [], key: Key? = nil
    ) -> NodeRequest {
        let idempotency = key.map {
            Transaction.Idempotency(key: $0, bodyHash: Bytes32([UInt8](repeating: 1, count: 32)))
        }
        return .transact(
            .init("notes"),
            Transaction(operations: operations, conditions: conditions, idempotency: idempotency))
    }

    private func read(_ key: Key) -> NodeRequest {
        .readDocument(.init("notes"), key: key, view: .plain, atLeast: nil)
    }

    // MARK: A damaged document

    @Test(
        "a document that is damaged is refused alone: others of its batch are served, and an alarm names it")
    func damaged() throws {
        var first = try nodeWithSpace()
        let made = try first.transact("notes", [increment("bad", "n")]).change
        // Over a boundary: documents of one section are decoded together.
        for number in 0..<12 {
            _ = try first.transact(
                "notes", [set("page", [.key("t")], text(String(repeating: "\(number)", count: 8_000)))])
        }
        _ = try first.transact("notes", [increment("good", "n")])
        var store = first.node.store.afterCrash()
        let space = try #require(try store.spaces().first?.id)
        store.bend(space, try #require(made))
        var node = try TestNode(store: store)
        let condition = Condition(document: "bad", test: .exists(path: [], true))
        let ids = [
            node.submit(transaction([increment("good", "n")])),
            node.submit(read("bad")),
            node.submit(transaction([increment("good", "n")], if: [condition])),
            node.submit(transaction([increment("good", "n"), increment("bad", "n")])),
            node.submit(transaction([increment("good", "n")])),
            node.submit(read("good")),
        ]
        node.commit()
        for id in ids[1...3] {
            guard case .failed(.documentDamaged("bad", _, _))? = node.answers[id]?.last else {
                throw Unexpected()
            }
        }
        for id in [ids[0], ids[4]] {
            guard case .transaction? = node.answers[id]?.last else { throw Unexpected() }
        }
        guard case .document? = node.answers[ids[5]]?.last else { throw Unexpected() }
        #expect(try node.plain("notes", "good")?["n"] == number(3))
        guard case .status(let status) = try node.ask(.status) else { throw Unexpected() }
        #expect(status.alarms.map(\.code) == ["document-damaged"])
        #expect(status.alarms.first?.message.contains("document bad of space notes") == true)
        #expect(
            !node.effects.contains { if case .log(_, code: "commit-failed", _) = $0 { true } else { false } })
        var again = try node.restarted()
        #expect(try again.plain("notes", "good")?["n"] == number(3))
    }

    @Test("what a snapshot that does not decode held is made from the log, told, and written again")
    func damagedSnapshot() throws {
        var first = try nodeWithSpace()
        for _ in 0..<3 { _ = try first.transact("notes", [increment("a", "n")]) }
        var store = first.node.store.afterCrash()
        let space = try #require(try store.spaces().first?.id)
        let position = try #require(store.position(of: space))
        try store.begin()
        try store.put(space, "a", SnapshotRecord(position: position, bytes: [1, 2, 3]))
        try store.commit()
        func alarms(_ node: inout TestNode) throws -> [String] {
            guard case .status(let status) = try node.ask(.status) else { throw Unexpected() }
            // Faults are said in words.
            #expect(!status.alarms.contains { $0.message.contains("field:") }, "\(status.alarms)")
            return status.alarms.map(\.code)
        }
        var node = try TestNode(store: store)
        #expect(try node.plain("notes", "a")?["n"] == number(3))
        #expect(try node.export("notes").contains(#""key":"a","value":{"n":3}"#))
        #expect(try alarms(&node) == ["snapshot-damaged"])
        _ = try node.transact("notes", [increment("a", "n")])
        var again = try node.restarted()
        #expect(try again.plain("notes", "a")?["n"] == number(4))
        #expect(try alarms(&again).isEmpty)
    }

    // MARK: A commit that fails

    @Test("a commit that fails otherwise than by a full disk is 507 too, for all that its batch wrote")
    func commitFailed() throws {
        var node = try nodeWithSpace()
        node.node.store.fault = .init(failure: .diskError)
        let ids = ["a", "b"].map { node.submit(transaction([increment($0, "n")])) }
        let reading = node.submit(read("a"))
        node.commit()
        for id in ids {
            guard case .failed(.commitFailed(let reason))? = node.answers[id]?.last else {
                throw Unexpected()
            }
            #expect(reason == .diskError)
        }
        guard case .failed(.noSuchDocument)? = node.answers[reading]?.last else { throw Unexpected() }
        _ = try node.transact("notes", [increment("a", "n")])
        #expect(try node.plain("notes", "a")?["n"] == number(1))
    }

    @Test("below the floor of free disk a transaction that was written is answered again, as it was")
    func repeatedBelowTheFloor() throws {
        var node = try nodeWithSpace()
        let request = transaction([increment("a", "n")], key: "k")
        guard case .transaction(let change?, let version, _) = try node.ask(request) else {
            throw Unexpected()
        }
        node.node.handle(.diskFree(bytes: 1 << 20), at: node.now)
        guard case .transaction(change, version, _) = try node.ask(request) else { throw Unexpected() }
        guard case .storeFull = try node.refusal(transaction([increment("a", "n")], key: "other")) else {
            throw Unexpected()
        }
        #expect(try node.plain("notes", "a")?["n"] == number(1))
    }

    // MARK: Names

    @Test("a name of 64 hexadecimal digits is refused, and an id is looked for before names")
    func names() throws {
        var node = try nodeWithSpace()
        _ = try node.transact("notes", [increment("a", "n")])
        let id = node.node.spaces[0].id.description
        guard case .invalidName = try node.refusal(.createSpace(name: id)) else { throw Unexpected() }
        #expect(node.node.freeName(like: id) == id.prefix(62) + "-2")
        // A store of before may hold such a name.
        _ = try node.ask(.createSpace(name: "other"))
        let other = try #require(node.node.spaces.firstIndex { $0.name == "other" })
        node.node.spaces[other].name = id
        #expect(try node.plain(id, "a")?["n"] == number(1))
        let unknown = String(repeating: "0", count: 64)
        node.node.spaces[other].name = unknown
        #expect(try node.plain(unknown, "a") == nil)
        _ = try node.transact(unknown, [increment("a", "n")])
        #expect(try node.plain("notes", "a")?["n"] == number(1))
    }

    // MARK: Invites

    @Test("an invite that wrong proofs closed is listed as burned, others as what they are")
    func burned() throws {
        var node = try nodeWithSpace()
        func invite() throws -> (id: String, token: InviteToken) {
            let request = NodeRequest.invite(.init("notes"), role: .writer, expiresSeconds: 60)
            guard case .invite(let id, let text) = try node.ask(request) else { throw Unexpected() }
            return (id, try InviteToken(text))
        }
        let (burned, revoked, open) = (try invite(), try invite(), try invite())
        guard case .done = try node.ask(.revokeInvite(.init("notes"), id: revoked.id)) else {
            throw Unexpected()
        }
        let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 9, count: 32)))
        let device = DeviceID(publicKey: key.publicKey)
        let box = AgreementKey(secret: Secret(copying: [UInt8](repeating: 8, count: 32)))
        let proof = Joining(token: burned.token, device: device, boxKey: box).proof(
            name: try #require(DeviceName("guest")), addresses: [],
            handshakeHash: [UInt8](repeating: 1, count: 64), by: key)
        let request = JoinRequest(
            invite: burned.token.secret.id, device: device, proof: proof,
            handshakeHash: [UInt8](repeating: 2, count: 64))
        var space = node.node.spaces[0]
        for _ in 0..<RosterLimits.wrongProofsMax {
            let outcome = space.membership.admit(request, ephemeral: box, at: node.now, by: key)
            guard case .refused = outcome else { throw Unexpected() }
        }
        node.node.spaces[0] = space
        guard case .invites(let listed) = try node.ask(.invites(.init("notes"))) else { throw Unexpected() }
        let states = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0.state) })
        #expect(states == [burned.id: "burned", revoked.id: "revoked", open.id: "open"])
    }
}
