// How many logs each device has in a space. One is usual, and one more for each restored backup; nothing
// forbids a member to begin a hundred thousand. All of them are held and executed, since a bound that some
// reach before others would let replicas differ for ever. But a context that names everything held would soon
// be larger than a change may be, and no honest member could write again. So beyond some thousands of logs
// an author leaves out what is the crowd's (decision 0108): of each device it names the longest logs, and
// what the documents of the transaction are made of, which `Space` adds.

public import Causality

/// The logs of a space by device.
public struct LogCensus: Sendable {
    private var logs: [DeviceID: Set<ReplicaID>] = [:]
    /// How many there are in all.
    private var total = 0
    /// What contexts leave out, as it was found when there were `counted` logs. One that is in here stays.
    private var spared: Set<ReplicaID> = []
    private var counted = 0

    public init() {}

    /// A log of the device is held.
    public mutating func note(_ replica: ReplicaID, of device: DeviceID) {
        if logs[device, default: []].insert(replica).inserted { total += 1 }
    }

    public func count(of device: DeviceID) -> Int { logs[device]?.count ?? 0 }

    /// Devices with more logs than honest use explains, ascending.
    public var crowding: [DeviceID] {
        logs.filter { $0.value.count > ReplicationLimits.logsOfDeviceMany }.keys.sorted()
    }

    /// What a context names of everything held: all of it, unless it would be too much. O(held), and now and
    /// then O(logs log logs).
    public mutating func named(of held: VersionVector) -> VersionVector {
        guard held.count > ReplicationLimits.contextLogsAim else { return held }
        if counted == 0 || total > counted + ReplicationLimits.logsOfDeviceMany { count(held) }
        return VersionVector(held.entries.lazy.filter { [spared] in !spared.contains($0.replica) })
    }

    private mutating func count(_ held: VersionVector) {
        counted = total
        for own in logs.values where own.count > ReplicationLimits.logsOfDeviceNamed {
            let longest = own.map { (held[$0], $0) }.sorted { ($1.0, $0.1) < ($0.0, $1.1) }
            spared.formUnion(longest.dropFirst(ReplicationLimits.logsOfDeviceNamed).map(\.1))
        }
    }
}
