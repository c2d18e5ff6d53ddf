// What a person sees of peers, links and clocks.

import Causality
import Identity
import Mesh
import Replication
import Roster
import Wire

extension Node {
    /// What `GET /v1/peers` shows: every active member of our spaces but ourselves, ascending by device.
    mutating func peerReports(at now: Instant) -> [PeerReport] {
        var devices: Set<DeviceID> = []
        for space in spaces {
            for member in space.roster.members() where member.state == .active && member.device != device {
                devices.insert(member.device)
            }
        }
        return devices.sorted().map { peerReport($0, at: now) }
    }

    private mutating func peerReport(_ peer: DeviceID, at now: Instant) -> PeerReport {
        let addresses = links.book.addresses(of: peer)
        let link = links.table.links(to: peer).first.flatMap { links.connections[$0.connection]?.link }
        let refusal = links.faults.refusal(of: peer, at: now.monotonic)
        let state =
            link != nil
            ? "connected"
            : refusal != nil
                ? "refused" : addresses.contains(where: links.dialer.isUnderWay) ? "dialling" : "waiting"
        noteState(of: peer, state, at: now)
        let name = spaces.lazy.compactMap { $0.roster.description(of: peer)?.name.string }.first ?? ""
        return PeerReport(
            device: peer, name: name, addresses: addresses.map(\.string), state: state,
            since: links.peerStates[peer]?.since ?? now.wall,
            rttMilliseconds: link?.liveness.roundTripMilliseconds,
            whyNot: link.map(whyNotInSync) ?? refusal.map { "refused: \($0.reason)" }
                ?? whyNotWanted(peer) ?? whyNotLinked(addresses),
            spaces: spaces.filter { $0.roster.role(of: peer) != nil }.map { sync(of: peer, in: $0, link) })
    }

    private func sync(of peer: DeviceID, in space: SpaceState, _ link: PeerLink?) -> PeerReport.Sync {
        let channel = link?.channels.values.first { $0.space == space.id }
        let known = channel?.sync.peerHave ?? space.peerVectors[peer] ?? VersionVector()
        func excess(_ a: VersionVector, _ b: VersionVector) -> UInt64 {
            a.entries(beyond: b).reduce(0) { $0 &+ ($1.last.value - b[$1.replica].value) }
        }
        return PeerReport.Sync(
            space: space.id, behindChanges: excess(known, space.durable),
            aheadChanges: excess(space.durable, known))
    }

    private func whyNotInSync(_ link: PeerLink) -> String? {
        for number in link.channelNumbers {
            guard let channel = link.channels[number] else { continue }
            if !channel.isFull { return "the roster does not list it yet" }
            if let cap = whyHeldBack(channel) { return cap }
            for log in links.buffer.logs(of: channel.space) {
                switch links.buffer.lack(of: log) {
                case .dot(let dot, _): return "changes of \(log.replica) wait for \(dot)"
                case .rosterHead: return "changes of \(log.replica) wait for the roster"
                case nil: break
                }
            }
        }
        return nil
    }

    private func whyNotLinked(_ addresses: [PeerAddress]) -> String {
        if addresses.isEmpty { return "no address of it is known" }
        return addresses.map { "\($0): \(links.dialer.failure($0) ?? "not tried yet")" }.joined(
            separator: "; ")
    }

    mutating func noteState(of peer: DeviceID, _ state: String, at now: Instant) {
        if links.peerStates[peer]?.state == state { return }
        links.peerStates[peer] = PeerStateSince(state: state, since: now.wall)
    }

    /// Live links.
    var linkCount: Int { links.table.count }

    /// Greatest difference of a linked peer's wall clock to ours, with its sign.
    var clockOffsetMilliseconds: Int64? {
        links.connectionIDs.compactMap { links.connections[$0]?.link?.clockOffset }.max {
            $0.magnitude < $1.magnitude
        }
    }

    /// A clock that is far off decides ties for a long time: somebody should look. Nothing is refused for it.
    mutating func checkClock(_ peer: DeviceID, _ offset: Int64, at now: Instant) {
        guard offset.magnitude > 600_000 else {
            return resolveAlarm(code: "clock-far", device: peer)
        }
        raise(
            Alarm(
                code: "clock-far",
                message: "the clocks of this node and \(peer.text) are \(offset / 1_000) s apart",
                hint: "set the clock that is wrong; changes stamped ahead win ties until time catches up",
                since: now.wall, device: peer))
    }

    /// Prometheus lines of the links.
    func linkMetrics() -> String {
        let counts: [(String, String, String, UInt64)] = [
            ("links_opened_total", "Links opened.", "counter", links.counters.linksOpened),
            (
                "handshakes_failed_total", "Handshakes that failed.", "counter",
                links.counters.handshakesFailed
            ),
            (
                "handshakes_refused_total", "Connections over the rate of their IP.", "counter",
                links.gate.refused
            ),
            ("peer_faults_total", "Links closed for a peer's fault.", "counter", links.counters.faults),
            ("segments_sent_total", "Segments sent.", "counter", links.counters.segmentsSent),
            ("segments_received_total", "Segments received.", "counter", links.counters.segmentsReceived),
            ("segment_bytes_sent_total", "Their bytes.", "counter", links.counters.segmentBytesSent),
            ("segment_bytes_received_total", "Their bytes.", "counter", links.counters.segmentBytesReceived),
            ("segments_duplicate_total", "Segments known already.", "counter", links.counters.duplicates),
            ("segment_bytes_duplicate_total", "Their bytes.", "counter", links.counters.duplicateBytes),
            ("link_bytes_received_total", "Bytes of all links.", "counter", links.counters.bytesReceived),
            ("have_bytes_sent_total", "Bytes of HAVE.", "counter", links.counters.haveBytesSent),
            ("grafts_total", "Peers asked to push.", "counter", links.counters.grafts),
            ("prunes_total", "Logs that came twice.", "counter", links.counters.prunes),
            (
                "segments_held_back_total", "Times that a cap on bytes a second held changes back.",
                "counter", links.counters.heldBack
            ),
            ("segments_gap_total", "Segments dropped for a gap.", "counter", links.counters.gaps),
            (
                "segments_unknown_key_total", "Segments under an unknown key.", "counter",
                links.counters.unknownKeys
            ),
            ("changes_early_total", "Changes that had to wait.", "counter", links.counters.early),
            (
                "buffer_dropped_total", "Early changes dropped over a bound.", "counter",
                links.buffer.droppedCount
            ),
            ("buffer_bytes", "Bytes of early changes.", "gauge", UInt64(links.buffer.byteCount)),
            ("addresses", "Addresses known.", "gauge", UInt64(links.book.count)),
        ]
        return counts.map { name, help, kind, value in
            "# HELP repl_\(name) \(help)\n# TYPE repl_\(name) \(kind)\nrepl_\(name) \(value)\n"
        }.joined()
    }
}
