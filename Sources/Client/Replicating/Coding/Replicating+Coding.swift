// The bytes of a whole value and of changes, and how Codable carries them: as one base64 string, so that
// every encoder gives the same and none makes a tree of it (WIRE.md, "Replicating values").

import Bytes
import Causality
import Documents

/// What stands first, so that nobody takes one for the other.
private enum Envelope: UInt8 {
    case value = 0x56
    case changes = 0x43

    static let version: UInt8 = 1

    var head: [UInt8] { [0x52, rawValue, Self.version] }

    func open(_ bytes: [UInt8]) throws(ReplicatingError) -> ByteReader {
        guard bytes.starts(with: head) else { throw .malformed("head") }
        return ByteReader(bytes, in: head.count..<bytes.count)
    }
}

extension ReplicatingChanges {
    /// For a transport of bytes.
    public var bytes: [UInt8] { Envelope.changes.head + ChangesWriter.encode(operations) }

    /// Reads `bytes`, from whomever they came.
    public init(bytes: [UInt8]) throws(ReplicatingError) {
        var reader = try Envelope.changes.open(bytes)
        self.init(
            try ReplicatingError.malformed { () throws(DecodeFault) in
                let operations = try ChangesReader.decode(&reader)
                try reader.finish()
                return operations
            })
    }
}

extension ReplicaVersion {
    /// For a transport of bytes.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        vector.write(to: &writer)
        return writer.bytes
    }

    public init(bytes: [UInt8]) throws(ReplicatingError) {
        self.init(
            try ReplicatingError.malformed { () throws(DecodeFault) in
                var reader = ByteReader(bytes)
                let vector = try VersionVector(from: &reader)
                try reader.finish()
                return vector
            })
    }
}

extension Replicating {
    /// The whole value with its history. A part is encoded as a value of its own that shows the same.
    public var bytes: [UInt8] {
        guard part.isWhole else { return detached().bytes }
        var writer = ByteWriter()
        writer.raw(Envelope.value.head)
        let initial = (self as? any InitialScalar)?.initialScalar
        writer.u8(initial == nil ? 0 : 1)
        if let initial { writer.write(initial) }
        part.history.held.write(to: &writer)
        return writer.bytes
    }

    /// Reads `bytes` of a value that is trusted as a disk is. It is a replica of its own.
    public init(bytes: [UInt8]) throws(ReplicatingError) {
        self.init()
        var reader = try Envelope.value.open(bytes)
        let (initial, held) = try ReplicatingError.malformed { () throws(DecodeFault) in
            let hasInitial = try reader.u8()
            guard hasInitial <= 1 else { throw .outOfRange(field: "initial value") }
            let initial = hasInitial == 1 ? try reader.scalar() : nil
            return (initial, try Held(from: &reader))
        }
        part.history = History(held)
        guard let initial else { return }
        guard var register = self as? any InitialScalar else { throw .malformed("initial value") }
        try register.setInitial(initial)
        guard let value = register as? Self else { preconditionFailure("a register became another type") }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(bytes))
    }

    public init(from decoder: any Decoder) throws {
        self = try Base64.decode(decoder) { bytes throws(ReplicatingError) in try Self(bytes: bytes) }
    }
}

/// Registers, of whatever type.
protocol InitialScalar {
    var initialScalar: Scalar? { get }
    mutating func setInitial(_ scalar: Scalar) throws(ReplicatingError)
}

extension ReplicatingRegister: InitialScalar {}

extension ReplicatingChanges: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(bytes))
    }

    public init(from decoder: any Decoder) throws {
        self = try Base64.decode(decoder) { bytes throws(ReplicatingError) in try Self(bytes: bytes) }
    }
}

extension ReplicaVersion: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(bytes))
    }

    public init(from decoder: any Decoder) throws {
        self = try Base64.decode(decoder) { bytes throws(ReplicatingError) in try Self(bytes: bytes) }
    }
}

extension ReplicatingError {
    fileprivate static func malformed<Result>(
        _ read: () throws(DecodeFault) -> Result
    ) throws(ReplicatingError) -> Result {
        do throws(DecodeFault) {
            return try read()
        } catch {
            throw .malformed("\(error)")
        }
    }
}

// MARK: What is inside

extension Held {
    func write(to writer: inout ByteWriter) {
        version.write(to: &writer)
        forgotten.write(to: &writer)
        writer.varint(latest.milliseconds)
        writer.counted(document.encodeSnapshot())
        writer.raw(ChangesWriter.encode(log.operations(beyond: forgotten, of: version)))
    }

    init(from reader: inout ByteReader) throws(DecodeFault) {
        self.init()
        version = try VersionVector(from: &reader)
        forgotten = try VersionVector(from: &reader)
        latest = Timestamp(milliseconds: try reader.varint())
        guard latest <= .max, version.covers(forgotten) else { throw .outOfRange(field: "version") }
        document = try Document(snapshot: try reader.counted(limit: reader.remaining, field: "document"))
        guard document.key == Self.documentKey else { throw .outOfRange(field: "document") }
        var known = forgotten
        for logged in try ChangesReader.decode(&reader) {
            guard known[logged.replica] + 1 == logged.stamp.dot.sequence else {
                throw .outOfRange(field: "sequence")
            }
            known.advance(logged.replica, to: logged.last)
            log.append(logged)
        }
        guard known == version else { throw .outOfRange(field: "version") }
        try reader.finish()
    }
}

extension VersionVector {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.varint(count)
        for entry in entries {
            entry.replica.raw.encode(into: &writer)
            writer.varint(entry.last.value)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeFault) {
        self.init()
        var last: ReplicaID?
        for _ in 0..<(try reader.count(limit: reader.remaining / Bytes16.byteCount, field: "writers")) {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            if let last, last >= replica { throw .notCanonical(field: "writers") }
            last = replica
            let sequence = try reader.varint()
            guard sequence > 0, sequence <= SequenceNumber.max.value else {
                throw .outOfRange(field: "sequence")
            }
            advance(replica, to: SequenceNumber(sequence))
        }
    }
}
