// A log's canonical bytes: what is hashed, signed and kept. The coder walks a log change by change and
// carries what the next change is coded against: the dictionary, the previous context and the previous time.
// Writer and reader walk alike, so given the coder's state a change has exactly one encoding, and the decoder
// refuses every other one (WIRE.md, "Canonical changes"). At a boundary all of that starts afresh, so a log
// can be read from any boundary.

public import Bytes
public import Causality
import Documents

/// The place in a log after which everything starts afresh: its beginning, or a boundary.
public struct BoundaryPosition: Hashable, Sendable {
    /// The last sequence before it; `.none` at the beginning of the log.
    public let last: SequenceNumber
    /// The time of the change before it; times go on growing across boundaries. The first change after a
    /// boundary carries its time in full, so a reader needs this one only to check that.
    public let timestamp: Timestamp

    public init(last: SequenceNumber, timestamp: Timestamp) {
        self.last = last
        self.timestamp = timestamp
    }

    /// The beginning of a log.
    public static let start = BoundaryPosition(last: .none, timestamp: .zero)
}

/// Encodes and decodes the changes of one log in order.
public struct LogCoder: Sendable {
    /// What the next change is coded against, apart from the dictionary.
    struct Head: Sendable {
        /// The last boundary.
        var boundary: BoundaryPosition
        /// The first sequence of the next change.
        var next: SequenceNumber
        /// Of the previous change.
        var timestamp: Timestamp
        /// Of the previous change; empty at a boundary.
        var context = VersionVector()
        /// The same, as decoded changes get it.
        var shared = SharedContext()
        /// The roster heads named last; empty at a boundary.
        var rosterHeads: [Bytes32] = []
        /// Canonical bytes since the boundary that count towards the next one.
        var bytesSinceBoundary = 0
    }

    /// How to get back to where an atomic step began.
    private struct Undo: Sendable {
        let head: Head
        let mark: LogDictionary.Mark
        /// The dictionary of `mark`, once a boundary was passed.
        var retired: LogDictionary?
    }

    public let replica: ReplicaID
    var head: Head
    var dictionary = LogDictionary()
    /// The first sequence of the operation at hand; own dots are coded as distances from it.
    var cursor = SequenceNumber.none
    private var undo: Undo?

    /// A coder at the beginning of a log or at any of its boundaries.
    public init(replica: ReplicaID, at position: BoundaryPosition = .start) {
        self.replica = replica
        head = Head(boundary: position, next: position.last + 1, timestamp: position.timestamp)
    }

    /// The first sequence of the next change.
    public var next: SequenceNumber { head.next }
    /// The last sequence so far.
    public var last: SequenceNumber { head.next.previous }
    /// The time of the last change; the next one's is greater.
    public var timestamp: Timestamp { head.timestamp }
    /// The last boundary (or the beginning).
    public var boundary: BoundaryPosition { head.boundary }
    /// True when the last change closed a section (and at the beginning): nothing lies after `boundary`.
    public var isAtBoundary: Bool { last == head.boundary.last }
    /// What the next change's context must cover; empty at a boundary.
    public var context: VersionVector { head.context }
    /// What the next change's roster heads must differ from, if it names any; empty at a boundary.
    public var rosterHeads: [Bytes32] { head.rosterHeads }

    // MARK: The road

    /// Appends the canonical bytes of the log's next change, its length first. The change must be this log's
    /// next one and within the limits of `WireLimits` (its length is the caller's to check); anything else is
    /// a bug.
    public mutating func encode(_ change: Change, into writer: inout ByteWriter) {
        precondition(
            change.replica == replica && change.first == head.next,
            "change \(change.replica):\(change.first) is not the next of \(replica), \(head.next)")
        precondition(change.timestamp > head.timestamp && change.timestamp <= .max, "time must grow")
        precondition(
            (change.declaration != nil) == (change.first.value == 1), "only the first change declares")
        precondition(!change.operations.isEmpty || change.declaration != nil, "a change without operations")

        let start = writer.count
        writer.beginCounted()
        let contextBytes = encodeHeader(of: change, into: &writer)
        cursor = head.next
        for index in change.operations.indices {
            encode(change.operations[index], into: &writer)
            cursor = cursor + change.operations[index].sequenceCount
        }
        writer.endCounted(from: start)
        pass(
            timestamp: change.timestamp, sequenceCount: change.sequenceCount,
            countedBytes: writer.count - start - (isAtBoundary ? contextBytes : 0))
    }

    /// Reads the log's next change. On a fault the coder is as before; the reader is somewhere in the change.
    public mutating func decode(from reader: inout ByteReader) throws(DecodeFault) -> Change {
        try atomically { (coder: inout LogCoder) throws(DecodeFault) -> Change in
            let start = reader.offset
            let length = try reader.count(limit: WireLimits.changeBytesMax, field: "change")
            var body = try reader.slice(length)
            let header = try coder.decodeHeader(from: &body)
            let operations = try coder.decodeOperations(from: &body)
            if operations.isEmpty && header.declaration == nil { throw .outOfRange(field: "operations") }
            let change = Change(
                replica: coder.replica, first: coder.head.next, timestamp: header.timestamp,
                shared: coder.head.shared, declaration: header.declaration, rosterHeads: header.rosterHeads,
                operations: operations)
            coder.pass(
                timestamp: header.timestamp, sequenceCount: change.sequenceCount,
                countedBytes: reader.offset - start - (coder.isAtBoundary ? header.contextBytes : 0))
            return change
        }
    }

    /// Runs `body`; when it throws, the coder is as before, however many changes it had passed. A fault
    /// inside must leave the outermost call. Costs what `body` added, not what the coder holds.
    public mutating func atomically<Result, Fault: Error>(
        _ body: (inout LogCoder) throws(Fault) -> Result
    ) throws(Fault) -> Result {
        if undo != nil { return try body(&self) }
        undo = Undo(head: head, mark: dictionary.mark())
        do {
            let result = try body(&self)
            undo = nil
            return result
        } catch {
            if let undo {
                if let retired = undo.retired { dictionary = retired }
                dictionary.rollBack(to: undo.mark)
                head = undo.head
            }
            undo = nil
            throw error
        }
    }

    /// Moves on, past a boundary if the change was the last of its section.
    private mutating func pass(timestamp: Timestamp, sequenceCount: Int, countedBytes: Int) {
        head.next = head.next + sequenceCount
        head.timestamp = timestamp
        head.bytesSinceBoundary += countedBytes
        let sequences = last.value - head.boundary.last.value
        guard
            sequences >= UInt64(WireLimits.boundarySequences)
                || head.bytesSinceBoundary >= WireLimits.boundaryBytes
        else { return }
        head = Head(
            boundary: BoundaryPosition(last: last, timestamp: timestamp), next: head.next,
            timestamp: timestamp)
        if undo != nil && undo?.retired == nil { undo?.retired = dictionary }
        dictionary = LogDictionary()
    }
}
