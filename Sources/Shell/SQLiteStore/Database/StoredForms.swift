// How values of the contract lie in columns: the few that are neither an integer nor bytes already. What does
// not read back is damage of the file, not a fault of a peer.

import Bytes
import Causality
import Crypto
import Node

/// Values of the contract as columns hold them, and back.
enum StoredForms {
    /// 24 bytes a dot: the replica, then the sequence, big-endian.
    static func encode(_ dots: [Dot]) -> [UInt8] {
        var writer = ByteWriter(reserving: dots.count * 24)
        for dot in dots {
            dot.replica.raw.encode(into: &writer)
            writer.u64(dot.sequence.value)
        }
        return writer.bytes
    }

    static func dots(_ bytes: [UInt8], in path: String) throws(StoreFailure) -> [Dot] {
        try decode(bytes, column: .dots, in: path) { reader throws(DecodeFault) in
            var dots: [Dot] = []
            while !reader.isAtEnd {
                let replica = ReplicaID(raw: try Bytes16(from: &reader))
                dots.append(Dot(replica, SequenceNumber(try reader.u64())))
            }
            return dots
        }
    }

    /// One change of a run: the sequences it takes, and what came of it.
    typealias Part = (length: Int, status: ChangeStatus)

    /// A varint for each change: four times its length, plus its status. One byte for most.
    static func encode(layoutOf changes: [CommitRecord]) -> [UInt8] {
        encode(changes.map { (Int($0.last.value - $0.first.value) + 1, $0.status) })
    }

    static func encode(_ parts: [Part]) -> [UInt8] {
        var writer = ByteWriter(reserving: parts.count)
        for part in parts { writer.varint(UInt64(part.length) << 2 | UInt64(part.status.rawValue)) }
        return writer.bytes
    }

    static func layout(_ bytes: [UInt8], in path: String) throws(StoreFailure) -> [Part] {
        try decode(bytes, column: .layout, in: path) { reader throws(DecodeFault) in
            var parts: [Part] = []
            while !reader.isAtEnd {
                let part = try reader.count(limit: Int(Int32.max), field: "layout")
                guard let status = ChangeStatus(rawValue: UInt8(part & 3)) else {
                    throw .unknownTag(field: "layout", value: UInt64(part & 3))
                }
                parts.append((part >> 2, status))
            }
            return parts
        }
    }

    /// The documents of each change of a run: how many, then each as the length that it shares with the one
    /// before it in the run, the length of the rest, and the rest.
    static func encode(keysOf touched: [[Key]]) -> [UInt8] {
        var writer = ByteWriter(reserving: touched.count * 16)
        var before: [UInt8] = []
        for keys in touched {
            writer.varint(keys.count)
            for key in keys {
                key.withUTF8 { bytes in
                    var shared = 0
                    let most = min(before.count, bytes.count)
                    while shared < most, before[shared] == bytes[shared] { shared += 1 }
                    writer.varint(shared)
                    writer.varint(bytes.count - shared)
                    writer.raw(UnsafeBufferPointer(rebasing: bytes[shared...]))
                    before = Array(bytes)
                }
            }
        }
        return writer.bytes
    }

    /// `count`: the changes of the run.
    static func keys(_ bytes: [UInt8], count: Int, in path: String) throws(StoreFailure) -> [[Key]] {
        try decode(bytes, column: .runKeys, in: path) { reader throws(DecodeFault) in
            var (touched, before) = ([[Key]](), [UInt8]())
            for _ in 0..<count {
                var keys: [Key] = []
                for _ in 0..<(try reader.count(limit: bytes.count, field: "documents")) {
                    before.removeLast(
                        before.count - (try reader.count(limit: before.count, field: "shared")))
                    before += try reader.counted(limit: bytes.count, field: "key")
                    guard let key = Key(validating: before) else { throw .invalidUTF8(at: reader.offset) }
                    keys.append(key)
                }
                touched.append(keys)
            }
            try reader.finish()
            return touched
        }
    }

    /// `number` is `ChangeStatus.rawValue`.
    static func status(_ number: Int64, in path: String) throws(StoreFailure) -> ChangeStatus {
        guard let status = UInt8(exactly: number).flatMap(ChangeStatus.init(rawValue:)) else {
            throw damaged(.status(number), in: path)
        }
        return status
    }

    /// `number` is `SkippedRecord.Reason.rawValue`.
    static func reason(_ number: Int64, in path: String) throws(StoreFailure) -> SkippedRecord.Reason {
        guard let reason = UInt8(exactly: number).flatMap(SkippedRecord.Reason.init(rawValue:)) else {
            throw damaged(.skipReason(number), in: path)
        }
        return reason
    }

    /// The least bytes after a key: they have a zero byte more. Nil: before all keys.
    static func least(after key: Key?) -> [UInt8] { key.map { Array($0.utf8) + [0] } ?? [] }

    static func key(_ bytes: [UInt8], in path: String) throws(StoreFailure) -> Key {
        guard let key = Key(validating: bytes) else { throw damaged(.key, in: path) }
        return key
    }

    static func bytes32(_ bytes: [UInt8], in path: String) throws(StoreFailure) -> Bytes32 {
        guard bytes.count == Bytes32.byteCount else { throw damaged(.hash, in: path) }
        return Bytes32(bytes)
    }

    static func signature(_ bytes: [UInt8], in path: String) throws(StoreFailure) -> Signature {
        guard bytes.count == Signature.byteCount else { throw damaged(.signature, in: path) }
        return Signature(bytes)
    }

    static func replica(_ bytes: [UInt8], in path: String) throws(StoreFailure) -> ReplicaID {
        guard bytes.count == Bytes16.byteCount else { throw damaged(.replica, in: path) }
        return ReplicaID(raw: Bytes16(bytes))
    }

    /// Throws `unusable` with the column named when `body` cannot read the bytes.
    static func decode<Value>(
        _ bytes: [UInt8], column: FileDefect.Column, in path: String,
        _ body: (inout ByteReader) throws(DecodeFault) -> Value
    ) throws(StoreFailure) -> Value {
        var reader = ByteReader(bytes)
        do throws(DecodeFault) { return try body(&reader) } catch { throw damaged(column, in: path) }
    }

    private static func damaged(_ column: FileDefect.Column, in path: String) -> StoreFailure {
        .unusable(.file(path: path, .column(column)))
    }
}
