// Where an alarm goes: to the space that it is about, which takes it along when it is left, or to the node.

import Causality

extension Node {
    /// Shows the alarm in `status` and logs it, once.
    mutating func raise(_ alarm: Alarm) {
        let isNew =
            if let index = alarm.space.flatMap(spaces.handle) {
                spaces[index].findings.alarms.raise(alarm)
            } else {
                alarms.raise(alarm)
            }
        guard isNew else { return }
        batch.log(.warning, alarm.code, "\(alarm.message); \(alarm.hint)")
    }

    mutating func resolveAlarm(code: String, space: SpaceID? = nil, device: DeviceID? = nil) {
        if let space {
            guard let index = spaces.handle(of: space) else { return }
            spaces[index].findings.alarms.resolve(code, of: device)
        } else {
            alarms.resolve(code, of: device)
        }
    }

    /// Those of this node, then those of its spaces.
    var allAlarms: [Alarm] {
        var all = alarms.list
        for index in spaces.indices { all += spaces[index].findings.alarms.list }
        return all
    }
}
