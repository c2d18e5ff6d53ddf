// Forks on a link (decision 0062): which logs are closed, the search for the last common boundary of two
// branches, the runs after it, and the proof. Runs travel as segments: encrypted under the content key like
// every other change. So the frames that carry them can only be read by who knows the channel's space.

public import Bytes
public import Causality

/// Which logs are closed, and where: a hash of the table, and the table when the other side's hash differs.
public struct ForksFrame: FrameBody {
    public static let type = FrameType.forks

    /// One closed log.
    public struct Entry: Hashable, Sendable {
        public let replica: ReplicaID
        /// Closed at this sequence.
        public let first: SequenceNumber
        /// The chain hash before it.
        public let trunkHash: Bytes32

        public init(replica: ReplicaID, first: SequenceNumber, trunkHash: Bytes32) {
            self.replica = replica
            self.first = first
            self.trunkHash = trunkHash
        }
    }

    /// Of the whole table; zeros when nothing is closed.
    public let hash: Bytes32
    /// The table, ascending by replica; nil: only the hash is told.
    public let entries: [Entry]?

    public init(hash: Bytes32, entries: [Entry]?) {
        precondition((entries?.count ?? 0) <= WireLimits.forksMax, "\(entries?.count ?? 0) closed logs")
        self.hash = hash
        self.entries = entries
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        hash = try Bytes32(from: &reader)
        let isListed = try reader.u8()
        guard isListed <= 1 else { throw .unknownTag(field: "forks", value: UInt64(isListed)) }
        if isListed == 0 {
            entries = nil
            return
        }
        let count = try reader.count(limit: WireLimits.forksMax, field: "forks")
        var list: [Entry] = []
        for _ in 0..<count {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            if let former = list.last, former.replica >= replica { throw .notCanonical(field: "forks") }
            let first = try SequenceNumber(from: &reader, field: "forks")
            list.append(Entry(replica: replica, first: first, trunkHash: try Bytes32(from: &reader)))
        }
        entries = list
    }

    public func encode(into writer: inout ByteWriter) {
        hash.encode(into: &writer)
        writer.u8(entries == nil ? 0 : 1)
        guard let entries else { return }
        writer.varint(entries.count)
        for entry in entries {
            entry.replica.raw.encode(into: &writer)
            writer.varint(entry.first.value)
            entry.trunkHash.encode(into: &writer)
        }
    }
}

/// Boundary hashes of a log that is suspected of a fork.
public struct ForkBoundariesFrame: FrameBody {
    public static let type = FrameType.forkBoundaries

    /// A boundary: the last sequence before it, and the chain hash there.
    public struct Entry: Hashable, Sendable {
        public let last: SequenceNumber
        public let chainHash: Bytes32

        public init(last: SequenceNumber, chainHash: Bytes32) {
            self.last = last
            self.chainHash = chainHash
        }
    }

    public let replica: ReplicaID
    /// Ascending; some of the sender's boundaries.
    public let entries: [Entry]

    public init(replica: ReplicaID, entries: [Entry]) {
        precondition(entries.count <= WireLimits.forkBoundariesMax, "\(entries.count) boundaries")
        precondition(
            zip(entries, entries.dropFirst()).allSatisfy { $0.last < $1.last }, "boundaries are ascending")
        self.replica = replica
        self.entries = entries
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        replica = ReplicaID(raw: try Bytes16(from: &reader))
        let count = try reader.count(limit: WireLimits.forkBoundariesMax, field: "boundaries")
        var list: [Entry] = []
        for _ in 0..<count {
            let last = try SequenceNumber(from: &reader, field: "boundary")
            if let former = list.last, former.last >= last { throw .notCanonical(field: "boundaries") }
            list.append(Entry(last: last, chainHash: try Bytes32(from: &reader)))
        }
        entries = list
    }

    public func encode(into writer: inout ByteWriter) {
        replica.raw.encode(into: &writer)
        writer.varint(entries.count)
        for entry in entries {
            writer.varint(entry.last.value)
            entry.chainHash.encode(into: &writer)
        }
    }
}

/// A device asks for the next stretch of a branch of its own closed log, to re-issue it (decision 0063).
public struct ForkAskFrame: FrameBody {
    public static let type = FrameType.forkAsk
    public let replica: ReplicaID
    /// Where the asking side knows the log to be closed.
    public let first: SequenceNumber
    /// Everything before it was received on this link.
    public let from: SequenceNumber

    public init(replica: ReplicaID, first: SequenceNumber, from: SequenceNumber) {
        self.replica = replica
        self.first = first
        self.from = from
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        replica = ReplicaID(raw: try Bytes16(from: &reader))
        first = try SequenceNumber(from: &reader, field: "first")
        from = try SequenceNumber(from: &reader, field: "from")
    }

    public func encode(into writer: inout ByteWriter) {
        replica.raw.encode(into: &writer)
        writer.varint(first.value)
        writer.varint(from.value)
    }
}

/// A sealed run after a boundary of the sender's branch: to be compared, or a stretch that was asked for.
public struct ForkRunFrame: Hashable, Sendable {
    public enum Purpose: UInt8, Hashable, Sendable {
        /// The first after the last boundary that both branches share.
        case comparison = 0
        /// Of a branch that its author asked for.
        case branch = 1
    }

    public let purpose: Purpose
    /// The chain hash at the boundary before the run (zeros: the beginning).
    public let baseHash: Bytes32
    public let segment: Segment

    public init(_ purpose: Purpose, baseHash: Bytes32, segment: Segment) {
        self.purpose = purpose
        self.baseHash = baseHash
        self.segment = segment
    }

    public init(of space: SpaceID, decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let raw = try reader.u8()
        guard let purpose = Purpose(rawValue: raw) else {
            throw .unknownTag(field: "fork run", value: UInt64(raw))
        }
        self.purpose = purpose
        baseHash = try Bytes32(from: &reader)
        segment = try Segment(of: space, from: &reader)
        try reader.finish()
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: segment.body.count + 512)
        writer.u8(purpose.rawValue)
        baseHash.encode(into: &writer)
        segment.encode(into: &writer)
        return writer.bytes
    }
}

/// Two runs after one boundary that prove a fork.
public struct ForkProofFrame: Hashable, Sendable {
    /// The chain hash at the boundary before the runs (zeros: the beginning).
    public let baseHash: Bytes32
    public let first: Segment
    public let second: Segment

    public init(baseHash: Bytes32, _ first: Segment, _ second: Segment) {
        self.baseHash = baseHash
        self.first = first
        self.second = second
    }

    public init(of space: SpaceID, decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        baseHash = try Bytes32(from: &reader)
        first = try Segment(of: space, from: &reader)
        second = try Segment(of: space, from: &reader)
        try reader.finish()
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: first.body.count + second.body.count + 1_024)
        baseHash.encode(into: &writer)
        first.encode(into: &writer)
        second.encode(into: &writer)
        return writer.bytes
    }
}
