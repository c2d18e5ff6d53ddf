// Snapshots that were kept, of each version so far (Tests/Vectors/documents/snapshots.json): a disk that an
// older repld wrote must open, show what it showed, and go on. They are never made anew to turn a test green.

import Bytes
import Causality
import Foundation
import Testing

@testable import Documents

@Suite("Kept snapshots") struct SnapshotVectorTests {
    private struct File: Decodable {
        struct Kept: Decodable {
            let name: String
            let version: UInt8
            let hex: String
            /// What it shows, and the typed view, as canonical JSON.
            let plain: String
            let typed: String
            /// The same state as the present version writes it.
            let present: String
        }

        struct Refused: Decodable {
            let name: String
            let hex: String
            let version: UInt64
        }

        let kept: [Kept]
        let refused: [Refused]
    }

    private static func read() throws -> File {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let file = folder.appendingPathComponent("Vectors/documents/snapshots.json")
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: file))
    }

    private static func text(_ document: Document) -> (plain: String, typed: String) {
        var (plain, typed): ([UInt8], [UInt8]) = ([], [])
        CanonicalJSON.append(document.plain ?? .emptyObject, to: &plain)
        if let value = document.typed { CanonicalJSON.append(value, to: &typed) }
        return (String(decoding: plain, as: UTF8.self), String(decoding: typed, as: UTF8.self))
    }

    @Test("a snapshot of each version opens, shows what it showed, and is written as the present version")
    func kept() throws {
        let file = try Self.read()
        #expect(Set(file.kept.map(\.version)) == Set(1...SnapshotEncoder.version))
        for one in file.kept {
            let bytes = try #require(Hex.decode(one.hex))
            #expect(bytes.first == one.version, "\(one.name)")
            let document = try Document(snapshot: bytes)
            document.checkInvariants()
            #expect(Hex.encode(document.encodeSnapshot()) == one.present, "\(one.name)")
            let (plain, typed) = Self.text(document)
            #expect(plain == one.plain && typed == one.typed, "\(one.name)")
        }
    }

    @Test("what was kept takes edits, in the versions alike")
    func edited() throws {
        var seen = VersionVector()
        for author in 1...2 as ClosedRange<UInt64> {
            seen.advance(ReplicaID(raw: Bytes16(high: author, low: 7)), to: SequenceNumber(1_000))
        }
        for one in try Self.read().kept {
            var ends: [[UInt8]] = []
            for hex in [one.hex, one.present] {
                var document = try Document(snapshot: try #require(Hex.decode(hex)))
                var dot = Dot(ReplicaID(raw: Bytes16(high: 7, low: 7)), SequenceNumber(1))
                for (path, verb) in [
                    ([.key("t")], .splice(index: 1, delete: 1, insert: "é!")),
                    ([.key("l")], .insert(.index(0), ["new"])), ([.key("c")], .increment(by: 5)),
                ] as [([PathElement], OperationRequest.Verb)] {
                    let authored = try document.author(
                        OperationRequest(document: document.key, path: path, verb: verb), dot: dot,
                        timestamp: Timestamp(milliseconds: 9_000), context: seen)
                    for operation in authored.operations {
                        dot = dot.advanced(by: operation.sequenceCount)
                    }
                }
                document.checkInvariants()
                ends.append(document.encodeSnapshot())
            }
            #expect(ends[0] == ends[1], "\(one.name)")
            #expect(Hex.encode(ends[0]) != one.present, "\(one.name)")
        }
    }

    @Test("a version that is to come is refused by its number")
    func refused() throws {
        for one in try Self.read().refused {
            let bytes = try #require(Hex.decode(one.hex))
            #expect(throws: DecodeFault.unknownTag(field: "snapshot version", value: one.version)) {
                try Document(snapshot: bytes)
            }
        }
    }
}
