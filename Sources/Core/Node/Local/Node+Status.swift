// What a person sees of the node: spaces, members, and the counters for Prometheus.

import Causality
import Replication
import Roster
import Wire

extension Node {
    func report(_ space: Space) -> SpaceReport { report(space, nil) }

    /// `sync`: for `status`.
    func report(_ space: Space, _ sync: SyncReport?) -> SpaceReport {
        SpaceReport(
            id: space.id, name: space.name, role: space.roster.role(of: device) ?? .relay,
            members: space.roster.members().filter { $0.state == .active }.count,
            documents: space.documents.count, sync: sync)
    }

    func members(of index: SpaceHandle) -> [MemberReport] {
        spaces[index].roster.members().map { member in
            MemberReport(
                device: member.device, name: member.description.name.string, role: member.role,
                addedBy: spaces[index].named(member.addedBy),
                state: member.state.name)
        }
    }

    /// Prometheus text exposition of the node's own counters; the shell appends its own.
    func metrics(at now: Instant) -> String {
        let counts: [(String, String, UInt64)] = [
            ("transactions_total", "Transactions of programs that were accepted.", counters.transactions),
            ("transactions_refused_total", "Transactions that were refused.", counters.transactionsRefused),
            (
                "changes_committed_total", "Changes appended to logs, own and others'.",
                counters.changesCommitted
            ),
            ("changes_void_total", "Changes that have no effect.", counters.changesVoid),
            (
                "changes_skipped_total", "Changes of a newer version, held and not executed.",
                counters.changesSkipped
            ),
            ("commits_total", "Group commits that wrote.", counters.commits),
            (
                "commits_failed_total", "Group commits that failed and were rolled back.",
                counters.commitsFailed
            ),
            ("watch_lines_total", "Lines given to change streams.", readers.counters.lines),
            ("watch_resyncs_total", "Change streams that were told to read again.", readers.counters.resyncs),
        ]
        let gauges: [(String, String, UInt64)] = [
            ("spaces", "Spaces of this node.", UInt64(spaces.count)),
            ("links", "Live links to peers.", UInt64(linkCount)),
            ("watchers", "Open change streams.", UInt64(readers.watchers.count)),
            ("waits", "Requests that wait.", UInt64(readers.waitCount)),
            ("alarms", "Alarms that are raised.", UInt64(allAlarms.count)),
            (
                "logs_closed", "Logs that were proved to be forked.",
                UInt64(spaces.reduce(0) { $0 + $1.forks.closed.count })
            ),
            (
                "changes_held_skipped", "Changes that are held and not executed.",
                UInt64(spaces.reduce(0) { $0 + $1.skipped.count })
            ),
            (
                "documents_cached", "Documents in memory.",
                UInt64(spaces.reduce(0) { $0 + $1.documents.cache.count })
            ),
        ]
        var text = ""
        for (name, help, value) in counts { text += line(name, help, "counter", value) }
        for (name, help, value) in gauges { text += line(name, help, "gauge", value) }
        if diskFree != .max {
            text += line("disk_free_bytes", "Free bytes for the store.", "gauge", diskFree)
        }
        return text + linkMetrics()
    }

    private func line(_ name: String, _ help: String, _ kind: String, _ value: UInt64) -> String {
        "# HELP repl_\(name) \(help)\n# TYPE repl_\(name) \(kind)\nrepl_\(name) \(value)\n"
    }
}
