// Writes a bundle from one committed state, beside the node: what `Node+Sending` gives to a link, by the same
// `SegmentRound`, the same pages of a base, the same roster in the same order. Nothing is kept of what was
// written, so it takes no more memory for a million documents than for one.

import Bytes
import Causality
import Crypto
import Replication
import Roster
import Wire

/// The records of a bundle, which the node chose when a program asked for it.
struct BundlePlan: Sendable {
    let space: SpaceID
    /// Box keys of those who may read it.
    let members: [Bytes32]
    let roster: Roster
    /// Operations that the reader may lack.
    var operations: ArraySlice<RosterPlace>
    /// Logs of which a fork is proved.
    var forks: ArraySlice<ReplicaID>
    var base: BundleBase?
    /// Readers by what this node knows them to hold. Each gets what it lacks, one after the other, and of
    /// `bytesMax` an equal share of what those before it left.
    var readers: ArraySlice<VersionVector>
    var source: SegmentRound.Source
    /// At most so many bytes; nil: all that is lacking.
    var bytesMax: Int?
    /// Somebody needs the base, and it is not in the plan.
    var missingBase: String?
    let statement: BundleStatement
    /// Of nonces and keys.
    let entropy: Entropy
}

/// The base of a checkpoint that stands, as a bundle carries it.
struct BundleBase: Sendable {
    let checkpoint: Bytes32
    /// Of it, and before it those of the checkpoints that it follows, as far as they are kept.
    var tables: ArraySlice<Bytes32>
    let manifest: Bytes32
}

/// Yields a bundle in pieces.
// @unchecked: `any ReadJob` is owned by one reader at a time, who calls `next` in turn; nothing else holds
// it.
final class BundleJob<Reader: StoreReading & Sendable>: FolderBundle, @unchecked Sendable {
    private enum Stage {
        case head
        case roster
        case forks
        case tables
        /// A content of the base, from a byte on.
        case content(Bytes32, [UInt8], from: Int, next: Page)
        case page(BaseManifest, Int)
        case segments
        case end
        case done
    }

    /// What follows a content.
    private enum Page {
        case tables
        case first(BaseManifest)
        case next(BaseManifest, Int)
    }

    private let store: Reader
    private var plan: BundlePlan
    /// The reader whose turn it is, by what it holds and was given; nil: the next one's turn begins.
    private var sync: SpaceSync?
    /// Bytes of the file after which that turn ends.
    private var shareEnd = Int.max
    private var entropy: Entropy
    private var writer: BundleWriter?
    private var stage = Stage.head
    private(set) var account = BundleAccount()
    /// The records that end the file take so many bytes.
    private let endBytes: Int

    init(store: Reader, plan: BundlePlan) {
        (self.store, self.plan) = (store, plan)
        entropy = plan.entropy
        account.missingBase = plan.missingBase
        var statement = ByteWriter(reserving: 256)
        plan.statement.encode(into: &statement)
        endBytes = statement.count + 128
    }

    func next() throws(StoreFailure) -> [UInt8]? {
        // A stage that has nothing to say passes on to the next one.
        while true {
            if case .done = stage { return nil }
            if let bytes = try step() {
                account.bytes += bytes.count
                return bytes
            }
        }
    }

    private func step() throws(StoreFailure) -> [UInt8]? {
        switch stage {
        case .head:
            let (head, key) = BundleHead.make(for: plan.members, in: plan.space, from: &entropy)
            writer = BundleWriter(key: key)
            stage = .roster
            return head.encoded()
        case .roster: return nextOperations()
        case .forks: return try nextProof()
        case .tables: return try nextTable()
        case .content(let hash, let bytes, let offset, let next):
            return part(of: bytes, hash, from: offset, then: next)
        case .page(let manifest, let index): return try beginPage(index, of: manifest)
        case .segments: return try nextSegment()
        case .end:
            stage = .done
            let statement = seal(.statement(plan.statement))
            return statement + (writer?.end() ?? [])
        case .done: return nil
        }
    }

    private func seal(_ record: BundleRecord) -> [UInt8] {
        guard var writer else { preconditionFailure("a record before the head") }
        defer { self.writer = writer }
        return writer.seal(record)
    }

    private func nextOperations() -> [UInt8]? {
        let count = plan.roster.pieceLength(of: plan.operations)
        guard count > 0 else {
            stage = .forks
            return nil
        }
        let operations = plan.operations.prefix(count).map { plan.roster.bytes(at: $0) }
        // A reader can use nothing of what follows without these operations.
        guard hasRoom(for: operations.reduce(0) { $0 + $1.count + 8 }) else { return cut() }
        plan.operations = plan.operations.dropFirst(count)
        return seal(.roster(RosterOperationsFrame(operations: operations)))
    }

    /// True when a record of so many bytes fits, with those that end the file.
    private func hasRoom(for bytes: Int) -> Bool {
        plan.bytesMax.map { account.bytes + bytes + endBytes <= $0 } ?? true
    }

    private func cut() -> [UInt8]? {
        account.isCut = true
        stage = .end
        return nil
    }

    private func nextProof() throws(StoreFailure) -> [UInt8]? {
        guard let replica = plan.forks.popFirst() else {
            stage = plan.base == nil ? .segments : .tables
            return plan.base.map { seal(.base(checkpoint: $0.checkpoint)) }
        }
        guard let record = try store.fork(plan.space, replica) else { return nil }
        let proof: ForkProof
        do throws(ForkProof.StoredFault) {
            proof = try ForkProof(decoding: record.proof, in: plan.space)
        } catch {
            throw .unreadable(.proof(replica), error)
        }
        let segments = proof.runs.map {
            Segment.seal(
                $0, in: plan.space, contentKey: plan.source.content, nonce: entropy.bytes(24))
        }
        let frame = ForkProofFrame(baseHash: proof.base.chainHash, segments[0], segments[1]).encoded()
        guard hasRoom(for: frame.count + 64) else { return cut() }
        return seal(.forkProof(frame))
    }

    // MARK: The base

    private func nextTable() throws(StoreFailure) -> [UInt8]? {
        guard let base = plan.base else { preconditionFailure("tables of no base") }
        guard let hash = plan.base?.tables.popFirst() else {
            let bytes = try content(base.manifest)
            let manifest: BaseManifest
            do throws(DecodeFault) {
                manifest = try BaseManifest(decoding: bytes)
            } catch {
                throw .unreadable(.bases(of: plan.space), error)
            }
            stage = .content(base.manifest, bytes, from: 0, next: .first(manifest))
            return nil
        }
        stage = .content(hash, try content(hash), from: 0, next: .tables)
        return nil
    }

    private func content(_ hash: Bytes32) throws(StoreFailure) -> [UInt8] {
        guard let bytes = try store.meta(NodeMeta.content(plan.space, hash)) else {
            throw .unreadable(.bases(of: plan.space), DecodeFault.truncated(needed: 1, available: 0))
        }
        return bytes
    }

    private func beginPage(_ index: Int, of manifest: BaseManifest) throws(StoreFailure) -> [UInt8]? {
        guard index < manifest.entries.count else {
            stage = .segments
            return nil
        }
        let page = try manifest.page(at: index, of: plan.space, from: store)
        stage = .content(
            manifest.entries[index].hash, page, from: 0, next: .next(manifest, index + 1))
        return nil
    }

    private func part(of bytes: [UInt8], _ hash: Bytes32, from offset: Int, then next: Page) -> [UInt8]? {
        guard offset < bytes.count else {
            stage =
                switch next {
                case .tables: .tables
                case .first(let manifest): .page(manifest, 0)
                case .next(let manifest, let index): .page(manifest, index)
                }
            return nil
        }
        stage = .content(hash, bytes, from: offset + WireLimits.basePartBytesMax, next: next)
        return seal(.basePart(BasePartFrame(of: bytes, hash: hash, from: offset)))
    }

    // MARK: Changes

    private func nextSegment() throws(StoreFailure) -> [UInt8]? {
        guard var sync = sync ?? nextReader() else {
            stage = .end
            return nil
        }
        self.sync = sync
        guard account.bytes < shareEnd else { return endTurn(isCut: true) }
        var round = SegmentRound()
        let segment = try round.next(
            for: &sync, of: plan.source, from: store, entropy: &entropy)
        guard let segment else { return endTurn() }
        guard hasRoom(for: segment.bytes.count + 64) else { return endTurn(isCut: true) }
        self.sync = sync
        account.changes += segment.changes
        return seal(.segment(changes: segment.changes, segment.bytes))
    }

    /// The turn of the next reader begins.
    private func nextReader() -> SpaceSync? {
        guard let held = plan.readers.first else { return nil }
        if let bytesMax = plan.bytesMax {
            shareEnd = account.bytes + max(0, bytesMax - endBytes - account.bytes) / plan.readers.count
        }
        var sync = SpaceSync()
        sync.graft([])
        do throws(SpaceSync.Fault) {
            try sync.peerHolds(held, isFull: true)
        } catch {
            preconditionFailure("a full vector was refused: \(error)")
        }
        return sync
    }

    /// The turn of a reader ends. What is beyond what it holds was given, or waits until that was read: those
    /// after it, who lack more, are given what comes before.
    private func endTurn(isCut: Bool = false) -> [UInt8]? {
        guard let held = plan.readers.popFirst() else { preconditionFailure("the turn of nobody") }
        if isCut { account.isCut = true }
        sync = nil
        plan.source.advertised.lower(to: held)
        return nil
    }
}

extension BaseManifest {
    /// A page as the base that stands has it.
    func page(at index: Int, of space: SpaceID, from store: some StoreReading) throws(StoreFailure)
        -> [UInt8]
    {
        let after = index == 0 ? nil : entries[index - 1].lastKey
        let pages = try store.encodedPages(space, after: after, counts: [entries[index].documentCount])
        guard let page = pages.first else {
            throw .unreadable(.bases(of: space), DecodeFault.truncated(needed: 1, available: 0))
        }
        return page
    }
}
