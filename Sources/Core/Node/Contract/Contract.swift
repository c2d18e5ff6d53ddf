// The contract of a node: one value, inputs in, effects out.
//
//     node.handle(input, at: now)      any number of times
//     effects = node.commit(at: now)   one durable store transaction
//
// Everything that leaves, leaves after the commit returned: an effect says nothing that a crash could take
// back. The daemon and the simulator drive the same value through these two enums.

/// Something that happened.
public enum Input: Sendable {
    // What programs ask for.

    case request(RequestID, NodeRequest)
    /// The program went away; its request needs no answer any more.
    case cancel(RequestID)
    /// The watcher has written out this many lines.
    case watchCredit(RequestID, lines: Int)

    // What connections do.

    /// Somebody connected to us. `from` is "ip:port".
    case accepted(ConnectionID, from: String)
    /// A `dial` succeeded; it led to "ip:port".
    case connected(ConnectionID, at: String)
    /// A `dial` failed.
    case dialFailed(ConnectionID, reason: String)
    case received(ConnectionID, [UInt8])
    /// The other side closed, or the connection broke.
    case disconnected(ConnectionID, reason: String)

    // What is known of the network.

    /// The answer to `resolve`: numbers, IPv6 without brackets; `failure` says why there are none.
    case resolved(host: String, addresses: [String], failure: String?)
    /// A datagram came to the beacon port. `from` is "ip:port", IPv6 in brackets, a link-local address with
    /// its scope ("[fe80::1%eth0]:21420").
    case datagram([UInt8], from: String)
    case network(NetworkNews)

    // What the process and its machine do.

    /// A deadline that `Node.deadline` named has come.
    case tick
    /// Free bytes on the state directory's file system, and all that it has.
    case diskFree(bytes: UInt64, of: UInt64 = .max)
    /// The config was read again.
    case settings(NodeSettings)
    /// The process ends: say CLOSE on all links, and make no new ones.
    case stopping
}

/// What the node asks of the shell, to be done after the batch's commit returned, in order.
public enum Effect: Sendable {
    case answer(RequestID, NodeAnswer)
    /// Connects to "host:port" (a name gives all its addresses, tried in turn); answered by `connected` or
    /// `dialFailed` with this id.
    case dial(ConnectionID, String)
    /// Looks a name up, all addresses of both families; answered by `resolved`, always.
    case resolve(host: String)
    case send(ConnectionID, [UInt8])
    /// Say `NetworkNews.written` when what was sent on the connection is: more follows then.
    case tellWritten(ConnectionID)
    /// Closes after everything sent before is written out.
    case close(ConnectionID)
    /// Sends a datagram to everybody on a network. It may get lost, and nothing answers.
    case beacon([UInt8], on: BeaconRoute)
    /// A line for the operator: what happened, to which replica or link, what repld did, what to do.
    case log(LogLevel, code: String, message: String)
    /// Make a consistent copy of the store and answer the request with `.backup`.
    case backup(RequestID)
    /// Read the config again: hand what it says over as `Input.settings`, then answer the request with
    /// `.reloaded`; with `isCheck` nothing is handed over.
    case reload(RequestID, isCheck: Bool)
    /// Nothing can be trusted any more; exit with this message after the effects before it.
    case halt(String)
}

/// What the shell sees of the machine's network.
public enum NetworkNews: Sendable, Equatable {
    /// Addresses or routes are others than before, or the machine slept: back-off is forgotten.
    case changed
    /// What we listen on, for `status`, hints and peers: "ip:port" of every usable interface.
    case listening([String])
    /// Where beacons are sent and heard.
    case lan(LocalNetworks)
    /// Datagrams that the shell dropped.
    case dropped(DroppedDatagrams)
    /// What was sent before a `tellWritten` is with the system, nearly all of it.
    case written(ConnectionID)
}

/// Names one TCP connection (or what stands for it in the simulator) for the life of the process. The shell
/// numbers those that it accepts, below `firstDialled`; the node numbers its dials from there.
public struct ConnectionID: Hashable, Comparable, Sendable {
    public let value: UInt64
    public static let firstDialled = ConnectionID(1 << 62)

    public init(_ value: UInt64) { self.value = value }
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.value < right.value }
}

public enum LogLevel: Int, Comparable, Sendable {
    case debug, info, notice, warning, error, critical
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
