// Which beacons were heard, so that one that is sent again by somebody else is not taken for news. Datagrams
// can be kept and sent again from anywhere, at any time, and there is no clock to judge them by: a box may
// think that it is 1970. So each beacon carries the sender's instance (random per process) and a counter.
//
//     the same instance      its counter must be greater than every one heard: each datagram counts once
//     an instance never      counts: the box started again. An old one that was never heard here looks the
//     heard                  same, so believing it must cost nothing (below)
//     an instance that is    does not count. A link showed a later one: the handshake is fresh, so whatever
//     gone                   was heard of other instances before is of processes that ended
//
// A beacon by itself never makes another instance gone, or a recorded one could silence the real box.
//
// What a replay can cause at most: nothing is ever sent by UDP in answer. A recorded beacon that was never
// heard here can, once, put the replayer's address among those of a member that is not linked, where at most
// `heardAddressesOfDeviceMax` such stand, and lead to a dial there within the dialler's four a second. Who
// answers that dial without the member's keys gets nowhere in the handshake and learns no more than any
// listener at that port: a preamble and 48 bytes. To hear the same beacon as news again, the replayer must
// first push its instance out of the memory with `instancesOfDeviceMax` others that were never heard here,
// and hints of one device are worth a dial only `hintsBurst` times at once and then every few seconds.

public import Causality
public import Wire

/// Counters heard, by device and instance. Times are monotonic milliseconds.
public struct BeaconLedger: Sendable {
    private struct Heard: Sendable {
        let instance: UInt64
        /// The greatest heard.
        var counter: UInt64
        /// A link showed a later instance.
        var isGone = false
    }

    private struct Record: Sendable {
        /// Least recently heard first, at most `instancesOfDeviceMax`.
        var instances: [Heard] = []
        /// Which instance the last handshake showed; it is never pushed out.
        var linked: UInt64?
        /// Thousandths of a hint.
        var hints = MeshLimits.hintsBurst * 1_000
        var filled: UInt64 = 0
        var last: UInt64 = 0
    }

    private var records: [DeviceID: Record] = [:]

    public init() {}

    public var deviceCount: Int { records.count }
    public func instanceCount(of device: DeviceID) -> Int { records[device]?.instances.count ?? 0 }

    /// True when the beacon is news of the device; false when it is a replay.
    public mutating func take(_ beacon: Beacon, of device: DeviceID, at now: UInt64) -> Bool {
        var record = records[device] ?? Record()
        record.last = now
        defer {
            records[device] = record
            trim()
        }
        guard let index = record.instances.firstIndex(where: { $0.instance == beacon.instance }) else {
            record.instances.append(Heard(instance: beacon.instance, counter: beacon.counter))
            Self.trim(&record)
            return true
        }
        var heard = record.instances.remove(at: index)
        defer { record.instances.append(heard) }
        guard !heard.isGone, beacon.counter > heard.counter else { return false }
        heard.counter = beacon.counter
        return true
    }

    /// A handshake just showed that this instance of the device runs: the others heard so far do not.
    public mutating func linked(_ device: DeviceID, instance: UInt64, at now: UInt64) {
        var record = records[device] ?? Record()
        record.linked = instance
        record.last = now
        for index in record.instances.indices {
            record.instances[index].isGone = record.instances[index].instance != instance
        }
        records[device] = record
        trim()
    }

    /// True when one more hint of the device may lead to a dial.
    public mutating func mayHint(_ device: DeviceID, at now: UInt64) -> Bool {
        guard var record = records[device] else { return false }
        let gained = (now - min(now, record.filled)) * 1_000 / MeshLimits.hintMilliseconds
        let full = MeshLimits.hintsBurst * 1_000
        record.hints = min(full, record.hints + min(gained, full))
        record.filled = now
        let isAllowed = record.hints >= 1_000
        if isAllowed { record.hints -= 1_000 }
        records[device] = record
        return isAllowed
    }

    /// The least recently heard goes first, but not the one that a link showed.
    private static func trim(_ record: inout Record) {
        guard record.instances.count > MeshLimits.instancesOfDeviceMax else { return }
        let index = record.instances.firstIndex { $0.instance != record.linked } ?? 0
        record.instances.remove(at: index)
    }

    /// Over the bound a sixteenth goes at once, those heard longest ago.
    private mutating func trim() {
        guard records.count > MeshLimits.beaconDevicesMax else { return }
        let oldest = records.sorted { ($0.value.last, $0.key) < ($1.value.last, $1.key) }
        for (device, _) in oldest.prefix(MeshLimits.beaconDevicesMax / 16) { records[device] = nil }
    }
}
