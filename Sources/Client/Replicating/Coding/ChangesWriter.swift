// The bytes of operations (WIRE.md, "Replicating values"). Whatever continues the operation before costs one
// bit: its writer, the next sequence, its time, its context, its container.

import Bytes
import Causality
import Documents

/// What an operation shares with the one before it; each bit says that nothing is written for it.
struct Continuations: OptionSet {
    let rawValue: UInt8

    static let writer = Continuations(rawValue: 1)
    static let sequence = Continuations(rawValue: 2)
    static let time = Continuations(rawValue: 4)
    static let context = Continuations(rawValue: 8)
    static let path = Continuations(rawValue: 16)
    static let all: UInt8 = 31
}

/// Writes operations one after the other.
struct ChangesWriter {
    private var bytes = ByteWriter(reserving: 64)
    private var parts: PartsWriter
    private var lasts: [ReplicaID: SequenceNumber] = [:]
    private var before: LoggedOperation?
    private var paths: [ContainerPath: Int] = [:]
    private var beforePath: ContainerPath?

    static func encode(_ operations: [LoggedOperation]) -> [UInt8] {
        var names: Set<ReplicaID> = []
        for logged in operations { addReplicas(of: logged, to: &names) }
        var writer = ChangesWriter(names.sorted())
        writer.bytes.varint(operations.count)
        for logged in operations { writer.write(logged) }
        return writer.bytes.bytes
    }

    private init(_ replicas: [ReplicaID]) {
        parts = PartsWriter(places: Dictionary(uniqueKeysWithValues: replicas.enumerated().map { ($1, $0) }))
        bytes.varint(replicas.count)
        for replica in replicas { replica.raw.encode(into: &bytes) }
    }

    private static func addReplicas(of logged: LoggedOperation, to names: inout Set<ReplicaID>) {
        names.insert(logged.replica)
        // All that an operation names is its writer's own or in its context.
        for entry in logged.stamp.context.entries { names.insert(entry.replica) }
    }

    private mutating func write(_ logged: LoggedOperation) {
        guard case .act(let path, let action) = logged.operation.body else {
            preconditionFailure("values have no documents to delete: \(logged.operation)")
        }
        let (stamp, replica) = (logged.stamp, logged.replica)
        let expected = (lasts[replica] ?? .none) + 1
        var continued: Continuations = []
        if before?.replica == replica { continued.insert(.writer) }
        if stamp.dot.sequence == expected { continued.insert(.sequence) }
        if before?.stamp.timestamp == stamp.timestamp { continued.insert(.time) }
        if before?.stamp.context == stamp.context { continued.insert(.context) }
        if beforePath == path { continued.insert(.path) }
        bytes.u8(continued.rawValue)
        if !continued.contains(.writer) { bytes.varint(parts.place(of: replica)) }
        if !continued.contains(.sequence) { bytes.varint(stamp.dot.sequence.value) }
        if !continued.contains(.time) {
            let last = before?.stamp.timestamp.milliseconds ?? 0
            bytes.zigzag(Int64(stamp.timestamp.milliseconds) - Int64(last))
        }
        if !continued.contains(.context) {
            bytes.varint(stamp.context.count)
            for entry in stamp.context.entries {
                bytes.varint(parts.place(of: entry.replica))
                bytes.varint(entry.last.value)
            }
        }
        if !continued.contains(.path) { write(path) }
        bytes.u8(UInt8(action.tag.rawValue))
        action.write(to: &parts, &bytes)
        lasts[replica] = logged.last
        (before, beforePath) = (logged, path)
    }

    /// 0 and all of it the first time, then its number from 1.
    private mutating func write(_ path: ContainerPath) {
        if let known = paths[path] { return bytes.varint(known) }
        paths[path] = paths.count + 1
        bytes.varint(0)
        bytes.varint(UInt64(path.generation.value))
        bytes.varint(path.depth)
        for step in path.steps {
            parts.write(step.slot, to: &bytes)
            bytes.u8(step.kind.rawValue)
            bytes.varint(UInt64(step.generation.value))
        }
    }
}

/// Writes what operations say.
private struct PartsWriter {
    let places: [ReplicaID: Int]

    func place(of replica: ReplicaID) -> Int {
        guard let place = places[replica] else { preconditionFailure("\(replica) is in no context") }
        return place
    }

    private func write(_ dot: Dot, _ output: inout ByteWriter) {
        output.varint(place(of: dot.replica))
        output.varint(dot.sequence.value)
    }
}

extension PartsWriter: ActionWriter {
    func write(_ slot: Slot, to output: inout ByteWriter) {
        switch slot {
        case .key(let key):
            output.u8(0)
            output.counted(key)
        case .element(let dot):
            output.u8(1)
            write(dot, &output)
        }
    }

    func write(_ value: Scalar, to output: inout ByteWriter) { output.write(value) }

    func write(_ generation: Generation, to output: inout ByteWriter) {
        output.varint(UInt64(generation.value))
    }

    func write(_ observed: [ObservedContainer], to output: inout ByteWriter) {
        output.varint(observed.count)
        for container in observed {
            output.u8(container.kind.rawValue)
            output.varint(UInt64(container.generation.value))
        }
    }

    func write(_ amount: Int64, to output: inout ByteWriter) { output.zigzag(amount) }

    /// Bit 0: there is a left origin; bit 1: there is a right one.
    func write(_ left: Dot?, _ right: Dot?, to output: inout ByteWriter) {
        output.u8((left == nil ? 0 : 1) | (right == nil ? 0 : 2))
        if let left { write(left, &output) }
        if let right { write(right, &output) }
    }

    func write(_ contents: [ElementContent], to output: inout ByteWriter) {
        output.varint(contents.count)
        for content in contents {
            switch content {
            case .container: output.u8(6)
            case .register(let value): write(value, to: &output)
            }
        }
    }

    func write(_ members: [Scalar], to output: inout ByteWriter) {
        output.varint(members.count)
        for member in members { write(member, to: &output) }
    }

    func write(_ text: String, to output: inout ByteWriter) { output.counted(Key(text)) }

    func write(_ ranges: [DotRange], to output: inout ByteWriter) {
        output.varint(ranges.count)
        for range in ranges {
            write(range.start, &output)
            output.varint(range.count - 1)
        }
    }

    func write(_ element: Dot, to output: inout ByteWriter) { write(element, &output) }
}
