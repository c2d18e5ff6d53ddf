// Reads the bytes of operations, which come from anybody: total, and what it gives is valid by itself.

import Bytes
import Causality
import Documents

/// Reads what `ChangesWriter` wrote.
struct ChangesReader {
    private var replicas: [ReplicaID] = []
    private var lasts: [ReplicaID: SequenceNumber] = [:]
    private var before: LoggedOperation?
    private var paths: [ContainerPath] = []
    private var beforePath: ContainerPath?

    static func decode(_ bytes: inout ByteReader) throws(DecodeFault) -> [LoggedOperation] {
        var reader = ChangesReader()
        let names = try bytes.count(limit: bytes.remaining / Bytes16.byteCount, field: "writers")
        for _ in 0..<names {
            let replica = ReplicaID(raw: try Bytes16(from: &bytes))
            if let last = reader.replicas.last, last >= replica { throw .notCanonical(field: "writers") }
            reader.replicas.append(replica)
        }
        let count = try bytes.count(limit: bytes.remaining, field: "operations")
        var operations: [LoggedOperation] = []
        operations.reserveCapacity(count)
        for _ in 0..<count { operations.append(try reader.read(&bytes)) }
        return operations
    }

    private mutating func read(_ bytes: inout ByteReader) throws(DecodeFault) -> LoggedOperation {
        let flags = try bytes.u8()
        guard flags <= Continuations.all else { throw .unknownTag(field: "operation", value: UInt64(flags)) }
        let continued = Continuations(rawValue: flags)
        if before == nil, !continued.isSubset(of: .sequence) { throw .outOfRange(field: "operation") }
        let replica = continued.contains(.writer) ? nil : try self.replica(&bytes)
        guard let writer = replica ?? before?.replica else { throw .outOfRange(field: "writer") }
        var sequence = lasts[writer] ?? .none
        if continued.contains(.sequence) {
            sequence = sequence + 1
        } else {
            sequence = try self.sequence(&bytes)
        }
        let stamp = OperationStamp(
            dot: Dot(writer, sequence), timestamp: try time(continued, &bytes),
            context: try context(continued, of: writer, &bytes))
        let path = try self.path(continued, &bytes)
        let number = UInt64(try bytes.u8())
        guard let tag = Action.Tag(rawValue: number) else {
            throw .unknownTag(field: "action", value: number)
        }
        let action = try Action(tag, from: &self, &bytes)
        let operation = Operation(document: Held.documentKey, body: .act(in: path, action))
        guard operation.isStaticallyValid(stamp) else { throw .outOfRange(field: "operation") }
        let logged = LoggedOperation(stamp: stamp, operation: operation)
        (before, beforePath) = (logged, path)
        lasts[writer] = logged.last
        return logged
    }

    private func time(
        _ continued: Continuations, _ bytes: inout ByteReader
    ) throws(DecodeFault) -> Timestamp {
        let last = before?.stamp.timestamp ?? .zero
        if continued.contains(.time) { return last }
        let (sum, isOver) = Int64(last.milliseconds).addingReportingOverflow(try bytes.zigzag())
        guard !isOver, sum >= 0, UInt64(sum) <= Timestamp.max.milliseconds else {
            throw .outOfRange(field: "time")
        }
        return Timestamp(milliseconds: UInt64(sum))
    }

    private func context(
        _ continued: Continuations, of writer: ReplicaID, _ bytes: inout ByteReader
    ) throws(DecodeFault) -> VersionVector {
        if continued.contains(.context), let context = before?.stamp.context { return context }
        var context = VersionVector()
        var last: ReplicaID?
        for _ in 0..<(try bytes.count(limit: replicas.count, field: "context")) {
            let replica = try replica(&bytes)
            if let last, last >= replica { throw .notCanonical(field: "context") }
            last = replica
            context.advance(replica, to: try sequence(&bytes))
        }
        return context
    }

    private mutating func path(
        _ continued: Continuations, _ bytes: inout ByteReader
    ) throws(DecodeFault) -> ContainerPath {
        if continued.contains(.path), let beforePath { return beforePath }
        let number = try bytes.count(limit: paths.count, field: "container")
        if number > 0 { return paths[number - 1] }
        let generation = try readGeneration(from: &bytes)
        var path = ContainerPath(generation: generation)
        for _ in 0..<(try bytes.count(limit: DocumentLimits.nestingMax, field: "nesting")) {
            let slot = try readSlot(from: &bytes)
            let kind = try self.kind(&bytes)
            path.append(ContainerStep(slot, kind, try readGeneration(from: &bytes)))
        }
        paths.append(path)
        return path
    }

    // MARK: Parts

    private func replica(_ bytes: inout ByteReader) throws(DecodeFault) -> ReplicaID {
        let place = try bytes.varint()
        guard place < UInt64(replicas.count) else { throw .outOfRange(field: "writer") }
        return replicas[Int(place)]
    }

    private func sequence(_ bytes: inout ByteReader) throws(DecodeFault) -> SequenceNumber {
        let value = try bytes.varint()
        guard value > 0, value <= SequenceNumber.max.value else { throw .outOfRange(field: "sequence") }
        return SequenceNumber(value)
    }

    private func dot(_ bytes: inout ByteReader) throws(DecodeFault) -> Dot {
        let replica = try replica(&bytes)
        return Dot(replica, try sequence(&bytes))
    }

    private func kind(_ bytes: inout ByteReader) throws(DecodeFault) -> ContainerKind {
        let tag = try bytes.u8()
        guard let kind = ContainerKind(rawValue: tag) else {
            throw .unknownTag(field: "kind", value: UInt64(tag))
        }
        return kind
    }

    /// Every item takes a byte at least.
    private func count(_ field: String, _ bytes: inout ByteReader) throws(DecodeFault) -> Int {
        try bytes.count(limit: bytes.remaining, field: field)
    }
}

extension ChangesReader: ActionReader {
    func readSlot(from bytes: inout ByteReader) throws(DecodeFault) -> Slot {
        let tag = try bytes.u8()
        switch tag {
        case 0: return .key(try bytes.key(limit: DocumentLimits.mapKeyBytesMax, field: "key"))
        case 1: return .element(try dot(&bytes))
        default: throw .unknownTag(field: "slot", value: UInt64(tag))
        }
    }

    func readScalar(from bytes: inout ByteReader) throws(DecodeFault) -> Scalar {
        try bytes.scalar()
    }

    func readGeneration(from bytes: inout ByteReader) throws(DecodeFault) -> Generation {
        let value = try bytes.varint()
        guard value > 0, value <= UInt64(Generation.max.value) else {
            throw .outOfRange(field: "generation")
        }
        return Generation(UInt32(value))
    }

    func readObserved(from bytes: inout ByteReader) throws(DecodeFault) -> [ObservedContainer] {
        var observed: [ObservedContainer] = []
        for _ in 0..<(try count("observed", &bytes)) {
            let kind = try kind(&bytes)
            observed.append(ObservedContainer(kind, try readGeneration(from: &bytes)))
        }
        return observed
    }

    func readAmount(from bytes: inout ByteReader) throws(DecodeFault) -> Int64 { try bytes.zigzag() }

    func readOrigins(from bytes: inout ByteReader) throws(DecodeFault) -> (left: Dot?, right: Dot?) {
        let bits = try bytes.u8()
        guard bits <= 3 else { throw .unknownTag(field: "origins", value: UInt64(bits)) }
        let left = bits & 1 == 0 ? nil : try dot(&bytes)
        return (left, bits & 2 == 0 ? nil : try dot(&bytes))
    }

    func readContents(from bytes: inout ByteReader) throws(DecodeFault) -> [ElementContent] {
        var contents: [ElementContent] = []
        for _ in 0..<(try count("elements", &bytes)) {
            let tag = try bytes.u8()
            contents.append(tag == 6 ? .container : .register(try bytes.scalar(tag)))
        }
        return contents
    }

    func readMembers(from bytes: inout ByteReader) throws(DecodeFault) -> [Scalar] {
        var members: [Scalar] = []
        for _ in 0..<(try count("members", &bytes)) { members.append(try bytes.scalar()) }
        return members
    }

    func readText(from bytes: inout ByteReader) throws(DecodeFault) -> String {
        try bytes.key(limit: DocumentLimits.stringBytesMax, field: "text").string
    }

    func readRanges(from bytes: inout ByteReader) throws(DecodeFault) -> [DotRange] {
        var ranges: [DotRange] = []
        for _ in 0..<(try count("ranges", &bytes)) {
            let first = try dot(&bytes)
            let more = try bytes.varint()
            guard more <= SequenceNumber.max.value - first.sequence.value else {
                throw .outOfRange(field: "range")
            }
            ranges.append(DotRange(first.replica, first.sequence, first.sequence + Int(more)))
        }
        return ranges
    }

    func readElement(from bytes: inout ByteReader) throws(DecodeFault) -> Dot { try dot(&bytes) }
}
