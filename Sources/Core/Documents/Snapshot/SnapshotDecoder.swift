// Reads the bytes of a snapshot back. A disk can hand out anything: the decoder is total, and what it accepts
// satisfies the invariants that the rest of the floor relies on (orders show exactly the places of what is
// live).

import Bytes
import Causality

/// Reads one document.
struct SnapshotDecoder {
    private var reader: ByteReader
    private var replicas: [ReplicaID] = []
    private var state = DocumentState()
    /// A checksum holds: texts may wait for their first edit.
    private var foldsTexts = false

    static func decode(_ bytes: [UInt8]) throws(DecodeFault) -> Document {
        var decoder = SnapshotDecoder(reader: ByteReader(bytes))
        let version = try decoder.reader.u8()
        guard version == SnapshotEncoder.version || version == SnapshotEncoder.firstVersion else {
            throw .unknownTag(field: "snapshot version", value: UInt64(version))
        }
        if version == SnapshotEncoder.version {
            decoder.reader = try SnapshotChecksum.checked(bytes)
            _ = try decoder.reader.u8()
            decoder.foldsTexts = true
        }
        let isIncomplete = try decoder.bit("incomplete")
        let key = try decoder.reader.key(limit: DocumentLimits.documentKeyBytesMax, field: "document key")
        let count = try decoder.count("replicas")
        for _ in 0..<count {
            let replica = ReplicaID(raw: try Bytes16(from: &decoder.reader))
            try decoder.check(decoder.replicas.last.map { $0 < replica } ?? true, "replicas")
            decoder.replicas.append(replica)
        }
        try decoder.readSlot(DocumentState.root, depth: 0)
        try decoder.reader.finish()
        decoder.state.memberCount = decoder.state.countMembers()
        return Document(key: key, isIncomplete: isIncomplete, state: decoder.state)
    }

    private init(reader: ByteReader) { self.reader = reader }

    // MARK: Slots and containers

    /// `depth`: steps below the root map of the containers in this slot.
    private mutating func readSlot(_ slot: SlotHandle, depth: Int) throws(DecodeFault) {
        state[slot].deletedGeneration = try generation(from: 0)
        var last: ReplicaID?
        for _ in 0..<(try count("registers")) {
            let priority = try priority()
            try check(last.map { $0 < priority.dot.replica } ?? true, "registers")
            last = priority.dot.replica
            let generation = try generation(from: 1)
            state[slot].registers.add(
                RegisterWrite(value: try scalar(), priority: priority, generation: generation))
        }
        try check(slot != DocumentState.root || last == nil, "registers")
        var lastName: ObservedContainer?
        for _ in 0..<(try count("containers")) {
            guard depth <= DocumentLimits.nestingMax else { throw .outOfRange(field: "nesting") }
            let tag = try reader.u8()
            guard let kind = ContainerKind(rawValue: tag) else {
                throw .unknownTag(field: "kind", value: UInt64(tag))
            }
            let name = ObservedContainer(kind, try generation(from: 1))
            try check(lastName.map { $0 < name } ?? true, "containers")
            try check(slot != DocumentState.root || kind == .map, "containers")
            lastName = name
            try readContainer(state.openContainer(kind, name.generation, in: slot), depth: depth)
        }
    }

    private mutating func readContainer(_ handle: ContainerHandle, depth: Int) throws(DecodeFault) {
        for edit in try priorities("edits", onePerReplica: true) { state.addEdit(edit, to: handle) }
        let content = state[handle].content
        switch state[handle].kind {
        case .map:
            var last: Key?
            for _ in 0..<(try count("map")) {
                let key = try reader.key(limit: DocumentLimits.mapKeyBytesMax, field: "map key")
                try check(last.map { $0 < key } ?? true, "map")
                last = key
                let slot = state.openSlot(key, inMap: handle)
                try readSlot(slot, depth: depth + 1)
                try check(!state[slot].holdsNothing, "map")
            }
        case .list: try readList(handle, depth: depth)
        case .orderedSet: try readOrderedSet(content)
        case .set:
            var last: Scalar?
            for _ in 0..<(try count("set")) {
                let value = try scalar(after: &last)
                var dots = SurvivingDots()
                for dot in try self.dots("adds") { dots.add(dot) }
                try check(!dots.isEmpty, "adds")
                state.sets[content].restore(value, dots)
            }
        case .removeWinsSet:
            var last: Scalar?
            for _ in 0..<(try count("remove-wins set")) {
                let value = try scalar(after: &last)
                var member = RemoveWinsMembers.Member(isPresent: try bit("present"))
                for dot in try dots("removes", onePerReplica: true) {
                    member.removes[dot.replica] = dot.sequence
                }
                try check(member.isPresent || !member.removes.isEmpty, "removes")
                state.removeWinsSets[content].restore(value, member)
            }
        case .text:
            state.texts[content] =
                foldsTexts
                ? try TextContainer(foldedFrom: &reader) : try TextContainer(ofFirstVersion: &reader)
        case .counter:
            let high = UInt128(try reader.u64())
            state.counters[content] = Int128(bitPattern: high << 64 | UInt128(try reader.u64()))
        }
    }

    // MARK: Contents

    private mutating func readList(_ handle: ContainerHandle, depth: Int) throws(DecodeFault) {
        let content = state[handle].content
        state.lists[content].order = try SequenceOrder(from: &reader)
        var last: Dot?
        for _ in 0..<(try count("moves")) {
            let (move, element) = (try dot(after: &last), try dot())
            try check(state.lists[content].order.contains(move), "moves")
            state.lists[content].moved[move] = element
        }
        for element in state.lists[content].moved.values {
            try check(state.lists[content].hasElement(element), "moves")
        }
        last = nil
        var live = 0
        for _ in 0..<(try count("elements")) {
            let element = try dot(after: &last)
            try check(state.lists[content].hasElement(element), "elements")
            let slot = state.makeElement(element, live: try bit("insertion"), in: handle)
            try readElement(element, of: content)
            try readSlot(slot, depth: depth + 1)
            let kept = state.lists[content].elements[element]
            let isLive = kept?.edits.isLive == true
            try check(isLive || kept?.moves.isEmpty == false || !state[slot].holdsNothing, "elements")
            // A dead element keeps its containers, never its registers.
            try check(isLive || state[slot].registers.isEmpty, "elements")
            let position = state.lists[content].position(of: element)
            try check(state.lists[content].order.isVisible(position) == isLive, "elements")
            live += isLive ? 1 : 0
        }
        try check(live == state.lists[content].order.visibleCount, "elements")
    }

    private mutating func readElement(_ element: Dot, of content: Int) throws(DecodeFault) {
        for edit in try dots("element edits", onePerReplica: true) {
            let ownsInsertion = state.lists[content].elements[element]?.edits.ownsInsertion == true
            try check(edit != element && !(ownsInsertion && edit.replica == element.replica), "element edits")
            state.lists[content].elements[element]?.edits.add(edit, to: element)
        }
        for move in try priorities("moves") {
            try check(state.lists[content].moved[move.dot] == element, "moves")
            state.lists[content].elements[element]?.moves.append(move)
        }
    }

    private mutating func readOrderedSet(_ content: Int) throws(DecodeFault) {
        state.orderedSets[content].order = try SequenceOrder(from: &reader)
        var last: Scalar?
        var present = 0
        for _ in 0..<(try count("ordered set")) {
            let value = try scalar(after: &last)
            var member = OrderedMembers.Member()
            for dot in try dots("adds") { member.adds.add(dot) }
            member.positions = try priorities("positions")
            try check(!member.positions.isEmpty, "positions")
            for position in member.positions {
                let isFree = state.orderedSets[content].owners[position.dot] == nil
                let isShown = state.orderedSets[content].order.isVisible(position.dot)
                try check(isFree && isShown == (position.dot == member.shownPosition), "positions")
            }
            present += member.adds.isEmpty ? 0 : 1
            state.orderedSets[content].restore(value, member)
        }
        try check(present == state.orderedSets[content].order.visibleCount, "ordered set")
    }

    // MARK: Parts

    private func check(_ isSo: Bool, _ field: String) throws(DecodeFault) {
        if !isSo { throw .notCanonical(field: field) }
    }

    /// Every item takes a byte at least, so a count beyond what remains is refused before anything is
    /// allocated.
    private mutating func count(_ field: String) throws(DecodeFault) -> Int {
        try reader.count(limit: reader.remaining, field: field)
    }

    private mutating func bit(_ field: String) throws(DecodeFault) -> Bool {
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

    private mutating func dot() throws(DecodeFault) -> Dot {
        let place = try reader.varint()
        guard place < UInt64(replicas.count) else { throw .outOfRange(field: "replica") }
        let sequence = try reader.varint()
        guard sequence > 0, sequence <= SequenceNumber.max.value else { throw .outOfRange(field: "sequence") }
        return Dot(replicas[Int(place)], SequenceNumber(sequence))
    }

    private mutating func dot(after last: inout Dot?) throws(DecodeFault) -> Dot {
        let next = try dot()
        try check(last.map { $0 < next } ?? true, "dots")
        last = next
        return next
    }

    private mutating func dots(_ field: String, onePerReplica: Bool = false) throws(DecodeFault) -> [Dot] {
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

    private mutating func priorities(
        _ field: String, onePerReplica: Bool = false
    ) throws(DecodeFault) -> [Priority] {
        var result: [Priority] = []
        for _ in 0..<(try count(field)) {
            let next = try priority()
            if let last = result.last?.dot {
                try check(last < next.dot && !(onePerReplica && last.replica == next.dot.replica), field)
            }
            result.append(next)
        }
        return result
    }

    private mutating func scalar(after last: inout Scalar?) throws(DecodeFault) -> Scalar {
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
