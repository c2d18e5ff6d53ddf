// A frame from its body: the wire says which type it is.

import SecureLink
import Wire

extension LinkFrame {
    /// A frame of replication on a channel.
    init(_ body: some FrameBody, on channel: UInt16) {
        self.init(type: Swift.type(of: body).type.rawValue, channel: channel, body: body.encoded())
    }
}
