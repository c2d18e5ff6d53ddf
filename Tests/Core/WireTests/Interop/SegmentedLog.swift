// One author's log in segments, as it travels: short ones as they are, long changes under zstd, typing as
// columns; over boundaries, which are sealed.

import Bytes
import Causality
import Crypto
import Documents
import Wire

@testable import Identity

struct SegmentedLog {
    static let space = SpaceID(raw: Bytes32((0..<32).map { UInt8($0 * 3) }))
    static let contentKey = Secret(copying: [UInt8](repeating: 0x5C, count: 32))
    private(set) var changes: [CanonicalChange] = []
    private(set) var segments: [[UInt8]] = []
    /// What is in them.
    private(set) var runs: [SealedRun] = []
    /// First byte of each segment's block.
    private(set) var codecs: [UInt8] = []
    private let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 0x21, count: 32)))
    private let declaration: Change.Declaration
    private var log: LogState
    private var pending: [UInt8] = []
    private var first = SequenceNumber(1)
    private var random: SeededGenerator

    /// A log of which `rounds` segments are made.
    init(seed: UInt64, rounds: Int, in space: SpaceID = Self.space) throws {
        random = SeededGenerator(seed: seed)
        declaration = Change.Declaration(device: DeviceID(publicKey: key.publicKey), incarnation: 7_777)
        log = LogState(space: space, declaration: declaration)
        for round in 0..<rounds {
            switch round % 4 {
            // Columns are of runs that begin where a section does.
            case 0: try type("x", times: Int.random(in: 200...300, using: &random))
            case 1: try type("short", times: 1)
            case 2: try type(String(repeating: "many words \(round) ", count: 70), times: 6)
            default: repeat { try type("to the boundary", times: 1) } while !log.isAtBoundary
            }
            send(round, in: space)
        }
    }

    private mutating func type(_ text: String, times: Int) throws {
        let path = ContainerPath(generation: .first, steps: [ContainerStep(.key("body"), .text, .first)])
        for _ in 0..<times {
            let left = log.last == .none ? nil : Dot(log.replica, log.last)
            let operation = Operation(
                document: "note/1", body: .act(in: path, .insertText(left: left, right: nil, text)))
            var context = VersionVector()
            context.advance(
                ReplicaID(raw: Bytes16(high: 3, low: 3)), to: SequenceNumber(log.last.value / 1_000 + 1))
            let change = try log.author(
                timestamp: log.nextTimestamp(wall: 1_790_000_000_000), context: context, rosterHeads: [.zero],
                operations: [operation])
            pending += change.bytes
            changes.append(CanonicalChange(replica: "\(log.replica)", hex: Hex.encode(change.bytes)))
        }
    }

    private mutating func send(_ round: Int, in space: SpaceID) {
        let run = Run(replica: log.replica, first: first, last: log.last, bytes: pending)
        codecs.append(Block.pack(run)[0])
        let sealed = SealedRun(declaration: declaration, run: run, seals: log.seal(with: key))
        runs.append(sealed)
        segments.append(Self.segment(sealed, round, in: space))
        (pending, first) = ([], log.next)
    }

    private static func segment(_ run: SealedRun, _ number: Int, in space: SpaceID = space) -> [UInt8] {
        let nonce = (0..<24).map { UInt8($0 * 7 + number & 255) }
        return Segment.seal(run, in: space, contentKey: contentKey, nonce: nonce).encoded()
    }

    /// The log with other things in its third segment, in which a boundary lies.
    func bent() -> [(name: String, runs: [SealedRun], segments: [[UInt8]])] {
        let (whole, last) = (runs[2], runs[2].seals.count - 1)
        func with(_ seals: [Seal], _ run: Run? = nil) -> SealedRun {
            SealedRun(declaration: declaration, run: run ?? whole.run, seals: seals)
        }
        func seal(at last: SequenceNumber, over hash: Bytes32) -> Seal {
            Seal.make(space: Self.space, replica: whole.replica, last: last, chainHash: hash, with: key)
        }
        func ending(_ bytes: [UInt8]) -> Run {
            Run(
                replica: whole.replica, first: whole.run.first, last: whole.run.last, bytes: bytes)
        }
        let (seals, bytes) = (whole.seals, whole.run.bytes)
        let forged = Seal(
            replica: whole.replica, last: whole.run.last, chainHash: seals[last].chainHash,
            signature: seals[0].signature)
        let inside = seal(at: whole.run.last.previous, over: seals[last].chainHash)
        let variants: [(String, SealedRun)] = [
            ("as it is", whole),
            ("a boundary without its seal", with([seals[last]])),
            ("a seal over another chain", with([seals[0], seal(at: whole.run.last, over: .zero)])),
            ("another's signature", with([seals[0], forged])),
            ("a seal inside a change", with([seals[0], inside, seals[last]])),
            ("a byte less", with(seals, ending(Array(bytes.dropLast())))),
            ("a byte more", with(seals, ending(bytes + [0]))),
            ("another byte", with(seals, ending(bytes.map { $0 == 0x6D ? 0x6E : $0 }))),
        ]
        return variants.map { name, run in
            let all = [runs[0], runs[1], run]
            return (name, all, all.enumerated().map { Self.segment($1, $0) })
        }
    }

    /// As a vector has it.
    func fields(_ name: String) -> [String: Any] {
        [
            "name": name, "space": "\(Self.space)",
            "contentKey": Hex.encode([UInt8](repeating: 0x5C, count: 32)),
            "segments": segments.map { Hex.encode($0) }, "changes": changes.map(\.fields),
        ]
    }
}
