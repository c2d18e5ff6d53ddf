// What the runtime asks of the peer network. Orders of one batch go over together: one hop to the network's
// event loop and one flush a connection, however many frames the node sent.

public import Node

/// One thing to do on a peer connection.
public enum PeerOrder: Sendable {
    /// Connects to "host:port"; answered by `Input.connected` or `Input.dialFailed`.
    case dial(ConnectionID, String)
    /// Looks a name up; answered by `Input.resolved`, always.
    case resolve(host: String)
    case send(ConnectionID, [UInt8])
    case tellWritten(ConnectionID)
    /// Closes after everything sent before is written out.
    case close(ConnectionID)
    /// Sends a datagram to everybody on a network.
    case beacon([UInt8], BeaconRoute)
    /// The node has handled this many bytes of the connection: as many more may be read from it.
    case handled(ConnectionID, bytes: Int)
}

/// The peer network, as the runtime sees it.
public protocol PeerPort: AnyObject, Sendable {
    /// Carries the orders out in order. Never blocks; unknown and closed connections are ignored.
    func deliver(_ orders: [PeerOrder])
}
