// How changes travel and pass relays: a sealed run of one replica, packed and encrypted under the space's
// content key (DESIGN 8). The nonce is random: one derived from a sequence would repeat after a restored
// backup.

public import Bytes
public import Causality
public import Crypto

/// Why a segment that is well formed outside gives no run.
public enum SegmentFault: Error, Equatable, Sendable {
    /// It is encrypted under another key.
    case otherKey(ContentKeyID)
    /// Header or body are not what a holder of the content key encrypted.
    case notAuthentic
    /// Decrypted, but no run: the fault of who encrypted it, which need not be who sent it.
    case malformed(DecodeFault)
}

/// An encrypted sealed run.
public struct Segment: Hashable, Sendable {
    public let header: SegmentHeader
    /// XChaCha20-Poly1305 of the packed run, with its tag.
    public let body: [UInt8]

    /// `nonce` is 24 fresh random bytes.
    public static func seal(
        _ sealed: SealedRun, in space: SpaceID, contentKey: Secret, nonce: [UInt8]
    ) -> Segment {
        precondition(
            ReplicaID(space: space, declaration: sealed.declaration) == sealed.replica,
            "\(sealed.replica) is not a replica of \(space)")
        let header = SegmentHeader(
            space: space, keyID: ContentKeyID(of: contentKey), nonce: nonce, declaration: sealed.declaration,
            first: sealed.run.first, last: sealed.run.last, seals: sealed.seals)
        let block = Block.pack(sealed.run)
        let body =
            isPlanted("body-in-clear")
            ? block : XChaCha.seal(block, key: contentKey, nonce: nonce, authenticating: header.encoded())
        return Segment(header: header, body: body)
    }

    public func open(contentKey: Secret) throws(SegmentFault) -> SealedRun {
        guard ContentKeyID(of: contentKey) == header.keyID else { throw .otherKey(header.keyID) }
        let opened =
            isPlanted("body-in-clear")
            ? body
            : XChaCha.open(body, key: contentKey, nonce: header.nonce, authenticating: header.encoded())
        guard let block = opened else { throw .notAuthentic }
        do throws(DecodeFault) {
            let run = Run(
                replica: header.replica, first: header.first, last: header.last,
                bytes: try Block.unpack(block, of: header.replica, from: header.first))
            return SealedRun(declaration: header.declaration, run: run, seals: header.seals)
        } catch {
            throw .malformed(error)
        }
    }

    /// The body of a SEGMENT frame. It is no `FrameBody`: to read it one must know the channel's space.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: body.count + 256 + header.seals.count * 104)
        encode(into: &writer)
        return writer.bytes
    }

    public init(of space: SpaceID, decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        try self.init(of: space, from: &reader)
        try reader.finish()
    }

    public func encode(into writer: inout ByteWriter) {
        header.encode(into: &writer)
        writer.counted(body)
    }

    public init(of space: SpaceID, from reader: inout ByteReader) throws(DecodeFault) {
        let header = try SegmentHeader(of: space, from: &reader)
        let body = try reader.counted(limit: WireLimits.segmentBytesMax, field: "segment")
        self.init(header: header, body: body)
    }

    private init(header: SegmentHeader, body: [UInt8]) {
        self.header = header
        self.body = body
    }
}

extension SegmentHeader {
    fileprivate func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 160 + seals.count * 104)
        encode(into: &writer)
        return writer.bytes
    }
}
