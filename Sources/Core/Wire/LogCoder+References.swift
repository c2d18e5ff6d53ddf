// How a log names replicas, dots, documents, keys and containers. Everywhere 0 means "new, spelled out here"
// and i + 1 the i-th since the boundary. Who spells out what the dictionary already has is refused.
//
//   replica   0 · 16 bytes | index + 1
//   dot       own log: 2 · distance back from this operation | other log: 2 · replica + 1, then zigzag of the
//             difference to the sequence of that replica mentioned last
//   origin    0 nil | dot              right origin   0 nil | 1 the same as the last | dot + 1
//   container index + 1 | 0 (0 document generation | index + 1 of the longest known prefix) step count, steps
//   slot      0 element dot | 1 new key | index + 2

import Bytes
import Causality
import Documents

extension LogCoder {
    // MARK: Replicas and dots

    /// Answers the replica's index.
    mutating func encodeReplica(_ other: ReplicaID, into body: inout ByteWriter) -> Int {
        if let index = dictionary.replicas.index(of: other) {
            body.varint(index + 1)
            return index
        }
        body.varint(0)
        other.raw.encode(into: &body)
        return dictionary.add(replica: other, mentioning: .none)
    }

    /// Answers the replica's index. `code` was read from `body` already.
    mutating func decodeReplica(code: UInt64, from body: inout ByteReader) throws(DecodeFault) -> Int {
        if code > 0 {
            if code > UInt64(dictionary.replicas.count) { throw .outOfRange(field: "replica") }
            return Int(code - 1)
        }
        let other = ReplicaID(raw: try Bytes16(from: &body))
        if other == replica || dictionary.replicas.index(of: other) != nil {
            throw .notCanonical(field: "replica")
        }
        return dictionary.add(replica: other, mentioning: .none)
    }

    /// `shift` is 1 for a right origin, 0 elsewhere.
    mutating func encodeDot(_ dot: Dot, shift: UInt64 = 0, into body: inout ByteWriter) {
        if dot.replica == replica {
            precondition(
                dot.sequence > .none && dot.sequence < cursor, "own dot \(dot.sequence) at \(cursor)")
            body.varint((cursor.value - dot.sequence.value) << 1 + shift)
            return
        }
        let index: Int
        if let known = dictionary.replicas.index(of: dot.replica) {
            index = known
            body.varint(UInt64(known + 1) << 1 + 1 + shift)
        } else {
            body.varint(1 + shift)
            dot.replica.raw.encode(into: &body)
            index = dictionary.add(replica: dot.replica, mentioning: .none)
        }
        body.zigzag(Int64(dot.sequence.value) - Int64(dictionary.mentioned[index].value))
        dictionary.mention(dot.sequence, of: index)
    }

    mutating func decodeDot(from body: inout ByteReader) throws(DecodeFault) -> Dot {
        try decodeDot(code: try body.varint(), from: &body)
    }

    mutating func decodeDot(code: UInt64, from body: inout ByteReader) throws(DecodeFault) -> Dot {
        if code & 1 == 0 {
            let distance = code >> 1
            if distance == 0 || distance >= cursor.value { throw .outOfRange(field: "dot") }
            return Dot(replica, SequenceNumber(cursor.value - distance))
        }
        let index = try decodeReplica(code: code >> 1, from: &body)
        let former = Int64(dictionary.mentioned[index].value)
        let (sequence, overflow) = former.addingReportingOverflow(try body.zigzag())
        if overflow || sequence < 1 || sequence > Int64(SequenceNumber.max.value) {
            throw .outOfRange(field: "dot")
        }
        let dot = Dot(dictionary.replicas.values[index], SequenceNumber(UInt64(sequence)))
        dictionary.mention(dot.sequence, of: index)
        return dot
    }

    // MARK: Origins

    mutating func encodeOrigins(_ left: Dot?, _ right: Dot?, into body: inout ByteWriter) {
        if let left { encodeDot(left, into: &body) } else { body.varint(0) }
        guard let right else { return body.varint(0) }
        if right == dictionary.lastRight { return body.varint(1) }
        encodeDot(right, shift: 1, into: &body)
        dictionary.lastRight = right
    }

    mutating func decodeOrigins(from body: inout ByteReader) throws(DecodeFault) -> (left: Dot?, right: Dot?)
    {
        let leftCode = try body.varint()
        let left: Dot? = leftCode == 0 ? nil : try decodeDot(code: leftCode, from: &body)
        switch try body.varint() {
        case 0: return (left, nil)
        case 1:
            guard let right = dictionary.lastRight else { throw .outOfRange(field: "right origin") }
            return (left, right)
        case let code:
            let right = try decodeDot(code: code - 1, from: &body)
            if right == dictionary.lastRight { throw .notCanonical(field: "right origin") }
            dictionary.lastRight = right
            return (left, right)
        }
    }

    // MARK: Ranges of dots

    mutating func encode(_ ranges: [DotRange], into body: inout ByteWriter) {
        precondition(!ranges.isEmpty, "a deletion of nothing")
        body.varint(ranges.count)
        var former: DotRange?
        for range in ranges {
            precondition(
                former.map { Self.isAscending($0, range) } ?? true, "ranges are ascending and disjoint")
            encodeDot(range.start, into: &body)
            body.varint(range.count - 1)
            former = range
        }
    }

    mutating func decodeRanges(from body: inout ByteReader) throws(DecodeFault) -> [DotRange] {
        let count = try decodePositiveCount("ranges", bytesEach: 2, from: &body)
        var ranges: [DotRange] = []
        ranges.reserveCapacity(count)
        for _ in 0..<count {
            let start = try decodeDot(from: &body)
            let (last, overflow) = start.sequence.value.addingReportingOverflow(try body.varint())
            if overflow || last > SequenceNumber.max.value { throw .outOfRange(field: "range") }
            let range = DotRange(start.replica, start.sequence, SequenceNumber(last))
            if let former = ranges.last, !Self.isAscending(former, range) {
                throw .notCanonical(field: "ranges")
            }
            ranges.append(range)
        }
        return ranges
    }

    private static func isAscending(_ a: DotRange, _ b: DotRange) -> Bool {
        a.replica == b.replica ? a.last < b.first : a.replica < b.replica
    }

    // MARK: Documents, slots and containers

    mutating func encodeDocument(_ document: Key, into body: inout ByteWriter) -> Int {
        precondition(
            (1...DocumentLimits.documentKeyBytesMax).contains(document.utf8Count),
            "a document key of \(document.utf8Count) bytes")
        let (index, isNew) = dictionary.intern(document: document)
        if isNew {
            body.varint(0)
            body.counted(document)
        } else {
            body.varint(index + 1)
        }
        return index
    }

    mutating func decodeDocument(from body: inout ByteReader) throws(DecodeFault) -> Int {
        let code = try body.varint()
        if code > 0 {
            if code > UInt64(dictionary.documents.count) { throw .outOfRange(field: "document") }
            return Int(code - 1)
        }
        let document = try body.key(limit: DocumentLimits.documentKeyBytesMax, field: "document key")
        if document.utf8Count == 0 { throw .outOfRange(field: "document key") }
        let (index, isNew) = dictionary.intern(document: document)
        if !isNew { throw .notCanonical(field: "document") }
        return index
    }

    mutating func encode(_ slot: Slot, into body: inout ByteWriter) {
        switch slot {
        case .element(let dot):
            body.varint(0)
            encodeDot(dot, into: &body)
        case .key(let key):
            precondition(key.utf8Count <= DocumentLimits.mapKeyBytesMax, "a key of \(key.utf8Count) bytes")
            let (index, isNew) = dictionary.intern(key: key)
            if isNew {
                body.varint(1)
                body.counted(key)
            } else {
                body.varint(index + 2)
            }
        }
    }

    mutating func decodeSlot(from body: inout ByteReader) throws(DecodeFault) -> Slot {
        switch try body.varint() {
        case 0:
            return .element(try decodeDot(from: &body))
        case 1:
            let key = try body.key(limit: DocumentLimits.mapKeyBytesMax, field: "map key")
            if !dictionary.intern(key: key).isNew { throw .notCanonical(field: "map key") }
            return .key(key)
        case let code:
            if code - 2 >= UInt64(dictionary.keys.count) { throw .outOfRange(field: "map key") }
            return .key(dictionary.keys.values[Int(code - 2)])
        }
    }

    mutating func encodePlace(_ document: Key, _ path: ContainerPath, into body: inout ByteWriter) {
        precondition(path.depth <= DocumentLimits.nestingMax, "\(path.depth) steps")
        if let recent = dictionary.recentPlace(document, path) { return body.varint(recent + 1) }
        // 1. The longest prefix that has an index.
        var place: Int?
        if let index = dictionary.documents.index(of: document) {
            place = dictionary.placeNames.index(of: .root(document: index, path.generation))
        }
        var steps = path.steps[...]
        while let parent = place, let step = steps.first,
            let child = dictionary.placeNames.index(of: .child(of: parent, step))
        {
            place = child
            steps.removeFirst()
        }
        if let place, steps.isEmpty {
            dictionary.remember(place: place)
            return body.varint(place + 1)
        }

        // 2. The rest, each step of which gets an index.
        body.varint(0)
        var last: Int
        if let place {
            body.varint(place + 1)
            last = place
        } else {
            body.varint(0)
            let index = encodeDocument(document, into: &body)
            encode(path.generation, into: &body)
            last = dictionary.intern(root: index, path.generation).index
        }
        body.varint(steps.count)
        for step in steps {
            encode(step.slot, into: &body)
            body.u8(step.kind.rawValue)
            encode(step.generation, into: &body)
            last = dictionary.add(child: step, of: last)
        }
        dictionary.remember(place: last)
    }

    mutating func decodePlace(from body: inout ByteReader) throws(DecodeFault) -> LogDictionary.ContainerSlot
    {
        let code = try body.varint()
        if code > 0 { return dictionary.places[try placeIndex(code)] }
        let base = try body.varint()
        var last: Int
        if base > 0 {
            last = try placeIndex(base)
        } else {
            let document = try decodeDocument(from: &body)
            let generation = try decodeGeneration(from: &body)
            let root = dictionary.intern(root: document, generation)
            if !root.isNew { throw .notCanonical(field: "container") }
            last = root.index
        }
        let room = DocumentLimits.nestingMax - dictionary.places[last].path.depth
        let count = try body.count(limit: room, field: "nesting")
        if count == 0 && base > 0 { throw .notCanonical(field: "container") }
        for _ in 0..<count {
            let slot = try decodeSlot(from: &body)
            let step = ContainerStep(slot, try decodeKind(from: &body), try decodeGeneration(from: &body))
            if dictionary.placeNames.index(of: .child(of: last, step)) != nil {
                throw .notCanonical(field: "container")
            }
            last = dictionary.add(child: step, of: last)
        }
        return dictionary.places[last]
    }

    private func placeIndex(_ code: UInt64) throws(DecodeFault) -> Int {
        if code > UInt64(dictionary.places.count) { throw .outOfRange(field: "container") }
        return Int(code - 1)
    }

    // MARK: Kinds and generations

    func decodeKind(from body: inout ByteReader) throws(DecodeFault) -> ContainerKind {
        let raw = try body.u8()
        guard let kind = ContainerKind(rawValue: raw) else {
            throw .unknownTag(field: "container kind", value: UInt64(raw))
        }
        return kind
    }

    func encode(_ generation: Generation, into body: inout ByteWriter) {
        precondition(generation >= .first && generation <= .max, "generation \(generation.value)")
        body.varint(UInt64(generation.value))
    }

    func decodeGeneration(from body: inout ByteReader) throws(DecodeFault) -> Generation {
        let value = try body.varint()
        if value < 1 || value > UInt64(Generation.max.value) { throw .outOfRange(field: "generation") }
        return Generation(UInt32(value))
    }
}
