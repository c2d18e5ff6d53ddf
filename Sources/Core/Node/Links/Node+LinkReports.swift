// Links and clocks as counters and as status shows them.

import Causality
import Identity
import Mesh
import Replication
import Wire

extension Node {
    /// Live links.
    var linkCount: Int { links.connections.table.count }

    /// Greatest difference of a linked peer's wall clock to ours, with its sign.
    var clockOffsetMilliseconds: Int64? {
        links.connections.linkHandles.filter { isMember(links[$0].device) }.map { links[$0].clockOffset }
            .max { ($0.magnitude, $0) < ($1.magnitude, $1) }
    }

    /// A clock that is far off decides ties for a long time: somebody should look. Nothing is refused for it.
    mutating func checkClock(_ peer: DeviceID, _ offset: Int64, at now: Instant) {
        // A stranger's clock is nobody's concern, and there may be any number of strangers.
        guard isMember(peer) else { return }
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
            ("links_opened_total", "Links opened.", "counter", links.connections.counters.linksOpened),
            (
                "handshakes_failed_total", "Handshakes that failed.", "counter",
                links.connections.counters.handshakesFailed
            ),
            (
                "handshakes_refused_total", "Connections over the rate of their IP.", "counter",
                links.connections.gate.refused
            ),
            (
                "peer_faults_total", "Links closed for a peer's fault.", "counter",
                links.connections.counters.faults
            ),
            ("segments_sent_total", "Segments sent.", "counter", links.counters.segmentsSent),
            ("segments_received_total", "Segments received.", "counter", links.counters.segmentsReceived),
            ("segment_bytes_sent_total", "Their bytes.", "counter", links.counters.segmentBytesSent),
            ("segment_bytes_received_total", "Their bytes.", "counter", links.counters.segmentBytesReceived),
            ("segments_duplicate_total", "Segments known already.", "counter", links.counters.duplicates),
            ("segment_bytes_duplicate_total", "Their bytes.", "counter", links.counters.duplicateBytes),
            (
                "link_bytes_received_total", "Bytes of all links.", "counter",
                links.connections.counters.bytesReceived
            ),
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
            ("addresses", "Addresses known.", "gauge", UInt64(reachability.book.count)),
        ]
        let all = counts + reachability.discovery.counters.map { ($0.0, $0.1, "counter", $0.2) }
        return all.map { name, help, kind, value in
            "# HELP repl_\(name) \(help)\n# TYPE repl_\(name) \(kind)\nrepl_\(name) \(value)\n"
        }.joined()
    }
}
