// What `status` tells of this node.

import Causality

extension Node {
    /// And what could not be counted for it. `grants`: of a caller who sees only the spaces that these name,
    /// and no alarms but theirs.
    func statusReport(
        to grants: AccessGrants? = nil, at now: Instant
    ) -> (report: StatusReport, failures: [StoreFailure]) {
        let syncs = view.syncReports(to: grants, at: now)
        let shown = allAlarms.filter { alarm in
            grants == nil || alarm.space.map { syncs.spaces[$0] != nil } ?? false
        }
        let alarms = shown.map { alarm in
            var alarm = alarm
            alarm.deviceName = alarm.device.map { named($0).name }
            return alarm
        }
        var status = StatusReport(
            device: device, name: configuration.settings.deviceName, version: configuration.version,
            instance: hexadecimal(instance),
            spaces: spaces.compactMap { space in syncs.spaces[space.id].map { report(space, $0) } },
            links: linkCount,
            listening: reachability.listening,
            clockOffsetMilliseconds: clockOffsetMilliseconds, wallMilliseconds: now.wall, alarms: alarms,
            discovery: reachability.discovery.report, sync: syncs.overall,
            disk: diskFree == .max ? nil : DiskReport(free: diskFree, floor: diskFloorBytes))
        if grants == nil { status.syncFolder = syncFolderStatus }
        return (status, syncs.failures)
    }

    private func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
