// Bases and candidates of before schema 7, a row each, become blocks.

import Bytes
import Causality
import Foundation
import Node
import Testing
import Wire

@testable import SQLiteStore

private let home = SpaceID(raw: .zero)
private let other = SpaceID(raw: Bytes32([UInt8](repeating: 1, count: 32)))

@Suite struct BlockMigrationTests {
    private let folder: Folder
    private let path: String

    init() throws {
        folder = try Folder()
        path = try folder.emptyDatabase()
    }

    private static let dot = Dot(ReplicaID(raw: Bytes16(high: 1, low: 2)), SequenceNumber(1 << 40))

    private static func base(_ number: Int, of space: Int) -> BaseRecord {
        BaseRecord(
            key: Key("k\(1_000 + number)"), isVisible: number % 3 > 0,
            frontier: number.isMultiple(of: 2) ? [dot] : [], position: CommitPosition(UInt64(number % 7)),
            // Each seventh lies apart; empty ones are there too.
            bytes: [UInt8](repeating: UInt8(space), count: number % 7 == 0 ? 700 + number : number % 50))
    }

    private static func candidate(_ number: Int) -> CandidateRecord {
        CandidateRecord(
            key: Key("c\(1_000 + number)"), isVisible: number % 5 != 0, frontier: [dot],
            bytes: number % 5 == 0 ? nil : [UInt8](repeating: 9, count: number * 10))
    }

    /// The database as a release of schema 6 left it.
    private func makeOld() throws {
        let connection = try Connection(path, .copy)
        try connection.execute(Schema.steps[..<6].joined(separator: ";\n"))
        try connection.execute(
            """
            PRAGMA application_id = \(Schema.applicationID);
            PRAGMA user_version = 6;
            INSERT INTO spaces(id, name, keys, position, documents, bases, base_bytes)
            VALUES (zeroblob(32), 's', x'01', 0, 0, 200, 0), (x'\(String(repeating: "01", count: 32))',
            't', x'01', 0, 0, 30, 0);
            """)
        for (space, count) in [(1, 200), (2, 30)] {
            for number in 0..<count {
                let base = Self.base(number, of: space)
                var bytes: SQLValue = .blob(base.bytes)
                if base.bytes.count > 512 {
                    let row = space * 1_000 + number
                    try connection.run("INSERT INTO large_bases VALUES (?, ?)", [.integer(row), bytes])
                    bytes = .integer(row)
                }
                try connection.run(
                    "INSERT INTO bases VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        .integer(space), .blob(base.key), .integer(base.isVisible ? 1 : 0),
                        .integer(Int64(base.position.value)), .blob(StoredForms.encode(base.frontier)), bytes,
                    ])
            }
        }
        for number in 0..<100 {
            let candidate = Self.candidate(number)
            try connection.run(
                "INSERT INTO candidates VALUES (2, ?, ?, ?, ?)",
                [
                    .blob(candidate.key), .integer(candidate.isVisible ? 1 : 0),
                    .blob(StoredForms.encode(candidate.frontier)),
                    candidate.bytes.map { .blob($0) } ?? .null,
                ])
        }
    }

    private func check(_ store: SQLiteStore) throws {
        for (space, count) in [(1, 200), (2, 30)] {
            let id = space == 1 ? home : other
            let bases = (0..<count).map { Self.base($0, of: space) }
            #expect(try store.bases(id, after: nil, limit: .max) == bases)
            for base in bases { #expect(try store.base(id, base.key) == base) }
            let shown = try store.documents(id, prefix: "", after: nil, limit: .max)
            #expect(shown == bases.filter(\.isVisible).map(\.record))
        }
        #expect(try store.candidates(home, after: nil, limit: .max).isEmpty)
        #expect(try store.candidates(other, after: nil, limit: .max) == (0..<100).map(Self.candidate))
    }

    @Test("a database of schema 6 keeps its bases and candidates, and those of a space go with it")
    func moved() throws {
        try makeOld()
        var store = try SQLiteStore(path: path)
        try check(store)
        try check(SQLiteStore(path: path))
        let figures = try store.writer.first(
            "SELECT count(*), sum(documents), sum(bytes), max(length(content)) FROM blocks WHERE space = 1"
        ) { ($0.integer(0), $0.integer(1), $0.integer(2), $0.integer(3)) }
        let (blocks, documents, bytes, longest) = try #require(figures)
        let all = (0..<200).reduce(0) { $0 + Self.base($1, of: 1).size }
        #expect(documents == 200 && bytes == Int64(all) && (2...20).contains(blocks))
        #expect(longest <= Int64(StoreLimits.blockBytesAim))
        try store.begin()
        try store.remove(home)
        try store.commit()
        let left = try store.writer.first(
            "SELECT (SELECT count(*) FROM blocks WHERE space = 1), count(*) FROM large_snapshots"
        ) { ($0.integer(0), $0.integer(1)) }
        #expect(try #require(left) == (0, Int64((0..<30).count { $0 % 7 == 0 } + 39)))
    }

    @Test("a migration that is cut off is made whole by the next start")
    func interrupted() throws {
        try makeOld()
        do {
            let connection = try Connection(path, .writer)
            try connection.execute("BEGIN IMMEDIATE; \(Schema.step7)")
            try Schema.moveToBlocks(connection)
        }
        #expect(try Schema.pragma("user_version", of: Connection(path, .reader)) == 6)
        try check(SQLiteStore(path: path))
    }
}
