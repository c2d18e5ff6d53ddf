// Alarms of devices that run twice: raised at each sighting, ended when there was none for a while.

import Causality
import Identity
import Mesh

extension Node {
    /// A device was seen to run in two places.
    mutating func copySeen(of device: DeviceID, _ message: String, hint: String, at now: Instant) {
        copies.record(device, at: now.monotonic)
        raise(Alarm(code: "cloned", message: message, hint: hint, since: now.wall, device: device))
    }

    /// A stranger's copies are nobody's concern.
    mutating func forgetCopies(of device: DeviceID) {
        copies.forget(device)
        resolveAlarm(code: "cloned", device: device)
    }

    mutating func tickCopies(at now: Instant) {
        guard let due = copies.deadline, now.monotonic >= due else { return }
        let table = links.connections.table
        let ended = copies.ended(at: now.monotonic) { Set(table.links(to: $0).map(\.instance)).count > 1 }
        for device in ended {
            resolveAlarm(code: "cloned", device: device)
            batch.log(
                .notice, "clone-gone",
                "a copy of \(named(device)) was not seen for 10 min; its alarm has ended")
        }
    }
}
