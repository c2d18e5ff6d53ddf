// The numbers of the frames of replication. 1 to 4 belong to the link (PING, PONG, CLOSE, OPEN). Numbers are
// never reused; a frame of an unknown number is dropped, so that a newer node may send what an older one does
// not know.

public import Bytes

/// The type byte of a frame.
public enum FrameType: UInt8, Hashable, Sendable, CaseIterable {
    /// Which roster operations I hold.
    case rosterHave = 5
    /// Roster operations.
    case rosterOperations = 6
    /// Which changes I hold, durably. Also the acknowledgement of what was received.
    case have = 7
    /// A sealed run, encrypted.
    case segment = 8
    /// A hash of all documents, to be compared at equal vectors.
    case digest = 9
    /// Addresses of other devices of the space.
    case peers = 10
    /// A joiner's proof.
    case joinProof = 11
    /// The issuer's answer to it, in parts.
    case joinAnswer = 12
    /// How many segment bytes were taken in: opens the sender's window.
    case received = 13
    /// After digests that differ: which part does.
    case digestParts = 14
    /// And which documents of it.
    case digestDocuments = 15
    /// A log's boundary hashes, after a suspicion of a fork.
    case forkBoundaries = 16
    /// A sealed run after a boundary of a branch.
    case forkRun = 17
    /// Two runs that prove a fork.
    case forkProof = 18
    /// Push me these logs.
    case graft = 19
    /// These logs come to me from elsewhere.
    case prune = 20
    /// How many links of the space I have.
    case neighbour = 21
    /// A random walk: remember this device.
    case walk = 22
    /// Which logs are closed.
    case forks = 24
    /// A device asks for a branch of its own closed log.
    case forkAsk = 25
    /// By how many changes the receiver is behind.
    case backlog = 26
    /// Which base I can give.
    case baseOffer = 27
    /// Give me what has these hashes.
    case baseAsk = 28
    /// A piece of it.
    case basePart = 29
    /// I do not have it.
    case baseNone = 30
}

/// A frame's body. Decoding is total; the whole body must be used up.
public protocol FrameBody: Hashable, Sendable {
    static var type: FrameType { get }
    init(from reader: inout ByteReader) throws(DecodeFault)
    func encode(into writer: inout ByteWriter)
}

extension FrameBody {
    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 256)
        encode(into: &writer)
        precondition(writer.count <= WireLimits.frameBytesMax, "a \(Self.type) of \(writer.count) bytes")
        return writer.bytes
    }
}
