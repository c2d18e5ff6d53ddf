// What the shell knows of the local networks, and what the node reports of discovery. The node decides what
// is called out and when; on which interfaces that can be done, and whether anybody can be heard, only the
// shell sees.

/// One way to send to everybody on one network.
public struct BeaconRoute: Hashable, Comparable, Sendable {
    public enum Destination: UInt8, Comparable, Sendable, CaseIterable {
        case multicast4, multicast6, broadcast

        public static func < (left: Destination, right: Destination) -> Bool {
            left.rawValue < right.rawValue
        }

        /// As the API writes it.
        public var name: String {
            switch self {
            case .multicast4: "ipv4-multicast"
            case .multicast6: "ipv6-multicast"
            case .broadcast: "broadcast"
            }
        }
    }

    /// The interface's name.
    public let interface: String
    public let destination: Destination
    /// Where we take links at the address that datagrams on this route come from; not 0.
    public let port: UInt16

    public init(interface: String, destination: Destination, port: UInt16) {
        precondition(port > 0, "a route names a port")
        self.interface = interface
        self.destination = destination
        self.port = port
    }

    public static func < (left: BeaconRoute, right: BeaconRoute) -> Bool {
        (left.interface, left.destination, left.port) < (right.interface, right.destination, right.port)
    }
}

/// The machine's networks, as far as discovery is concerned.
public struct LocalNetworks: Sendable, Equatable {
    /// Datagrams on the beacon port are heard.
    public var isListening: Bool
    /// Ascending; empty when nothing is to be sent.
    public var routes: [BeaconRoute]
    /// What does not work and why, in a person's words.
    public var problems: [String]

    public init(isListening: Bool = false, routes: [BeaconRoute] = [], problems: [String] = []) {
        self.isListening = isListening
        self.routes = routes
        self.problems = problems
    }
}

/// Datagrams that the shell dropped before the node saw them, since it told last.
public struct DroppedDatagrams: Sendable, Equatable {
    /// Of another length than a beacon's.
    public var malformed: UInt64 = 0
    /// More than are looked at.
    public var flooded: UInt64 = 0
    /// Beacons of ours that the system did not take.
    public var unsent: UInt64 = 0

    public init() {}
    public var isEmpty: Bool { self == DroppedDatagrams() }
}

/// What `status` shows of discovery.
public struct DiscoveryReport: Sendable, Equatable {
    /// Counts since the process started.
    public struct Counts: Sendable, Equatable {
        public var sent: UInt64 = 0
        /// Beacons of members that were news.
        public var heard: UInt64 = 0
        /// Under none of our keys.
        public var foreign: UInt64 = 0
        /// Heard before, or of an instance that is gone.
        public var replayed: UInt64 = 0
        /// No beacon of this version, or one that a member made wrong.
        public var malformed: UInt64 = 0
        /// More than are looked at in a second.
        public var flooded: UInt64 = 0
        /// Our own, come back.
        public var own: UInt64 = 0
        /// Ours that the system did not take.
        public var unsent: UInt64 = 0
        /// Datagrams on which keys were tried.
        public var processed: UInt64 = 0

        public init() {}
    }

    public let networks: LocalNetworks
    public let counts: Counts

    public init(networks: LocalNetworks = LocalNetworks(), counts: Counts = Counts()) {
        self.networks = networks
        self.counts = counts
    }
}
