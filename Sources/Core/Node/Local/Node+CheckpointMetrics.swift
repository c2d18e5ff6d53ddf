// How much of each space's log is kept, how old its checkpoint is and how many members the next one waits
// for, for Prometheus.

import Causality

extension Node {
    /// What could not be counted is left out, and handed back.
    func checkpointMetrics(_ text: inout MetricsText, at now: Instant) -> [StoreFailure] {
        var reports: [(space: String, report: CheckpointsReport)] = []
        var failures: [StoreFailure] = []
        for index in spaces.indices {
            do throws(StoreFailure) {
                reports.append((spaces[index].name, try checkpointsReport(of: index, at: now)))
            } catch {
                failures.append(error)
            }
        }
        func bySpace(_ name: String, _ help: String, _ value: (CheckpointsReport) -> UInt64?) {
            text.family(
                name, .gauge, help,
                reports.compactMap { space, report in
                    value(report).map { .init($0, [("space", space)]) }
                })
        }
        text.family(
            "space_logs", .gauge, "Logs that the version vector of the space names.",
            spaces.map { .init(UInt64($0.durable.count), [("space", $0.name)]) })
        bySpace("log_bytes", "Bytes of the changes that are kept as log.") { UInt64($0.log.bytes) }
        bySpace("log_collectable_bytes", "Bytes of the log that may be forgotten now.") {
            UInt64($0.log.collectable)
        }
        bySpace("checkpoint_standing_seconds", "Age of the newest checkpoint that stands.") { report in
            report.standing.map { (now.wall - min(now.wall, $0.atMs)) / 1_000 }
        }
        bySpace("checkpoint_waiting_members", "Members that checkpoints wait for.") {
            UInt64($0.waitingFor.count)
        }
        return failures
    }
}
