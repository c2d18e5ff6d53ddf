// Seeds made by the project's own encoders: what the kept corpus in Tests/Fuzz/corpus was written from
// (`REPL_FUZZ_WRITE`, see Tests/Fuzz/FuzzTests). Small, so that a mutation often hits something that matters.

import Bytes
import Causality
import ControlAPI
import Crypto
import Documents
import Identity
import Roster
import SecureLink
import Wire

public enum FuzzSamples {
    public static func of(_ decoder: FuzzDecoder) -> [[UInt8]] {
        switch decoder {
        case .frames: FrameSamples.all
        case .changes: [log(FuzzKeys.declaration), log(FuzzKeys.declaration, transactions: edits + later)]
        case .run:
            [[0] + log(FuzzKeys.declaration), [1] + log(FuzzKeys.declaration, transactions: edits + later)]
        case .forks: ForkProperties.samples
        case .road: roads()
        case .block:
            [Block.pack(log(FuzzKeys.declaration)), Block.pack([UInt8](repeating: 65, count: 3_000)), [0]]
        case .columns: ColumnProperties.samples
        case .histories: HistorySeeds.all
        case .segment: segments()
        case .snapshot: [document(), document(edits + later)].map { $0.encodeSnapshot() }
        case .roster: RosterSamples.operations.map(\.bytes)
        case .join: RosterSamples.joining
        case .token: RosterSamples.texts
        case .link: LinkSamples.connections
        case .beacon: [[0] + LinkProperties.sampleBeacon, [1] + LinkProperties.beaconPlaintext]
        case .records: LinkSamples.records
        case .bundle: BundleProperties.samples
        case .stored: RosterSamples.stored
        case .json, .transaction, .typed, .request: TextSamples.of(decoder)
        }
    }

    // MARK: Documents and logs

    typealias Request = (path: [PathElement], verb: OperationRequest.Verb)

    /// One container of each kind, and a register.
    static let edits: [[Request]] = [
        [([.key("v")], .set(.scalar(.integer(1)))), ([.key("c")], .increment(by: 2))],
        [
            ([.key("m")], .set(.object([.init("k", .scalar(.string("x")))]))),
            ([.key("s")], .add(.string("a"))),
        ],
        [
            (
                [.key("l")],
                .insert(
                    .index(0),
                    [.scalar(.integer(1)), .object([.init("q", .scalar(.integer(2)))]), .scalar(.null)])
            )
        ],
        [
            ([.key("o")], .make(.orderedSet)),
            ([.key("o")], .insert(.index(0), [.scalar(.integer(1)), .scalar(.integer(2))])),
        ],
        [([.key("r")], .make(.removeWinsSet)), ([.key("r")], .add(.integer(3)))],
        [([.key("t")], .splice(index: 0, delete: 0, insert: "héllo"))],
    ]
    /// Deletes, moves and what comes after them.
    static let later: [[Request]] = [
        [
            ([.key("t")], .splice(index: 1, delete: 2, insert: "y")),
            ([.key("v")], .set(.scalar(.double(0.5)))),
        ],
        [([.key("l")], .move(.index(0), to: .index(2))), ([.key("o")], .move(.index(1), to: .index(0)))],
        [
            ([.key("l"), .index(0)], .delete), ([.key("r")], .remove(.integer(3))),
            ([.key("s")], .remove(.string("a"))),
        ],
        [([.key("m")], .delete), ([.key("m")], .make(.list))],
        [([], .delete)], [([.key("m")], .set(.scalar(.bool(true))))],
    ]

    static func document(_ transactions: [[Request]] = edits) -> Document {
        written(FuzzKeys.declaration, transactions, on: Document(key: "d"), context: VersionVector()).document
    }

    static func log(_ declaration: Change.Declaration, transactions: [[Request]] = edits) -> [UInt8] {
        written(declaration, transactions, on: Document(key: "d"), context: VersionVector()).bytes
    }

    /// The log of one author of a document, and the document after it.
    private static func written(
        _ declaration: Change.Declaration, _ transactions: [[Request]], on start: Document,
        context: VersionVector
    ) -> (bytes: [UInt8], document: Document) {
        var log = LogState(space: FuzzKeys.space, declaration: declaration)
        var document = start
        var bytes: [UInt8] = []
        for transaction in transactions {
            let timestamp = Timestamp(milliseconds: log.timestamp.milliseconds + 1_000)
            var operations: [Operation] = []
            var next = Dot(log.replica, log.next)
            for (path, verb) in transaction {
                let request = OperationRequest(document: "d", path: path, verb: verb)
                guard
                    let authored = try? document.author(
                        request, dot: next, timestamp: timestamp, context: context)
                else { preconditionFailure("\(request) does not fit") }
                operations += authored.operations
                for operation in authored.operations { next = next.advanced(by: operation.sequenceCount) }
            }
            guard
                let change = try? log.author(
                    timestamp: timestamp, context: context, rosterHeads: [TrustProperties.genesis.id],
                    operations: operations)
            else { preconditionFailure("a sample is over a limit") }
            bytes += change.bytes
        }
        return (bytes, document)
    }

    /// Two logs: apart, and the second one made on the first.
    static func roads() -> [[UInt8]] {
        let first = log(FuzzKeys.declaration)
        var context = VersionVector()
        context.advance(FuzzKeys.replica, to: SequenceNumber(19))
        let apart = log(FuzzKeys.otherDeclaration, transactions: edits + later)
        let after = written(FuzzKeys.otherDeclaration, later, on: document(), context: context).bytes
        let length = [UInt8(first.count >> 8), UInt8(truncatingIfNeeded: first.count)]
        return [length + first + apart, length + first + after]
    }

    private static func segments() -> [[UInt8]] {
        let bytes = log(FuzzKeys.declaration)
        let last = DataProperties.decode(bytes, of: FuzzKeys.replica)?.last?.last ?? SequenceNumber(1)
        let run = Run(replica: FuzzKeys.replica, first: SequenceNumber(1), last: last, bytes: bytes)
        let sealed = SealedRun(
            declaration: FuzzKeys.declaration, run: run, seals: [HostileSeal.make(at: last, chainHash: .zero)]
        )
        let segment = Segment.seal(
            sealed, in: FuzzKeys.space, contentKey: FuzzKeys.contentKey, nonce: FuzzKeys.nonce)
        return [[0] + segment.encoded(), [1] + Block.pack(bytes), [3, 0, 1, 2]]
    }
}

/// A frame of each type, its number in `DataProperties.frameForms` first.
private enum FrameSamples {
    private static func hash(_ byte: UInt8) -> Bytes32 { Bytes32([UInt8](repeating: byte, count: 32)) }

    static var all: [[UInt8]] {
        let addresses = ["10.0.0.7:21420", "[fe80::1]:21420", "box.lan:1"].compactMap(PeerAddress.init)
        let have = [FuzzKeys.replica, FuzzKeys.otherReplica].sorted().map {
            HaveFrame.Entry(replica: $0, last: SequenceNumber(300), fingerprint: 7)
        }
        let bodies: [any FrameBody] = [
            RosterHaveFrame(heads: [hash(1), hash(2)], summary: [hash(3)]),
            RosterOperationsFrame(operations: [[1, 2, 3], [], [4]]), HaveFrame(.full, have),
            HaveFrame(.delta, []),
            DigestFrame(
                vectorHash: hash(1), rosterHash: hash(2), exceptionsHash: .zero, documentsDigest: hash(4)),
            PeersFrame([
                PeersFrame.Entry(device: DeviceID(publicKey: hash(1)), addresses: addresses),
                PeersFrame.Entry(device: DeviceID(publicKey: hash(2)), addresses: []),
            ]),
            JoinProofFrame(body: [1, 2, 3]), JoinAnswerFrame(body: []), ReceivedFrame(bytes: 1 << 40),
            DigestPartsFrame(of: .zero, parts: (0..<256).map { $0 * 3 }),
            DigestDocumentsFrame(
                of: .zero, part: 7, lines: [.init(key: "a", digest: .zero), .init(key: "b", digest: .zero)]),
            ForksFrame(hash: hash(5), entries: nil),
            ForksFrame(
                hash: hash(5),
                entries: [.init(replica: FuzzKeys.replica, first: SequenceNumber(9), trunkHash: hash(6))]),
            ForkBoundariesFrame(
                replica: FuzzKeys.replica, entries: [.init(last: SequenceNumber(4_096), chainHash: hash(7))]),
            GraftFrame([FuzzKeys.replica]), PruneFrame([]), NeighbourFrame(links: 7, isNeeded: true),
            WalkFrame(stops: 3, device: DeviceID(publicKey: hash(1)), addresses: addresses),
            ForkAskFrame(replica: FuzzKeys.replica, first: SequenceNumber(9), from: SequenceNumber(10)),
            BaseOfferFrame(checkpoint: hash(1), collected: hash(2), logBytes: 1 << 33, baseBytes: 7),
            BaseAskFrame([.init(hash(1)), .init(hash(2), from: 300)]),
            BasePartFrame(of: [1, 2, 3], hash: hash(3), from: 1), BaseNoneFrame(hash: hash(4)),
        ]
        return bodies.compactMap { body in
            DataProperties.frameForms.firstIndex { $0.type == type(of: body).type }.map {
                [UInt8($0)] + body.encoded()
            }
        }
    }
}
