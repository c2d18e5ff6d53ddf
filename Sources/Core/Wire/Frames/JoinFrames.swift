// The two frames of joining. Their bodies are the roster's (WIRE.md, "Joining"); a frame only bounds them.

public import Bytes

/// A joiner's proof that it holds the invite, bound to this link.
public struct JoinProofFrame: FrameBody {
    public static let type = FrameType.joinProof
    public let body: [UInt8]

    public init(body: [UInt8]) { self.body = body }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        body = try reader.counted(limit: WireLimits.joinBytesMax, field: "join proof")
    }

    public func encode(into writer: inout ByteWriter) {
        precondition(body.count <= WireLimits.joinBytesMax, "a join proof of \(body.count) bytes")
        writer.counted(body)
    }
}

/// The issuer's answer, or one part of it.
public struct JoinAnswerFrame: FrameBody {
    public static let type = FrameType.joinAnswer
    public let body: [UInt8]

    public init(body: [UInt8]) { self.body = body }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        body = try reader.counted(limit: WireLimits.joinBytesMax, field: "join answer")
    }

    public func encode(into writer: inout ByteWriter) {
        precondition(body.count <= WireLimits.joinBytesMax, "a join answer of \(body.count) bytes")
        writer.counted(body)
    }
}
