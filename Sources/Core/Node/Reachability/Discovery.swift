// Everything the node knows of beacons while it runs: when the next ones are due, what was heard, the keys
// that are tried, and who else sent datagrams of a beacon's size, for a joiner.

import Bytes
import Causality
import Crypto
import Mesh
import Roster
import Wire

/// The epochs of a space: what its beacon keys follow from.
struct SpaceEpochs: Sendable, Equatable {
    let space: SpaceID
    let count: Int
    let current: KeyEpochName
}

/// Discovery of one node value.
struct Discovery: Sendable {
    var networks = LocalNetworks()
    var schedule: BeaconSchedule
    /// Of the last beacon sent by this instance.
    var counter: UInt64 = 0
    var ledger = BeaconLedger()
    var budget = DatagramBudget()
    var counts = DiscoveryReport.Counts()
    /// Current epochs of all spaces first, then earlier ones.
    private(set) var keys: [BeaconKey] = []
    /// What `keys` follows from.
    private var spaces: [SpaceEpochs] = []
    var sent = SentNonces()
    var senders = RecentSenders()

    init(seed: UInt64) { schedule = BeaconSchedule(seed: seed) }

    /// When beacons are due; nil: not before there is news, or a network to send them on.
    var deadline: UInt64? { networks.routes.isEmpty ? nil : schedule.deadline }

    /// Makes the keys anew when a space or an epoch came or went; true when a space came. `secrets` gives the
    /// access secrets of a space, the current one first. O(spaces).
    mutating func updateKeys(_ current: [SpaceEpochs], _ secrets: (SpaceID) -> [Secret]) -> Bool {
        if current == spaces { return false }
        let former = Set(spaces.map(\.space))
        spaces = current
        let held = current.map { ($0.space, secrets($0.space)) }
        keys = []
        for age in 0..<(held.map(\.1.count).max() ?? 0) {
            for (space, own) in held where age < own.count {
                keys.append(BeaconKey(space: space, access: own[age], isCurrent: age == 0))
            }
        }
        return current.contains { !former.contains($0.space) }
    }

    /// The device that a tag means under the key of this index; nil when the roster has no such device.
    mutating func device(tagged tag: Bytes16, underKey index: Int, in roster: Roster) -> DeviceID? {
        keys[index].device(tagged: tag, in: roster)
    }
}

/// What opens and seals the beacons of one space and epoch.
struct BeaconKey: Sendable {
    let space: SpaceID
    let key: Secret
    /// New beacons are sealed under it.
    let isCurrent: Bool
    private let access: Secret
    /// Of the devices that the roster named when it was looked at last; it only grows.
    private var devices: [Bytes16: DeviceID] = [:]
    private var tagged: Set<DeviceID> = []
    private var rosterCount = 0

    init(space: SpaceID, access: Secret, isCurrent: Bool) {
        self.space = space
        self.access = access
        self.isCurrent = isCurrent
        key = Beacon.key(accessSecret: access)
    }

    func tag(of device: DeviceID) -> Bytes16 { Beacon.deviceTag(of: device, accessSecret: access) }

    /// One hash for each device that is new in the roster, and only when it has grown.
    mutating func device(tagged tag: Bytes16, in roster: Roster) -> DeviceID? {
        if let known = devices[tag] { return known }
        guard roster.count != rosterCount else { return nil }
        rosterCount = roster.count
        for member in roster.devices where tagged.insert(member).inserted {
            devices[self.tag(of: member)] = member
        }
        return devices[tag]
    }
}

/// The nonces of the last beacons sent: multicast and broadcast come back to the sender, and what is known by
/// sight needs no key and takes nothing of the budget.
struct SentNonces: Sendable {
    private var order: [UInt64] = []
    private var held: Set<UInt64> = []
    /// The oldest stands here once it is full.
    private var next = 0
    private static let countMax = 1_024

    mutating func insert(_ datagram: [UInt8]) {
        let nonce = Self.nonce(datagram)
        guard held.insert(nonce).inserted else { return }
        if order.count < Self.countMax {
            order.append(nonce)
        } else {
            held.remove(order[next])
            order[next] = nonce
            next = (next + 1) % Self.countMax
        }
    }

    func contains(_ datagram: [UInt8]) -> Bool { held.contains(Self.nonce(datagram)) }

    /// Its first 8 bytes, which name it well enough: they are random.
    private static func nonce(_ datagram: [UInt8]) -> UInt64 {
        datagram[4..<12].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Who sent datagrams of a beacon's size lately, unread: a joiner without an address that works tries them.
struct RecentSenders: Sendable {
    /// Without port, with scope; the last heard is last. At most `MeshLimits.sendersMax`.
    private var heard: [(host: String, at: UInt64)] = []

    /// True when it was not among them.
    mutating func insert(_ host: String, at now: UInt64) -> Bool {
        heard.removeAll { $0.at + MeshLimits.senderMilliseconds < now }
        let count = heard.count
        heard.removeAll { $0.host == host }
        let isNew = heard.count == count
        heard.append((host, now))
        if heard.count > MeshLimits.sendersMax { heard.removeFirst() }
        return isNew
    }

    /// The last heard first.
    func hosts(at now: UInt64) -> [String] {
        heard.reversed().filter { $0.at + MeshLimits.senderMilliseconds >= now }.map(\.host)
    }
}
