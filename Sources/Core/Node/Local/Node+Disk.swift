// The room that the store has: local writes stop before a commit fails for want of it.

import Causality

extension Node {
    /// Local writes stop below it.
    var diskFloorBytes: UInt64 { configuration.settings.diskFloor.bytes(of: diskTotal) }

    mutating func recordDiskFree(_ bytes: UInt64, of total: UInt64, at now: Instant) {
        let wasLow = isDiskLow
        if bytes > diskFree { links.pause.end() }
        (diskFree, diskTotal) = (bytes, total)
        isDiskLow = bytes < diskFloorBytes
        if isDiskLow && !wasLow {
            raise(
                Alarm(
                    code: "disk-low",
                    message: "\(DiskFloor.text(bytes)) are free; local writes stop below "
                        + DiskFloor.text(diskFloorBytes),
                    hint: "free space on the file system of the state directory, or lower disk-floor",
                    since: now.wall))
        } else if wasLow && !isDiskLow {
            resolveAlarm(code: "disk-low")
        }
    }
}
