// The sync folder for Prometheus; without one there is nothing of it.

extension SyncFolderReport {
    func append(to text: inout MetricsText) {
        text.family(
            "sync_folder_state", .gauge, "1 for the state that the sync folder is in, 0 for the others.",
            State.allCases.map { .init($0 == state ? 1 : 0, [("state", $0.rawValue)]) })
        text.gauge(
            "sync_folder_own_bytes", "Bytes of this node's files in the sync folder.",
            UInt64(own.reduce(0) { $0 + $1.account.bytes }))
        text.gauge(
            "sync_folder_files_waiting", "Files in the sync folder that were not taken, or not whole.",
            UInt64(others.count { $0.problem != nil }))
        let counts: [(String, String, UInt64)] = [
            ("sync_folder_files_written_total", "Files written to the sync folder.", counters.filesWritten),
            ("sync_folder_bytes_written_total", "Bytes written to the sync folder.", counters.bytesWritten),
            (
                "sync_folder_files_read_total", "Files of the sync folder that were read to their end.",
                counters.filesRead
            ),
            ("sync_folder_bytes_read_total", "Bytes read from the sync folder.", counters.bytesRead),
            (
                "sync_folder_files_refused_total", "Times that a file of the sync folder was refused.",
                counters.filesRefused
            ),
            (
                "sync_folder_files_removed_total",
                "Files of boxes that are no members any more, removed when they were read.",
                counters.filesRemoved
            ),
            (
                "sync_folder_changes_taken_total", "Changes that came by the sync folder.",
                counters.changesTaken
            ),
        ]
        for (name, help, value) in counts { text.counter(name, help, value) }
    }
}
