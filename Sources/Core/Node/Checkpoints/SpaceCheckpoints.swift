// What a space knows of its checkpoints: the agreement, the base that is being computed for one of them, and
// what this node itself wants to propose. The agreement is told of the roster's checkpoints and of stored
// acknowledgements where they are stored, so that it needs no reading at the end of a batch.

import Bytes
import Causality
import Roster
import Wire

/// A checkpoint that this node is about to sign: its base is computed first.
struct PendingProposal: Hashable, Sendable {
    let previous: Bytes32?
    let absent: [DeviceID]
    let witness: Dot
    /// What was held then.
    let covered: VersionVector
}

/// A checkpoint whose table was looked for in vain, and the closed logs that were known then.
struct TriedTable: Hashable, Sendable {
    let checkpoint: Bytes32
    let forks: Bytes32
}

/// Times are monotonic milliseconds.
struct SpaceCheckpoints: Sendable {
    var agreement: Checkpoints
    /// The base that is computed, or that was computed last.
    var work: BaseWork?
    var pending: PendingProposal?
    /// The own log that was last seen to acknowledge what stands.
    var paid: AcknowledgedLog?
    /// The base that is being taken from others.
    var taken: TakenBase?
    /// What bundles brought.
    var brought = BroughtBase()
    /// The base that others are taking from here, and when it was asked for last, monotonic milliseconds.
    var given: GivenBase?
    var givenAt: UInt64 = 0
    /// One that stands and that this node cannot compute: other logs are held here than it means, since one
    /// of them was written in two ways, or documents are made on a rival. Its base is taken from others.
    var unmatched: Bytes32?
    /// A rival whose base this node cannot take, since it has let go of changes that this does not hold.
    var outOfReach: Bytes32?
    /// Since when a base is offered that is ahead, and what waits here needs what nobody who is linked has;
    /// monotonic milliseconds.
    var stuckSince: UInt64?
    /// This node came later and was not level with a member yet: it writes nothing, and shows nothing while a
    /// base is taken.
    var isSeeding = false
    /// This node's state was put back and was not level with a member since: what it proposed and
    /// acknowledged meanwhile is forgotten, so it does neither.
    var isRestored = false
    /// Something that this device wrote is late and was not made again yet; when that is looked at next.
    var hasOwnLate = false
    var ownLateCheck: UInt64 = 0
    var collecting = Collecting()
    /// Of which no table was found here that its author may have meant, by these closings.
    var tried: TriedTable?
    /// When this node looks again whether to propose one, monotonic milliseconds.
    var proposalCheck: UInt64 = 0
    /// Since when something is held that the one that stands does not hold; wall milliseconds.
    var newsSince: UInt64?
    /// Bytes of the log that it held when it began to stand.
    var standingLogBytes = 0
    /// Checkpoints whose base came out otherwise here: nothing is collected.
    private(set) var differing: Set<Bytes32> = []
    /// Stored acknowledgements, in the order in which they came; how many of them the store has.
    private(set) var acknowledgements: [Acknowledgement] = []
    /// By which of those that stand the changes beyond it were judged, or are about to be.
    private(set) var judged: Bytes32?
    private var isStored = true

    init(of roster: Roster) {
        agreement = Checkpoints(founder: roster.founder)
        for proposal in roster.checkpoints() { agreement.add(proposal) }
    }

    init(of space: SpaceID, in roster: Roster, from store: some StoreReading) throws(StoreFailure) {
        self.init(of: roster)
        isSeeding = try store.meta(NodeMeta.seeding(space)) != nil
        isRestored = try store.meta(NodeMeta.restored(space)) != nil
        hasOwnLate = try store.meta(NodeMeta.ownLate(space)) != nil
        if let bytes = try store.meta(NodeMeta.acknowledgements(space)) {
            do throws(DecodeFault) {
                try decode(bytes)
            } catch {
                throw .unreadable(.acknowledgements(of: space), error)
            }
        }
        // Also where nothing was acknowledged yet, of a base that was taken and is not known to stand.
        try learnTables(of: space, from: store)
    }

    /// The tables of the last two that stand, and of the one that documents are made on: what is final and
    /// what is late follows from them.
    private mutating func learnTables(of space: SpaceID, from store: some StoreReading) throws(StoreFailure) {
        let newest = agreement.newest.map { agreement.chain(to: $0).suffix(2) } ?? []
        let base = try SpaceBases(of: space, from: store).newest?.id
        for id in newest + [base].compactMap(\.self) {
            guard let hash = agreement.proposal(id)?.body.table,
                let bytes = try store.meta(NodeMeta.content(space, hash))
            else { continue }
            do throws(DecodeFault) {
                let table = try CheckpointTable(of: space, decoding: bytes)
                agreement.learn(table, of: id, holdsLogs: true, seesViews: true)
            } catch {
                throw .unreadable(.acknowledgements(of: space), error)
            }
        }
    }

    /// The roster has a checkpoint more.
    mutating func add(_ proposal: CheckpointProposal) { agreement.add(proposal) }

    /// A change that was stored acknowledges something.
    mutating func add(_ acknowledgement: Acknowledgement) {
        agreement.add(acknowledgement)
        acknowledgements.append(acknowledgement)
        isStored = false
    }

    /// Changes are judged by the newest that stands from now on.
    mutating func judge(by newest: Bytes32) {
        judged = newest
        isStored = false
    }

    mutating func differ(on checkpoint: Bytes32) { differing.insert(checkpoint) }

    // MARK: The store

    mutating func write(of space: SpaceID, to transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        if isStored { return }
        try transaction.beginWriting()
        try transaction.store.setMeta(NodeMeta.acknowledgements(space), encoded())
        isStored = true
    }

    private static let version: UInt8 = 1

    /// version u8 | judged 32 (zeros: none) | agreed: count, ids | acknowledgements: count, each checkpoint
    /// 32, device 32, replica 16, sequence, ends
    private func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 64 + acknowledgements.count * 96)
        writer.u8(Self.version)
        (judged ?? .zero).encode(into: &writer)
        writer.varint(agreement.agreed.count)
        for id in agreement.agreed.sorted() { id.encode(into: &writer) }
        writer.varint(acknowledgements.count)
        for one in acknowledgements {
            one.checkpoint.encode(into: &writer)
            one.device.publicKey.encode(into: &writer)
            one.dot.replica.raw.encode(into: &writer)
            writer.varint(one.dot.sequence.value)
            one.ends.encode(into: &writer)
        }
        return writer.bytes
    }

    private mutating func decode(_ bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else {
            throw .unknownTag(field: "acknowledgements", value: UInt64(version))
        }
        let judged = try Bytes32(from: &reader)
        self.judged = judged == .zero ? nil : judged
        for _ in 0..<(try reader.count(limit: reader.remaining / 32, field: "checkpoints")) {
            agreement.agree(on: try Bytes32(from: &reader))
        }
        for _ in 0..<(try reader.count(limit: reader.remaining / 80, field: "acknowledgements")) {
            let checkpoint = try Bytes32(from: &reader)
            let device = DeviceID(publicKey: try Bytes32(from: &reader))
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            let sequence = SequenceNumber(try reader.varint())
            let one = Acknowledgement(
                of: checkpoint, by: device, at: Dot(replica, sequence), ends: try VersionVector(from: &reader)
            )
            agreement.add(one)
            acknowledgements.append(one)
        }
        try reader.finish()
    }
}

extension SpaceCheckpoints {
    /// Monotonic milliseconds at which something is due.
    var deadline: UInt64? {
        [
            work?.deadline, collecting.deadline, taken?.deadline, proposalCheck,
            given == nil ? nil : givenAt + NodeLimits.baseGivenMilliseconds,
            hasOwnLate ? ownLateCheck : nil,
        ].compactMap { $0 }.min()
    }

    func checkInvariants(whole: Bool) {
        work?.checkInvariants(whole: whole)
        taken?.taking.checkInvariants(whole: whole)
        if let pending, let work {
            precondition(
                pending.witness == work.witness, "the base of \(work.witness) is computed for another")
        }
        if whole { agreement.checkInvariants() }
    }
}

extension NodeMeta {
    static func acknowledgements(_ space: SpaceID) -> String { "acknowledgements/\(space)" }
}
