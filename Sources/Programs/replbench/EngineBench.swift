// The measurements of `replbench engine`. Each line is {"metric", "trace", "value", …}; what can be wrong is
// checked before anything is timed. Names and work are those of Tests/Bench/peer.py.

import Bytes
import Causality
import Documents
import Wire

/// Measures one trace.
struct EngineBench {
    let trace: Trace
    let repetitions: Int
    /// What the metrics that are timed begin with.
    private let only: String
    private var isRight = true

    init(trace: Trace, repetitions: Int, only: String) {
        self.trace = trace
        self.repetitions = repetitions
        self.only = only
    }

    /// False when something did not come out as it must.
    mutating func run() -> Bool {
        let changes = Replay.changes(of: trace)
        emit("transactions", trace.transactions.count)
        emit("patches", trace.patchCount)
        emit("replicas", Set(changes.map(\.replica)).count)
        let document = checkResult(changes)
        if !trace.isConcurrent {
            let edits = trace.transactions.flatMap(\.patches).map {
                TextEdit(index: $0.position, delete: $0.deleted, insert: $0.inserted)
            }
            let text = Self.localReplay(edits).value(at: Replay.path)?.text ?? ""
            let matches = text.unicodeScalars.elementsEqual(trace.endContent.unicodeScalars)
            emit("local-matches-end", matches)
            if !matches { isRight = false }
            time("local-ms") { Self.localReplay(edits) }
            time("keystroke-ms") { keystrokes() }
        }
        time("apply-ms") { Self.apply(changes) }
        let encoded = Self.encode(changes)
        emit("canonical-bytes", encoded.logs.reduce(0) { $0 + $1.bytes.count })
        time("canonical-encode-ms") { Self.encode(changes) }
        time("updates-ms") { Self.importing(encoded) }
        measureBlock(changes, document)
        let snapshot = document.encodeSnapshot()
        emit("snapshot-bytes", snapshot.count)
        time("snapshot-ms") { document.encodeSnapshot() }
        time("open-ms") { Self.open(snapshot)?.value(at: Replay.path) }
        return isRight
    }

    /// Applies in trace order and, for concurrent traces, in another causal order: both must end equal.
    private mutating func checkResult(_ changes: [Change]) -> Document {
        let document = Self.apply(changes)
        let text = document.value(at: Replay.path)?.text ?? ""
        let matches = text.unicodeScalars.elementsEqual(trace.endContent.unicodeScalars)
        emit("matches-end", matches)
        if !trace.isConcurrent && !matches { isRight = false }
        let other = Self.apply(Self.reordered(changes))
        let same = other.encodeSnapshot() == document.encodeSnapshot()
        emit("replicas-equal", same)
        if !same { isRight = false }
        let reopened = Self.open(document.encodeSnapshot())
        let kept = reopened?.value(at: Replay.path)?.text == text
        emit("snapshot-keeps-text", kept)
        if !kept { isRight = false }
        return document
    }

    /// The whole history as one block, and its way into an empty document.
    private mutating func measureBlock(_ changes: [Change], _ document: Document) {
        let history = Self.reordered(changes).map { $0.first.value == 1 ? $0.declared() : $0 }
        guard let block = BlockEncoder.encode(history) else {
            emit("block-fits", false)
            return
        }
        emit("encoded-bytes", block.count)
        measureMemory(block)
        time("encode-ms") { BlockEncoder.encode(history) }
        let isEqual = Self.imported(block)?.encodeSnapshot() == document.encodeSnapshot()
        emit("import-equal", isEqual)
        if !isEqual { isRight = false }
        time("import-ms") { Self.imported(block)?.value(at: Replay.path) }
    }

    /// In a process of its own, which has done nothing else.
    private mutating func measureMemory(_ block: [UInt8]) {
        do throws(BenchFailure) {
            let memory = try MemoryBench.measure(block)
            emit("memory-bytes", memory.imported)
            emit("memory-edited-bytes", memory.edited)
        } catch {
            emit("memory-measured", false)
            isRight = false
        }
    }

    static func imported(_ block: [UInt8]) -> Document? {
        var documents: [Key: Document] = [:]
        do throws(DecodeFault) { try BlockReader(block).replay(into: &documents) } catch { return nil }
        return documents[Replay.key]
    }

    /// All patches of the trace in one transaction.
    private static func localReplay(_ edits: [TextEdit]) -> Document {
        var document = Document(key: Replay.key)
        do throws(AuthorError) {
            var done = 0
            _ = try document.author(
                edits, at: Replay.path, dot: Dot(author, SequenceNumber(1)),
                timestamp: Timestamp(milliseconds: 1), context: VersionVector(), done: &done)
        } catch {
            preconditionFailure("a splice of the trace was refused: \(error)")
        }
        return document
    }

    private static let author = ReplicaID(raw: Bytes16(high: 0, low: 0))

    /// One transaction a patch, each of which becomes a change and its canonical bytes.
    private func keystrokes() -> (document: Document, log: [UInt8]) {
        var document = Document(key: Replay.key)
        var coder = LogCoder(replica: Self.author)
        var writer = ByteWriter()
        var (next, time) = (Dot(Self.author, SequenceNumber(1)), UInt64(0))
        let context = VersionVector()
        for transaction in trace.transactions {
            time += 1
            let timestamp = Timestamp(milliseconds: time)
            var operations: [Operation] = []
            let first = next
            for patch in transaction.patches {
                for operation in Replay.author(patch, in: &document, next, timestamp, context) {
                    operations.append(operation)
                    next = next.advanced(by: operation.sequenceCount)
                }
            }
            guard !operations.isEmpty else { continue }
            let change = Change(
                replica: Self.author, first: first.sequence, timestamp: timestamp, context: context,
                declaration: nil, rosterHeads: [], operations: operations)
            coder.encode(first.sequence.value == 1 ? change.declared() : change, into: &writer)
        }
        return (document, writer.bytes)
    }

    private static func apply(_ changes: [Change]) -> Document {
        var document = Document(key: Replay.key)
        for change in changes { apply(change, to: &document) }
        return document
    }

    private static func apply(_ change: Change, to document: inout Document) {
        var dot = Dot(change.replica, change.first)
        for operation in change.operations {
            document.apply(
                operation, OperationStamp(dot: dot, timestamp: change.timestamp, context: change.context))
            dot = dot.advanced(by: operation.sequenceCount)
        }
    }

    /// A causal order that runs each replica as far ahead as it can go.
    static func reordered(_ changes: [Change]) -> [Change] {
        var logs: [ReplicaID: [Change]] = [:]
        for change in changes.reversed() { logs[change.replica, default: []].append(change) }
        let replicas = logs.keys.sorted(by: >)
        var held = VersionVector()
        var result: [Change] = []
        while result.count < changes.count {
            for replica in replicas {
                while let next = logs[replica]?.last, held.covers(next.context) {
                    logs[replica]?.removeLast()
                    held.advance(to: next.id)
                    result.append(next)
                }
            }
        }
        return result
    }

    /// Canonical bytes per log; each change is an update of one of them.
    private struct Updates {
        var logs: [(replica: ReplicaID, bytes: [UInt8])] = []
        /// The log of each change, in the order of the changes.
        var order: [Int] = []
    }

    private static func encode(_ changes: [Change]) -> Updates {
        var updates = Updates()
        var places: [ReplicaID: Int] = [:]
        var coders: [LogCoder] = []
        var writers: [ByteWriter] = []
        for change in changes {
            let declared = change.first.value == 1 ? change.declared() : change
            let place = places[change.replica] ?? coders.count
            if place == coders.count {
                places[change.replica] = place
                coders.append(LogCoder(replica: change.replica))
                writers.append(ByteWriter())
                updates.logs.append((change.replica, []))
            }
            coders[place].encode(declared, into: &writers[place])
            updates.order.append(place)
        }
        for place in coders.indices { updates.logs[place].bytes = writers[place].bytes }
        return updates
    }

    /// Decodes and applies one change after the other, as a node does with what comes live.
    private static func importing(_ updates: Updates) -> Document? {
        var document = Document(key: Replay.key)
        var coders = updates.logs.map { LogCoder(replica: $0.replica) }
        var readers = updates.logs.map { ByteReader($0.bytes) }
        for log in updates.order {
            do throws(DecodeFault) {
                apply(try coders[log].decode(from: &readers[log]), to: &document)
            } catch {
                return nil
            }
        }
        return document
    }

    private static func open(_ snapshot: [UInt8]) -> Document? {
        do throws(DecodeFault) { return try Document(snapshot: snapshot) } catch { return nil }
    }

    // MARK: Lines

    private func time<Result>(_ metric: String, _ body: () -> Result) {
        guard metric.hasPrefix(only) else { return }
        var times: [Double] = []
        for _ in 0..<repetitions {
            var result: Result?
            let start = ProcessorClock.milliseconds()
            result = body()
            times.append(ProcessorClock.milliseconds() - start)
            withExtendedLifetime(result) {}
        }
        times.sort()
        print(
            #"{"metric":"\#(metric)","trace":"\#(trace.name)","value":\#(rounded(times[0]))"#
                + #","median":\#(rounded(times[times.count / 2])),"n":\#(times.count)}"#)
    }

    private func emit(_ metric: String, _ value: some CustomStringConvertible) {
        print(#"{"metric":"\#(metric)","trace":"\#(trace.name)","value":\#(value)}"#)
    }

    private func rounded(_ milliseconds: Double) -> Double { (milliseconds * 1_000).rounded() / 1_000 }
}

extension Change {
    /// As a log's first change stands in the log: with an author.
    fileprivate func declared() -> Change {
        Change(
            replica: replica, first: first, timestamp: timestamp, context: context,
            declaration: Declaration(device: DeviceID(publicKey: .zero), incarnation: replica.raw.low),
            rosterHeads: rosterHeads, operations: operations)
    }
}
