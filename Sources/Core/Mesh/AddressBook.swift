// Where other devices may be found. Addresses come from the configuration (static peers), from tokens
// (hints), and from peers, which announce their own and those of other members: so a joiner that knew only
// the inviter finds all the others, and two members find each other when the one that introduced them is
// gone. Kept in the store's meta and dialled at start. What an address leads to is learned by dialling it; a
// peer's word is only a hint.

public import Bytes
public import Causality
public import Wire

/// Addresses, and what is known of each. Bounded; iteration is ascending by address.
public struct AddressBook: Sendable, Equatable {
    /// Where an address came from; the greater rank is kept longer.
    public enum Source: UInt8, Comparable, Sendable {
        /// A peer announced it.
        case announced = 0
        /// It stood in a token.
        case hint = 1
        /// A dial to it led to the device.
        case proven = 2
        /// The configuration names it. Never dropped, and not stored: the configuration is read at each
        /// start.
        case fixed = 3

        public static func < (left: Source, right: Source) -> Bool { left.rawValue < right.rawValue }
    }

    public struct Entry: Sendable, Equatable {
        /// Nil while nobody said and no dial showed who is there.
        public var device: DeviceID?
        public var source: Source
        /// Counts up with each addition: which entry is older.
        public var age: UInt64
    }

    private var entries: [PeerAddress: Entry] = [:]
    /// The addresses of each device that has some: the entries' `device`, turned round.
    private var ofDevice: [DeviceID: Set<PeerAddress>] = [:]
    private var nextAge: UInt64 = 0
    /// True after a change of what `encode` writes, until `markStored`.
    public private(set) var isChanged = false

    public init() {}

    public var count: Int { entries.count }
    public subscript(address: PeerAddress) -> Entry? { entries[address] }
    /// All addresses, ascending.
    public var addresses: [PeerAddress] { entries.keys.sorted() }

    /// The device's addresses: fixed and proven ones first, then by age, newest first.
    public func addresses(of device: DeviceID) -> [PeerAddress] {
        ofDevice[device, default: []].compactMap { address in entries[address].map { (address, $0) } }
            .sorted { a, b in (b.1.source, b.1.age, a.0) < (a.1.source, a.1.age, b.0) }
            .map(\.0)
    }

    /// Adds or confirms. What somebody says never replaces what a dial proved; another proof does.
    public mutating func add(_ address: PeerAddress, device: DeviceID?, source: Source) {
        if address.isUnspecified { return }
        nextAge += 1
        guard let old = entries[address] else {
            set(address, Entry(device: device, source: source, age: nextAge))
            if let device { trim(device) }
            trim()
            return
        }
        var entry = old
        let isBetter =
            source == .proven || old.device == nil || (source == .announced && old.source == .announced)
        if isBetter { entry.device = device ?? old.device }
        entry.source = max(old.source, source)
        guard entry != old else { return }
        entry.age = nextAge
        set(address, entry)
        if let device { trim(device) }
    }

    /// Replaces what was announced for the device: addresses it no longer names are dropped unless proven or
    /// fixed.
    public mutating func announce(_ device: DeviceID, _ addresses: [PeerAddress]) {
        let named = addresses.prefix(MeshLimits.addressesOfDeviceMax)
        for address in ofDevice[device, default: []] where entries[address]?.source == .announced {
            if !named.contains(address) { set(address, nil) }
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
            set(address, entry.device == nil ? nil : rest)
        }
        for address in addresses { add(address, device: nil, source: .fixed) }
    }

    /// Forgets a device that is in no roster any more; fixed addresses stay.
    public mutating func forget(_ device: DeviceID) {
        for address in ofDevice[device, default: []] where entries[address]?.source != .fixed {
            set(address, nil)
        }
    }

    /// The address leads to ourselves: nobody's, and not kept unless the configuration names it.
    public mutating func markOwn(_ address: PeerAddress) {
        guard var entry = entries[address] else { return }
        entry.device = nil
        set(address, entry.source == .fixed ? entry : nil)
    }

    public mutating func markStored() { isChanged = false }

    /// The one place where entries change.
    private mutating func set(_ address: PeerAddress, _ entry: Entry?) {
        if let device = entries[address]?.device {
            ofDevice[device]?.remove(address)
            if ofDevice[device]?.isEmpty == true { ofDevice[device] = nil }
        }
        entries[address] = entry
        if let device = entry?.device { ofDevice[device, default: []].insert(address) }
        isChanged = true
    }

    private mutating func trim(_ device: DeviceID) {
        let own = addresses(of: device).filter { entries[$0]?.source != .fixed }
        for address in own.dropFirst(MeshLimits.addressesOfDeviceMax) { set(address, nil) }
    }

    /// Over the bound a sixteenth goes at once, so that a flood of additions costs little each.
    private mutating func trim() {
        guard entries.count > MeshLimits.addressesMax else { return }
        let byRank = entries.filter { $0.value.source != .fixed }
            .sorted { ($0.value.source, $0.value.age) < ($1.value.source, $1.value.age) }
        for (address, _) in byRank.prefix(MeshLimits.addressesMax / 16) { set(address, nil) }
    }
}

extension AddressBook {
    private static let version: UInt8 = 1

    /// For the store's meta: version u8, count varint, then ascending: address counted, source u8, device
    /// flag u8 and 32 bytes. Fixed addresses are left out unless a device was found there.
    public func encode() -> [UInt8] {
        var writer = ByteWriter()
        let kept = entries.filter { $0.value.source != .fixed || $0.value.device != nil }.sorted {
            $0.key < $1.key
        }
        writer.u8(Self.version)
        writer.varint(kept.count)
        for (address, entry) in kept {
            writer.counted(Array(address.string.utf8))
            writer.u8(min(entry.source, .proven).rawValue)
            writer.u8(entry.device == nil ? 0 : 1)
            entry.device?.publicKey.encode(into: &writer)
        }
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else {
            throw .unknownTag(field: "address book version", value: UInt64(version))
        }
        let count = try reader.count(limit: MeshLimits.addressesMax, field: "addresses")
        for _ in 0..<count {
            let start = reader.offset
            let text = try reader.counted(limit: RosterLimits.addressBytesMax, field: "address")
            let rank = try reader.u8()
            let hasDevice = try reader.u8()
            let device = hasDevice == 1 ? DeviceID(publicKey: try Bytes32(from: &reader)) : nil
            guard let string = String(validating: text, as: UTF8.self) else { throw .invalidUTF8(at: start) }
            guard let address = PeerAddress(string), hasDevice <= 1, let source = Source(rawValue: rank),
                source < .fixed
            else { throw .outOfRange(field: "address") }
            add(address, device: device, source: source)
        }
        try reader.finish()
        isChanged = false
    }
}
