// What a change stream says first, what it holds of the past it is to tell, and which cursors outlive a space
// that was left.

import Bytes
import Causality
import Documents
import Simulator
import Testing
import Wire

@testable import Node

@Suite struct ResumeTests {
    private func nodeWithSpace() throws -> TestNode {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        return node
    }

    private func watch(_ node: inout TestNode, _ start: WatchStart, in space: String = "notes") -> RequestID {
        let id = node.submit(.watch(.init(space), start: start, prefix: "", follow: false))
        node.commit()
        return id
    }

    private func firstCursor(_ node: TestNode, _ id: RequestID) throws -> String {
        guard case .watching(let cursor)? = node.answers[id]?.first else { throw Unexpected() }
        return cursor
    }

    /// The cursor that a stream says first.
    private func cursor(_ node: inout TestNode, _ start: WatchStart, in space: String = "notes") throws
        -> String
    {
        let id = watch(&node, start, in: space)
        return try firstCursor(node, id)
    }

    /// A stream says that everything has to be read again.
    private func resyncs(_ node: inout TestNode, from cursor: String, in space: String = "notes") -> Bool {
        let id = watch(&node, .cursor(cursor), in: space)
        return isResync(node, id)
    }

    private func changes(_ node: TestNode, _ id: RequestID) -> [ChangeEvent] {
        (node.answers[id] ?? []).compactMap {
            if case .watchLine(.change(let event)) = $0 { event } else { nil }
        }
    }

    private func isResync(_ node: TestNode, _ id: RequestID) -> Bool {
        (node.answers[id] ?? []).contains { if case .watchLine(.resync) = $0 { true } else { false } }
    }

    private func credit(_ node: inout TestNode, _ id: RequestID, lines: Int) {
        node.node.handle(.watchCredit(id, lines: lines), at: node.now)
        node.commit()
    }

    @Test("who was cut off after the first line of the state, or of a resync, cannot go on as if it had read")
    func firstLine() throws {
        var node = try nodeWithSpace()
        // Nothing is there, so the first line is all of the state.
        let empty = try cursor(&node, .begin)
        _ = try node.transact("notes", [increment("a", "n")])
        let whole = watch(&node, .cursor(empty))
        #expect(!isResync(node, whole) && changes(node, whole).count == 1)
        for start in [WatchStart.begin, .cursor("0000000000000000.1")] {
            let cursor = try cursor(&node, start)
            #expect(resyncs(&node, from: cursor), "\(start): \(cursor)")
        }
        let present = try cursor(&node, .now)
        #expect(!resyncs(&node, from: present))
    }

    @Test("a resumed stream makes its lines as they are read, and they are the ones that were sent then")
    func paged() throws {
        var node = try nodeWithSpace()
        let live = node.submit(.watch(.init("notes"), start: .now, prefix: "", follow: true))
        node.commit()
        let start = try firstCursor(node, live)
        let size = 100 << 10
        for index in 0..<60 {
            let content = String(repeating: ["x", "y", "z"][index / 20], count: size)
            _ = try node.transact("notes", [set(Key("d\(index % 20)"), [.key("t")], text(content))])
            credit(&node, live, lines: 1)
        }
        let resumed = watch(&node, .cursor(start))
        // Neither what was sent and not taken nor what waits grows with what was missed.
        #expect(changes(node, resumed).count <= NodeLimits.watchBytesMax / size + 3)
        while node.node.readers.watchers.contains(where: { $0.request == resumed }) {
            let held = node.node.readers.watchers.last?.backlog.reduce(0) { $0 + $1.estimatedBytes } ?? 0
            try #require(held <= 4 * size, "\(held) bytes wait")
            // As if there were no room for anything that is only kept for speed.
            node.node.readers.withWatchers { watchers, _ in watchers[1].past?.trim(to: 0) }
            credit(&node, resumed, lines: 1)
        }
        let (sent, again) = (changes(node, live), changes(node, resumed))
        #expect(sent.count == 60 && again.map(\.cursor) == sent.map(\.cursor))
        #expect(again.map { $0.documents.map(\.patches) } == sent.map { $0.documents.map(\.patches) })
        #expect(!isResync(node, resumed))
    }

    @Test("what stalled streams keep of documents is shared out among them")
    func shared() throws {
        var node = try nodeWithSpace()
        let start = try cursor(&node, .now)
        // 32 documents of some 400 KiB, as they are counted, for each of 16 streams.
        let content = String(repeating: "x", count: 100 << 10)
        for index in 0..<32 {
            _ = try node.transact("notes", [set(Key("d\(index)"), [.key("t")], text(content))])
        }
        for _ in 0..<10 { _ = try node.transact("notes", [increment("d0", "n")]) }
        let ids = (0..<16).map { _ in watch(&node, .cursor(start)) }
        var most = 0
        for _ in 0..<30 {
            for id in ids { credit(&node, id, lines: 1) }
            let held = node.node.readers.watchers.map {
                ($0.past as? ReplayLines<MemoryReader>)?.documentBytes ?? 0
            }
            most = max(most, held.reduce(0, +))
            #expect(held.reduce(0, +) <= NodeLimits.replayBytesMax)
        }
        #expect(most > NodeLimits.replayBytesMax / 4, "\(most): the streams never kept much")
        for id in ids { for _ in 0..<20 { credit(&node, id, lines: 1) } }
        for id in ids { #expect(changes(node, id).count == 42 && !isResync(node, id)) }
    }

    @Test("leaving a space makes its own cursors foreign and those of no other space, whatever fails")
    func leaving() throws {
        var node = try nodeWithSpace()
        _ = try node.ask(.createSpace(name: "other"))
        _ = try node.transact("notes", [increment("a", "n")])
        let own = try cursor(&node, .now)
        let others = try cursor(&node, .now, in: "other")
        node.node.store.fault = .init(failure: .noSpace)
        guard case .storeFull = try node.refusal(.leaveSpace(.init("notes"), isForced: true)) else {
            throw Unexpected()
        }
        #expect(!resyncs(&node, from: own))
        #expect(!resyncs(&node, from: others, in: "other"))
        _ = try node.ask(.leaveSpace(.init("notes"), isForced: true))
        #expect(!resyncs(&node, from: others, in: "other"))
        _ = try node.transact("other", [increment("b", "n")])
        var again = try node.restarted()
        let resumed = watch(&again, .cursor(others), in: "other")
        #expect(!isResync(again, resumed) && changes(again, resumed).count == 1)
    }

    @Test("a space that was left and comes back takes no cursor of before, of this start or of earlier ones")
    func comesBack() {
        let (gone, stays) = (space(1), space(2))
        func cursor(_ name: UInt64, _ space: SpaceID, _ position: UInt64) -> Cursor {
            Cursor(store: name, space: space, position: CommitPosition(position))
        }
        var epochs = CursorEpochs(name: 7)
        epochs.begin(8, after: [gone: CommitPosition(20), stays: CommitPosition(30)])
        #expect(epochs.holds(cursor(7, gone, 20), of: gone) && epochs.holds(cursor(8, gone, 1), of: gone))
        epochs.leave(gone, 9, ends: [stays: CommitPosition(40)])
        for name: UInt64 in [7, 8] {
            #expect(!epochs.holds(cursor(name, gone, 1), of: gone))
            #expect(epochs.holds(cursor(name, stays, 30), of: stays))
        }
        #expect(!epochs.holds(cursor(8, stays, 41), of: stays) && epochs.holds(cursor(9, gone, 1), of: gone))
    }

    private func space(_ byte: UInt8) -> SpaceID {
        SpaceID(raw: Bytes32([UInt8](repeating: byte, count: 32)))
    }
}
