// What the floors above exchange on a link: typed bytes on a channel.

/// A whole frame. The body is at most `SecureLinkLimits.frameBytesMax`.
public struct LinkFrame: Hashable, Sendable {
    /// 1 PING, 2 PONG, 3 CLOSE; the others are the caller's (WIRE.md). 0 is none.
    public let type: UInt8
    /// 0 is the link and the space it was opened under.
    public let channel: UInt16
    public let body: [UInt8]

    public static let ping: UInt8 = 1
    public static let pong: UInt8 = 2
    public static let close: UInt8 = 3

    public init(type: UInt8, channel: UInt16 = 0, body: [UInt8]) {
        precondition(type != 0, "type 0 is none")
        precondition(body.count <= SecureLinkLimits.frameBytesMax, "a frame of \(body.count) bytes")
        self.type = type
        self.channel = channel
        self.body = body
    }
}
