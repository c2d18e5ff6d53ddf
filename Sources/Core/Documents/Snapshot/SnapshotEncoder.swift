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
        for (index, container) in state.containers.enumerated() {
            for edit in container.edits.sorted { seen.insert(edit.dot.replica) }
            container.kind.content.addReplicas(of: ContainerHandle(index: index), in: state, to: &seen)
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

    let state: DocumentState
    private let table: ReplicaTable
    var writer = ByteWriter()

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
    mutating func write(_ handle: SlotHandle) {
        let slot = state[handle]
        writer.varint(UInt64(slot.deletedGeneration.value))
        writer.varint(slot.registers.count)
        for register in slot.registers.sorted {
            write(register.priority)
            writer.varint(UInt64(register.generation.value))
            write(register.value)
        }
        writer.varint(slot.containers.count)
        for container in state.sortedContainers(of: handle) { write(container) }
    }

    private mutating func write(_ handle: ContainerHandle) {
        let container = state[handle]
        writer.u8(container.kind.rawValue)
        writer.varint(UInt64(container.generation.value))
        write(container.edits.sorted)
        container.kind.content.encode(handle, into: &self)
    }

    // MARK: Parts

    mutating func write(_ dot: Dot) {
        writer.varint(table.place(of: dot.replica))
        writer.varint(dot.sequence.value)
    }

    mutating func write(_ priority: Priority) {
        write(priority.dot)
        writer.varint(priority.timestamp.milliseconds)
    }

    mutating func write(_ dots: [Dot]) {
        writer.varint(dots.count)
        for dot in dots { write(dot) }
    }

    mutating func write(_ priorities: [Priority]) {
        writer.varint(priorities.count)
        for priority in priorities { write(priority) }
    }
    mutating func write(_ scalar: Scalar) {
        switch scalar {
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
