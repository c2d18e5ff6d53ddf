// A batch that cannot be committed loses what it wrote and what it would have sent. What it was told is said
// once only: names that were looked up, networks, connections that the shell holds open.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

extension TestNode {
    fileprivate mutating func take(_ input: Input) { node.handle(input, at: now) }

    /// A batch that has failed already, in its first write.
    fileprivate mutating func breakBatch() {
        node.store.fault = MemoryStore.Fault(failure: .noSpace, writesBefore: 0)
        submit(
            .transact(
                .init("home"),
                Transaction(
                    operations: [set("broken", [.key("x")], text("b"))], conditions: [], idempotency: nil)))
    }

    /// Lets time pass; hands back what was dialled and looked up.
    fileprivate mutating func pass(_ milliseconds: UInt64) -> (dialled: [String], lookups: Int) {
        let count = effects.count
        let end = now.monotonic + milliseconds
        while now.monotonic < end {
            now = Instant(monotonic: now.monotonic + 500, wall: now.wall + 500)
            take(.tick)
            commit()
        }
        let new = effects[count...]
        let dialled = new.compactMap { if case .dial(_, let address) = $0 { address } else { nil } }
        return (dialled, new.count { if case .resolve = $0 { true } else { false } })
    }

    fileprivate func isClosed(_ id: ConnectionID) -> Bool {
        effects.contains { if case .close(id) = $0 { true } else { false } }
    }

    fileprivate var commitFailures: Int {
        effects.count { if case .log(_, "commit-failed", _) = $0 { true } else { false } }
    }
}

@Suite struct LostBatchTests {
    @Test(
        "what is only read beside a write that fails is answered from what is durable",
        arguments: [true, false])
    func reads(isFirst: Bool) throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        _ = try box.transact("home", [set("a", [.key("t")], text("durable"))])
        let home = SpaceReference("home")
        let requests: [NodeRequest] = [
            .readDocument(home, key: "a", view: .plain, atLeast: nil), .status,
            .export(home, view: .plain), .watch(home, start: .now, prefix: "", follow: true),
        ]
        var ids: [RequestID] = []
        if isFirst { ids = requests.map { box.submit($0) } }
        box.breakBatch()
        if !isFirst { ids = requests.map { box.submit($0) } }
        box.commit()
        #expect(box.commitFailures == 1)
        for (id, request) in zip(ids, requests) {
            let answers = box.answers[id] ?? []
            #expect(!answers.isEmpty, "\(request)")
            for case .failed(let error) in answers { Issue.record("\(request): \(error)") }
        }
        guard case .document(_, .plain(let value), _, _)? = box.answers[ids[0]]?.last else {
            throw Unexpected()
        }
        #expect(value == .object([.init("t", .scalar(.string("durable")))]))
    }

    @Test("a name whose answer came in a lost batch is dialled and looked up again")
    func names() throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        box.take(
            .settings(
                NodeSettings(deviceName: "box1", staticPeers: ["peer.example:21420"], advertise: [])))
        box.commit()
        #expect(box.effects.contains { if case .resolve("peer.example") = $0 { true } else { false } })
        box.breakBatch()
        box.take(.resolved(host: "peer.example", addresses: ["192.0.2.7"], failure: nil))
        box.commit()
        #expect(box.commitFailures == 1)
        let later = box.pass(900_000)
        #expect(later.dialled.contains("192.0.2.7:21420") && later.lookups > 0, "\(later)")
    }

    @Test("connections that come in a lost batch are closed, and a dial that led to one is not under way")
    func connections() throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        box.take(
            .settings(NodeSettings(deviceName: "box1", staticPeers: ["192.0.2.1:1"], advertise: [])))
        box.commit()
        let dials = box.effects.compactMap { if case .dial(let id, _) = $0 { id } else { nil } }
        let dial = try #require(dials.first)
        box.breakBatch()
        box.take(.connected(dial, at: "192.0.2.1:1"))
        box.take(.accepted(ConnectionID(5), from: "192.0.2.9:4000"))
        box.commit()
        #expect(box.commitFailures == 1 && box.isClosed(dial) && box.isClosed(ConnectionID(5)))
        #expect(box.node.openConnections == 0)
        #expect(box.pass(600_000).dialled.contains("192.0.2.1:1"))
    }

    @Test("a node starts on a full disk although it has old notes to remove", arguments: [nil, 0])
    func startsFull(writesBefore: Int?) throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        // A start that was told why its logs may go on elsewhere keeps that note, for some weeks.
        var again = try TestNode(store: box.node.store.afterCrash(), discontinuity: "it was put back")
        var disk = again.node.store.afterCrash()
        disk.fault = .init(failure: .noSpace, writesBefore: writesBefore, isLasting: true)
        let later = again.now.wall + 400 * 86_400_000
        again = try TestNode(store: disk, wall: later)
        #expect(again.commitFailures == 1)
        guard case .spaces(let spaces) = try again.ask(.spaces) else { throw Unexpected() }
        #expect(spaces.map(\.name) == ["home"])
        again.node.store.fault = nil
        _ = try again.transact("home", [set("a", [.key("t")], text("room"))])
    }

    @Test("networks that are told in a lost batch are called out on")
    func networks() throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        _ = box.pass(10_000)
        box.breakBatch()
        let route = BeaconRoute(interface: "eth0", destination: .broadcast, port: 21420)
        box.take(.network(.lan(LocalNetworks(routes: [route], problems: []))))
        box.commit()
        #expect(box.commitFailures == 1)
        let count = box.effects.count
        _ = box.pass(60_000)
        let beacons = box.effects[count...].count { if case .beacon = $0 { true } else { false } }
        #expect(beacons > 0)
    }

    @Test("what keys were tried at an address is forgotten with it")
    func keys() throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        var dialled = 0
        for round in 0..<8 {
            let address = "192.0.2.\(round + 1):1"
            box.take(.settings(NodeSettings(deviceName: "box1", staticPeers: [address], advertise: [])))
            box.commit()
            for effect in box.effects {
                guard case .dial(let id, let to) = effect, to == address else { continue }
                dialled += 1
                box.take(.connected(id, at: address))
                box.take(.disconnected(id, reason: "reset"))
                box.commit()
            }
            _ = box.pass(2_000)
        }
        box.take(.settings(NodeSettings(deviceName: "box1", staticPeers: [], advertise: [])))
        box.commit()
        _ = box.pass(600_000)
        #expect(dialled >= 8 && box.node.triedAddressCount == 0, "\(box.node.triedAddressCount)")
    }
}
