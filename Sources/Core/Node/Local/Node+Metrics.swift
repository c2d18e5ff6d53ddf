// The counters and gauges of a node for Prometheus. The shell appends those of its process.

import Causality
import Identity
import Mesh
import Replication

extension Node {
    /// Prometheus text exposition.
    mutating func metrics(at now: Instant) -> String {
        var text = MetricsText()
        text.family(
            "build_info", .gauge, "The running version, always 1.",
            [.init(1, [("version", configuration.version)])])
        nodeMetrics(&text)
        let failures = syncMetrics(&text, at: now) + checkpointMetrics(&text, at: now)
        for failure in failures {
            batch.log(.error, "store-read", "counting changes for metrics failed (\(failure))")
        }
        linkMetrics(&text)
        syncFolder?.append(to: &text)
        return text.text
    }

    private func nodeMetrics(_ text: inout MetricsText) {
        text.counter(
            "transactions_total", "Transactions of programs that were accepted.", counters.transactions)
        text.counter(
            "transactions_refused_total", "Transactions of programs that were refused.",
            counters.transactionsRefused)
        text.counter(
            "changes_committed_total", "Changes appended to logs, own and others', whatever their effect.",
            counters.changesCommitted)
        text.counter(
            "changes_void_total", "Changes appended to logs that have no effect.", counters.changesVoid)
        text.counter(
            "changes_skipped_total",
            "Changes appended to logs that are held and not executed: of a newer version, quarantined, or of "
                + "a document that cannot be read.", counters.changesSkipped)
        text.counter("commits_total", "Group commits that wrote something.", counters.commits)
        text.counter(
            "commits_failed_total", "Group commits that failed and were rolled back.", counters.commitsFailed)
        text.counter("watch_lines_total", "Lines given to change streams.", readers.counters.lines)
        text.counter(
            "watch_resyncs_total", "Change streams that were told to read again.", readers.counters.resyncs)
        text.gauge("spaces", "Spaces of this node.", UInt64(spaces.count))
        text.gauge("links", "Live links to peers.", UInt64(linkCount))
        text.gauge("watchers", "Open change streams.", UInt64(readers.watchers.count))
        text.gauge(
            "waits", "Requests that wait for a version or for other devices.", UInt64(readers.waitCount))
        var alarms: [String: UInt64] = [:]
        for alarm in allAlarms { alarms[alarm.code, default: 0] += 1 }
        text.family(
            "alarms", .gauge, "Alarms that are raised, by code.",
            alarms.keys.sorted().map { .init(alarms[$0] ?? 0, [("code", $0)]) })
        text.gauge(
            "logs_closed", "Logs that were proved to be forked.",
            UInt64(spaces.reduce(0) { $0 + $1.forks.closed.count }))
        text.gauge(
            "changes_held_skipped", "Changes that are held and not executed.",
            UInt64(spaces.reduce(0) { $0 + $1.skipped.count }))
        text.gauge(
            "documents_cached", "Documents in memory.",
            UInt64(spaces.reduce(0) { $0 + $1.documents.cache.count }))
        if diskFree != .max {
            text.gauge("disk_free_bytes", "Free bytes of the store's file system.", diskFree)
            text.gauge("disk_floor_bytes", "Free bytes below which local writes stop.", diskFloorBytes)
        }
    }

    /// Of spaces and peers; what could not be counted.
    private func syncMetrics(_ text: inout MetricsText, at now: Instant) -> [StoreFailure] {
        let view = view
        let syncs = view.syncReports(at: now)
        let (peers, failures) = view.peerReports(at: now)
        let spaces = self.spaces.map {
            (name: $0.name, documents: $0.documents.count, sync: syncs.spaces[$0.id])
        }
        func bySpace(_ name: String, _ help: String, _ value: (SyncReport) -> UInt64) {
            text.family(
                name, .gauge, help,
                spaces.compactMap { space in
                    space.sync.map { .init(value($0), [("space", space.name)]) }
                })
        }
        bySpace("space_behind_changes", "Changes that linked peers hold and this node lacks.") {
            $0.behindChanges
        }
        bySpace("space_members", "Active members, with this device.") { UInt64($0.members.active) }
        bySpace("space_members_linked", "Other members that are linked.") { UInt64($0.members.linked) }
        bySpace(
            "space_members_unseen", "Other members that are not linked and were seen last over an hour ago."
        ) { UInt64($0.members.unseen) }
        text.family(
            "space_documents", .gauge, "Documents that are visible.",
            spaces.map { .init(UInt64($0.documents), [("space", $0.name)]) })
        text.family(
            "space_sync_state", .gauge, "1 for the state that the space is in, 0 for the others.",
            spaces.flatMap { space in
                SyncReport.State.allCases.map {
                    .init(
                        space.sync?.state == $0 ? 1 : 0, [("space", space.name), ("state", $0.rawValue)])
                }
            })
        peerMetrics(peers, &text)
        return syncs.failures + failures
    }

    private func peerMetrics(_ peers: [PeerReport], _ text: inout MetricsText) {
        func labels(_ peer: PeerReport) -> [(name: String, value: String)] {
            [("peer", peer.name), ("device", peer.device.text)]
        }
        func bySpace(_ name: String, _ help: String, _ value: (PeerReport.Sync) -> UInt64?) {
            text.family(
                name, .gauge, help,
                peers.flatMap { peer in
                    peer.spaces.compactMap { sync in
                        guard let space = spaces.handle(of: sync.space) else { return nil }
                        return value(sync).map { .init($0, [("space", spaces[space].name)] + labels(peer)) }
                    }
                })
        }
        bySpace("peer_behind_changes", "Changes that a linked peer holds and this node lacks.") {
            $0.behindChanges
        }
        bySpace("peer_ahead_changes", "Changes that this node holds and a peer is not known to hold.") {
            $0.aheadChanges
        }
        text.family(
            "peer_linked", .gauge, "1 for a peer with a live link, 0 for any other.",
            peers.map { .init($0.state == "connected" ? 1 : 0, labels($0)) })
        text.family(
            "peer_rtt_seconds", .gauge, "The last round trip on a peer's link.",
            peers.compactMap { peer in
                peer.rttMilliseconds.map { .init(milliseconds: Int64(clamping: $0), labels(peer)) }
            })
        text.family(
            "peer_last_seen_timestamp_seconds", .gauge, "When a peer was heard or reached last.",
            peers.compactMap { peer in
                peer.lastSeenAt.map { .init(milliseconds: Int64(clamping: $0), labels(peer)) }
            })
        if let offset = clockOffsetMilliseconds {
            text.family(
                "clock_offset_seconds", .gauge,
                "Greatest difference of a linked peer's clock to this node's.",
                [.init(milliseconds: offset)])
        }
    }

    private func linkMetrics(_ text: inout MetricsText) {
        let (connections, counters) = (links.connections, links.counters)
        let counts: [(String, String, UInt64)] = [
            ("links_opened_total", "Links to peers that were opened.", connections.counters.linksOpened),
            (
                "handshakes_failed_total", "Handshakes that failed.", connections.counters.handshakesFailed
            ),
            (
                "handshakes_refused_total", "Connections refused over the rate of their IP address.",
                connections.gate.refused
            ),
            ("peer_faults_total", "Links closed for a peer's fault.", connections.counters.faults),
            ("segments_sent_total", "Segments sent.", counters.segmentsSent),
            ("segments_received_total", "Segments received.", counters.segmentsReceived),
            ("segment_bytes_sent_total", "Bytes of segments sent.", counters.segmentBytesSent),
            ("segment_bytes_received_total", "Bytes of segments received.", counters.segmentBytesReceived),
            ("segments_duplicate_total", "Segments received that were known already.", counters.duplicates),
            (
                "segment_bytes_duplicate_total", "Bytes of segments received that were known already.",
                counters.duplicateBytes
            ),
            (
                "link_bytes_received_total", "Bytes received on all links.",
                connections.counters.bytesReceived
            ),
            ("have_bytes_sent_total", "Bytes of HAVE frames sent.", counters.haveBytesSent),
            ("grafts_total", "Times that a peer was asked to push a log.", counters.grafts),
            (
                "prunes_total", "Times that a peer was asked not to push a log, which came twice.",
                counters.prunes
            ),
            (
                "segments_held_back_total", "Times that a cap on bytes a second held changes back.",
                counters.heldBack
            ),
            (
                "segments_gap_total", "Segments dropped because changes before them are lacking.",
                counters.gaps
            ),
            (
                "segments_unknown_key_total", "Segments dropped because their key is not known here.",
                counters.unknownKeys
            ),
            (
                "changes_early_total", "Changes that had to wait for those that they were made on.",
                counters.early
            ),
            (
                "buffer_dropped_total", "Early changes dropped over a bound, to be asked for again.",
                links.buffer.droppedCount
            ),
        ]
        for (name, help, value) in counts + reachability.discovery.counters {
            text.counter(name, help, value)
        }
        text.gauge("buffer_bytes", "Bytes of early changes.", UInt64(links.buffer.byteCount))
        text.gauge("addresses", "Addresses of peers that are known.", UInt64(reachability.book.count))
    }
}
