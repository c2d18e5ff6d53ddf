// Every bound of the peer network, with its reason and what happens at it. How many handshakes may be half
// open, and how fast one IP may begin them, is the node's to say (`HandshakeGate`): it knows who has shown a
// secret.

public import NIOCore

/// Bounds of the peer network; tests choose smaller ones.
public struct PeerNetworkLimits: Sendable {
    /// Connections, links and half-open together. Policy: one more is closed at once. It bounds descriptors;
    /// the node's own limits are lower.
    public var connectionsMax = 512
    /// Received bytes of a connection that the node has not handled. Policy: reading pauses.
    public var unhandledBytesMax: Int
    /// Sent bytes of a connection that the kernel has not taken. Policy: it is closed, the other side does
    /// not read. The node's window is far below it.
    public var unsentBytesMax = 16 << 20
    /// Bytes that the kernel takes of a connection before they go out; what is on the way comes on top. More
    /// would be a queue of megabytes on a slow line, behind which a PING waits for minutes.
    public var kernelUnsentBytesMax = 128 << 10
    /// Unsent bytes at which a node that waits for its connection may go on.
    public var unsentBytesLow = 64 << 10
    /// How long one attempt to connect may take, names and all addresses together. A SYN that was lost is
    /// sent again after 1 and 3 seconds, then after 7: by then a new dial does as well.
    public var dialTimeout = TimeAmount.seconds(4)
    /// How long a lookup of a name may take. Policy: who waits hears that it failed.
    public var lookupTimeout = TimeAmount.seconds(5)
    /// Lookups at once, those that were given up and still block included. Policy: one more fails at once.
    public var lookupsMax = 4
    /// How long a close waits for what was sent before, and then for the other side to have read it.
    public var closeTimeout = TimeAmount.seconds(1)
    /// How long the node has to say CLOSE on its links when the process ends, and its peers to read it.
    public var farewellTimeout = TimeAmount.milliseconds(500)

    public init(unhandledBytesMax: Int) { self.unhandledBytesMax = unhandledBytesMax }
}
