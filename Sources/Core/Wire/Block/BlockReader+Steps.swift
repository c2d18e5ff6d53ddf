// Steps to operations. A step is read once, when the first of its operations is asked for; what it says of
// the next operation is kept in its head.

import Bytes
import Causality
import Documents

/// The step at hand, and how much of it is left.
struct BlockStepHead: Sendable {
    var kind = BlockStep.rest
    var log = -1
    var place = -1
    /// Operations left.
    var count = 0
    /// Scalars of an insertion, dots of a range.
    var length = 0
    /// Of the next insertion.
    var left = ReplayDot.none
    var right = ReplayDot.none
    /// The first dot of the next range.
    var range = ReplayDot.none
    var goesBack = false
    var amount: Int64 = 0
}

extension BlockReader {
    /// The next operation of a change of this log; its first sequence is the log's next one.
    mutating func nextOperation(_ log: Int) throws(DecodeFault) -> Operation {
        if step.count == 0 { try readStep(log) }
        guard step.log == log else { throw .outOfRange(field: "step") }
        step.count -= 1
        switch step.kind {
        case .insertText:
            let (left, right) = (publicDot(step.left), publicDot(step.right))
            let inserted = try takeText(scalars: step.length)
            step.left = ReplayDot(
                replica: Int32(logs[log].replica), sequence: logs[log].next + UInt64(step.length) - 1)
            return operation(.insertText(left: left, right: right, inserted))
        case .deleteOnce:
            let range = try takeRange()
            return operation(.deleteText([range]))
        case .increment:
            return operation(.increment(by: step.amount))
        case .write:
            let key = try readKey()
            let value = try readScalar()
            return operation(.write(slot: .key(key), value: value, generation: try readGeneration()))
        case .rest:
            return try readRest(log)
        }
    }

    private func operation(_ action: Action) -> Operation {
        let place = places[step.place]
        return Operation(document: place.document, body: .act(in: place.path, action))
    }

    /// Reads the next step's head, which must be of this log: an operation of another one cuts a step.
    mutating func readStep(_ log: Int) throws(DecodeFault) {
        var next = BlockStepHead()
        next.kind = try readStepKind()
        next.log = log
        next.count = 1
        switch next.kind {
        case .insertText:
            next.place = try readPlace(log)
            next.left = try readLeft(log)
            next.right = try readRight(after: next.left, log)
            next.count = try readCount()
            next.length = try lengths.count(limit: DocumentLimits.stringBytesMax, field: "text")
            if next.length == 0 { throw .outOfRange(field: "text") }
            // Every scalar has a byte, so no sum of lengths passes the column's end.
            let (scalars, isOver) = next.length.multipliedReportingOverflow(by: next.count)
            if isOver || scalars > text.remaining {
                throw .truncated(needed: scalars, available: text.remaining)
            }
            logs[log].near = ReplayDot(
                replica: Int32(logs[log].replica), sequence: logs[log].next + UInt64(scalars) - 1)
        case .deleteOnce:
            next.place = try readPlace(log)
            next.range = try readDot(log)
            let code = try counts.varint()
            next.goesBack = code & 1 == 1
            next.count = try checked(count: code >> 1 + 1)
            next.length = try readLength()
            try placeNear(next, log)
        case .increment:
            next.place = try readPlace(log)
            next.count = try readCount()
            next.amount = try numbers.zigzag()
        case .write:
            next.place = try readPlace(log)
        case .rest:
            break
        }
        step = next
    }

    /// The whole row of ranges must be of sequences that exist.
    private mutating func placeNear(_ step: BlockStepHead, _ log: Int) throws(DecodeFault) {
        let (span, isOver) = UInt64(step.length).multipliedReportingOverflow(by: UInt64(step.count - 1))
        let length = UInt64(step.length)
        guard !isOver, span <= SequenceNumber.max.value else { throw .outOfRange(field: "range") }
        if step.goesBack {
            guard span < step.range.sequence, step.range.sequence + (length - 1) <= SequenceNumber.max.value
            else { throw .outOfRange(field: "range") }
            logs[log].near.sequence = step.range.sequence - span - 1
        } else {
            guard step.range.sequence + span + (length - 1) <= SequenceNumber.max.value else {
                throw .outOfRange(field: "range")
            }
            logs[log].near.sequence = step.range.sequence + span - 1
        }
        logs[log].near.replica = step.range.replica
    }

    private mutating func readCount() throws(DecodeFault) -> Int {
        let count = try counts.varint()
        return try checked(count: count)
    }

    private func checked(count: UInt64) throws(DecodeFault) -> Int {
        // The change that asks has paid for its own operation already.
        if count == 0 || count > UInt64(operationCount) { throw .outOfRange(field: "step") }
        return Int(count)
    }

    private mutating func readLength() throws(DecodeFault) -> Int {
        let length = try lengths.varint()
        if length == 0 || length > SequenceNumber.max.value { throw .outOfRange(field: "range") }
        return Int(length)
    }

    /// The next range of a row of deletions.
    private mutating func takeRange() throws(DecodeFault) -> DotRange {
        let (first, length) = (step.range.sequence, UInt64(step.length))
        let range = DotRange(
            replicas[Int(step.range.replica)], SequenceNumber(first), SequenceNumber(first + length - 1))
        if step.count > 0 { step.range.sequence = step.goesBack ? first - length : first + length }
        return range
    }

    private mutating func takeText(scalars: Int) throws(DecodeFault) -> String {
        let start = text.offset
        try skipText(scalars: scalars)
        let utf8 = text.bytes[start..<text.offset]
        guard let string = String(validating: utf8, as: UTF8.self) else { throw .invalidUTF8(at: start) }
        return string
    }

    /// Moves past so many scalars: their first bytes, and the continuation bytes of the last.
    mutating func skipText(scalars: Int) throws(DecodeFault) {
        for _ in 0..<scalars {
            let first = try text.u8()
            if first >= 0x80 { try text.skip(first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1) }
        }
    }

    // MARK: Keys, values, places

    mutating func readKey() throws(DecodeFault) -> Key {
        let code = try keyColumn.varint()
        if code > UInt64(keyTable.count) { throw .outOfRange(field: "map key") }
        if code > 0 { return keyTable[Int(code - 1)] }
        let key = try strings.key(limit: DocumentLimits.mapKeyBytesMax, field: "map key")
        keyTable.append(key)
        return key
    }

    mutating func readScalar() throws(DecodeFault) -> Scalar { try readScalar(tag: try tags.u8()) }

    private mutating func readScalar(tag: UInt8) throws(DecodeFault) -> Scalar {
        switch tag {
        case ScalarCoding.Tag.null: return .null
        case ScalarCoding.Tag.false: return .bool(false)
        case ScalarCoding.Tag.true: return .bool(true)
        case ScalarCoding.Tag.integer:
            lastInteger = lastInteger &+ (try numbers.zigzag())
            return .integer(lastInteger)
        case ScalarCoding.Tag.double:
            var bits: UInt64 = 0
            for byte in try rest.raw(8) { bits = bits << 8 | UInt64(byte) }
            let scalar = Scalar.double(Double(bitPattern: bits))
            if !scalar.isCanonical { throw .notCanonical(field: "number") }
            return scalar
        case ScalarCoding.Tag.string:
            return .string(try strings.key(limit: DocumentLimits.stringBytesMax, field: "string"))
        default: throw .unknownTag(field: "scalar", value: UInt64(tag))
        }
    }

    mutating func readGeneration() throws(DecodeFault) -> Generation {
        let value = try generations.next()
        if value < 1 || value > UInt64(Generation.max.value) { throw .outOfRange(field: "generation") }
        return Generation(UInt32(value))
    }

    private mutating func readKind() throws(DecodeFault) -> ContainerKind {
        let raw = try rest.u8()
        guard let kind = ContainerKind(rawValue: raw) else {
            throw .unknownTag(field: "container kind", value: UInt64(raw))
        }
        return kind
    }

    mutating func readSlot(_ log: Int) throws(DecodeFault) -> Slot {
        switch try rest.u8() {
        case 0: return .key(try readKey())
        case 1: return .element(try readPublicDot(log))
        case let code: throw .unknownTag(field: "slot", value: UInt64(code))
        }
    }

    mutating func readPlaceName(_ log: Int) throws(DecodeFault) -> BlockEncoder.PlaceName {
        let document = try readDocument()
        let generation = try readGeneration()
        var steps: [ContainerStep] = []
        let count = try rest.count(limit: DocumentLimits.nestingMax, field: "nesting")
        for _ in 0..<count {
            let slot = try readSlot(log)
            let kind = try readKind()
            steps.append(ContainerStep(slot, kind, try readGeneration()))
        }
        let path = ContainerPath(generation: generation, steps: steps)
        return BlockEncoder.PlaceName(document: document, path: path)
    }

    private mutating func readDocument() throws(DecodeFault) -> Key {
        let document = try strings.key(limit: DocumentLimits.documentKeyBytesMax, field: "document key")
        if document.utf8Count == 0 { throw .outOfRange(field: "document key") }
        return document
    }

    mutating func readPublicDot(_ log: Int) throws(DecodeFault) -> Dot {
        let found = try readDot(log)
        guard let dot = publicDot(found) else { throw .outOfRange(field: "dot") }
        return dot
    }

    // MARK: All other operations

    private mutating func readRest(_ log: Int) throws(DecodeFault) -> Operation {
        let raw = try rest.varint()
        guard let tag = OperationTag(rawValue: raw) else {
            if raw < OperationTag.extensionFirst { throw .unknownTag(field: "operation", value: raw) }
            let document = try readDocument()
            let count = try counts.count(limit: WireLimits.changeSequencesMax, field: "sequences")
            if count == 0 { throw .outOfRange(field: "sequences") }
            let length = try rest.count(limit: WireLimits.changeBytesMax, field: "payload")
            return Operation(
                Operation.Extension(
                    tag: raw, document: document, sequenceCount: count, payload: try rest.raw(length)))
        }
        guard case .action(let tag) = tag else {
            let document = try readDocument()
            let count = try readListCount("observed", bytesEach: 0)
            var observed: [Generation] = []
            for _ in 0..<count {
                let generation = try readGeneration()
                if let last = observed.last, last >= generation { throw .notCanonical(field: "observed") }
                observed.append(generation)
            }
            return Operation(document: document, body: .deleteDocument(observed: observed))
        }
        step.place = try readPlace(log)
        // Typed text has a step of its own.
        if tag == .insertText { throw .unknownTag(field: "operation", value: raw) }
        var own = log
        let action = try Action(tag, from: &self, &own)
        switch action {
        case .insertText, .deleteText: break
        case _ where isPlanted("near-stays"): break
        default:
            let last = logs[log].next + UInt64(action.sequenceCount) - 1
            logs[log].near = ReplayDot(replica: Int32(logs[log].replica), sequence: last)
        }
        return operation(action)
    }

    /// Lists stand in several columns; one of them has a byte for each.
    mutating func readListCount(_ field: String, bytesEach: Int) throws(DecodeFault) -> Int {
        let limit =
            bytesEach == 0
            ? DocumentLimits.changeOperationsMax : max(dots.remaining, tags.remaining)
        let count = try counts.count(limit: limit, field: field)
        if count == 0 { throw .outOfRange(field: field) }
        return count
    }

    mutating func readObserved() throws(DecodeFault) -> [ObservedContainer] {
        let count = try counts.count(limit: rest.remaining, field: "observed")
        var observed: [ObservedContainer] = []
        for _ in 0..<count {
            let kind = try readKind()
            let next = ObservedContainer(kind, try readGeneration())
            if let last = observed.last, last >= next { throw .notCanonical(field: "observed") }
            observed.append(next)
        }
        return observed
    }

    mutating func readContents() throws(DecodeFault) -> [ElementContent] {
        let count = try readListCount("elements", bytesEach: 1)
        var contents: [ElementContent] = []
        for _ in 0..<count {
            let tag = try tags.u8()
            contents.append(
                tag == ScalarCoding.Tag.container ? .container : .register(try readScalar(tag: tag)))
        }
        return contents
    }

    mutating func readMembers() throws(DecodeFault) -> [Scalar] {
        let count = try readListCount("members", bytesEach: 1)
        var members: [Scalar] = []
        for _ in 0..<count { members.append(try readScalar()) }
        return members
    }

    mutating func readOrigins(_ log: Int) throws(DecodeFault) -> (left: Dot?, right: Dot?) {
        let left = try readLeft(log)
        let right = try readRight(after: left, log)
        return (publicDot(left), publicDot(right))
    }

    // MARK: Ranges of dots

    /// True when the next operation of a step `rest` deletes several ranges of a text.
    var isTextDeletionNext: Bool { rest.isNext(UInt8(Action.Tag.deleteText.rawValue)) }

    /// Reads the tag of that operation, and where it acts.
    mutating func enterRest(_ log: Int) throws(DecodeFault) {
        precondition(step.kind == .rest && step.count == 1, "not at an operation of its own")
        step.count = 0
        _ = try rest.u8()
        step.place = try readPlace(log)
    }

    mutating func readRanges(_ log: Int) throws(DecodeFault) -> [DotRange] {
        let count = try readListCount("ranges", bytesEach: 1)
        var ranges: [DotRange] = []
        var former = (first: ReplayDot.none, last: UInt64(0))
        for _ in 0..<count {
            former = try readRange(after: former, log)
            ranges.append(
                DotRange(
                    replicas[Int(former.first.replica)], SequenceNumber(former.first.sequence),
                    SequenceNumber(former.last)))
        }
        return ranges
    }

    /// The next range of a list: after the former one in the order of dots.
    mutating func readRange(
        after former: (first: ReplayDot, last: UInt64), _ log: Int
    ) throws(DecodeFault) -> (first: ReplayDot, last: UInt64) {
        let first = try readDot(log)
        let last = first.sequence + UInt64(try readLength() - 1)
        if last > SequenceNumber.max.value { throw .outOfRange(field: "range") }
        if former.first.isNone { return (first, last) }
        let isAfter =
            former.first.replica == first.replica
            ? former.last < first.sequence
            : replicas[Int(former.first.replica)] < replicas[Int(first.replica)]
        if !isAfter { throw .notCanonical(field: "ranges") }
        return (first, last)
    }
}
