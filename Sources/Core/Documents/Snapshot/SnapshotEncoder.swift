// The bytes of a document's state. They are canonical: equal states give equal bytes, so a digest over them
// proves that two nodes hold the same. Layout: Sources/Docs/WIRE.md, "Snapshots".

import Bytes
import Causality

/// The replicas that a snapshot mentions, ascending; dots are written as (place in this table, sequence).
struct ReplicaTable {
    let replicas: [ReplicaID]
    private let places: [ReplicaID: Int]

    init(_ state: DocumentState) {
        var seen: Set<ReplicaID> = []
        state.slots.forEach { slot in slot.registers.forEach { seen.insert($0.priority.dot.replica) } }
        for container in state.containers {
            for edit in container.edits.sorted { seen.insert(edit.dot.replica) }
        }
        for list in state.lists {
            for (dot, element) in list.elements {
                seen.insert(dot.replica)
                seen.formUnion(element.edits.others.keys)
                for move in element.moves { seen.insert(move.dot.replica) }
            }
            for (move, element) in list.moved {
                seen.insert(move.replica)
                seen.insert(element.replica)
            }
        }
        for set in state.sets {
            for dots in set.adds.values { for dot in dots.sorted { seen.insert(dot.replica) } }
        }
        for set in state.removeWinsSets {
            for member in set.members.values { seen.formUnion(member.removes.keys) }
        }
        for set in state.orderedSets {
            for member in set.members.values {
                for dot in member.adds.sorted { seen.insert(dot.replica) }
                for position in member.positions { seen.insert(position.dot.replica) }
            }
        }
        replicas = seen.sorted()
        places = Dictionary(uniqueKeysWithValues: replicas.enumerated().map { ($1, $0) })
    }

    func place(of replica: ReplicaID) -> Int {
        guard let place = places[replica] else {
            preconditionFailure("replica \(replica) is not in the table")
        }
        return place
    }
}

/// Writes one document.
struct SnapshotEncoder {
    static let version: UInt8 = 2
    /// Without lengths of orders and without a checksum; still read.
    static let firstVersion: UInt8 = 1

    private let state: DocumentState
    private let table: ReplicaTable
    private var writer = ByteWriter()

    static func encode(_ document: Document) -> [UInt8] {
        var encoder = SnapshotEncoder(state: document.state)
        encoder.writer.u8(version)
        encoder.writer.u8(document.isIncomplete ? 1 : 0)
        encoder.writer.counted(document.key.utf8)
        encoder.writer.varint(encoder.table.replicas.count)
        for replica in encoder.table.replicas { replica.raw.encode(into: &encoder.writer) }
        encoder.write(DocumentState.root)
        encoder.writer.u64(SnapshotChecksum.of(encoder.writer.bytes[...]))
        return encoder.writer.bytes
    }

    private init(state: DocumentState) {
        self.state = state
        table = ReplicaTable(state)
    }

    // MARK: Slots and containers

    /// Recursion ends at `nestingMax`.
    private mutating func write(_ handle: SlotHandle) {
        let slot = state[handle]
        writer.varint(UInt64(slot.deletedGeneration.value))
        writer.varint(slot.registers.count)
        for register in slot.registers.sorted {
            write(register.priority)
            writer.varint(UInt64(register.generation.value))
            register.value.encode(into: &writer)
        }
        writer.varint(slot.containers.count)
        for container in state.sortedContainers(of: handle) { write(container) }
    }

    private mutating func write(_ handle: ContainerHandle) {
        let container = state[handle]
        writer.u8(container.kind.rawValue)
        writer.varint(UInt64(container.generation.value))
        write(container.edits.sorted)
        switch container.kind {
        case .map:
            let map = state.slots(ofMap: handle)
            writer.varint(map.count)
            for (key, slot) in map.sorted(by: { $0.key < $1.key }) {
                writer.counted(key.utf8)
                write(slot)
            }
        case .list: write(state.lists[container.content])
        case .orderedSet: write(state.orderedSets[container.content])
        case .set:
            let adds = state.sets[container.content].adds
            writer.varint(adds.count)
            for (value, dots) in adds.sorted(by: { $0.key < $1.key }) {
                value.encode(into: &writer)
                write(dots.sorted)
            }
        case .removeWinsSet: write(state.removeWinsSets[container.content])
        case .text: state.texts[container.content].encode(into: &writer)
        case .counter:
            let bits = UInt128(bitPattern: state.counters[container.content])
            writer.u64(UInt64(truncatingIfNeeded: bits >> 64))
            writer.u64(UInt64(truncatingIfNeeded: bits))
        }
    }

    // MARK: Contents

    private mutating func write(_ list: ListContent) {
        list.order.encode(into: &writer)
        writer.varint(list.moved.count)
        for (move, element) in list.moved.sorted(by: { $0.key < $1.key }) {
            write(move)
            write(element)
        }
        writer.varint(list.elements.count)
        for (dot, element) in list.elements.sorted(by: { $0.key < $1.key }) {
            write(dot)
            writer.u8(element.edits.ownsInsertion ? 1 : 0)
            write(element.edits.others.map { Dot($0, $1) }.sorted())
            write(element.moves.sorted { $0.dot < $1.dot })
            write(element.slot)
        }
    }

    private mutating func write(_ set: OrderedMembers) {
        set.order.encode(into: &writer)
        writer.varint(set.members.count)
        for (value, member) in set.members.sorted(by: { $0.key < $1.key }) {
            value.encode(into: &writer)
            write(member.adds.sorted)
            write(member.positions.sorted { $0.dot < $1.dot })
        }
    }

    private mutating func write(_ set: RemoveWinsMembers) {
        writer.varint(set.members.count)
        for (value, member) in set.members.sorted(by: { $0.key < $1.key }) {
            value.encode(into: &writer)
            writer.u8(member.isPresent ? 1 : 0)
            write(member.removes.map { Dot($0, $1) }.sorted())
        }
    }

    // MARK: Dots

    private mutating func write(_ dot: Dot) {
        writer.varint(table.place(of: dot.replica))
        writer.varint(dot.sequence.value)
    }

    private mutating func write(_ priority: Priority) {
        write(priority.dot)
        writer.varint(priority.timestamp.milliseconds)
    }

    private mutating func write(_ dots: [Dot]) {
        writer.varint(dots.count)
        for dot in dots { write(dot) }
    }

    private mutating func write(_ priorities: [Priority]) {
        writer.varint(priorities.count)
        for priority in priorities { write(priority) }
    }
}

extension Scalar {
    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .null: writer.u8(0)
        case .bool(let value): writer.u8(value ? 2 : 1)
        case .integer(let value):
            writer.u8(3)
            writer.zigzag(value)
        case .double(let value):
            writer.u8(4)
            writer.u64(value.bitPattern)
        case .string(let value):
            writer.u8(5)
            writer.counted(value.utf8)
        }
    }
}
