// One author's log in segments, as it travels: short ones as they are, long changes under zstd, typing as
// columns; over boundaries, which are sealed.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Wire

struct SegmentedLog {
    static let space = SpaceID(raw: Bytes32((0..<32).map { UInt8($0 * 3) }))
    static let contentKey = Secret(copying: [UInt8](repeating: 0x5C, count: 32))
    private(set) var changes: [CanonicalChange] = []
    private(set) var segments: [[UInt8]] = []
    /// First byte of each segment's block.
    private(set) var codecs: [UInt8] = []
    private let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 0x21, count: 32)))
    private let declaration: Change.Declaration
    private var log: LogState
    private var pending: [UInt8] = []
    private var first = SequenceNumber(1)
    private var random: SeededGenerator

    /// A log of which `rounds` segments are made.
    init(seed: UInt64, rounds: Int) throws {
        random = SeededGenerator(seed: seed)
        declaration = Change.Declaration(device: DeviceID(publicKey: key.publicKey), incarnation: 7_777)
        log = LogState(space: Self.space, declaration: declaration)
        for round in 0..<rounds {
            switch round % 4 {
            // Columns are of runs that begin where a section does.
            case 0: try type("x", times: Int.random(in: 200...300, using: &random))
            case 1: try type("short", times: 1)
            case 2: try type(String(repeating: "many words \(round) ", count: 70), times: 6)
            default: repeat { try type("to the boundary", times: 1) } while !log.isAtBoundary
            }
            send(round)
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

    private mutating func send(_ round: Int) {
        let run = Run(replica: log.replica, first: first, last: log.last, bytes: pending)
        codecs.append(Block.pack(run)[0])
        let sealed = SealedRun(declaration: declaration, run: run, seals: log.seal(with: key))
        let nonce = (0..<24).map { UInt8($0 * 7 + round & 255) }
        segments.append(
            Segment.seal(sealed, in: Self.space, contentKey: Self.contentKey, nonce: nonce).encoded())
        (pending, first) = ([], log.next)
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
