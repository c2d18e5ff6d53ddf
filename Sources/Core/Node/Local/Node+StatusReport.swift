// What `status` tells of this node.

import Causality

extension Node {
    /// And what could not be counted for it.
    func statusReport(at now: Instant) -> (report: StatusReport, failures: [StoreFailure]) {
        let syncs = view.syncReports(at: now)
        let alarms = allAlarms.map { alarm in
            var alarm = alarm
            alarm.deviceName = alarm.device.map { named($0).name }
            return alarm
        }
        let status = StatusReport(
            device: device, name: configuration.settings.deviceName, version: configuration.version,
            instance: hexadecimal(instance),
            spaces: spaces.map { report($0, syncs.spaces[$0.id]) }, links: linkCount,
            listening: reachability.listening,
            clockOffsetMilliseconds: clockOffsetMilliseconds, wallMilliseconds: now.wall, alarms: alarms,
            discovery: reachability.discovery.report, sync: syncs.overall,
            disk: diskFree == .max ? nil : DiskReport(free: diskFree, floor: diskFloorBytes))
        return (status, syncs.failures)
    }

    private func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
