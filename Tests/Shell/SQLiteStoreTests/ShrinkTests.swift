// How the database gets smaller again, and what a database of before schema 6 can do of it.

import Bytes
import Causality
import Foundation
import Node
import Testing
import Wire

@testable import SQLiteStore

private let home = SpaceID(raw: .zero)
private let log = ReplicaID(raw: .zero)

@Suite struct ShrinkTests {
    private let folder: Folder
    private let path: String

    init() throws {
        folder = try Folder()
        path = try folder.emptyDatabase()
    }

    private func bytes(_ suffix: String = "") -> Int {
        var status = stat()
        return stat(path + suffix, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The database as a release before schema 6 left it, with these rows.
    private func makeOld(_ rows: String = "") throws {
        let steps = Schema.steps[..<5].joined(separator: ";\n")
        try Connection(path, .copy).execute(
            steps + """
                ;
                PRAGMA application_id = \(Schema.applicationID);
                PRAGMA user_version = 5;
                INSERT INTO spaces(id, name, keys, position, documents)
                VALUES (zeroblob(32), 's', x'01', 0, 0);
                INSERT INTO logs(space, replica) VALUES (1, zeroblob(16));
                \(rows)
                """)
    }

    private func fill(_ store: inout SQLiteStore, values: Int) throws {
        for number in 0..<values {
            try store.begin()
            try store.setMeta("m\(number)", [UInt8](repeating: UInt8(number % 251), count: 20_000))
            try store.commit()
        }
    }

    @Test("free pages go back to the file system a few at a time, and the WAL becomes short")
    func shrinks() throws {
        var store = try SQLiteStore(path: path)
        #expect(try store.canShrink())
        #expect(try !store.shrink(pagesMax: 100), "nothing is free")
        try fill(&store, values: 400)
        try store.begin()
        for number in 0..<400 where number != 399 { try store.setMeta("m\(number)", nil) }
        try store.commit()
        let reader = try store.reader()
        #expect(bytes() > 4 << 20 || bytes("-wal") > 4 << 20)
        var steps = 1
        while try store.shrink(pagesMax: 100) { steps += 1 }
        #expect(steps > 15)
        // A reader that was opened before goes on, and holds the WAL.
        #expect(try reader.meta("m399")?.count == 20_000 && store.meta("m399")?.count == 20_000)
        #expect(try reader.meta("m3") == nil)
        withExtendedLifetime(reader) {}
        #expect(try !store.shrink(pagesMax: 100))
    }

    @Test("without readers the file is as small as what is in it when shrinking is done")
    func small() throws {
        var store = try SQLiteStore(path: path)
        try fill(&store, values: 400)
        try store.begin()
        for number in 0..<400 { try store.setMeta("m\(number)", nil) }
        try store.commit()
        while try store.shrink(pagesMax: 1_000) {}
        #expect(bytes() < 256 << 10 && bytes("-wal") == 0)
        try fill(&store, values: 1)
        #expect(try SQLiteStore(path: path).meta("m0")?.count == 20_000)
    }

    @Test("a small database of before is written anew when it is opened, and can shrink from then on")
    func oldAndSmall() throws {
        try makeOld("INSERT INTO meta VALUES ('m', x'0102');")
        #expect(try Schema.pragma("auto_vacuum", of: Connection(path, .copy)) == 0)
        var store = try SQLiteStore(path: path)
        #expect(try store.canShrink() && store.meta("m") == [1, 2] && store.heads(home).isEmpty)
        try fill(&store, values: 50)
        try store.begin()
        for number in 0..<50 { try store.setMeta("m\(number)", nil) }
        try store.commit()
        while try store.shrink(pagesMax: 100) {}
        #expect(bytes() < 256 << 10)
    }

    @Test("a large database of before stays as it is until somebody asks for it")
    func oldAndLarge() throws {
        try makeOld("INSERT INTO meta VALUES ('m', zeroblob(100000));")
        let connection = try Connection(path, .writer)
        try Schema.migrate(connection)
        try connection.compactIfSmall(bytesMax: 100_000)
        #expect(try Schema.pragma("auto_vacuum", of: connection) == 0)
        #expect(try !connection.shrink(pagesMax: 10), "it has no means to")
        try connection.compact()
        #expect(try Schema.pragma("auto_vacuum", of: connection) == 2)
        #expect(try connection.first("PRAGMA temp_store") { $0.integer(0) } == 2)
        #expect(try SQLiteStore(path: path).meta("m")?.count == 100_000)
    }

    @Test("a disk that is too full to write it anew lets an old database be opened all the same")
    func full() throws {
        try makeOld("INSERT INTO meta VALUES ('m', zeroblob(1000000));")
        let connection = try Connection(path, .writer)
        // A page limit stands for a full disk: written anew it needs a page more, which maps the others. As
        // it was before its tables are moved: those leave pages free.
        try connection.execute("PRAGMA max_page_count = 1")
        try connection.compactIfSmall()
        #expect(try Schema.pragma("auto_vacuum", of: connection) == 0)
        #expect(try SQLiteStore(path: path).meta("m")?.count == 1_000_000)
    }

    @Test("a migration that is cut off is made whole by the next start")
    func interrupted() throws {
        try makeOld("INSERT INTO meta VALUES ('m', x'0102');")
        do {
            let connection = try Connection(path, .writer)
            try connection.execute("BEGIN IMMEDIATE; \(Schema.steps[5]); PRAGMA user_version = 6")
        }
        #expect(try Schema.pragma("user_version", of: Connection(path, .reader)) == 5)
        let store = try SQLiteStore(path: path)
        #expect(try store.meta("m") == [1, 2] && store.baseBytes(home) == (0, 0))
        #expect(try Schema.pragma("user_version", of: store.writer) == Int64(Schema.steps.count))
    }

    @Test("runs of before schema 6 are counted, and collected with what names their changes")
    func oldRuns() throws {
        // Two changes at 1 and one at 3; the run at 4 is of a second log.
        try makeOld(
            """
            INSERT INTO logs(space, replica) VALUES (1, x'01010101010101010101010101010101');
            INSERT INTO runs VALUES (1 << 40 | 1, 1, 1, 2, 2, 0, x'0404', x'AABB');
            INSERT INTO runs VALUES (1 << 40 | 3, 1, 3, 3, 1, 0, x'05', x'CC');
            INSERT INTO runs VALUES (1 << 40 | 4, 2, 1, 1, 1, 7, x'04', x'DDDDDD');
            INSERT INTO boundaries VALUES (1, 3, x'01');
            INSERT INTO touched VALUES (1, x'61', 1, 1, 1, 1, 0);
            INSERT INTO touched VALUES (1, x'62', 1, 1, 1, 1, 0);
            INSERT INTO touched VALUES (1, x'61', 2, 1, 2, 2, 0);
            INSERT INTO touched VALUES (1, x'61', 4, 2, 1, 1, 0);
            """)
        var store = try SQLiteStore(path: path)
        #expect(try store.logBytes(home) == 6 && store.documentCount(home) == 7)
        func touched() throws -> [[Key]] {
            try store.touched(home, after: .start, limit: 9).map(\.keys)
        }
        #expect(try touched() == [["a", "b"], ["a"], [], ["a"]])
        // A void one that counts after all, and a run of today beside it.
        let void = try store.commits(home, after: CommitPosition(2), limit: 1)
        try store.begin()
        try store.mark(home, void, touched: [["c"]], as: .executed)
        let record = CommitRecord(
            position: CommitPosition(5), replica: log, first: SequenceNumber(4), last: SequenceNumber(4),
            status: .executed)
        let run = StoredRun(
            replica: log, first: record.first, last: record.last, position: record.position, changes: 1,
            bytes: [0xEE])
        try store.append(home, run, changes: [record], touched: [["a", "d"]])
        try store.commit()
        #expect(try touched() == [["a", "b"], ["a"], ["c"], ["a"], ["a", "d"]])
        try store.begin()
        let part = try store.collect(home, log, through: SequenceNumber(3), keeping: [], rowsMax: 99)
        try store.commit()
        #expect(part == (rows: 6, bytes: 3, isDone: true))
        #expect(try touched() == [["a"], ["a", "d"]] && store.logBytes(home) == 4)
        let rows = try store.writer.first("SELECT count(*) FROM touched") { $0.integer(0) }
        #expect(rows == 3)
        #expect(try store.commits(home, touching: "a", after: .start, limit: 9).count == 2)
    }

    @Test("documents of a run read back as they were written, and damage is told")
    func runKeys() throws {
        let touched: [[Key]] = [
            ["note/1", "note/12"], [], ["", "note/2", "other"], ["\u{e9}", "e\u{301}"],
        ]
        let bytes = StoredForms.encode(keysOf: touched)
        #expect(bytes.count == 41)
        #expect(try StoredForms.keys(bytes, count: 4, in: path) == touched)
        for (length, count) in [(bytes.count - 1, 4), (bytes.count, 3), (bytes.count, 5)] {
            #expect { try StoredForms.keys(Array(bytes.prefix(length)), count: count, in: path) } throws: {
                "\($0)".contains("the documents of a run")
            }
        }
    }
}
