// How a node takes a base: tables, manifests and pages are all found by the hash of their bytes, so one
// question and one answer do for all of them, from any peer that has them, in pieces, from any offset
// (decision 0184). No peer is believed: what does not have the hash that was asked for is its sender's fault.

public import Bytes

/// Which base a node can give, and how much of the logs it keeps.
public struct BaseOfferFrame: FrameBody {
    public static let type = FrameType.baseOffer

    /// The newest standing checkpoint of which it holds table, manifest and pages.
    public let checkpoint: Bytes32
    /// The checkpoint up to whose V it may have let logs go; nil: it keeps them all from the beginning.
    public let collected: Bytes32?
    /// Of logs that it keeps. For people, and to choose between the log and the base where both do.
    public let logBytes: UInt64
    /// Of all pages of the base.
    public let baseBytes: UInt64

    public init(checkpoint: Bytes32, collected: Bytes32?, logBytes: UInt64, baseBytes: UInt64) {
        self.checkpoint = checkpoint
        self.collected = collected
        self.logBytes = logBytes
        self.baseBytes = baseBytes
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        checkpoint = try Bytes32(from: &reader)
        switch try reader.u8() {
        case 0: collected = nil
        case 1: collected = try Bytes32(from: &reader)
        case let flag: throw .unknownTag(field: "collected", value: UInt64(flag))
        }
        logBytes = try reader.u64()
        baseBytes = try reader.u64()
    }

    public func encode(into writer: inout ByteWriter) {
        checkpoint.encode(into: &writer)
        writer.u8(collected == nil ? 0 : 1)
        collected?.encode(into: &writer)
        writer.u64(logBytes)
        writer.u64(baseBytes)
    }
}

/// Asks for what has these hashes, in the order in which it is wanted.
public struct BaseAskFrame: FrameBody {
    public static let type = FrameType.baseAsk

    public struct Want: Hashable, Sendable {
        public let hash: Bytes32
        /// Everything before it is here.
        public let offset: UInt64

        public init(_ hash: Bytes32, from offset: UInt64 = 0) {
            self.hash = hash
            self.offset = offset
        }
    }

    /// At least one.
    public let wants: [Want]

    public init(_ wants: [Want]) {
        precondition((1...WireLimits.baseAsksMax).contains(wants.count), "\(wants.count) hashes")
        self.wants = wants
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        let count = try reader.count(limit: WireLimits.baseAsksMax, field: "base ask")
        if count == 0 { throw .outOfRange(field: "base ask") }
        var wants: [Want] = []
        for _ in 0..<count {
            let hash = try Bytes32(from: &reader)
            let offset = try reader.varint()
            if offset >= UInt64(WireLimits.pageBytesMax) { throw .outOfRange(field: "offset") }
            wants.append(Want(hash, from: offset))
        }
        self.wants = wants
    }

    public func encode(into writer: inout ByteWriter) {
        writer.varint(wants.count)
        for want in wants {
            want.hash.encode(into: &writer)
            writer.varint(want.offset)
        }
    }
}

/// A piece of what was asked for, packed.
public struct BasePartFrame: FrameBody {
    public static let type = FrameType.basePart

    public let hash: Bytes32
    public let offset: UInt64
    /// Bytes of the whole.
    public let total: UInt64
    /// Codec 0 or 1 (`Block`); it has several forms, so it is kept as it came.
    public let block: [UInt8]

    /// The piece of `whole` from `offset` on, as much as one frame takes.
    public init(of whole: [UInt8], hash: Bytes32, from offset: Int) {
        let end = min(whole.count, offset + WireLimits.basePartBytesMax)
        self.init(Array(whole[offset..<end]), at: offset, of: whole.count, hash: hash)
    }

    /// A piece that lies at `offset` of so many bytes.
    public init(_ piece: [UInt8], at offset: Int, of total: Int, hash: Bytes32) {
        precondition((1...WireLimits.basePartBytesMax).contains(piece.count), "\(piece.count) bytes")
        precondition(offset >= 0 && offset + piece.count <= total, "\(piece.count) at \(offset) of \(total)")
        precondition(total <= WireLimits.pageBytesMax, "\(total) bytes")
        self.hash = hash
        self.offset = UInt64(offset)
        self.total = UInt64(total)
        block = Block.pack(piece)
    }

    /// The bytes from `offset` on. They are at least one, and lie within `total`.
    public func unpacked() throws(DecodeFault) -> [UInt8] {
        let bytes = try Block.unpack(block)
        let limit = min(UInt64(WireLimits.basePartBytesMax), total - offset)
        if bytes.isEmpty { throw .outOfRange(field: "base part") }
        if UInt64(bytes.count) > limit {
            throw .overLimit(field: "base part", value: UInt64(bytes.count), limit: limit)
        }
        return bytes
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        hash = try Bytes32(from: &reader)
        offset = try reader.varint()
        total = try reader.varint()
        if total > UInt64(WireLimits.pageBytesMax) || offset >= total { throw .outOfRange(field: "offset") }
        // Packed in vain it has one byte more.
        block = try reader.counted(limit: WireLimits.basePartBytesMax + 1, field: "base part")
        if block.isEmpty { throw .truncated(needed: 1, available: 0) }
    }

    public func encode(into writer: inout ByteWriter) {
        hash.encode(into: &writer)
        writer.varint(offset)
        writer.varint(total)
        writer.counted(block)
    }
}

/// The sender does not have what was asked for.
public struct BaseNoneFrame: FrameBody {
    public static let type = FrameType.baseNone
    public let hash: Bytes32

    public init(hash: Bytes32) { self.hash = hash }

    public init(from reader: inout ByteReader) throws(DecodeFault) { hash = try Bytes32(from: &reader) }

    public func encode(into writer: inout ByteWriter) { hash.encode(into: &writer) }
}
