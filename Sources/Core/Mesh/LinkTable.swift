// Which links stand, and which of two to one device stays (DESIGN 8). Both ends must come to the same answer
// without asking, or each would close the link that the other kept:
//
//   two initiators             the link whose initiator has the lower device id stays; both ends see the
//                              same ids
//   one initiator, twice       the newer stays, and only the initiator closes: the ends may see the two
//                              handshakes complete in different orders, so the other end keeps both until
//                              it is told
//   another instance id        both stay; the older is asked for a sign of life, without which it ends soon,
//                              and if it gives one, one device runs twice: the clone alarm (decision 0090)
//   silent for a PING interval never wins
//
// `Connection` is whatever names a connection to the caller.

public import Causality

/// The complete handshakes.
public struct LinkTable<Connection: Hashable & Comparable & Sendable>: Sendable {
    /// One link as the rule sees it.
    public struct Link: Sendable {
        public let connection: Connection
        public let peer: DeviceID
        /// Random per start of the peer.
        public let instance: UInt64
        /// True when we dialled.
        public let isInitiator: Bool
        /// Counts up with each link: which is newer.
        let order: UInt64
    }

    /// What to do about a link that completed its handshake.
    public struct Verdict: Equatable, Sendable {
        /// False: the new link loses and is to be closed; it was not entered.
        public var isAccepted = true
        /// Older links to close with "duplicate"; they are out of the table.
        public var close: [Connection] = []
        /// Older links of another instance, to be asked for a sign of life: an answer proves a clone.
        public var probe: [Connection] = []
    }

    private let own: DeviceID
    private var links: [Connection: Link] = [:]
    private var order: UInt64 = 0

    public init(own: DeviceID) { self.own = own }

    public var count: Int { links.count }
    public subscript(connection: Connection) -> Link? { links[connection] }
    /// Ascending by connection.
    public var connections: [Connection] { links.keys.sorted() }
    /// Links to one device, newest first.
    public func links(to peer: DeviceID) -> [Link] {
        links.values.filter { $0.peer == peer }.sorted { $0.order > $1.order }
    }
    public func isLinked(to peer: DeviceID) -> Bool { links.values.contains { $0.peer == peer } }
    /// Linked devices, ascending.
    public var peers: [DeviceID] { Set(links.values.map(\.peer)).sorted() }

    /// Enters a link. `isSilent` tells whether an older one has been silent for a PING interval.
    public mutating func enter(
        _ connection: Connection, peer: DeviceID, instance: UInt64, isInitiator: Bool,
        isSilent: (Connection) -> Bool
    ) -> Verdict {
        precondition(links[connection] == nil, "a connection completes one handshake")
        var verdict = Verdict()
        for old in links(to: peer) {
            if old.instance != instance {
                verdict.probe.append(old.connection)
            } else if isSilent(old.connection) {
                verdict.close.append(old.connection)
            } else if old.isInitiator != isInitiator {
                let newStays = isInitiator == (own < peer)
                if newStays { verdict.close.append(old.connection) } else { verdict.isAccepted = false }
            } else if isInitiator {
                verdict.close.append(old.connection)
            }
        }
        guard verdict.isAccepted else { return Verdict(isAccepted: false) }
        order += 1
        links[connection] = Link(
            connection: connection, peer: peer, instance: instance, isInitiator: isInitiator, order: order)
        for closed in verdict.close { links[closed] = nil }
        return verdict
    }

    public mutating func remove(_ connection: Connection) { links[connection] = nil }
}
