// Where other devices may be found, and what came of trying. Addresses come from the configuration (static
// peers and what their names mean), from tokens (hints), from beacons, and from peers, which announce their
// own and those of other members: so a joiner that knew only the inviter finds all the others, and two
// members find each other when the one that introduced them is gone. Kept in the store's meta and dialled at
// start, so that a mesh that lost power as a whole finds itself again. What an address leads to is learned by
// dialling it; a peer's word is only a hint.

public import Causality
public import Wire

/// Addresses, and what is known of each. Bounded; iteration is ascending by address.
public struct AddressBook: Sendable, Equatable {
    /// Where an address came from; the greater rank is kept longer. Raw values are stored.
    public enum Source: UInt8, Comparable, Sendable, CaseIterable {
        /// A peer said it of another device.
        case relayed = 0
        /// The device said it of itself.
        case announced = 1
        /// It stood in a token.
        case hint = 2
        /// A name of the configuration, or one that was announced, means it.
        case named = 3
        /// A beacon of the device came from there.
        case heard = 4
        /// A dial to it led to the device.
        case proven = 5
        /// The configuration names it. Never dropped, and not stored: the configuration is read at each
        /// start.
        case fixed = 6

        public static func < (left: Source, right: Source) -> Bool { left.rawValue < right.rawValue }

        /// As the API writes it.
        public var name: String {
            switch self {
            case .relayed: "announced by others"
            case .announced: "announced"
            case .hint: "invite"
            case .named: "name"
            case .heard: "beacon"
            case .proven: "proven"
            case .fixed: "configured"
            }
        }
    }

    /// Why the last attempt failed.
    public struct Failure: Sendable, Equatable {
        public let reason: String
        /// Wall milliseconds.
        public let at: UInt64

        public init(reason: String, at: UInt64) {
            self.reason = String(reason.prefix(MeshLimits.reasonCharactersMax))
            self.at = at
        }
    }

    public struct Entry: Sendable, Equatable {
        /// Nil while nobody said and no dial showed who is there.
        public var device: DeviceID?
        public internal(set) var source: Source
        /// Who said it, when it was said of another device.
        public internal(set) var announcer: DeviceID?
        /// Other devices that are said to be there, while no dial showed who is: whoever says it of itself
        /// takes nothing from them (`AddressBook+Claims`).
        var claims: [DeviceID: Claim] = [:]
        /// Counts up with each addition: which entry is older.
        public internal(set) var age: UInt64
        /// When a link stood there last and when a dial began last, wall milliseconds.
        public internal(set) var lastSuccess: UInt64?
        public internal(set) var lastTried: UInt64?
        /// Of the last attempt; nil when that succeeded, and before the first.
        public internal(set) var lastFailure: Failure?
        /// In a row.
        public internal(set) var failures = 0
    }

    var entries: [PeerAddress: Entry] = [:]
    /// The addresses of each device that has some: the entries' devices, turned round.
    private(set) var ofDevice: [DeviceID: Set<PeerAddress>] = [:]
    /// How many entries each device stands behind that speak of others: the entries' `announcer`, counted.
    private(set) var relayedBy: [DeviceID: Int] = [:]
    private var nextAge: UInt64 = 0
    /// Counts the changes of addresses and whose they are.
    public private(set) var version: UInt64 = 0
    /// True after a change of what `encode` writes that must not be lost, until `markStored`.
    public private(set) var isChanged = false
    /// True after a change that may be lost: what came of dials.
    public private(set) var hasOutcomes = false
    /// True from `markStored` until it is known what became of the batch.
    private var isUnderWay = false

    public init() {}

    public var count: Int { entries.count }
    public subscript(address: PeerAddress) -> Entry? { entries[address] }
    /// All addresses, ascending.
    public var addresses: [PeerAddress] { entries.keys.sorted() }
    /// Devices with an address, ascending.
    public var devices: [DeviceID] { ofDevice.keys.sorted() }
    /// Addresses behind which nobody is known yet, ascending.
    public var unassigned: [PeerAddress] { entries.filter { $0.value.device == nil }.keys.sorted() }

    // MARK: What is said

    /// Adds or confirms. What somebody says never replaces what a dial proved; another proof does. Addresses
    /// that nobody can be dialled at are left out. `announcer` is who speaks of another device.
    public mutating func add(
        _ address: PeerAddress, device: DeviceID?, source: Source, announcer: DeviceID? = nil
    ) {
        guard address.whyNotDialled == nil || source == .fixed else { return }
        guard let old = entries[address] else {
            if source == .relayed, let announcer, relayedBy[announcer, default: 0] >= MeshLimits.relayedMax {
                return
            }
            set(
                address,
                Entry(
                    device: device, source: source, announcer: source == .relayed ? announcer : nil,
                    age: grow()))
            if let device { trim(device) }
            return trim()
        }
        // Who is known to be there by a dial is not replaced by words, and what a person gave is not made
        // somebody's by them: a peer could hide another behind its own name. For the same reason a device
        // that is said to be there stays so when another one is said to be.
        let isOpenToWords = old.lastSuccess == nil && (old.source < .hint || old.source == .heard)
        if isOpenToWords, source < .hint || source == .heard, let device, old.device ?? device != device {
            return claim(address, Claim(source: source, announcer: announcer), by: device)
        }
        var entry = old
        if source == .proven {
            entry.device = device ?? old.device
            entry.claims = [:]
        } else if isOpenToWords, source >= old.source || old.device == nil {
            entry.device = device ?? old.device
        }
        entry.source = max(old.source, source)
        if entry.source > .relayed { entry.announcer = nil }
        guard entry != old else { return }
        entry.age = grow()
        set(address, entry)
        if let device { trim(device) }
    }

    /// Replaces what the device announced of itself: addresses it no longer names are dropped unless
    /// something better than its word is known of them.
    public mutating func announce(_ device: DeviceID, _ addresses: [PeerAddress]) {
        let named = addresses.prefix(MeshLimits.addressesOfDeviceMax)
        for address in ofDevice[device, default: []] where source(of: address, for: device) == .announced {
            if !named.contains(address) { release(address, by: device) }
        }
        for address in named { add(address, device: device, source: .announced) }
    }

    /// The configuration names these now. What it named before and does no more is kept like any address that
    /// a dial proved, or goes.
    public mutating func setFixed(_ addresses: [PeerAddress]) {
        let wanted = Set(addresses)
        for (address, entry) in entries where entry.source == .fixed && !wanted.contains(address) {
            var rest = entry
            rest.source = .proven
            set(address, entry.lastSuccess == nil ? nil : rest)
        }
        for address in addresses { add(address, device: nil, source: .fixed) }
    }

    /// A dial showed that the name leads to the device.
    public mutating func assign(_ name: PeerAddress, to device: DeviceID) {
        guard var entry = entries[name], entry.device != device else { return }
        entry.device = device
        set(name, entry)
    }

    /// A name does not mean this address any more: it goes, unless more than the name is known of it.
    public mutating func unname(_ address: PeerAddress) {
        if entries[address]?.source == .named { set(address, nil) }
    }

    /// Forgets a device that is in no roster any more; fixed addresses stay.
    public mutating func forget(_ device: DeviceID) {
        for address in ofDevice[device, default: []]
        where entries[address]?.source != .fixed || entries[address]?.device != device {
            release(address, by: device)
        }
    }

    /// The address leads to ourselves: nobody's, and not kept unless the configuration names it.
    public mutating func markOwn(_ address: PeerAddress) {
        guard var entry = entries[address] else { return }
        entry.device = nil
        entry.claims = [:]
        set(address, entry.source == .fixed ? entry : nil)
    }

    // MARK: What came of it

    /// A dial began.
    public mutating func tried(_ address: PeerAddress, at wall: UInt64) {
        guard entries[address] != nil else { return }
        entries[address]?.lastTried = wall
        hasOutcomes = true
    }

    public mutating func failed(_ address: PeerAddress, reason: String, at wall: UInt64) {
        guard let entry = entries[address] else { return }
        entries[address]?.lastFailure = Failure(reason: reason, at: wall)
        entries[address]?.failures = min(entry.failures + 1, 1 << 16)
        hasOutcomes = true
    }

    /// A link to the device stands there.
    public mutating func proved(_ address: PeerAddress, device: DeviceID, at wall: UInt64) {
        add(address, device: device, source: .proven)
        guard var entry = entries[address] else { return }
        entry.lastSuccess = wall
        entry.lastFailure = nil
        entry.failures = 0
        set(address, entry)
    }

    /// A link that stood there ended just now.
    public mutating func wasUsed(_ address: PeerAddress, at wall: UInt64) {
        guard entries[address]?.lastSuccess != nil else { return }
        entries[address]?.lastSuccess = wall
        hasOutcomes = true
    }

    /// It was written into a batch: `markDurable` or `markLost` says what became of it.
    public mutating func markStored() { (isChanged, hasOutcomes, isUnderWay) = (false, false, true) }

    /// The batch was committed.
    public mutating func markDurable() { isUnderWay = false }

    /// The batch was lost: what it was to store is written again.
    public mutating func markLost() {
        if isUnderWay { (isChanged, isUnderWay) = (true, false) }
    }

    // MARK: Order

    /// The device's addresses, the likely ones first: what worked last; what the configuration names, a
    /// beacon came from, or is `near`; what worked before; hints and names; what the device says of itself;
    /// what others say of it. Among equals what failed less often, then what is newer.
    public func addresses(of device: DeviceID, near: (PeerAddress) -> Bool = { _ in false }) -> [PeerAddress]
    {
        let known = ofDevice[device, default: []].compactMap { address in
            entries[address].map { (address, $0) }
        }
        guard known.count > 1 else { return known.map(\.0) }
        let newest = known.compactMap(\.1.lastSuccess).max()
        return
            known.map { address, entry in
                let source = source(of: address, for: device) ?? .relayed
                return (rank(of: entry, source, newest: newest, isNear: near(address)), entry, address)
            }
            .sorted { a, b in
                (a.0, a.1.failures, b.1.age, a.2) < (b.0, b.1.failures, a.1.age, b.2)
            }
            .map(\.2)
    }

    private func rank(of entry: Entry, _ source: Source, newest: UInt64?, isNear: Bool) -> Int {
        if let success = entry.lastSuccess, success == newest { return 0 }
        if isNear || entry.source == .fixed || source == .heard { return 1 }
        if source == .proven { return 2 }
        switch source {
        case .named, .hint: return 3
        case .announced: return 4
        default: return 5
        }
    }

    /// What is worth telling others of a device, the likely ones first: hearsay only when there is nothing
    /// else, so that one lie does not travel for ever.
    public func addressesToTell(of device: DeviceID) -> [PeerAddress] {
        // What only a beacon said is not told on, and what has a scope means nothing elsewhere.
        let all = addresses(of: device).filter {
            let source = source(of: $0, for: device)
            return source != .named && source != .heard && !$0.isScoped
        }
        let firstHand = all.filter { (source(of: $0, for: device) ?? .relayed) > .relayed }
        return firstHand.isEmpty ? Array(all.prefix(MeshLimits.hearsayMax)) : firstHand
    }

    // MARK: Bounds

    /// The one place where entries come, go and change hands.
    mutating func set(_ address: PeerAddress, _ entry: Entry?) {
        let old = entries[address]
        let (before, after) = (old?.devices ?? [], entry?.devices ?? [])
        for device in before where !after.contains(device) {
            ofDevice[device]?.remove(address)
            if ofDevice[device]?.isEmpty == true { ofDevice[device] = nil }
        }
        for device in after where !before.contains(device) {
            ofDevice[device, default: []].insert(address)
        }
        if old?.announcer != entry?.announcer {
            if let former = old?.announcer {
                let left = relayedBy[former, default: 1] - 1
                relayedBy[former] = left > 0 ? left : nil
            }
            if let announcer = entry?.announcer { relayedBy[announcer, default: 0] += 1 }
        }
        entries[address] = entry
        version += 1
        isChanged = true
    }

    /// Over the bound a sixteenth goes at once, so that a flood of additions costs little each.
    private mutating func trim() {
        guard entries.count > MeshLimits.addressesMax else { return }
        let kept = entries.filter { $0.value.source != .fixed }.sorted { Self.keepsLonger($0, $1) }
        for (address, _) in kept.suffix(MeshLimits.addressesMax / 16) { set(address, nil) }
    }

    static func keepsLonger(
        _ a: (key: PeerAddress, value: Entry), _ b: (key: PeerAddress, value: Entry)
    ) -> Bool {
        (a.value.source, a.value.lastSuccess ?? 0, a.value.age, a.key)
            > (b.value.source, b.value.lastSuccess ?? 0, b.value.age, b.key)
    }

    /// The age of what is said now.
    mutating func grow() -> UInt64 {
        nextAge += 1
        return nextAge
    }

    mutating func restored(_ nextAge: UInt64) {
        self.nextAge = nextAge
        (isChanged, hasOutcomes) = (false, false)
    }
}
