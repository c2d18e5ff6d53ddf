// What is SQLite's alone: files that are not ours, the bound of the WAL, readers that stay too long.

import Bytes
import Causality
import Foundation
import Node
import Testing
import Wire

@testable import SQLiteStore

@Suite struct SQLiteStoreTests {
    private let folder: Folder
    private let path: String

    init() throws {
        folder = try Folder()
        path = try folder.emptyDatabase()
    }

    @Test("a database of a newer schema is refused by name, and stays as it is")
    func newer() throws {
        _ = try SQLiteStore(path: path)
        try Connection(path, .copy).execute("PRAGMA user_version = 99")
        #expect { _ = try SQLiteStore(path: path) } throws: { failure in
            let newest = Schema.steps.count
            guard case StoreFailure.unusable(.file(path, .newerSchema(99, known: newest))) = failure else {
                return false
            }
            return "\(failure)".contains("schema 99")
        }
        let version = try Connection(path, .copy).first("PRAGMA user_version") { $0.integer(0) }
        #expect(version == 99)
    }

    @Test("a database of the first schema is brought up to date, with the changes that it had skipped")
    func oldSchema() throws {
        try Connection(path, .copy).execute(
            Schema.step1 + """
                ;
                PRAGMA application_id = \(Schema.applicationID);
                PRAGMA user_version = 1;
                INSERT INTO spaces(id, name, keys, position, documents)
                VALUES (zeroblob(32), 's', x'01', 2, 7);
                INSERT INTO logs(space, replica, last) VALUES (1, zeroblob(16), 2);
                INSERT INTO runs VALUES (4, 1, 1, 2, 2, 2, 1, x'06', x'BB');
                INSERT INTO runs VALUES (3, 1, 1, 1, 1, 1, 1, x'04', x'AA');
                INSERT INTO touched VALUES (1, x'61', 1, 1, 1, 1, 0);
                INSERT INTO touched VALUES (1, x'61', 2, 1, 2, 2, 2);
                INSERT INTO touched VALUES (1, x'62', 2, 1, 2, 2, 2);
                """)
        let store = try SQLiteStore(path: path)
        let space = SpaceID(raw: .zero)
        let skipped = try store.skipped(space)
        #expect(skipped.map(\.change.position.value) == [2] && skipped.first?.reason == .unknown)
        #expect(try store.forks(space).isEmpty && store.spaces().map(\.position.value) == [2])
        let log = ReplicaID(raw: .zero)
        let runs = try store.runs(space, log, from: SequenceNumber(1), bytesMax: 100)
        #expect(runs.map(\.bytes) == [[0xAA], [0xBB]] && runs.map(\.position.value) == [1, 2])
        let commits = try store.commits(space, after: .start, limit: 9)
        #expect(commits.map(\.status) == [.executed, .skipped])
        #expect(try store.heads(space)[log].value == 2 && store.documentCount(space) == 7)
        #expect(try store.indexes(space).isEmpty && store.indexed(space, "a").isEmpty)
    }

    @Test("a reason to skip that no release has written is damage, not another reason")
    func unknownReason() throws {
        var store = try SQLiteStore(path: path)
        let (space, log) = (SpaceID(raw: .zero), ReplicaID(raw: .zero))
        let change = CommitRecord(
            position: CommitPosition(1), replica: log, first: SequenceNumber(1), last: SequenceNumber(1),
            status: .skipped)
        try store.begin()
        try store.put(SpaceRecord(id: space, name: "s", keys: [], incarnation: nil, position: .start))
        try store.put(space, SkippedRecord(change: change, reason: .unreadable, since: 1))
        try store.commit()
        for code in [3, -1, 256] {
            try Connection(path, .writer).execute("UPDATE skipped SET reason = \(code)")
            #expect { try store.skipped(space) } throws: { failure in
                guard case StoreFailure.unusable = failure else { return false }
                return "\(failure)".contains("why a change is skipped (\(code))")
            }
        }
    }

    @Test("a database of another program is refused")
    func foreign() throws {
        try Connection(path, .copy).execute("CREATE TABLE x(y); PRAGMA application_id = 7")
        #expect { _ = try SQLiteStore(path: path) } throws: { "\($0)".contains("not one of repld") }
    }

    @Test("a file that is no database is unusable")
    func garbage() throws {
        try Data(repeating: 0x41, count: 10_000).write(to: URL(fileURLWithPath: path))
        #expect { _ = try SQLiteStore(path: path) } throws: { failure in
            guard case StoreFailure.unusable(.file(path, .notReadable)) = failure else { return false }
            return "\(failure)".contains(path)
        }
    }

    @Test("the writer keeps WAL and full syncs")
    func pragmas() throws {
        let store = try SQLiteStore(path: path)
        func pragma(_ name: String) throws -> String? {
            try store.writer.first("PRAGMA \(name)") { $0.text(0) }
        }
        #expect(try pragma("journal_mode") == "wal")
        #expect(try pragma("synchronous") == "2")
        #expect(try pragma("wal_autocheckpoint") == "0")
    }

    @Test("a reader cannot write")
    func readOnly() throws {
        _ = try SQLiteStore(path: path)
        #expect(throws: StoreFailure.self) { try Connection(path, .reader).execute("DELETE FROM meta") }
    }

    private func write(_ store: inout SQLiteStore, _ rounds: Int, bytes: Int) throws {
        for round in 0..<rounds {
            // Another value each time: SQLite does not write pages that stay as they are.
            let value = [UInt8](repeating: UInt8(round), count: bytes)
            try store.begin()
            try store.setMeta("m\(round % 4)", value)
            try store.commit()
        }
    }

    private func walBytes() throws -> Int {
        var status = stat()
        return stat("\(path)-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    @Test("the WAL stays bounded while commits go on")
    func walBound() throws {
        var store = try SQLiteStore(path: path)
        try write(&store, 200, bytes: 400_000)
        #expect(try walBytes() < 16 << 20)
    }

    @Test("a reader that holds the WAL for too long is ended, and the WAL shrinks again")
    func expired() throws {
        var store = try SQLiteStore(path: path)
        try write(&store, 1, bytes: 10)
        let reader = try store.reader()
        #expect(try reader.meta("m0")?.count == 10)
        try write(&store, 70, bytes: 4_000_000)
        #expect(throws: StoreFailure.self) { try reader.meta("m0") }
        try write(&store, 4, bytes: 4_000_000)
        #expect(store.walFrames < StoreLimits.walFramesMax)
        #expect(try store.reader().meta("m0")?.count == 4_000_000)
    }

    @Test("readers are used again, and ended by letting go of them")
    func pool() throws {
        var store = try SQLiteStore(path: path)
        for round in 1...50 {
            try write(&store, 1, bytes: round)
            let readers = try (0..<6).map { _ in try store.reader() }
            for reader in readers { #expect(try reader.meta("m0")?.count == round) }
        }
        try write(&store, 20, bytes: 1_000_000)
        #expect(store.walFrames <= StoreLimits.checkpointFrames + 256, "nobody holds it")
    }

    @Test("a failed write leaves the store usable after a rollback")
    func recovers() throws {
        var store = try SQLiteStore(path: path)
        // A page limit stands for a full disk.
        try store.writer.execute("PRAGMA max_page_count = 100")
        #expect { try write(&store, 1, bytes: 4_000_000) } throws: { failure in
            guard case StoreFailure.full(.step(let step)) = failure else { return false }
            return step.path == path
        }
        store.rollback()
        #expect(try store.meta("m0") == nil)
        try write(&store, 1, bytes: 10)
        #expect(try store.meta("m0")?.count == 10)
    }
}

extension SQLiteStore {
    fileprivate var walFrames: Int32 { writer.walFrameCount }
}
