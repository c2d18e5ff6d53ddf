// What the local side of the node asks of its links. Without links nothing is announced and nobody is reached.

import Causality
import Roster
import Wire

extension Node {
    /// What `GET /v1/peers` shows.
    func peerReports(at now: Instant) -> [PeerReport] { [] }
    /// Live links.
    var linkCount: Int { 0 }
    /// Greatest difference to a linked peer's wall clock.
    var clockOffsetMilliseconds: Int64? { nil }
    /// Prometheus lines of the links.
    func linkMetrics() -> String { "" }
    /// Addresses for invites and rosters: `advertise`, then what we listen on.
    func announcedAddresses() -> [PeerAddress] { [] }
    /// The roster of the space grew.
    mutating func rosterAdvanced(_ index: Int) {}
    /// Tells the roster, and whoever is linked, that this device leaves.
    mutating func announceLeaving(_ index: Int, at now: Instant) {}
    /// The space is gone from this node.
    mutating func linksForget(_ id: SpaceID) {}
    mutating func join(_ id: RequestID, token: String, name: String?, at now: Instant) throws(NodeError) {
        throw .inviterUnreachable(tried: [])
    }
    mutating func cancelJoin(_ id: RequestID) {}
}
