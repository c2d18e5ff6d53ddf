import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing

@Suite struct WatchTests {
    private func nodeWithSpace() throws -> TestNode {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        return node
    }

    private func lines(_ node: TestNode, _ id: RequestID) -> [WatchLine] {
        (node.answers[id] ?? []).compactMap { if case .watchLine(let line) = $0 { line } else { nil } }
    }

    private func changes(_ node: TestNode, _ id: RequestID) -> [ChangeEvent] {
        lines(node, id).compactMap { if case .change(let event) = $0 { event } else { nil } }
    }

    @Test("a stream shows every commit after it was opened, once, in order, by prefix")
    func live() throws {
        var node = try nodeWithSpace()
        _ = try node.transact("notes", [increment("a/1", "n")])
        let all = node.submit(.watch(.init("notes"), start: .now, prefix: "", follow: true))
        let some = node.submit(.watch(.init("notes"), start: .now, prefix: "b/", follow: true))
        node.commit()
        var made: [Dot] = []
        for index in 0..<30 {
            let key: Key = index % 3 == 0 ? "b/1" : "a/1"
            made.append(try #require(try node.transact("notes", [increment(key, "n")]).change))
        }
        #expect(changes(node, all).map(\.change) == made)
        #expect(changes(node, some).map(\.change) == stride(from: 0, to: 30, by: 3).map { made[$0] })
        guard case .watching? = node.answers[all]?.first else { throw Unexpected() }
    }

    @Test("with a filter only documents that match before or after are told, live and resumed alike")
    func filtered() throws {
        var node = try nodeWithSpace()
        _ = try node.transact("notes", [set("a", [.key("n")], number(1)), set("b", [.key("n")], number(5))])
        let filter = try Filter("n>=3")
        func watch(_ start: WatchStart, prefix: Key = "", follow: Bool = true) -> NodeRequest {
            .watch(.init("notes"), start: start, prefix: prefix, follow: follow, filter: filter)
        }
        func told(_ node: TestNode, _ id: RequestID) -> [String] {
            lines(node, id).flatMap { line -> [String] in
                switch line {
                case .change(let event):
                    return event.documents.map { document in
                        let matches = document.matches.map {
                            ($0.before ? "T" : "F") + ($0.after ? "T" : "F")
                        }
                        return "\(document.key) \(matches ?? "none") \(document.patches.count)"
                    }
                case .state(_, let key, _): return ["state \(key)"]
                case .resync: return ["resync"]
                case .idle: return ["idle"]
                }
            }
        }
        let live = node.submit(watch(.now))
        let begin = node.submit(watch(.begin))
        let some = node.submit(watch(.now, prefix: "c"))
        node.commit()
        guard case .watching(let cursor)? = node.answers[live]?.first else { throw Unexpected() }
        _ = try node.transact("notes", [set("a", [.key("n")], number(2)), set("x", [.key("y")], number(1))])
        // Two changes of one document in one batch.
        for value in [4, 7] as [Int64] {
            let write = Transaction(
                operations: [set("a", [.key("n")], number(value)), set("b", [.key("o")], number(value))],
                conditions: [], idempotency: nil)
            node.submit(.transact(.init("notes"), write))
        }
        node.commit()
        _ = try node.transact("notes", [set("c", [.key("n")], number(9))])
        _ = try node.transact("notes", [OperationRequest(document: "a", path: [], verb: .delete)])
        _ = try node.transact("notes", [set("b", [.key("n")], text("9"))])
        _ = try node.transact("notes", [set("b", [.key("n")], text("8"))])
        let expected = ["a FT 1", "b TT 1", "a TT 1", "b TT 1", "c FT 1", "a TF 1", "b TF 1"]
        #expect(told(node, live) == expected)
        #expect(told(node, begin) == ["state b"] + expected)
        #expect(told(node, some) == ["c FT 1"])
        let resumed = node.submit(watch(.cursor(cursor), follow: false))
        node.commit()
        #expect(told(node, resumed) == expected)
        guard case .ended? = node.answers[resumed]?.last else { throw Unexpected() }
        let fourth = try #require(changes(node, live).dropFirst(2).first)
        let rest = node.submit(watch(.cursor(fourth.cursor), follow: false))
        node.commit()
        #expect(told(node, rest) == Array(expected.suffix(2)))
    }

    @Test("what does not match is looked at a page at a time")
    func filteredPages() throws {
        var node = try nodeWithSpace()
        for index in 0..<300 {
            _ = try node.transact("notes", [set(Key("k\(index + 100)"), [.key("n")], number(Int64(index)))])
        }
        let filter = try Filter("n=299")
        let id = node.submit(
            .watch(.init("notes"), start: .begin, prefix: "", follow: false, filter: filter))
        var rounds = 0
        while rounds < 20 {
            node.commit()
            if case .ended? = node.answers[id]?.last { break }
            rounds += 1
            node.node.handle(.watchCredit(id, lines: 1), at: node.now)
        }
        #expect((3..<20).contains(rounds), "\(rounds) pages")
        let states = lines(node, id).compactMap { if case .state(_, let key, _) = $0 { key } else { nil } }
        #expect(states == ["k399"])
    }

    @Test("a cursor resumes exactly after it, also after a restart, with the same lines")
    func resume() throws {
        var node = try nodeWithSpace()
        let live = node.submit(.watch(.init("notes"), start: .now, prefix: "", follow: true))
        node.commit()
        for index in 0..<20 {
            _ = try node.transact(
                "notes", [increment(Key("a\(index % 3)"), "n"), set("t", [.key("x")], number(Int64(index)))])
        }
        let seen = changes(node, live)
        var again = try node.restarted()
        let cursor = seen[7].cursor
        let resumed = again.submit(.watch(.init("notes"), start: .cursor(cursor), prefix: "", follow: false))
        again.commit()
        let replayed = changes(again, resumed)
        #expect(replayed.map(\.change) == seen[8...].map(\.change))
        #expect(replayed.map(\.cursor) == seen[8...].map(\.cursor))
        for (one, other) in zip(replayed, seen[8...]) {
            #expect(one.documents.map(\.key) == other.documents.map(\.key))
            #expect(one.documents.map(\.patches) == other.documents.map(\.patches))
        }
        guard case .ended? = again.answers[resumed]?.last else { throw Unexpected() }
    }

    @Test("a program that goes away before its stream is opened leaves no stream behind")
    func cancelled() throws {
        var node = try nodeWithSpace()
        for _ in 0..<NodeLimits.watchersMax {
            let id = node.submit(.watch(.init("notes"), start: .now, prefix: "", follow: true))
            node.node.handle(.cancel(id), at: node.now)
            node.commit()
            #expect(node.answers[id] == nil)
        }
        guard
            case .watching = try node.ask(.watch(.init("notes"), start: .now, prefix: "", follow: true))
        else { throw Unexpected() }
    }

    @Test("a foreign cursor and one from the future get a resync, not an error")
    func foreign() throws {
        var node = try nodeWithSpace()
        for text in ["0000000000000000.1", "nonsense", ""] {
            let id = node.submit(.watch(.init("notes"), start: .cursor(text), prefix: "", follow: true))
            node.commit()
            guard case .resync? = lines(node, id).first else { throw Unexpected() }
        }
    }

    @Test("a cursor of another space of the same node gets a resync")
    func foreignSpace() throws {
        var node = try nodeWithSpace()
        _ = try node.ask(.createSpace(name: "other"))
        _ = try node.transact("notes", [increment("c", "n")])
        let other = node.submit(.watch(.init("other"), start: .now, prefix: "", follow: false))
        node.commit()
        guard case .watching(let cursor)? = node.answers[other]?.first else { throw Unexpected() }
        let id = node.submit(.watch(.init("notes"), start: .cursor(cursor), prefix: "", follow: false))
        node.commit()
        guard case .resync? = lines(node, id).first else { throw Unexpected() }
    }

    @Test("since=begin gives the state and then what follows")
    func begin() throws {
        var node = try nodeWithSpace()
        _ = try node.transact("notes", [set("b", [.key("x")], number(1)), set("a", [.key("y")], text("z"))])
        let id = node.submit(.watch(.init("notes"), start: .begin, prefix: "", follow: true))
        node.commit()
        _ = try node.transact("notes", [increment("c", "n")])
        let keys = lines(node, id).map { line -> String in
            switch line {
            case .state(_, let key, _): "state \(key)"
            case .change(let event): "change \(event.documents.map(\.key.string).joined())"
            case .resync: "resync"
            case .idle: "idle"
            }
        }
        #expect(keys == ["state a", "state b", "change c"])
    }

    @Test("the state of many documents comes in pages as it is read, whole, once, and as of its cursor")
    func pages() throws {
        var node = try nodeWithSpace()
        let keys = (0..<300).map { Key("d\(1_000 + $0)") }
        for key in keys { _ = try node.transact("notes", [increment(key, "n")]) }
        let id = node.submit(.watch(.init("notes"), start: .begin, prefix: "", follow: true))
        node.commit()
        #expect(lines(node, id).count < 100)
        _ = try node.transact("notes", [increment(keys[299], "n")])
        for _ in 0..<20 {
            node.node.handle(.watchCredit(id, lines: 64), at: node.now)
            node.commit()
        }
        let shown = lines(node, id).map { line -> Key in
            guard case .state(_, let key, let patches) = line else { return "change" }
            return patches.map(\.change) == [.set(number(1))] ? key : "wrong"
        }
        #expect(shown == keys + ["change"])
    }

    @Test("who saw a part of the state cannot go on from there as if it had seen all of it")
    func partOfState() throws {
        var node = try nodeWithSpace()
        for key: Key in ["a", "b", "c"] { _ = try node.transact("notes", [increment(key, "n")]) }
        let id = node.submit(.watch(.init("notes"), start: .begin, prefix: "", follow: false))
        node.commit()
        let cursors = lines(node, id).map { line -> String in
            if case .state(let cursor, _, _) = line { cursor } else { "" }
        }
        #expect(cursors.count == 3)
        for (index, cursor) in cursors.enumerated() {
            let again = node.submit(
                .watch(.init("notes"), start: .cursor(cursor), prefix: "", follow: false))
            node.commit()
            let isResync = lines(node, again).contains { if case .resync = $0 { true } else { false } }
            #expect(isResync == (index < 2), "after line \(index)")
        }
    }

    @Test("watchers over the limit are refused, also when they come in one batch")
    func tooMany() throws {
        var node = try nodeWithSpace()
        let ids = (0..<NodeLimits.watchersMax + 3).map { _ in
            node.submit(.watch(.init("notes"), start: .now, prefix: "", follow: true))
        }
        node.commit()
        let refused = ids.filter { id in
            if case .failed(.tooMany)? = node.answers[id]?.last { true } else { false }
        }
        #expect(refused.count == 3)
    }

    @Test("a watcher that does not read large lines is sent few of them, and the others once it reads")
    func largeLines() throws {
        var node = try nodeWithSpace()
        let id = node.submit(.watch(.init("notes"), start: .now, prefix: "", follow: true))
        node.commit()
        let size = 100 << 10
        var made: [Dot?] = []
        for index in 0..<40 {
            let content = String(repeating: index.isMultiple(of: 2) ? "x" : "y", count: size)
            made.append(try node.transact("notes", [set("a", [.key("t")], text(content))]).change)
        }
        let fitting = NodeLimits.watchBytesMax / size + 1
        #expect((fitting - 1...fitting).contains(lines(node, id).count), "\(lines(node, id).count) lines")
        for _ in 0..<40 {
            node.node.handle(.watchCredit(id, lines: 1), at: node.now)
            node.commit()
        }
        #expect(changes(node, id).map(\.change) == made)
    }

    @Test("a watcher that does not read is told to read again, and costs no more than the ring")
    func slow() throws {
        var node = try nodeWithSpace()
        let id = node.submit(.watch(.init("notes"), start: .now, prefix: "", follow: true))
        node.commit()
        for _ in 0..<(NodeLimits.watchEventsMax + NodeLimits.ringEventsMax + 100) {
            node.submit(
                .transact(
                    .init("notes"), .init(operations: [increment("a", "n")], conditions: [], idempotency: nil)
                ))
        }
        node.commit()
        let before = lines(node, id).count
        #expect(before <= NodeLimits.watchEventsMax)
        for _ in 0..<3 {
            node.node.handle(.watchCredit(id, lines: NodeLimits.watchEventsMax), at: node.now)
            node.commit()
        }
        let isResync = lines(node, id).contains { if case .resync = $0 { true } else { false } }
        #expect(isResync)
        let change = try node.transact("notes", [increment("a", "n")]).change
        #expect(changes(node, id).last?.change == change)
    }
}
