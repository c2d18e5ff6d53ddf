import Bytes
import Causality
import Crypto
import Documents
import Identity
import Wire

/// A device that writes one log, and everything that it sealed.
struct Author {
    static let space = SpaceID(raw: Bytes32((0..<32).map { UInt8($0) }))
    let key: SigningKey
    let declaration: Change.Declaration
    var log: LogState
    private(set) var changes: [VerifiedChange] = []
    private(set) var seals: [Seal] = []

    init(_ seed: UInt8, incarnation: UInt64 = 1) {
        key = SigningKey(seed: Secret(copying: [UInt8](repeating: seed, count: 32)))
        declaration = Change.Declaration(device: DeviceID(publicKey: key.publicKey), incarnation: incarnation)
        log = LogState(space: Self.space, declaration: declaration)
    }

    var replica: ReplicaID { log.replica }
    var bytes: [UInt8] { changes.flatMap(\.bytes) }

    /// Types `text` into a document, as one change.
    @discardableResult
    mutating func type(_ text: String, context: VersionVector = VersionVector()) throws -> VerifiedChange {
        let path = ContainerPath(generation: .first, steps: [ContainerStep(.key("body"), .text, .first)])
        let left = log.last == .none ? nil : Dot(replica, log.last)
        let operation = Operation(
            document: "note/1", body: .act(in: path, .insertText(left: left, right: nil, text)))
        let change = try log.author(
            timestamp: log.nextTimestamp(wall: 1_790_000_000_000), context: context, rosterHeads: [.zero],
            operations: [operation]
        ).verified
        changes.append(change)
        return change
    }

    /// As a store does: a seal that is made again takes the place of the one before.
    mutating func seal() {
        for seal in log.seal(with: key, keepsLast: true) {
            seals.removeAll { $0.last == seal.last }
            seals.append(seal)
        }
    }

    /// The sealed run of the changes that begin in `first...last`.
    func sealedRun(_ first: UInt64 = 1, through last: UInt64? = nil) -> SealedRun {
        let end = last.map { SequenceNumber($0) } ?? log.last
        let picked = changes.filter { $0.change.first.value >= first && $0.change.last <= end }
        let run = Run(
            replica: replica, first: SequenceNumber(first), last: end, bytes: picked.flatMap(\.bytes))
        return SealedRun(
            declaration: declaration, run: run,
            seals: seals.filter { $0.last.value >= first && $0.last <= end })
    }

    /// A peer that knows nothing of the log yet.
    func reader() -> LogState { LogState(space: Self.space, declaration: declaration) }
}
