// What a link asks of its caller, in order.

/// One consequence of what happened on a connection.
public enum LinkOutput: Equatable, Sendable {
    /// Write these bytes to the connection.
    case send([UInt8])
    /// The handshake is complete; frames may be sent from now on. Comes once, before any frame.
    case established(EstablishedLink)
    /// A whole frame. PINGs are answered; CLOSE comes as `close`.
    case frame(LinkFrame)
    /// The body of a PING, which was answered.
    case pinged([UInt8])
    /// Close the connection once what was sent is written out. Comes once, and nothing after it.
    case close(LinkEnd)
}

/// How a link ended.
public enum LinkEnd: Hashable, Sendable {
    /// Before it was established: no byte is sent. To strangers there is nobody here.
    case silently(LinkFault)
    /// The peer broke the rules afterwards; a CLOSE saying so was sent.
    case faulted(LinkFault)
    /// The peer said CLOSE.
    case byPeer(CloseCode, reason: String)
    /// We said CLOSE.
    case byUs(CloseCode)
    /// The stream ended without a CLOSE: something may be missing.
    case truncated
}
