// What a hostile member knows and can make: the keys and the log of a node that once was honest, and changes
// signed with its device key that are valid, half valid, or not at all.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Node
import Roster
import SecureLink
import Wire

/// A node that turned against the others.
struct Traitor {
    let index: Int
    let key: SigningKey
    let keys: SpaceKeys
    let heads: [Bytes32]
    /// What it held of logs when it turned, and whether it was an admin then.
    let heldThen: VersionVector
    let hasRight: Bool
    /// What its next roster operation names.
    var rosterHeads: [Bytes32]
    /// Sealed runs of others, as its disk had them: to be altered.
    let others: [(log: LogState, run: StoredRun, seal: Seal)]
    var links: [HostileLink] = []
    /// Devices that it let in.
    var accomplices: [SigningKey] = []
    /// Its valid log.
    var log: LogState
    /// Logs as a node told them last, from their beginnings.
    private var overheard: [ReplicaID: [SealedRun]] = [:]
    /// A log that it tells in two ways: segments of each, and how it goes on.
    private var twins: [(log: LogState, told: [[UInt8]])] = []
    /// Nonces of segments that it was sent, with a hash of the body that came with them.
    var nonces: [[UInt8]: UInt64] = [:]

    /// Nil when the disk does not hold the space yet.
    init?(
        _ index: Int, _ key: SigningKey, _ disk: MemoryStore, in space: SpaceID, _ dice: inout SeededGenerator
    ) {
        do {
            guard let record = try disk.spaces().first(where: { $0.id == space }) else { return nil }
            keys = try SpaceKeys(decoding: record.keys, of: space)
            let operations = try disk.rosterOperations(space)
            guard let genesis = operations.first else { return nil }
            var roster = try Roster(genesis: RosterOperation(decoding: genesis))
            for bytes in operations.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
            // As a node does: what it said of itself alone is nothing that a change needs.
            heads = roster.headsToName(inChangesOf: DeviceID(publicKey: key.publicKey))
            rosterHeads = heads
            heldThen = try disk.heads(space)
            hasRight = roster.role(of: DeviceID(publicKey: key.publicKey)) == .admin
            var others: [(log: LogState, run: StoredRun, seal: Seal)] = []
            for entry in try disk.heads(space).entries {
                guard
                    let run = try disk.runs(space, entry.replica, from: SequenceNumber(1), bytesMax: 1).first,
                    let seal = try disk.seals(space, entry.replica, from: run.last, limit: 1).first,
                    seal.last == run.last
                else { continue }
                let log = try LogState(recovering: entry.replica, in: space, from: nil, [run.bytes])
                others.append((log, run, seal))
            }
            self.others = others
        } catch {
            return nil
        }
        self.index = index
        self.key = key
        let device = DeviceID(publicKey: key.publicKey)
        log = LogState(space: space, declaration: .init(device: device, incarnation: dice.next()))
    }

    var space: SpaceID { keys.space }
    private var device: DeviceID { DeviceID(publicKey: key.publicKey) }

    /// A log that nobody knows yet.
    func freshLog(_ dice: inout SeededGenerator) -> LogState {
        LogState(space: space, declaration: .init(device: device, incarnation: dice.next()))
    }

    /// The next change of a log of its own, sealed and packed.
    func change(
        _ log: inout LogState, _ operation: Operation, context: VersionVector, wall: UInt64,
        _ dice: inout SeededGenerator
    ) -> [UInt8]? {
        var context = context
        context.join(log.context)
        let declaration = log.declaration
        do throws(ChangeTooLarge) {
            let verified = try log.author(
                timestamp: log.nextTimestamp(wall: wall), context: context, rosterHeads: heads,
                operations: [operation])
            let seals = log.seal(with: key)
            let run = Run(
                replica: log.replica, first: verified.change.first, last: verified.change.last,
                bytes: verified.bytes)
            return segment(SealedRun(declaration: declaration, run: run, seals: seals), &dice)
        } catch {
            return nil
        }
    }

    /// A log that begins in two ways: a segment of one, and the proof of both.
    mutating func fork(_ operation: Operation, wall: UInt64, _ dice: inout SeededGenerator)
        -> (told: [UInt8], proof: [UInt8])?
    {
        let origin = freshLog(&dice)
        var segments: [[UInt8]] = []
        for step in 0..<2 as Range<UInt64> {
            var log = origin
            let segment = change(
                &log, operation, context: VersionVector(), wall: wall + 5 * step, &dice)
            guard let segment else { return nil }
            segments.append(segment)
        }
        // FORK_PROOF: the chain hash before both, and two segments behind each other.
        return (segments[0], Bytes32.zero.bytes + segments[0] + segments[1])
    }

    /// One of two ways in which a log of its own goes on, longer by a change: whoever hears one today may
    /// hear the other one tomorrow, or already knows it from others.
    mutating func tellEither(
        _ operation: Operation, wall: UInt64, _ dice: inout SeededGenerator
    ) -> [[UInt8]?] {
        if twins.allSatisfy({ $0.told.count > 6 }) {
            var log = freshLog(&dice)
            let trunk = change(&log, operation, context: VersionVector(), wall: wall, &dice)
            twins = [(log, [trunk ?? []]), (log, [trunk ?? []])]
            // Or their next changes would be the same.
            _ = change(&twins[0].log, operation, context: VersionVector(), wall: wall + 5, &dice).map {
                twins[0].told.append($0)
            }
        }
        let side = Int.random(in: 0...1, using: &dice)
        if let next = change(&twins[side].log, operation, context: VersionVector(), wall: wall, &dice) {
            twins[side].told.append(next)
        }
        return twins[side].told
    }

    /// A change of somebody else with a byte that is another, under the signature that was made for the true
    /// one.
    func altered(_ dice: inout SeededGenerator) -> [UInt8]? {
        guard let other = others.randomElement(using: &dice) else { return nil }
        var bytes = other.run.bytes
        bytes[Int.random(in: bytes.count / 2..<bytes.count, using: &dice)] ^= 1
        // The chain hash is made to fit, so that nothing but the signature is wrong.
        var hash = other.seal.chainHash
        do throws(LogFault) {
            let log = try LogState(recovering: other.run.replica, in: space, from: nil, [bytes])
            hash = log.chainHash
        } catch {
            // No log any more: refused before the seal is looked at.
        }
        let seal = Seal(
            replica: other.run.replica, last: other.run.last, chainHash: hash, signature: other.seal.signature
        )
        let run = Run(replica: other.run.replica, first: other.run.first, last: other.run.last, bytes: bytes)
        return segment(SealedRun(declaration: other.log.declaration, run: run, seals: [seal]), &dice)
    }

    /// What the next node lacks of somebody's log, with a byte that is another. It is a change that could be:
    /// nothing but the author's signature speaks against it. Nil when nothing that it lacks was overheard.
    func forged(beyond held: VersionVector, _ dice: inout SeededGenerator) -> [UInt8]? {
        let lacking = overheard.sorted { $0.key < $1.key }.flatMap { replica, runs in
            runs.indices.filter { runs[$0].run.first == held[replica] + 1 && runs[$0].seals.count == 1 }
                .map { (runs[..<$0].flatMap(\.run.bytes), runs[$0]) }
        }
        guard let (before, sealed) = lacking.randomElement(using: &dice) else { return nil }
        for _ in 0..<20 {
            var bytes = sealed.run.bytes
            bytes[Int.random(in: bytes.count / 2..<bytes.count, using: &dice)] ^= 1
            do throws(LogFault) {
                let log = try LogState(
                    recovering: sealed.replica, in: space, from: nil, [before, bytes])
                guard log.last == sealed.run.last, log.boundary == nil else { continue }
                let run = Run(
                    replica: sealed.replica, first: sealed.run.first, last: sealed.run.last, bytes: bytes)
                let seal = Seal(
                    replica: sealed.replica, last: sealed.run.last, chainHash: log.chainHash,
                    signature: sealed.seals[0].signature)
                return segment(
                    SealedRun(declaration: sealed.declaration, run: run, seals: [seal]), &dice)
            } catch {
                continue
            }
        }
        return nil
    }

    /// Keeps the segments among these frames, as far as they follow one another from the first change on.
    mutating func keep(_ frames: [LinkFrame]) {
        overheard = [:]
        guard let content = keys.current.content else { return }
        for frame in frames where frame.type == FrameType.segment.rawValue {
            do {
                let sealed = try Segment(of: space, decoding: frame.body).open(contentKey: content)
                let last = overheard[sealed.replica]?.last?.run.last ?? .none
                if sealed.run.first == last + 1 { overheard[sealed.replica, default: []].append(sealed) }
            } catch {
                preconditionFailure("an honest node sent a segment that does not open: \(error)")
            }
        }
    }

    private func segment(_ sealed: SealedRun, _ dice: inout SeededGenerator) -> [UInt8]? {
        guard let content = keys.current.content else { return nil }
        let nonce = (0..<24).map { _ in UInt8.random(in: 0...255, using: &dice) }
        return Segment.seal(sealed, in: space, contentKey: content, nonce: nonce).encoded()
    }

    /// Looks at the segments among these frames: what a relay would have of them is no text, packed or not,
    /// and no nonce comes twice.
    mutating func study(_ frames: [LinkFrame], for secret: [UInt8]) throws(Violation) {
        for frame in frames where frame.type == FrameType.segment.rawValue {
            do {
                let segment = try Segment(of: space, decoding: frame.body)
                if Self.reads(segment, secret) {
                    throw Violation(.noPlaintext, "a segment can be read without the space's key")
                }
                let hash = segment.body.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
                    ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
                }
                if let known = nonces.updateValue(hash, forKey: segment.header.nonce), known != hash {
                    throw DecodeFault.outOfRange(field: "nonce")
                }
            } catch let violation as Violation {
                throw violation
            } catch {
                throw Violation(.nonces, "two segments of \(frame.body.count) bytes have one nonce: \(error)")
            }
        }
    }

    /// True when the body of a segment shows the secret to somebody without any key, packed as it may be.
    private static func reads(_ segment: Segment, _ secret: [UInt8]) -> Bool {
        guard !segment.body.holds(secret) else { return true }
        do throws(DecodeFault) {
            let header = segment.header
            return try Block.unpack(segment.body, of: header.replica, from: header.first).holds(secret)
        } catch {
            return false
        }
    }
}
