// Replicas in memory: each authors changes on its own copy of one document and executes the others' changes.
// Whatever happens to a document here is checked: patches, snapshots, authors that refuse.

import Bytes
import Causality
import DocumentModel
import Testing

@testable import Documents

/// One change of one document.
struct TestChange: Sendable {
    let operations: [Operation]
    let stamps: [OperationStamp]

    var first: Dot { stamps[0].dot }
    var last: Dot {
        stamps[stamps.count - 1].dot.advanced(by: operations[operations.count - 1].sequenceCount - 1)
    }

    /// True when everything it was made on has been executed.
    func isReady(after known: VersionVector) -> Bool {
        known.covers(stamps[0].context) && known[first.replica] == first.sequence.previous
    }
}

func testReplica(_ number: UInt64) -> ReplicaID { ReplicaID(raw: Bytes16(high: number, low: 7)) }

/// One replica and its copy of the document `doc/1`.
struct SimulatedReplica: Sendable {
    static let key: Key = "doc/1"

    let id: ReplicaID
    var document = Document(key: SimulatedReplica.key)
    var known = VersionVector()
    /// Its wall clock; a change never gets a time below its log's last one.
    var clock: UInt64
    private var lastTime: UInt64 = 0

    init(_ number: UInt64, clock: UInt64 = 1_000) {
        id = testReplica(number)
        self.clock = clock
    }

    var plain: PlainValue? { document.plain }

    /// Authors a change of several requests; nil when it changes nothing. A request that is refused is left
    /// out.
    mutating func author(_ verbs: [(path: [PathElement], verb: OperationRequest.Verb)]) -> TestChange? {
        lastTime = max(lastTime + 1, clock)
        var context = known
        context = VersionVector(context.entries.filter { $0.replica != id })
        var operations: [Operation] = []
        var stamps: [OperationStamp] = []
        let first = Dot(id, known[id] + 1)
        var next = first
        for (path, verb) in verbs {
            let before = document.typed
            let request = OperationRequest(document: SimulatedReplica.key, path: path, verb: verb)
            let timestamp = Timestamp(milliseconds: lastTime)
            do throws(AuthorError) {
                let authored = try document.author(request, dot: next, timestamp: timestamp, context: context)
                expectPatches(authored.patches, from: before, to: document.typed, "\(request)")
                for operation in authored.operations {
                    operations.append(operation)
                    let stamp = OperationStamp(dot: next, timestamp: timestamp, context: context)
                    if !operation.isStaticallyValid(stamp) { Issue.record("invalid: \(operation)") }
                    stamps.append(stamp)
                    next = next.advanced(by: operation.sequenceCount)
                }
            } catch {
                #expect(document.typed == before, "a refused request changed something: \(error)")
            }
        }
        document.checkInvariants()
        guard !operations.isEmpty else { return nil }
        known.advance(to: Dot(id, next.sequence.previous))
        return TestChange(operations: operations, stamps: stamps)
    }

    /// One request that must succeed and change something.
    @discardableResult
    mutating func change(
        _ path: [PathElement], _ verb: OperationRequest.Verb,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> TestChange {
        try #require(author([(path, verb)]), sourceLocation: sourceLocation)
    }

    /// Where the next change of the own log stands: its first dot, its time, all that is known as context.
    mutating func nextStamp() -> OperationStamp {
        lastTime = max(lastTime + 1, clock)
        return OperationStamp(
            dot: Dot(id, known[id] + 1), timestamp: Timestamp(milliseconds: lastTime),
            context: known.without(id))
    }

    /// Executes somebody's change.
    mutating func execute(_ change: TestChange) {
        let before = document.typed
        let patches = document.apply(change.operations, stamps: change.stamps)
        expectPatches(patches, from: before, to: document.typed, "\(change.operations)")
        known.advance(to: change.last)
        document.checkInvariants()
    }

    /// Executes those of the changes that it lacks, in an order that is possible.
    mutating func execute(all changes: [TestChange]) {
        var waiting = changes.filter { !known.contains($0.last) }
        while let index = waiting.firstIndex(where: { $0.isReady(after: known) }) {
            execute(waiting.remove(at: index))
        }
        #expect(waiting.isEmpty)
    }

    /// Through a snapshot and back.
    mutating func reopen() throws {
        let bytes = document.encodeSnapshot()
        let isVisible = document.isVisible
        document = try Document(snapshot: bytes)
        let outline = try Document.outline(of: bytes)
        #expect(outline == SnapshotOutline(key: document.key, isVisible: isVisible))
        #expect(document.encodeSnapshot() == bytes)
    }
}

/// Two or more replicas that executed the same changes are the same in every view.
func expectEqual(
    _ left: SimulatedReplica, _ right: SimulatedReplica, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let text = Comment(rawValue: comment)
    #expect(left.document.plain == right.document.plain, text, sourceLocation: sourceLocation)
    #expect(left.document.typed == right.document.typed, text, sourceLocation: sourceLocation)
    #expect(
        left.document.encodeSnapshot() == right.document.encodeSnapshot(), text,
        sourceLocation: sourceLocation)
}

/// Exchanges everything among replicas.
func exchange(_ replicas: inout [SimulatedReplica], _ changes: [TestChange]) {
    for index in replicas.indices { replicas[index].execute(all: changes) }
    for replica in replicas.dropFirst() { expectEqual(replicas[0], replica) }
}

extension ModelDocument {
    /// What the changes, in a causal order, make.
    init(of changes: [TestChange], forgetting forgotten: ModelForgotten = ModelForgotten()) {
        self.init(
            of: Array(SimulatedReplica.key.utf8), changes.map(\.forModel), forgetting: forgotten)
    }
}

extension TestChange {
    var forModel: ModelChange {
        ModelChange(
            first: first, milliseconds: stamps[0].timestamp.milliseconds,
            context: stamps[0].context.entries.map { (replica: $0.replica, last: $0.last.value) },
            operations: operations)
    }
}
