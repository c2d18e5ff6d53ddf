// A device key that others could read is told, not mended in silence: a mode that is right again says nothing
// of who has read it meanwhile.

import Causality

extension Node {
    /// Raises the alarm while the settings name a key file that others could read; takes it back after.
    mutating func updateKeyAlarm(at now: Instant) {
        guard let file = configuration.settings.exposedKey else { return resolveAlarm(code: "key-readable") }
        raise(
            Alarm(
                code: "key-readable", message: "others could read the device key \(file)",
                hint:
                    "chown it to the daemon's user and chmod 600 it; if somebody may have read it, this box "
                    + "needs a key of its own: they can speak in its name",
                since: now.wall))
    }
}
