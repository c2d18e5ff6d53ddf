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
    /// Sealed runs of others, as its disk had them: to be altered.
    let others: [(log: LogState, run: StoredRun, seal: Seal)]
    var links: [HostileLink] = []
    /// Its valid log.
    var log: LogState
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
            heads = roster.heads
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
        _ log: inout LogState, _ body: Operation.Body, context: VersionVector, wall: UInt64,
        _ dice: inout SeededGenerator
    ) -> [UInt8]? {
        let operation = Operation(document: Key("hostile/\(log.next.value % 3)"), body: body)
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

    private func segment(_ sealed: SealedRun, _ dice: inout SeededGenerator) -> [UInt8]? {
        guard let content = keys.current.content else { return nil }
        let nonce = (0..<24).map { _ in UInt8.random(in: 0...255, using: &dice) }
        return Segment.seal(sealed, in: space, contentKey: content, nonce: nonce).encoded()
    }

    /// Looks at the segments among these frames.
    mutating func study(_ frames: [LinkFrame]) throws(Violation) {
        for frame in frames where frame.type == FrameType.segment.rawValue {
            do throws(DecodeFault) {
                let segment = try Segment(of: space, decoding: frame.body)
                let hash = segment.body.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
                    ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
                }
                if let known = nonces.updateValue(hash, forKey: segment.header.nonce), known != hash {
                    throw DecodeFault.outOfRange(field: "nonce")
                }
            } catch {
                throw Violation(.nonces, "two segments of \(frame.body.count) bytes have one nonce: \(error)")
            }
        }
    }
}
