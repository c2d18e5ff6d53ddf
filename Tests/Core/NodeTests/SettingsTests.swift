// What an operator changes while the node runs takes effect at once, and what is equal costs nothing.

import Causality
import Node
import Simulator
import Testing
import Wire

private let reference = SpaceReference("home")

extension TestNode {
    fileprivate mutating func take(_ change: (inout NodeSettings) -> Void) {
        var settings = NodeSettings(deviceName: "box1", staticPeers: [], advertise: [])
        change(&settings)
        node.handle(.settings(settings), at: now)
        commit()
    }

    fileprivate mutating func memberNames() throws -> [String] {
        guard case .members(let members) = try ask(.members(reference)) else { return [] }
        return members.map(\.name)
    }

    fileprivate var dialled: [String] {
        effects.compactMap { effect in if case .dial(_, let address) = effect { address } else { nil } }
    }
}

@Suite struct SettingsTests {
    @Test("a new name stands in status and in the roster of every space, also after a restart")
    func name() throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        #expect(try box.memberNames() == ["box1"])
        box.take { $0.deviceName = "kitchen" }
        #expect(try box.memberNames() == ["kitchen"])
        guard case .status(let status) = try box.ask(.status) else { throw Unexpected() }
        #expect(status.name == "kitchen")
        // The configuration of the next start names another one again.
        var restarted = try TestNode(store: box.node.store)
        #expect(try restarted.memberNames() == ["box1"])
    }

    @Test("equal settings write nothing")
    func equal() throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        let before = try box.node.store.rosterOperations(box.spaceID()).count
        box.take { _ in }
        box.take { _ in }
        #expect(try box.node.store.rosterOperations(box.spaceID()).count == before)
        #expect(box.dialled.isEmpty)
    }

    @Test("a peer that the configuration now names is dialled, one that it names no more is forgotten")
    func peers() throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        box.take { $0.staticPeers = ["192.0.2.1:1"] }
        #expect(box.dialled == ["192.0.2.1:1"])
        guard
            case .dial(let id, _)? = box.effects.last(where: {
                if case .dial = $0 { true } else { false }
            })
        else { throw Unexpected() }
        box.node.handle(.dialFailed(id, reason: "refused"), at: box.now)
        box.commit()
        box.take { $0.staticPeers = ["192.0.2.2:1", "nonsense"] }
        #expect(box.dialled == ["192.0.2.1:1", "192.0.2.2:1"])
        // Long after every back-off the first is not dialled again.
        box.now = Instant(monotonic: box.now.monotonic + 3_600_000, wall: box.now.wall + 3_600_000)
        box.node.handle(.tick, at: box.now)
        box.commit()
        #expect(!box.dialled.dropFirst(2).contains("192.0.2.1:1"))
    }

    @Test("what is advertised now stands first in the hints of new invites")
    func advertise() throws {
        var box = try TestNode()
        _ = try box.ask(.createSpace(name: "home"))
        box.node.handle(.network(.listening(["10.0.0.1:21420"])), at: box.now)
        box.take { $0.advertise = ["box.example:7"] }
        guard
            case .invite(_, let text) = try box.ask(.invite(reference, role: .writer, expiresSeconds: 60))
        else { throw Unexpected() }
        #expect(try InviteToken(text).hints.map(\.string) == ["box.example:7", "10.0.0.1:21420"])
    }

    @Test("a reload is the shell's errand: the node asks for it and answers nothing itself")
    func reload() throws {
        var box = try TestNode()
        let id = box.submit(.reload(isCheck: true))
        box.commit()
        #expect(box.answers[id] == nil)
        let asked = box.effects.contains { if case .reload(id, isCheck: true) = $0 { true } else { false } }
        #expect(asked)
    }
}

extension TestNode {
    fileprivate func spaceID() throws -> SpaceID { try #require(try node.store.spaces().first?.id) }
}
