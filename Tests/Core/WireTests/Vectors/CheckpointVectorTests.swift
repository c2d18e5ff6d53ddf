// Checkpoints, acknowledgements, tables, pages and manifests against checkpoints.json, which
// Tests/Interop/checkpoint_vectors.py wrote from WIRE.md alone.

import Bytes
import Causality
import Crypto
import Documents
import Testing
import Wire

private let space = SpaceID(raw: Bytes32((0..<32).map { UInt8($0) }))

@Suite struct CheckpointVectorTests {
    private let file: VectorFile

    init() throws { file = try VectorFile("checkpoints") }

    /// A checkpoint as a roster holds it.
    private func operation(_ payload: [UInt8]) throws -> RosterOperation {
        let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 1, count: 32)))
        let body = RosterBody.unknown(kind: RosterBody.checkpointKind, payload)
        let made = RosterOperation(body, on: [.zero], at: Timestamp(milliseconds: 1), by: key)
        return try RosterOperation(decoding: made.bytes)
    }

    @Test("checkpoints decode to what they say, and encode to the same bytes")
    func bodies() throws {
        for one in try file.cases("bodies") {
            let operation = try operation(one.bytes("hex"))
            guard case .checkpoint(let body) = operation.body else {
                Issue.record("\(one.name) says nothing")
                continue
            }
            #expect(try canonicalJSON(body.described) == one.json("value"), "\(one.name)")
            let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 1, count: 32)))
            let again = RosterOperation(
                .checkpoint(body), on: operation.heads, at: operation.timestamp, by: key)
            #expect(again.bytes == operation.bytes, "\(one.name)")
        }
    }

    @Test("a checkpoint of other bytes says nothing and is kept as it is")
    func silent() throws {
        for one in try file.cases("silent") {
            let payload = try one.bytes("hex")
            let body = try operation(payload).body
            #expect(body == .unknown(kind: RosterBody.checkpointKind, payload), "\(one.name)")
            #expect(body.kindByte == 11)
        }
    }

    @Test("an acknowledgement says which checkpoint, and one of another form is void and canonical")
    func acknowledgements() throws {
        for one in try file.cases("acknowledgements") {
            let bytes = try one.bytes("hex")
            var coder = LogCoder(replica: ReplicaID(raw: Bytes16(try one.bytes("replica"))))
            let change = try decoded(bytes, with: &coder)
            let stamp = try #require(change.stamps().first)
            let operation = try #require(change.operations.first)
            let says = try one.text("says")
            #expect(operation.isStaticallyValid(stamp) == (says != "void"), "\(one.name)")
            switch operation.body {
            case .acknowledge(let checkpoint):
                #expect(checkpoint.map { Hex.encode($0.bytes) } ?? "none" == says, "\(one.name)")
                #expect(change.isAcknowledgement && !operation.touchesDocument)
                #expect(change.acknowledged == (checkpoint.map { [$0] } ?? []))
            default: #expect(says == "void" && !change.isAcknowledgement, "\(one.name)")
            }
            var again = LogCoder(replica: change.replica)
            #expect(encoded(change, with: &again) == bytes, "\(one.name)")
        }
    }

    @Test("tables decode to what they say, have the hash that names them, and encode to the same bytes")
    func tables() throws {
        for one in try file.cases("tables") {
            let bytes = try one.bytes("hex")
            let table = try CheckpointTable(of: space, decoding: bytes)
            #expect(try canonicalJSON(table.rows.map(\.described)) == one.json("rows"), "\(one.name)")
            #expect(table.encoded() == bytes && CheckpointTable(rows: table.rows) == table, "\(one.name)")
            #expect(Hex.encode(CheckpointTable.hash(of: bytes).bytes) == (try one.text("hash")))
            for row in table.rows {
                #expect(table.row(of: row.replica) == row && table.covered[row.replica] == row.last)
                #expect(table.released[row.replica] == row.previousLast)
            }
            #expect(table.row(of: ReplicaID(raw: Bytes16(high: 0, low: 0))) == nil)
            // The log that is closed right behind its boundary.
            #expect(table.ended.map(\.last.value) == (table.rows.count == 4 ? [4_096] : []))
        }
        try refused("invalidTables") { try CheckpointTable(of: space, decoding: $0).rows.count }
    }

    @Test("pages decode and encode to the same bytes")
    func pages() throws {
        for one in try file.cases("pages") {
            let bytes = try one.bytes("hex")
            let page = try BasePage(decoding: bytes)
            #expect(page.encoded() == bytes && BasePage(documents: page.documents) == page, "\(one.name)")
        }
        try refused("invalidPages") { try BasePage(decoding: $0).documents.count }
        try refused("invalidManifests") { try BaseManifest(decoding: $0).entries.count }
    }

    @Test("documents are cut into the pages of their manifest")
    func bases() throws {
        for one in try file.cases("bases") {
            let numbers = try ["first", "count", "small", "large", "every"].map { Int(try one.number($0)) }
            let documents = (numbers[0]..<numbers[0] + numbers[1]).map { number in
                let isLarge = number % numbers[4] == numbers[4] - 1
                return document(number, bytes: isLarge ? numbers[3] : numbers[2])
            }
            let pages = cut(documents)
            #expect(pages.map { Hex.encode($0.entry.hash.bytes) } == one.fields["pages"] as? [String])
            let bytes = try one.bytes("manifest")
            let manifest = try BaseManifest(decoding: bytes)
            #expect(manifest.entries == pages.map(\.entry) && manifest.encoded() == bytes, "\(one.name)")
            #expect(Hex.encode(BaseManifest.hash(of: bytes).bytes) == (try one.text("hash")))
            #expect(manifest.documentCount == documents.count)
            #expect(manifest.byteCount == pages.reduce(0) { $0 + $1.bytes.count })
            for (index, page) in pages.enumerated() {
                let decoded = try BasePage(decoding: page.bytes)
                let outline = try PageOutline(decoding: page.bytes)
                #expect(
                    manifest.holds(outline, at: index) && BasePage.hash(of: page.bytes) == page.entry.hash)
                for document in decoded.documents { #expect(manifest.index(of: document.key) == index) }
                for other in pages.indices where other != index {
                    #expect(!manifest.holds(outline, at: other))
                }
            }
            #expect(manifest.index(of: "e") == nil)
        }
    }

    @Test("a document that changes changes its own page, or few, whether or not it ends one")
    func localCuts() {
        let before = (0..<400).map { document($0, bytes: 5_000) }
        let hashes = Set(cut(before).map(\.entry.hash))
        for number in 0..<400 {
            var after = before
            after[number] = document(number, bytes: number % 3 == 0 ? 70_000 : 3)
            let changed = cut(after).count { !hashes.contains($0.entry.hash) }
            // Up to the next document whose key ends a page: 16 on average.
            #expect((1...12).contains(changed), "\(changed) pages for document \(number)")
        }
    }

    // MARK: Helpers

    private func document(_ number: Int, bytes: Int) -> BasePage.Document {
        let digits = "\(number)"
        let dot = Dot(
            ReplicaID(raw: Bytes16([UInt8](repeating: UInt8(number % 7), count: 16))),
            SequenceNumber(UInt64(number + 1)))
        return BasePage.Document(
            key: Key("d/" + String(repeating: "0", count: 5 - digits.count) + digits), frontier: [dot],
            snapshot: [UInt8](repeating: UInt8(number % 256), count: bytes))
    }

    private func cut(_ documents: [BasePage.Document]) -> [BasePager.Page] {
        var pager = BasePager()
        var pages = documents.compactMap { pager.add($0) }
        if let last = pager.finish() { pages.append(last) }
        return pages
    }

    private func refused(_ list: String, _ decode: ([UInt8]) throws -> Int) throws {
        for one in try file.cases(list) {
            do {
                _ = try decode(one.bytes("hex"))
                Issue.record("\(one.name) was accepted")
            } catch let fault as DecodeFault {
                #expect(fault.vectorName == (try one.text("fault")), "\(one.name)")
            }
        }
    }
}

extension CheckpointBody {
    fileprivate var described: [String: Any] {
        [
            "previous": previous.map { Hex.encode($0.bytes) } ?? "none", "witness": "\(witness)",
            "absent": absent.map { Hex.encode($0.publicKey.bytes) },
            "operations": "\(operationVersion.value)",
            "table": Hex.encode(table.bytes), "manifest": Hex.encode(manifest.bytes),
        ]
    }
}

extension CheckpointTable.Row {
    fileprivate var described: [String: String] {
        let boundary = boundary.map {
            "\($0.position.last) \($0.position.timestamp.milliseconds) \(Hex.encode($0.chainHash.bytes))"
        }
        return [
            "replica": "\(replica)", "device": Hex.encode(declaration.device.publicKey.bytes),
            "incarnation": "\(declaration.incarnation)", "last": "\(last)", "previousLast": "\(previousLast)",
            "time": "\(timestamp.milliseconds)", "chainHash": Hex.encode(chainHash.bytes),
            "boundary": boundary ?? "none", "closedAt": "\(closedAt ?? .none)",
            "acknowledged": acknowledged.map { Hex.encode($0.bytes) } ?? "none",
        ]
    }
}
