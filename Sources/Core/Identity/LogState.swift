// One log at its head on this node: what the next change is coded against, the running hash, and what is
// sealed. It is the one place where a change becomes verified: by being authored here, or by `verify`
// (LogState+Verify).

public import Bytes
public import Causality
public import Crypto
public import Documents
public import Wire

/// The head of one replica's log.
public struct LogState: Sendable {
    public let space: SpaceID
    public let replica: ReplicaID
    /// Whose log it is; `replica` is its hash.
    public let declaration: Change.Declaration
    var coder: LogCoder
    var chain: Chain
    /// Everything up to here is covered by a seal that was made or checked.
    public internal(set) var sealedLast: SequenceNumber
    /// Where a seal is made beside the one at the head, ascending: at each boundary that was passed since the
    /// last seal, and before each change that is the first on somebody's log. Who can never execute that one,
    /// since its author was let in by nobody who counts, holds what stands before it with a seal, and can pass
    /// it on.
    private var pendingSeals: [(last: SequenceNumber, chainHash: Bytes32)] = []

    /// A log of which nothing is known yet: a peer's, or our own before its first change.
    public init(space: SpaceID, declaration: Change.Declaration) {
        self.space = space
        self.declaration = declaration
        replica = ReplicaID(space: space, declaration: declaration)
        coder = LogCoder(replica: replica)
        chain = Chain()
        sealedLast = .none
    }

    /// A log as the store has it: the last boundary (nil: the beginning) and the canonical bytes since, in
    /// pieces of whole changes. What is stored was sealed. Throws when the bytes are not this log's: the
    /// store is damaged.
    public init(
        recovering replica: ReplicaID, in space: SpaceID, from boundary: LogBoundary?, _ pieces: [[UInt8]]
    ) throws(LogFault) {
        var coder = LogCoder(replica: replica, at: boundary?.position ?? .start)
        var chain = Chain(at: boundary?.chainHash ?? .zero)
        var declaration = boundary?.declaration
        for piece in pieces {
            var reader = ByteReader(piece)
            while !reader.isAtEnd {
                let start = reader.offset
                let change = try Self.decode(from: &reader, with: &coder)
                chain.append(reader.passed(from: start))
                if let declared = change.declaration { declaration = declared }
                if coder.isAtBoundary { _ = chain.boundary() }
            }
        }
        guard let declaration, ReplicaID(space: space, declaration: declaration) == replica else {
            throw .wrongDeclaration
        }
        self.space = space
        self.declaration = declaration
        self.replica = replica
        self.coder = coder
        self.chain = chain
        sealedLast = coder.last
    }

    // MARK: Queries

    /// The last sequence; `.none` before the first change.
    public var last: SequenceNumber { coder.last }
    /// The first sequence of the next change.
    public var next: SequenceNumber { coder.next }
    /// Of the last change.
    public var timestamp: Timestamp { coder.timestamp }
    /// Of the last change; empty after a boundary.
    public var context: VersionVector { coder.context }
    /// Named last; empty after a boundary, so that the next change names them again.
    public var rosterHeads: [Bytes32] { coder.rosterHeads }
    /// The hash at the head.
    public var chainHash: Bytes32 { chain.current }
    /// Nothing lies after the last boundary (or the beginning).
    public var isAtBoundary: Bool { coder.isAtBoundary }
    public var isSealed: Bool { sealedLast == last }
    /// The last boundary; nil while the log is in its first section.
    public var boundary: LogBoundary? {
        guard coder.boundary.last > .none else { return nil }
        return LogBoundary(position: coder.boundary, chainHash: chain.base, declaration: declaration)
    }

    /// What a change made at this wall time is stamped with: never below the last change's time + 1.
    public func nextTimestamp(wall milliseconds: UInt64) -> Timestamp {
        let wall = Timestamp(milliseconds: min(milliseconds, Timestamp.max.milliseconds))
        if isPlanted("time-goes-back") { return wall }
        return max(wall, Timestamp(milliseconds: timestamp.milliseconds + 1))
    }

    // MARK: Our own log

    /// Appends a change to our own log. `timestamp` is at least `nextTimestamp`; `context` (without this log)
    /// covers those of all earlier changes; `rosterHeads` are those to name now, ascending, and are left out
    /// of the change if they did not advance. Only whoever holds the declared device's key may call this; the
    /// change is true once it is sealed.
    public mutating func author(
        timestamp: Timestamp, context: VersionVector, rosterHeads: [Bytes32], operations: [Operation]
    ) throws(ChangeTooLarge) -> AuthoredChange {
        // Of more heads than a change may name, it names the first ones and so joins them.
        let heads = Array(rosterHeads.prefix(RosterLimits.headsMax))
        let change = Change(
            replica: replica, first: next, timestamp: timestamp, context: context,
            declaration: next.value == 1 ? declaration : nil,
            rosterHeads: heads == coder.rosterHeads ? [] : heads, operations: operations)
        try Self.checkCounts(of: change)
        let (before, isFirstOnSomeLog) = (last, namesMore(context))
        let bytes = try coder.atomically { (coder: inout LogCoder) throws(ChangeTooLarge) -> [UInt8] in
            var writer = ByteWriter(reserving: 64)
            coder.encode(change, into: &writer)
            let limit = WireLimits.changeBytesMax
            if writer.count > limit { throw ChangeTooLarge(.bytes, writer.count, limit: limit) }
            return writer.bytes
        }
        if isFirstOnSomeLog { pendingSeals.append((before, chain.current)) }
        chain.append(bytes)
        guard coder.isAtBoundary else {
            return AuthoredChange(VerifiedChange(change: change, bytes: bytes, endsSection: nil))
        }
        let hash = chain.boundary()
        pendingSeals.append((last, hash))
        return AuthoredChange(VerifiedChange(change: change, bytes: bytes, endsSection: boundary))
    }

    /// True when a context names a log that the last change of this section does not.
    private func namesMore(_ context: VersionVector) -> Bool {
        let earlier = coder.context
        guard !isAtBoundary, last > .none, context.count != earlier.count else { return false }
        return context.entries.contains { earlier[$0.replica] == .none }
    }

    /// Seals every change since the last seal: one seal for each boundary passed, one before each change that
    /// is the first on somebody's log, and one for the head, ascending; none when nothing is new. To be kept
    /// in the store transaction of the changes. `key` is the declared device's. `keepsLast`: the seal that was
    /// made last is made once more if it is one of those, for a store that keeps no others for good.
    public mutating func seal(with key: SigningKey, keepsLast: Bool = false) -> [Seal] {
        precondition(key.publicKey == declaration.device.publicKey, "\(replica) is another device's log")
        var points = pendingSeals.filter { keepsLast || $0.last > sealedLast }
        if !isSealed && points.last?.last != last { points.append((last, chainHash)) }
        pendingSeals = []
        sealedLast = last
        return points.map {
            Seal.make(space: space, replica: replica, last: $0.last, chainHash: $0.chainHash, with: key)
        }
    }

    private static func checkCounts(of change: Change) throws(ChangeTooLarge) {
        let checks: [(ChangeTooLarge.Measure, Int, Int)] = [
            (.operations, change.operations.count, DocumentLimits.changeOperationsMax),
            (.sequences, change.sequenceCount, WireLimits.changeSequencesMax),
            (.contextEntries, change.context.count, WireLimits.contextEntriesMax),
        ]
        for (measure, value, limit) in checks where value > limit {
            throw ChangeTooLarge(measure, value, limit: limit)
        }
    }

    static func decode(from reader: inout ByteReader, with coder: inout LogCoder) throws(LogFault) -> Change {
        let last = coder.last
        do throws(DecodeFault) {
            return try coder.decode(from: &reader)
        } catch {
            throw .malformed(error, after: last)
        }
    }
}
