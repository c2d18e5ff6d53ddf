// Links and clocks as status shows them.

import Causality
import Identity
import Mesh
import Replication
import Wire

extension Node {
    /// Live links.
    var linkCount: Int { links.connections.table.count }

    /// Greatest difference of a linked peer's wall clock to ours, with its sign.
    var clockOffsetMilliseconds: Int64? {
        links.connections.linkHandles.filter { isMember(links[$0].device) }.map { links[$0].clockOffset }
            .max { ($0.magnitude, $0) < ($1.magnitude, $1) }
    }

    /// A clock that is far off decides ties for a long time: somebody should look. Nothing is refused for it.
    mutating func checkClock(_ peer: DeviceID, _ offset: Int64, at now: Instant) {
        // A stranger's clock is nobody's concern, and there may be any number of strangers.
        guard isMember(peer) else { return }
        guard offset.magnitude > 600_000 else {
            return resolveAlarm(code: "clock-far", device: peer)
        }
        raise(
            Alarm(
                code: "clock-far",
                message: "the clocks of this node and \(named(peer)) are \(offset / 1_000) s apart",
                hint: "set the clock that is wrong; changes stamped ahead win ties until time catches up",
                since: now.wall, device: peer))
    }
}
