// When a device was last seen to run twice. The alarm of it ends when that was 10 minutes ago: whoever dials
// in vain comes again within 5 (`MeshLimits.backOffMax`), so a copy that still runs is seen before.

import Causality

/// Devices that an alarm says run in two places.
struct CopySightings: StateMachine {
    static let shownMilliseconds: UInt64 = 600_000

    /// Monotonic milliseconds of the last sighting.
    private var seen: [DeviceID: UInt64] = [:]

    var deadline: UInt64? { seen.values.min().map { $0 + Self.shownMilliseconds } }

    /// It was seen in two places now.
    mutating func record(_ device: DeviceID, at now: UInt64) { seen[device] = now }

    /// Nobody is interested any more.
    mutating func forget(_ device: DeviceID) { seen[device] = nil }

    /// Devices whose copies were not seen for so long, ascending. `isTwice`: both are linked, which is seeing
    /// them.
    mutating func ended(at now: UInt64, isTwice: (DeviceID) -> Bool) -> [DeviceID] {
        var ended: [DeviceID] = []
        for (device, last) in seen.sorted(by: { $0.key < $1.key })
        where now >= last + Self.shownMilliseconds {
            if isTwice(device) {
                seen[device] = now
            } else {
                seen[device] = nil
                ended.append(device)
            }
        }
        return ended
    }

    func checkInvariants(whole: Bool) {
        precondition(seen.isEmpty == (deadline == nil), "\(seen.count) sightings wait for no time")
    }
}
