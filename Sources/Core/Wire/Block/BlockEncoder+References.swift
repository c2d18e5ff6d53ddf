// How steps name places, dots, keys and values, and how changes name what they were made on.

import Bytes
import Causality
import Documents

extension BlockEncoder {
    // MARK: Dots

    /// Against the dot where the log's next one is expected: 2 · zigzag in the same replica; else 2 · replica
    /// + 1, and zigzag against the one of it mentioned last.
    mutating func encode(_ dot: Dot, _ log: Int) {
        let (code, difference) = reference(to: dot, log)
        dots.varint(code)
        if let difference { dots.zigzag(difference) }
    }

    /// The code, and the difference where there is one.
    private mutating func reference(to dot: Dot, _ log: Int) -> (code: UInt64, difference: Int64?) {
        let near = logs[log].near
        let replica = index(of: dot.replica)
        defer { mentioned[replica] = dot.sequence }
        if near.replica == dot.replica {
            return (Self.zigzag(Int64(dot.sequence.value) - Int64(near.sequence.value)) << 1, nil)
        }
        let difference = Int64(dot.sequence.value) - Int64(mentioned[replica].value)
        return (UInt64(replica) << 1 + 1, difference)
    }

    static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

    /// 0 for none, else the dot + 1.
    mutating func encodeLeft(_ left: Dot?, _ log: Int) {
        guard let left else { return dots.varint(0) }
        let (code, difference) = reference(to: left, log)
        dots.varint(code + 1)
        if let difference { dots.zigzag(difference) }
    }

    /// 0 for none, 1 for the log's last one, 2 for the dot after the left origin, else the dot + 3.
    mutating func encodeRight(_ right: Dot?, after left: Dot?, _ log: Int) {
        guard let right else { return rights.varint(0) }
        if right == logs[log].lastRight { return rights.varint(1) }
        if let left, right == left.advanced(by: 1) {
            rights.varint(2)
        } else {
            let (code, difference) = reference(to: right, log)
            rights.varint(code + 3)
            if let difference { rights.zigzag(difference) }
        }
        logs[log].lastRight = right
    }

    // MARK: Places, keys and scalars

    mutating func place(of document: Key, _ path: ContainerPath) -> Int {
        let name = PlaceName(document: document, path: path)
        if recentPlace >= 0, places.values[recentPlace] == name { return recentPlace }
        recentPlace = places.index(of: name) ?? places.add(name)
        return recentPlace
    }

    /// 0 and its text for a new key, else index + 1.
    mutating func encode(_ key: Key) {
        if let known = keys.index(of: key) { return keyColumn.varint(known + 1) }
        keyColumn.varint(0)
        strings.counted(key)
        _ = keys.add(key)
    }

    mutating func encode(_ value: Scalar) {
        switch value {
        case .null: tags.u8(ScalarCoding.Tag.null)
        case .bool(let value): tags.u8(value ? ScalarCoding.Tag.true : ScalarCoding.Tag.false)
        case .integer(let value):
            tags.u8(ScalarCoding.Tag.integer)
            numbers.zigzag(value &- lastInteger)
            lastInteger = value
        case .double(let value):
            tags.u8(ScalarCoding.Tag.double)
            rest.u64(value.bitPattern)
        case .string(let value):
            tags.u8(ScalarCoding.Tag.string)
            strings.counted(value)
        }
    }

    mutating func encode(_ generation: Generation) { generations.append(UInt64(generation.value)) }

    mutating func encode(_ slot: Slot, _ log: Int) {
        switch slot {
        case .key(let key):
            rest.u8(0)
            encode(key)
        case .element(let dot):
            rest.u8(1)
            encode(dot, log)
        }
    }

    mutating func encode(_ ranges: [DotRange], _ log: Int) {
        counts.varint(ranges.count)
        for range in ranges {
            encode(range.start, log)
            lengths.varint(range.count)
        }
    }

    // MARK: Contexts

    /// 4 · n: the join of the log's previous context and of the versions at n dots, each as replica and
    /// distance from the end of its log here. 4 · n + 1: n entries on top of the previous context; + 3:
    /// instead of it; each as replica and zigzag against the entry before that was mentioned.
    mutating func encodeContext(_ context: VersionVector, of replica: ReplicaID, _ log: Int) {
        let former = logs[log].context
        let isGrown = context.covers(former)
        let advanced = isGrown ? context.entries(beyond: former) : context.entries
        if isGrown, let heads = frontier(of: context, on: former, advanced, replica) {
            contexts.varint(heads.count << 2)
            for head in heads {
                let index = index(of: head.replica)
                contexts.varint(index)
                guard let held = logOfReplica[index] else { preconditionFailure("a head without a log") }
                contexts.varint(logs[held].next.value - 1 - head.last.value)
            }
            return
        }
        contexts.varint(advanced.count << 2 | (isGrown ? 1 : 3))
        for entry in advanced {
            let index = index(of: entry.replica)
            contexts.varint(index)
            contexts.zigzag(Int64(entry.last.value) - Int64(mentioned[index].value))
            mentioned[index] = entry.last
        }
    }

    /// The least dots of this block that the context is the join of, or nil. Latest first, so none of them is
    /// covered by another.
    private func frontier(
        of context: VersionVector, on former: VersionVector, _ advanced: [VersionVector.Entry],
        _ own: ReplicaID
    ) -> [VersionVector.Entry]? {
        var candidates: [(ordinal: Int, entry: VersionVector.Entry, version: VersionVector)] = []
        for entry in advanced {
            guard let version = version(at: entry) else { return nil }
            candidates.append((version.ordinal, entry, version.context))
        }
        candidates.sort { ($0.ordinal, $1.entry.replica) > ($1.ordinal, $0.entry.replica) }
        var sum = former
        var heads: [VersionVector.Entry] = []
        for candidate in candidates where sum[candidate.entry.replica] < candidate.entry.last {
            heads.append(candidate.entry)
            sum.join(candidate.version.without(own))
            sum.advance(candidate.entry.replica, to: candidate.entry.last)
        }
        return sum == context ? heads : nil
    }

    private func version(at entry: VersionVector.Entry) -> (ordinal: Int, context: VersionVector)? {
        guard let replica = replicas.index(of: entry.replica), let log = logOfReplica[replica],
            entry.last < logs[log].next
        else { return nil }
        let history = logs[log].history
        var (low, high) = (0, history.count)
        while low < high {
            let middle = (low + high) / 2
            if history[middle].first <= entry.last { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : (history[low - 1].ordinal, history[low - 1].context)
    }

    // MARK: All other operations

    /// An operation on no container: its tag and what it says, each thing in the column of its kind.
    mutating func encodeRest(_ operation: Operation) {
        switch operation.body {
        case .deleteDocument(let observed):
            rest.varint(OperationTag.deleteDocumentNumber)
            strings.counted(operation.document)
            counts.varint(observed.count)
            for generation in observed { encode(generation) }
        case .unknown, .acknowledge:
            guard let form = operation.extensionForm else { preconditionFailure("\(operation) has no form") }
            rest.varint(form.tag)
            strings.counted(form.document)
            counts.varint(form.sequenceCount)
            rest.counted(form.payload)
        case .act: preconditionFailure("an action has a container")
        }
    }

    /// What an action says that has no step of its own: each part in the column of its kind.
    mutating func encodeRest(_ action: Action, at dot: Dot, _ log: Int) {
        var own = log
        action.write(to: &self, &own)
        if !action.isText { logs[log].near = dot.advanced(by: action.sequenceCount - 1) }
    }

    /// Definitions of places that steps named, in the order of their indexes.
    mutating func encodePlace(_ name: PlaceName, _ log: Int) {
        strings.counted(name.document)
        encode(name.path.generation)
        rest.varint(name.path.steps.count)
        for step in name.path.steps {
            encode(step.slot, log)
            rest.u8(step.kind.rawValue)
            encode(step.generation)
        }
    }
}

extension Action {
    fileprivate var isText: Bool {
        switch self {
        case .insertText, .deleteText: true
        default: false
        }
    }
}
