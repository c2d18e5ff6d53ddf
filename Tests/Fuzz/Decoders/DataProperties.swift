// Frames, changes, blocks, segments and snapshots: a decoder gives a value or a fault, and a value has the
// bytes that it was read from.

import Bytes
import Causality
import Crypto
import Documents
import Wire

enum DataProperties {
    typealias FrameForm = (type: FrameType, broken: @Sendable ([UInt8]) -> String?)

    static let frameForms: [FrameForm] = [
        form(RosterHaveFrame.self), form(RosterOperationsFrame.self), form(HaveFrame.self),
        form(DigestFrame.self), form(PeersFrame.self), form(JoinProofFrame.self), form(JoinAnswerFrame.self),
        form(ReceivedFrame.self), form(DigestPartsFrame.self), form(DigestDocumentsFrame.self),
        form(ForksFrame.self), form(ForkBoundariesFrame.self), form(ForkAskFrame.self),
        form(GraftFrame.self), form(PruneFrame.self), form(NeighbourFrame.self), form(WalkFrame.self),
        form(BaseOfferFrame.self), form(BaseAskFrame.self), form(BasePartFrame.self),
        form(BaseNoneFrame.self),
    ]

    private static func form<Body: FrameBody>(_ type: Body.Type) -> FrameForm {
        let check: @Sendable ([UInt8]) -> String? = { bytes in
            guard let body = try? Body(decoding: bytes) else { return nil }
            return body.encoded() == bytes ? nil : "\(Body.type) has a second form"
        }
        return (Body.type, check)
    }

    static func frame(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        return frameForms[choice % frameForms.count].broken(rest)
    }

    /// As many changes as there are; nil when one is refused.
    static func decode(_ bytes: [UInt8], of replica: ReplicaID) -> [Change]? {
        var coder = LogCoder(replica: replica)
        var reader = ByteReader(bytes)
        var changes: [Change] = []
        while !reader.isAtEnd {
            guard let change = try? coder.decode(from: &reader) else { return nil }
            changes.append(change)
        }
        return changes
    }

    static func changes(_ bytes: [UInt8]) -> String? {
        var (coder, again) = (LogCoder(replica: FuzzKeys.replica), LogCoder(replica: FuzzKeys.replica))
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let start = reader.offset
            guard let change = try? coder.decode(from: &reader) else {
                return coder.next == again.next ? nil : "a refused change moved the coder"
            }
            var writer = ByteWriter()
            again.encode(change, into: &writer)
            if writer.bytes != reader.passed(from: start) { return "a change has a second form" }
        }
        return nil
    }

    static func block(_ bytes: [UInt8]) -> String? {
        guard let plain = try? Block.unpack(bytes) else { return nil }
        if plain.count > WireLimits.runBytesMax { return "\(plain.count) bytes out of a block" }
        let packed = Block.pack(plain)
        return (try? Block.unpack(packed)) == plain ? nil : "a packed block does not unpack"
    }

    /// An even first byte: a segment as it arrives. An odd one: what a holder of the content key encrypted.
    static func segment(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        if choice % 2 == 0 {
            guard let segment = try? Segment(of: FuzzKeys.space, decoding: rest) else { return nil }
            if segment.encoded() != rest { return "a segment has a second form" }
            _ = try? segment.open(contentKey: FuzzKeys.contentKey)
            return nil
        }
        let last = SequenceNumber(UInt64(choice / 2 + 1))
        let seal = Seal(
            replica: FuzzKeys.replica, last: last, chainHash: .zero,
            signature: Signature([UInt8](repeating: 0, count: Signature.byteCount)))
        let header = SegmentHeader(
            space: FuzzKeys.space, keyID: ContentKeyID(of: FuzzKeys.contentKey), nonce: FuzzKeys.nonce,
            declaration: FuzzKeys.declaration, first: SequenceNumber(1), last: last, seals: [seal])
        var writer = ByteWriter()
        header.encode(into: &writer)
        let body = XChaCha.seal(
            rest, key: FuzzKeys.contentKey, nonce: FuzzKeys.nonce, authenticating: writer.bytes)
        guard body.count <= WireLimits.segmentBytesMax else { return nil }
        writer.counted(body)
        guard let segment = try? Segment(of: FuzzKeys.space, decoding: writer.bytes) else {
            return "a segment with a true header is refused"
        }
        let opened = try? segment.open(contentKey: FuzzKeys.contentKey)
        return opened?.run.bytes == (try? Block.unpack(rest)) ? nil : "a segment holds other bytes"
    }

    static func snapshot(_ bytes: [UInt8]) -> String? {
        let outline = try? Document.outline(of: bytes)
        guard let document = try? Document(snapshot: bytes) else {
            return outline == nil ? nil : "an outline of a snapshot that is none"
        }
        if outline?.key != document.key || outline?.isVisible != document.isVisible {
            return "an outline that differs from the document"
        }
        document.checkInvariants()
        // Snapshots come from the node's own store, where a second form does no harm; the first is stable.
        let snapshot = document.encodeSnapshot()
        guard let again = try? Document(snapshot: snapshot), again.encodeSnapshot() == snapshot else {
            return "a snapshot does not read back"
        }
        return (document.plain == nil) == (document.typed == nil) ? nil : "one view only shows the document"
    }
}
