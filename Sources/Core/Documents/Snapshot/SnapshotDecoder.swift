// Reads the bytes of a snapshot back. A disk can hand out anything: the decoder is total, and what it accepts
// satisfies the invariants that the rest of the floor relies on (orders show exactly the places of what is
// live).

public import Bytes
import Causality

/// Reads one document, or only looks at it.
struct SnapshotDecoder {
    var reader: ByteReader
    private var replicas: [ReplicaID] = []
    var state: DocumentState
    /// A checksum holds: texts may wait for their first edit.
    private(set) var foldsTexts = false
    /// A look has come to a root container that is live.
    private var seesLiveRoot = false
    /// A look has come to a container that only its own decoder can check, which needs a state.
    private var needsState = false

    static func decode(_ bytes: [UInt8]) throws(DecodeFault) -> Document {
        var decoder = SnapshotDecoder(reader: ByteReader(bytes), state: DocumentState())
        let head = try decoder.readHead(bytes, bytes.indices)
        try decoder.readSlot(DocumentState.root, depth: 0)
        try decoder.reader.finish()
        decoder.state.contentBytes = decoder.state.countContentBytes()
        return Document(key: head.key, isIncomplete: head.isIncomplete, state: decoder.state)
    }

    /// Accepts what `decode` accepts. A newcomer checks a million documents that nobody reads yet: most
    /// consist of maps and registers, which it checks without making them.
    static func outline(of bytes: [UInt8], in range: Range<Int>) throws(DecodeFault) -> SnapshotOutline {
        var decoder = SnapshotDecoder(reader: ByteReader(bytes, in: range), state: noState)
        let head = try decoder.readHead(bytes, range)
        do throws(DecodeFault) {
            try decoder.readSlot(nil, depth: 0)
            try decoder.reader.finish()
        } catch {
            guard decoder.needsState else { throw error }
            let document = try decode(Array(bytes[range]))
            return SnapshotOutline(key: document.key, isVisible: document.isVisible)
        }
        return SnapshotOutline(key: head.key, isVisible: decoder.seesLiveRoot)
    }

    /// The state of a look, which changes nothing in it. All looks share it.
    private static let noState = DocumentState()

    private init(reader: ByteReader, state: DocumentState) { (self.reader, self.state) = (reader, state) }

    private mutating func readHead(_ bytes: [UInt8], _ range: Range<Int>) throws(DecodeFault) -> (
        key: Key, isIncomplete: Bool
    ) {
        let version = try reader.u8()
        guard version == SnapshotEncoder.version || version == SnapshotEncoder.firstVersion else {
            throw .unknownTag(field: "snapshot version", value: UInt64(version))
        }
        if version == SnapshotEncoder.version {
            reader = try SnapshotChecksum.checked(bytes, in: range)
            _ = try reader.u8()
            foldsTexts = true
        }
        let isIncomplete = try bit("incomplete")
        let key = try reader.key(limit: DocumentLimits.documentKeyBytesMax, field: "document key")
        for _ in 0..<(try count("replicas")) {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            try check(replicas.last.map { $0 < replica } ?? true, "replicas")
            replicas.append(replica)
        }
        return (key, isIncomplete)
    }

    // MARK: Slots and containers

    /// `slot`: nil while it is only looked at. `depth`: steps below the root map of the containers in this
    /// slot. False when it holds nothing.
    @discardableResult
    mutating func readSlot(_ slot: SlotHandle?, depth: Int) throws(DecodeFault) -> Bool {
        let deleted = try generation(from: 0)
        if let slot { state[slot].deletedGeneration = deleted }
        var last: ReplicaID?
        for _ in 0..<(try count("registers")) {
            let priority = try priority()
            try check(last.map { $0 < priority.dot.replica } ?? true, "registers")
            last = priority.dot.replica
            let generation = try generation(from: 1)
            let value = try scalar()
            if let slot {
                state[slot].registers.add(
                    RegisterWrite(value: value, priority: priority, generation: generation))
            }
        }
        try check(depth > 0 || last == nil, "registers")
        var lastName: ObservedContainer?
        for _ in 0..<(try count("containers")) {
            guard depth <= DocumentLimits.nestingMax else { throw .outOfRange(field: "nesting") }
            let tag = try reader.u8()
            guard let kind = ContainerKind(rawValue: tag) else {
                throw .unknownTag(field: "kind", value: UInt64(tag))
            }
            let name = ObservedContainer(kind, try generation(from: 1))
            try check(lastName.map { $0 < name } ?? true, "containers")
            try check(depth > 0 || kind == .map, "containers")
            lastName = name
            if let slot {
                try readContainer(state.openContainer(kind, name.generation, in: slot), depth: depth)
            } else {
                try lookAtContainer(kind, depth: depth)
            }
        }
        return last != nil || lastName != nil || deleted != .none
    }

    private mutating func readContainer(_ handle: ContainerHandle, depth: Int) throws(DecodeFault) {
        for edit in try priorities("edits", onePerReplica: true) { state.addEdit(edit, to: handle) }
        try state[handle].kind.content.decode(into: handle, depth: depth, from: &self)
    }

    private mutating func lookAtContainer(_ kind: ContainerKind, depth: Int) throws(DecodeFault) {
        let edits = try passPriorities("edits", onePerReplica: true)
        if depth == 0, edits > 0 { seesLiveRoot = true }
        guard kind == .map else {
            // Ends the look; nobody sees this fault.
            needsState = true
            throw .outOfRange(field: "kind")
        }
        try MapContent.read(into: nil, depth: depth, from: &self)
    }

    // MARK: Parts

    func check(_ isSo: Bool, _ field: String) throws(DecodeFault) {
        if !isSo { throw .notCanonical(field: field) }
    }

    /// Every item takes a byte at least, so a count beyond what remains is refused before anything is
    /// allocated.
    mutating func count(_ field: String) throws(DecodeFault) -> Int {
        try reader.count(limit: reader.remaining, field: field)
    }

    mutating func bit(_ field: String) throws(DecodeFault) -> Bool {
        let value = try reader.u8()
        guard value <= 1 else { throw .outOfRange(field: field) }
        return value == 1
    }

    private mutating func generation(from least: UInt64) throws(DecodeFault) -> Generation {
        let value = try reader.varint()
        guard value >= least, value <= UInt64(Generation.max.value) else {
            throw .outOfRange(field: "generation")
        }
        return Generation(UInt32(value))
    }

    mutating func dot() throws(DecodeFault) -> Dot {
        let place = try reader.varint()
        guard place < UInt64(replicas.count) else { throw .outOfRange(field: "replica") }
        let sequence = try reader.varint()
        guard sequence > 0, sequence <= SequenceNumber.max.value else { throw .outOfRange(field: "sequence") }
        return Dot(replicas[Int(place)], SequenceNumber(sequence))
    }

    mutating func dot(after last: inout Dot?) throws(DecodeFault) -> Dot {
        let next = try dot()
        try check(last.map { $0 < next } ?? true, "dots")
        last = next
        return next
    }

    mutating func dots(_ field: String, onePerReplica: Bool = false) throws(DecodeFault) -> [Dot] {
        var result: [Dot] = []
        for _ in 0..<(try count(field)) {
            let next = try dot()
            if let last = result.last {
                try check(last < next && !(onePerReplica && last.replica == next.replica), field)
            }
            result.append(next)
        }
        return result
    }

    private mutating func priority() throws(DecodeFault) -> Priority {
        let dot = try dot()
        let milliseconds = try reader.varint()
        guard milliseconds <= Timestamp.max.milliseconds else { throw .outOfRange(field: "timestamp") }
        return Priority(Timestamp(milliseconds: milliseconds), dot)
    }

    mutating func priorities(
        _ field: String, onePerReplica: Bool = false
    ) throws(DecodeFault) -> [Priority] {
        var result: [Priority] = []
        for _ in 0..<(try count(field)) {
            result.append(try priority(after: result.last?.dot, field, onePerReplica))
        }
        return result
    }

    /// The same where they are only looked at; how many there are.
    private mutating func passPriorities(
        _ field: String, onePerReplica: Bool = false
    ) throws(DecodeFault) -> Int {
        let count = try count(field)
        var last: Dot?
        for _ in 0..<count { last = try priority(after: last, field, onePerReplica).dot }
        return count
    }

    private mutating func priority(
        after last: Dot?, _ field: String, _ onePerReplica: Bool
    ) throws(DecodeFault) -> Priority {
        let next = try priority()
        if let last {
            try check(last < next.dot && !(onePerReplica && last.replica == next.dot.replica), field)
        }
        return next
    }

    mutating func scalar(after last: inout Scalar?) throws(DecodeFault) -> Scalar {
        let next = try scalar()
        try check(last.map { $0 < next } ?? true, "members")
        last = next
        return next
    }

    private mutating func scalar() throws(DecodeFault) -> Scalar {
        let tag = try reader.u8()
        switch tag {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .integer(try reader.zigzag())
        case 4:
            let value = Scalar.double(Double(bitPattern: try reader.u64()))
            try check(value.isCanonical, "number")
            return value
        case 5: return .string(try reader.key(limit: DocumentLimits.stringBytesMax, field: "string"))
        default: throw .unknownTag(field: "scalar", value: UInt64(tag))
        }
    }
}

/// The key and the visibility of a document whose snapshot was checked.
public struct SnapshotOutline: Hashable, Sendable {
    public let key: Key
    public let isVisible: Bool
}
