// Bundles against bundles.json, which Tests/Interop/bundle_vectors.py wrote from WIRE.md alone.

import Bytes
import Causality
import Crypto
import Testing
import Wire

@Suite struct BundleVectorTests {
    private let file: VectorFile

    init() throws { file = try VectorFile("bundles") }

    private func box(_ hex: String) throws -> AgreementKey {
        AgreementKey(secret: Secret(copying: try #require(Hex.decode(hex))))
    }

    /// Everything in a bundle, which comes in pieces of so many bytes; nil when it is not for this box.
    private func read(_ bytes: [UInt8], with box: AgreementKey, pieceBytes: Int) throws(BundleFault)
        -> [BundlePiece]?
    {
        var reader = BundleReader()
        var pieces: [BundlePiece] = []
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            reader.append(bytes[start..<min(bytes.count, start + pieceBytes)])
            if let head = try reader.nextHead() {
                guard let key = head.recordKey(with: box) else { return nil }
                reader.begin(with: key)
            }
            while let piece = try reader.next() { pieces.append(piece) }
        }
        try reader.finish()
        return pieces
    }

    @Test("bundles open for each of their boxes and for no other, whatever the pieces they come in")
    func valid() throws {
        for one in try file.cases("valid") {
            let bytes = try one.bytes("hex")
            var reader = BundleReader()
            reader.append(bytes)
            let head = try #require(try reader.nextHead())
            #expect(try head.space.raw.bytes == one.bytes("space"), "\(one.name)")
            #expect(bytes.starts(with: head.encoded()), "\(one.name)")
            let records = try one.list("records")
            for secret in try #require(one.fields["boxes"] as? [String]) {
                for pieceBytes in [1, 13, bytes.count] {
                    let pieces = try #require(try read(bytes, with: box(secret), pieceBytes: pieceBytes))
                    #expect(pieces.count == records.count, "\(one.name)")
                    for (piece, record) in zip(pieces, records) {
                        #expect(try piece.offset == record.number("offset"), "\(one.name)")
                        #expect(try piece.record.kind == record.text("kind"), "\(one.name)")
                        // Of what is passed over only the kind is kept.
                        if case .unknown = piece.record { continue }
                        #expect(try piece.record.encoded() == record.bytes("hex"), "\(one.name)")
                        guard case .statement(let statement) = piece.record else { continue }
                        #expect(statement.isSigned(in: head.space))
                        #expect(!statement.isSigned(in: SpaceID(raw: .zero)))
                    }
                }
            }
            for secret in try #require(one.fields["others"] as? [String]) {
                #expect(try read(bytes, with: box(secret), pieceBytes: bytes.count) == nil, "\(one.name)")
            }
        }
    }

    @Test("what is sealed again with the key of a head has the bytes that the head's bundle has")
    func again() throws {
        let one = try #require(try file.cases("valid").first)
        let bytes = try one.bytes("hex")
        let secret = try #require((one.fields["boxes"] as? [String])?.first)
        var reader = BundleReader()
        reader.append(bytes)
        let head = try #require(try reader.nextHead())
        var writer = BundleWriter(key: try #require(head.recordKey(with: try box(secret))))
        var again = head.encoded()
        for piece in try #require(try read(bytes, with: box(secret), pieceBytes: bytes.count)) {
            // Those that another version wrote have other bytes, and from there on so has the end.
            if case .unknown = piece.record { break }
            again += writer.seal(piece.record)
        }
        #expect(bytes.starts(with: again) && again.count > head.encoded().count)
    }

    @Test("the invalid ones are refused at the byte and for the reason they say", arguments: [1, 7, 1 << 20])
    func invalid(pieceBytes: Int) throws {
        for one in try file.cases("invalid") {
            let (bytes, box) = (try one.bytes("hex"), try box(try one.text("box")))
            do throws(BundleFault) {
                _ = try read(bytes, with: box, pieceBytes: pieceBytes)
                Issue.record("\(one.name) was accepted")
            } catch {
                #expect(error.reason.vectorName == (try one.text("reason")), "\(one.name)")
                #expect(error.offset == (try one.number("offset")), "\(one.name)")
            }
        }
    }
}

extension BundleRecord {
    fileprivate var kind: String {
        switch self {
        case .roster: "roster"
        case .forkProof: "fork-proof"
        case .base: "base"
        case .basePart: "base-part"
        case .segment: "segment"
        case .statement: "statement"
        case .end: "end"
        case .unknown: "unknown"
        }
    }
}

extension BundleFault.Reason {
    fileprivate var vectorName: String {
        switch self {
        case .notBundle: "not bundle"
        case .version: "version"
        case .malformed(let fault): fault.vectorName
        case .notAuthentic: "not authentic"
        case .endsEarly: "ends early"
        case .goesOn: "goes on"
        case .countDiffers: "count differs"
        }
    }
}
