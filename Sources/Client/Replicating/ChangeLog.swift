// The operations that a value can still hand to others, in an order in which they may be applied: a causal
// one, since each came here after what it was made on. In chunks, so that a copy that is kept costs the last
// one.

import Causality
import Documents

/// An operation and when and on what it was made.
struct LoggedOperation: Sendable {
    let stamp: OperationStamp
    let operation: Operation

    var replica: ReplicaID { stamp.dot.replica }
    var last: SequenceNumber { stamp.dot.sequence + (operation.sequenceCount - 1) }
}

/// What happened after the version up to which a value has forgotten.
struct ChangeLog: Sendable {
    private static let chunkOperations = 256

    private var chunks: ContiguousArray<ContiguousArray<LoggedOperation>> = []
    private(set) var count = 0

    mutating func append(_ operation: LoggedOperation) {
        if chunks.isEmpty || chunks[chunks.count - 1].count == Self.chunkOperations {
            chunks.append([])
            if chunks.count > 1 { chunks[chunks.count - 1].reserveCapacity(Self.chunkOperations) }
        }
        chunks[chunks.count - 1].append(operation)
        count += 1
    }

    /// The operations that a version lacks, in order. `held` is all that the log's value holds; the version
    /// covers what was forgotten. O(operations since the first that is lacking): most who ask are nearly
    /// level.
    func operations(beyond version: VersionVector, of held: VersionVector) -> [LoggedOperation] {
        var missing: UInt64 = 0
        for entry in held.entries(beyond: version) {
            missing += entry.last.value - version[entry.replica].value
        }
        var found: [LoggedOperation] = []
        for chunk in chunks.reversed() {
            for logged in chunk.reversed() {
                if missing == 0 { return found.reversed() }
                guard !version.contains(logged.stamp.dot) else { continue }
                found.append(logged)
                let count = UInt64(logged.operation.sequenceCount)
                precondition(count <= missing, "\(logged.stamp.dot) is not in the version of its log")
                missing -= count
            }
        }
        precondition(missing == 0, "\(missing) sequences are neither in the log nor forgotten")
        return found.reversed()
    }

    /// Drops what a version covers. O(n).
    mutating func forget(through version: VersionVector) {
        var kept = ChangeLog()
        for chunk in chunks {
            for logged in chunk where !version.contains(logged.stamp.dot) { kept.append(logged) }
        }
        self = kept
    }
}
