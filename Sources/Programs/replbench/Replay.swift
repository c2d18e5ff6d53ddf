// A trace as changes of replicas. Each transaction is authored on the document that its parents make, by a
// replica of its agent; an agent that works on two branches at once has a replica on each, as two of its
// boxes would.

import Bytes
import Causality
import Documents
import Wire

/// Authors a trace's transactions and keeps the changes.
struct Replay {
    static let key: Key = "trace"
    static let path: [PathElement] = [.key("text")]

    private let trace: Trace
    private(set) var changes: [Change?] = []
    /// Version of the document after each transaction, itself included.
    private var versions: [VersionVector] = []
    /// Documents at the transactions that still have children to come.
    private var documents: [Int: Document] = [:]
    private var children: [Int]
    private var replicas: [Int: [ReplicaID]] = [:]
    private var logs: [ReplicaID: (next: SequenceNumber, timestamp: UInt64)] = [:]

    init(_ trace: Trace) {
        self.trace = trace
        children = [Int](repeating: 0, count: trace.transactions.count)
        for transaction in trace.transactions {
            for parent in transaction.parents { children[parent] += 1 }
        }
    }

    /// All changes in trace order.
    static func changes(of trace: Trace) -> [Change] {
        var replay = Replay(trace)
        for index in trace.transactions.indices { replay.author(index) }
        return replay.changes.compactMap { $0 }
    }

    private mutating func author(_ index: Int) {
        let transaction = trace.transactions[index]
        var (document, version) = base(of: transaction)
        let replica = replica(for: transaction, on: version)
        let log = logs[replica] ?? (SequenceNumber(1), 0)
        let timestamp = Timestamp(milliseconds: max(log.timestamp, UInt64(index)) + 1)
        var next = Dot(replica, log.next)
        var operations: [Operation] = []
        for patch in transaction.patches {
            for operation in Self.author(patch, in: &document, next, timestamp, version.without(replica)) {
                operations.append(operation)
                next = next.advanced(by: operation.sequenceCount)
            }
        }
        if operations.isEmpty {
            changes.append(nil)
        } else {
            let change = Change(
                replica: replica, first: log.next, timestamp: timestamp, context: version.without(replica),
                declaration: nil, rosterHeads: [], operations: operations)
            changes.append(change)
            version.advance(to: change.id)
            logs[replica] = (next.sequence, timestamp.milliseconds)
        }
        versions.append(version)
        if children[index] > 0 { documents[index] = document }
    }

    /// A patch whose position lies past the end is clamped: other text types may order ties otherwise.
    static func author(
        _ patch: Trace.Patch, in document: inout Document, _ dot: Dot, _ timestamp: Timestamp,
        _ context: VersionVector
    ) -> [Operation] {
        let request = OperationRequest(
            document: key, path: path,
            verb: .splice(index: patch.position, delete: patch.deleted, insert: patch.inserted))
        do throws(AuthorError) {
            return try document.author(
                request, dot: dot, timestamp: timestamp, context: context, wantsPatches: false
            ).operations
        } catch {
            guard case .indexPastEnd(_, let count) = error else {
                preconditionFailure("a splice of the trace was refused: \(error)")
            }
            let position = min(patch.position, count)
            let clamped = Trace.Patch(
                position: position, deleted: min(patch.deleted, count - position), inserted: patch.inserted)
            return author(clamped, in: &document, dot, timestamp, context)
        }
    }

    /// The document that the parents make; the last child of a parent takes the parent's document over.
    private mutating func base(of transaction: Trace.Transaction) -> (Document, VersionVector) {
        guard let first = transaction.parents.first else {
            return (Document(key: Self.key), VersionVector())
        }
        guard var document = documents[first] else { preconditionFailure("transaction \(first) comes first") }
        var version = versions[first]
        for parent in transaction.parents.dropFirst() {
            for index in changes.indices where index <= parent {
                guard let change = changes[index], !version.contains(change.id),
                    versions[parent].contains(change.id)
                else { continue }
                _ = document.apply(change.operations, stamps: change.stamps(), wantsPatches: false)
                version.advance(to: change.id)
            }
        }
        for parent in transaction.parents {
            children[parent] -= 1
            if children[parent] == 0 { documents[parent] = nil }
        }
        return (document, version)
    }

    /// A replica of the agent whose whole log is in the document; a new one when there is none.
    private mutating func replica(for transaction: Trace.Transaction, on version: VersionVector) -> ReplicaID
    {
        let known = replicas[transaction.agent] ?? []
        if let replica = known.first(where: { version[$0] == logs[$0]?.next.previous }) { return replica }
        let replica = ReplicaID(raw: Bytes16(high: UInt64(transaction.agent), low: UInt64(known.count)))
        replicas[transaction.agent] = known + [replica]
        return replica
    }
}
