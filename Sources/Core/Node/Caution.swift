// A change that kills whoever executes it must not kill the whole mesh again and again (DESIGN 11). After a
// crash, and only then, what comes from peers is noted durably before it is executed, and executed in a
// batch of its own, so that the next crash has a name:
//
//     crash ─▶ start: segments are noted      ─ crash ─▶ start: that segment's changes are noted one by one
//           ─ crash ─▶ start: the change that was noted alone is quarantined: held, relayed, never executed
//
// A crash is a trap, which the shell tells from a stop, a kill or a loss of power (decision 0064): those may
// hit any change and say nothing about it.

import Bytes
import Causality
import Replication
import Wire

/// What is being executed, as it is written down before.
struct ExecutionNote: Hashable, Sendable {
    let space: SpaceID
    let replica: ReplicaID
    let first: SequenceNumber
    let last: SequenceNumber
    /// One change, of a segment that was noted when the process died before.
    let isSingle: Bool

    func covers(_ other: ExecutionNote) -> Bool {
        space == other.space && replica == other.replica && first <= other.last && other.first <= last
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 80)
        space.raw.encode(into: &writer)
        replica.raw.encode(into: &writer)
        writer.u64(first.value)
        writer.u64(last.value)
        writer.u8(isSingle ? 1 : 0)
        return writer.bytes
    }

    init(space: SpaceID, replica: ReplicaID, first: SequenceNumber, last: SequenceNumber, isSingle: Bool) {
        self.space = space
        self.replica = replica
        self.first = first
        self.last = last
        self.isSingle = isSingle
    }

    init(from reader: inout ByteReader) throws(DecodeFault) {
        space = SpaceID(raw: try Bytes32(from: &reader))
        replica = ReplicaID(raw: try Bytes16(from: &reader))
        first = SequenceNumber(try reader.u64())
        last = SequenceNumber(try reader.u64())
        isSingle = try reader.u8() == 1
    }
}

/// How carefully the node executes what others wrote.
struct Caution: Sendable {
    /// Something that waits for its turn.
    enum Item: Sendable {
        case segment([UInt8], ExecutionNote, ChannelPlace.Name)
        case change(Candidate, ExecutionNote)

        var note: ExecutionNote {
            switch self {
            case .segment(_, let note, _), .change(_, let note): note
            }
        }
        /// What it takes in memory, roughly.
        var byteCount: Int {
            switch self {
            case .segment(let body, _, _): body.count
            case .change(let candidate, _): candidate.heldBytes(after: nil)
            }
        }
    }

    /// Monotonic milliseconds at which the crash is far enough away; nil: there was none.
    var until: UInt64?
    /// What was noted at the last crash: its changes are executed one by one.
    var suspect: ExecutionNote?
    /// Changes that are not executed any more.
    var quarantined: Set<ExecutionNote> = []
    /// In order; the first is noted.
    var queue: [Item] = []
    /// The first of the queue is noted, durably once the batch is committed.
    var isNoted = false
    var isNoteDurable = false
    /// The noted item is being executed: it is not noted again.
    var isExecuting = false

    static let milliseconds: UInt64 = 600_000
    static let queueBytesMax = 8 << 20
    static let quarantinedMax = 1_024

    var isOn: Bool { until != nil }
    var queueBytes: Int { queue.reduce(0) { $0 + $1.byteCount } }

    /// Forgets what waits: its links are gone, or the batch was lost.
    mutating func drop() {
        queue = []
        (isNoted, isNoteDurable, isExecuting) = (false, false, false)
    }
}

extension NodeMeta {
    /// An `ExecutionNote`.
    static let executing = "executing"
    /// `ExecutionNote`s of single changes, one after the other.
    static let quarantined = "quarantined"
}

/// Whether the changes that an older version skipped, and this one knows, are executed.
enum Upgrade: Sendable {
    /// At the start; later with a sweep, where the start's batch was lost.
    case due
    /// In the open batch.
    case written
    case done
}
