// What a node keeps over restarts, and what it does not let grow while it runs.

import Bytes
import Causality
import Documents
import Simulator
import Testing

@testable import Node

@Suite struct RestartTests {
    private func alarms(_ node: inout TestNode) throws -> [Alarm] {
        guard case .status(let report) = try node.ask(.status) else { throw Unexpected() }
        return report.alarms
    }

    @Test("the alarm of a new incarnation is shown after a restart too, with its date, for a day")
    func continuity() throws {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        let store = node.node.store.afterCrash()
        let start: UInt64 = 1_700_000_000_000
        let hour: UInt64 = 3_600_000
        let restored = try TestNode(store: store, discontinuity: "a backup was put back", wall: start)
        var again = try TestNode(store: restored.node.store.afterCrash(), wall: start + hour)
        let shown = try #require(try alarms(&again).first)
        #expect(shown.code == "restored" && shown.message == "a backup was put back" && shown.since == start)
        var later = try TestNode(store: again.node.store.afterCrash(), wall: start + 25 * hour)
        #expect(try alarms(&later).isEmpty)
        // And it is gone for good, whatever the clock then says.
        var back = try TestNode(store: later.node.store.afterCrash(), wall: start + hour)
        #expect(try alarms(&back).isEmpty)
    }

    @Test("a snapshot of a newer version is refused with what to do")
    func newerSnapshot() throws {
        let bytes = Document(key: "k").encodeSnapshot()
        let newer = SnapshotRecord(position: CommitPosition(1), bytes: [bytes[0] + 1] + bytes.dropFirst())
        do throws(StoreFailure) {
            _ = try SpaceDocuments.decode(newer, "k")
            Issue.record("it was read")
        } catch {
            guard case .unusable(.newerSnapshot("k", version: UInt64(bytes[0] + 1))) = error else {
                throw error
            }
            let words = "\(error)"
            #expect(words.contains("version \(bytes[0] + 1), which a newer repld wrote"))
            #expect(words.contains("start that one again, or restore a backup from before the upgrade"))
        }
    }

    @Test("reading every document of a space leaves a bounded number of them in memory")
    func cache() throws {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        let count = NodeLimits.cachedDocumentsMax + 104
        // Eight fill a section of the log, so that each read decodes little.
        let filling = String(repeating: "f", count: 512)
        for start in stride(from: 0, to: count, by: 8) {
            let operations = (start..<start + 8).map {
                OperationRequest(
                    document: Key("n/\($0)"), path: [.key("x")],
                    verb: .splice(index: 0, delete: 0, insert: filling))
            }
            _ = try node.transact("notes", operations)
        }
        var again = try node.restarted()
        for number in 0..<count { _ = try again.plain("notes", Key("n/\(number)")) }
        let cached = try self.cached(&again)
        #expect(cached <= NodeLimits.cachedDocumentsMax && cached > 0, "\(cached) of \(count)")
    }

    @Test("documents with long strings are counted by their bytes, and are not all kept in memory")
    func largeDocuments() throws {
        var node = try TestNode()
        _ = try node.ask(.createSpace(name: "notes"))
        let long = text(String(repeating: "l", count: 500_000))
        let count = NodeLimits.cachedBytesMax / 500_000 / 2
        for number in 0..<count {
            _ = try node.transact("notes", [set(Key("n/\(number)"), [.key("x")], long)])
        }
        let cached = try self.cached(&node)
        #expect(cached > 0 && cached <= count / 2, "\(cached) of \(count)")
    }

    @Test("a list is counted by what it takes in tables, a text by its bytes on disk")
    func tables() throws {
        func cached(_ verb: OperationRequest.Verb) throws -> CachedDocument {
            var cached = CachedDocument.absent("d")
            _ = try cached.document.author(
                OperationRequest(document: "d", path: [.key("x")], verb: verb),
                dot: Dot(ReplicaID(raw: Bytes16(high: 1, low: 1)), SequenceNumber(1)), timestamp: .zero,
                context: VersionVector(), wantsPatches: false)
            cached.snapshotBytes = cached.document.encodeSnapshot().count
            return cached
        }
        let list = try cached(.set(.array([PlainValue](repeating: number(1), count: 1_000))))
        #expect(list.estimatedBytes >= 1_000 * 200 && list.estimatedBytes > 4 * list.snapshotBytes)
        let long = String(repeating: "l", count: 10_000)
        let text = try cached(.splice(index: 0, delete: 0, insert: long))
        #expect((40_000..<60_000).contains(text.estimatedBytes))
    }

    private func cached(_ node: inout TestNode) throws -> Int {
        guard case .metrics(let text) = try node.ask(.metrics) else { throw Unexpected() }
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("repl_documents_cached ") })
        return try #require(line.split(separator: " ").last.flatMap { Int($0) })
    }
}
