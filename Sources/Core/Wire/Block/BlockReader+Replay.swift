// A block into documents without a change, an operation or a byte string for each keystroke: columns are read
// run by run, and a run is handed to the document as one. What follows from the columns alone is checked
// here: that everything named is in the context. A block in which something is not is refused as a whole; its
// changes then take the general road, which judges them one by one. The daemon always takes that one: only
// replbench and tests replay (decision 0121).

public import Bytes
import Causality
public import Documents

extension BlockReader {
    /// Executes all changes of the block that are left, in its order. Everything that their contexts cover
    /// and that is not in the block has been applied or is void; no change was applied before. The changes
    /// were verified and admitted: this is for one's own store and for bytes whose seals hold. On a fault the
    /// documents are as before.
    public consuming func replay(into documents: inout [Key: Document]) throws(DecodeFault) {
        var session = BlockReplay(self, documents)
        try session.run()
        session.finish(into: &documents)
    }
}

/// One replay.
private struct BlockReplay: ~Copyable {
    var reader: BlockReader
    private let base: [Key: Document]
    private var indexes: [Key: Int] = [:]
    private var documents: ContiguousArray<(key: Key, replay: DocumentReplay)> = []
    /// A place of the block: its document, and the container unless it is in a list.
    private struct Place {
        let document: Int
        let kind: ContainerKind
        let target: DocumentReplay.Target?
    }

    /// One for each place that a run acts in; nil for the others. Opening a place makes its container, and an
    /// operation of its own may have had no effect there (it named an element that was never inserted).
    private var places: ContiguousArray<Place?> = []
    private var isASCII = true
    /// The first text has room for all runs: mostly it is the only one.
    private var hasReserved = false
    private static let reservedRunsMax = 1 << 16

    init(_ reader: consuming BlockReader, _ documents: [Key: Document]) {
        self.reader = reader
        base = documents
    }

    mutating func run() throws(DecodeFault) {
        try checkText()
        while try reader.nextScheduled() { try replayChanges() }
    }

    mutating func finish(into result: inout [Key: Document]) {
        // Each is taken out first: one that stood here too would be copied when it changes.
        while let (key, replay) = documents.popLast() {
            result[key] = replay.finish(replicas: reader.replicas, text: reader.text.bytes)
        }
    }

    /// All inserted text is UTF-8, so every part between two scalars is.
    private mutating func checkText() throws(DecodeFault) {
        let utf8 = reader.text.bytes[reader.text.offset..<reader.text.end]
        isASCII = utf8.withUnsafeBufferPointer { bytes in
            var all: UInt8 = 0
            for byte in bytes { all |= byte }
            return all < 0x80
        }
        if !isASCII, String(validating: utf8, as: UTF8.self) == nil {
            throw .invalidUTF8(at: reader.text.offset)
        }
    }

    // MARK: Changes

    /// As many changes of one log as have the same shape and distance in time.
    private mutating func replayChanges() throws(DecodeFault) {
        let log = reader.scheduledLog
        let (shape, shapes) = try reader.shapes.peek()
        let (delta, times) = try reader.times.peek()
        let isPlain = shape & 3 == 0 && shape > 0 && !reader.logs[log].history.isEmpty
        let count = isPlain ? min(shapes, times, reader.scheduledLeft) : 1
        reader.shapes.take(count)
        reader.times.take(count)
        reader.scheduledLeft -= count
        let time = reader.logs[log].timestamp
        try reader.advanceTime(of: log, by: delta, count)
        if shape & 3 == 1, shape >> 2 > 0, reader.logs[log].next > 1 {
            try reader.advanceContext(of: log)
        } else if !isPlain {
            let declaration = try reader.readHead(shape, log).declaration
            if shape >> 2 == 0 {
                if declaration == nil { throw .outOfRange(field: "operations") }
                reader.logs[log].next += 1
                return
            }
        }
        let (sum, isOver) = (shape >> 2).multipliedReportingOverflow(by: count)
        let operations = try reader.takeOperations(isOver ? .max : sum)
        var done = 0
        while done < operations {
            if reader.step.count == 0 { try reader.readStep(log) }
            guard reader.step.log == log else { throw .outOfRange(field: "step") }
            let part = min(reader.step.count, operations - done)
            done += part
            // The time of the change that the part's last operation is in. Both are below 2^32 (a block has
            // at most `blockOperationsMax` operations), where dividing costs a third.
            let change = UInt64(UInt32(done - 1) / UInt32(shape >> 2)) + 1
            try replayStep(part, log, time + delta * change)
        }
        if reader.logs[log].next > SequenceNumber.max.value { throw .outOfRange(field: "sequence") }
    }

    /// `count` operations of the step at hand.
    private mutating func replayStep(_ count: Int, _ log: Int, _ time: UInt64) throws(DecodeFault) {
        switch reader.step.kind {
        case .insertText: try insertText(count, log, time)
        case .deleteOnce: try deleteRow(count, log)
        case .increment:
            let (document, target) = try target(.counter)
            guard let target else { return try applyEach(count, log, time) }
            reader.step.count -= count
            reader.logs[log].next += UInt64(count)
            documents[document].replay.increment(by: Int128(reader.step.amount) * Int128(count), in: target)
            documents[document].replay.record(edit: lastDot(log), time, in: target)
        case .write: try write(log, time)
        case .rest where reader.isTextDeletionNext:
            try deleteRanges(log, time)
        case .rest:
            let operation = try reader.nextOperation(log)
            reader.logs[log].next += UInt64(operation.sequenceCount)
            try apply(operation, log, time)
        }
    }

    private func lastDot(_ log: Int) -> ReplayDot {
        ReplayDot(replica: Int32(reader.logs[log].replica), sequence: reader.logs[log].next - 1)
    }

    // MARK: Text

    private mutating func insertText(_ count: Int, _ log: Int, _ time: UInt64) throws(DecodeFault) {
        let (document, target) = try target(.text)
        guard let target else { return try applyEach(count, log, time) }
        let step = reader.step
        try check(step.left, log)
        try check(step.right, log)
        let first = reader.logs[log].next
        let replica = Int32(reader.logs[log].replica)
        let scalars = count * step.length
        let start = reader.text.offset
        try skipText(count)
        reader.step.count -= count
        reader.logs[log].next += UInt64(scalars)
        reader.step.left = lastDot(log)
        let isTaken = documents[document].replay.insertText(
            ReplayDot(replica: replica, sequence: first), count: scalars, left: step.left, right: step.right,
            text: start, byteCount: reader.text.offset - start,
            // An operation's own dot is its first one.
            lastEdit: isPlanted("edit-of-first") ? first : reader.logs[log].next - UInt64(step.length), time,
            in: target)
        if !isTaken {
            documents[document].replay.insertTextAlone(
                Dot(reader.replicas[Int(replica)], SequenceNumber(first)), left: reader.publicDot(step.left),
                right: reader.publicDot(step.right), start..<reader.text.offset, in: target,
                replicas: reader.replicas, text: reader.text.bytes)
        }
    }

    /// The text of so many operations, each within the limit of an insertion. Only a long one may not be.
    private mutating func skipText(_ count: Int) throws(DecodeFault) {
        let length = reader.step.length
        if isASCII { return try reader.text.skip(count * length) }
        if length <= DocumentLimits.stringBytesMax / 4 {
            return try reader.skipText(scalars: count * length)
        }
        for _ in 0..<count {
            let start = reader.text.offset
            try reader.skipText(scalars: length)
            let byteCount = reader.text.offset - start
            guard byteCount <= DocumentLimits.stringBytesMax else {
                let limit = UInt64(DocumentLimits.stringBytesMax)
                throw .overLimit(field: "text", value: UInt64(byteCount), limit: limit)
            }
        }
    }

    private mutating func deleteRow(_ count: Int, _ log: Int) throws(DecodeFault) {
        let (document, target) = try target(.text)
        guard let target else { return try applyEach(count, log, reader.logs[log].timestamp) }
        let (length, rest) = (UInt64(reader.step.length), UInt64(count - 1))
        var first = reader.step.range
        if reader.step.goesBack { first.sequence -= rest * length }
        let total = length * UInt64(count)
        try checkRow(first, length, count, log)
        delete(first, Int(total) - (isPlanted("row-one-short") && count > 1 ? 1 : 0), document, target)
        reader.step.count -= count
        if reader.step.count > 0 {
            reader.step.range.sequence =
                reader.step.goesBack ? first.sequence - length : first.sequence + total
        }
        reader.logs[log].next += UInt64(count)
    }

    /// The ranges of a row, each of which its own operation must have seen: the last one, where the row goes
    /// on, the first one, where it goes back. In the log's own dots what is known grows by one with each
    /// operation, so of a row that goes on the first range may be beyond it while the last is not.
    private mutating func checkRow(
        _ first: ReplayDot, _ length: UInt64, _ count: Int, _ log: Int
    ) throws(DecodeFault) {
        let last = ReplayDot(
            replica: first.replica, sequence: first.sequence + (length * UInt64(count) - 1))
        guard Int(first.replica) == reader.logs[log].replica, !reader.step.goesBack else {
            return try check(last, log)
        }
        let next = reader.logs[log].next
        if first.sequence + (length - 1) >= next || last.sequence >= next + UInt64(count - 1) {
            throw .outOfRange(field: "dot")
        }
    }

    /// Several ranges at once.
    private mutating func deleteRanges(_ log: Int, _ time: UInt64) throws(DecodeFault) {
        try reader.enterRest(log)
        let (document, target) = try target(.text)
        guard let target else {
            let ranges = try reader.readRanges(log)
            reader.logs[log].next += 1
            let place = reader.places[reader.step.place]
            let body = Operation.Body.act(in: place.path, .deleteText(ranges))
            return try apply(Operation(document: place.document, body: body), log, time)
        }
        var count = try reader.readListCount("ranges", bytesEach: 1)
        var former = (first: ReplayDot.none, last: UInt64(0))
        while count > 0 {
            let range = try reader.readRange(after: former, log)
            try check(ReplayDot(replica: range.first.replica, sequence: range.last), log)
            delete(range.first, Int(range.last - range.first.sequence) + 1, document, target)
            former = range
            count -= 1
        }
        reader.logs[log].next += 1
    }

    private mutating func delete(
        _ first: ReplayDot, _ count: Int, _ document: Int, _ target: DocumentReplay.Target
    ) {
        if documents[document].replay.deleteText(first, count: count, in: target) { return }
        let start = SequenceNumber(first.sequence)
        documents[document].replay.deleteTextAlone(
            DotRange(reader.replicas[Int(first.replica)], start, start + (count - 1)), in: target,
            replicas: reader.replicas, text: reader.text.bytes)
    }

    /// What a step names must be in the context of its change. Mutating, though nothing changes: else the
    /// compiler copies the whole reader for each call.
    private mutating func check(_ dot: ReplayDot, _ log: Int) throws(DecodeFault) {
        if dot.isNone { return }
        let known =
            Int(dot.replica) == reader.logs[log].replica
            ? reader.logs[log].next - 1
            : reader.contexts.last(of: Int(dot.replica), in: reader.logs[log].context)
        if dot.sequence > known { throw .outOfRange(field: "dot") }
    }

    // MARK: Everything else

    private mutating func write(_ log: Int, _ time: UInt64) throws(DecodeFault) {
        let (document, target) = try target(.map)
        guard let target else { return try applyEach(1, log, time) }
        let key = try reader.readKey()
        let value = try reader.readScalar()
        let generation = try reader.readGeneration()
        reader.step.count -= 1
        reader.logs[log].next += 1
        documents[document].replay.write(key, value, generation, by: stamp(log, time, 1), in: target)
        documents[document].replay.record(edit: lastDot(log), time, in: target)
    }

    private mutating func stamp(_ log: Int, _ time: UInt64, _ count: Int) -> OperationStamp {
        OperationStamp(
            dot: Dot(
                reader.replicas[reader.logs[log].replica],
                SequenceNumber(reader.logs[log].next - UInt64(count))),
            timestamp: Timestamp(milliseconds: time),
            context: isPlanted("replay-without-context") ? VersionVector() : reader.vector(of: log))
    }

    private mutating func applyEach(_ count: Int, _ log: Int, _ time: UInt64) throws(DecodeFault) {
        for _ in 0..<count {
            let operation = try reader.nextOperation(log)
            reader.logs[log].next += UInt64(operation.sequenceCount)
            try apply(operation, log, time)
        }
    }

    /// The general road; texts that have a target take runs only, so no insertion or deletion of theirs is
    /// here.
    private mutating func apply(_ operation: Operation, _ log: Int, _ time: UInt64) throws(DecodeFault) {
        let stamp = stamp(log, time, operation.sequenceCount)
        guard operation.isStaticallyValid(stamp) else { throw .outOfRange(field: "operation") }
        if case .unknown(let tag, _, _) = operation.body {
            throw .unknownTag(field: "operation", value: tag)
        }
        guard operation.touchesDocument else { return }
        let document = open(operation.document)
        documents[document].replay.apply(operation, stamp, replicas: reader.replicas)
    }

    /// The container of the step at hand, which must be of this kind; no target when it is inside a list.
    private mutating func target(
        _ kind: ContainerKind
    ) throws(DecodeFault) -> (document: Int, target: DocumentReplay.Target?) {
        let place = placeAtHand()
        if place.kind != kind { throw .outOfRange(field: "container") }
        return (place.document, place.target)
    }

    /// Where the step at hand acts, opened the first time.
    private mutating func placeAtHand() -> Place {
        let index = reader.step.place
        while places.count <= index { places.append(nil) }
        if let known = places[index] { return known }
        let name = reader.places[index]
        let document = open(name.document)
        let target = documents[document].replay.open(name.path)
        if let target, name.path.kind == .text, !hasReserved {
            hasReserved = true
            // An insertion has a byte in `rights`, and so have both in `lengths`. Room that is not used is
            // not touched.
            documents[document].replay.reserve(
                insertions: min(reader.rights.remaining, Self.reservedRunsMax),
                deletions: min(reader.lengths.remaining, Self.reservedRunsMax), in: target)
        }
        let place = Place(document: document, kind: name.path.kind, target: target)
        places[index] = place
        return place
    }

    private mutating func open(_ key: Key) -> Int {
        if let known = indexes[key] { return known }
        documents.append((key, DocumentReplay(base[key] ?? Document(key: key))))
        indexes[key] = documents.count - 1
        return documents.count - 1
    }
}
