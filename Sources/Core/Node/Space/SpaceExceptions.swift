// What decides, beside vectors and roster, which changes of a space are executed: logs that are closed,
// changes that are skipped, and changes that are quarantined (decisions 0062, 0064).

import Bytes
import Causality
import Crypto
import Replication
import Wire

/// What a space knows of forks.
struct SpaceForks: Sendable {
    var closed = ClosedLogs()
    /// Wall milliseconds at which each was closed here.
    var since: [ReplicaID: UInt64] = [:]
    /// Who declared each: known from its proof, also while nothing of the log is held.
    var authors: [ReplicaID: DeviceID] = [:]
}

extension NodeMeta {
    static func rebuilt(_ space: SpaceID) -> String { "rebuilt/\(space)" }
}

/// The changes of a space that are held and count for nothing, or not yet.
struct SpaceExceptions: Sendable {
    private(set) var forks = SpaceForks()
    /// Changes that are held and not executed, although they are not void, by their ids.
    private(set) var skipped: [Dot: SkippedRecord] = [:]

    /// Devices whose changes are being judged again.
    var rejudging = Rejudging()

    /// Changes that are not executed whatever admission says, by their ids; `CrashGuard` keeps them.
    var quarantined: Set<Dot> = []

    init() {}

    init(of space: SpaceID, from store: some StoreReading) throws(StoreFailure) {
        for record in try store.forks(space) {
            do throws(ForkProof.StoredFault) {
                close(try ForkProof(decoding: record.proof, in: space), since: record.since)
            } catch {
                throw .unreadable(.proof(record.replica), error)
            }
        }
        for one in try store.skipped(space) { skipped[Dot(one.change.replica, one.change.last)] = one }
        guard let bytes = try store.meta(NodeMeta.rejudging(space)) else { return }
        do throws(DecodeFault) {
            rejudging = try Rejudging(decoding: bytes)
        } catch {
            throw .unreadable(.rejudging(of: space), error)
        }
    }

    /// Of all that this node shares with others that hold the same changes; zero when there is nothing.
    var hash: Bytes32 {
        if forks.closed.isEmpty && skipped.isEmpty { return .zero }
        var writer = ByteWriter(reserving: 32 + skipped.count * 24)
        forks.closed.hash.encode(into: &writer)
        for dot in skipped.keys.sorted() {
            dot.replica.raw.encode(into: &writer)
            writer.u64(dot.sequence.value)
        }
        return Blake2b.hash256(writer.bytes, personal: "repld-exceptns-1")
    }

    /// True when everything that a proof says of its log is known here already.
    func knows(_ proof: ForkProof) -> Bool {
        forks.closed[proof.replica].map { $0.first <= proof.first } ?? false
    }

    /// Closes a log, or closes it earlier than before. False: it is closed there already, or earlier.
    @discardableResult
    mutating func close(_ proof: ForkProof, since: UInt64) -> Bool {
        let closing = Closing(first: proof.first, trunkHash: proof.trunkHash)
        guard forks.closed.close(proof.replica, closing) else { return false }
        forks.since[proof.replica] = since
        forks.authors[proof.replica] = proof.declaration.device
        return true
    }

    mutating func skip(_ record: SkippedRecord) {
        precondition(record.change.status == .skipped, "\(record.change) is not skipped")
        skipped[Dot(record.change.replica, record.change.last)] = record
    }

    /// The change got another status; false when it was not skipped.
    mutating func unskip(_ id: Dot) -> Bool { skipped.removeValue(forKey: id) != nil }

    /// Each closed log has its date and its author.
    func checkInvariants() {
        precondition(
            forks.closed.count == forks.since.count && forks.closed.count == forks.authors.count,
            "\(forks.closed.count) closed logs, \(forks.since.count) dates, \(forks.authors.count) authors")
    }
}
