// Several devices may be said to be at one address: a router gave it to another box, or somebody lies. Words
// do not decide between them. The first stays what the entry is about, the others stand beside it as claims,
// the address is dialled for each of them that is looked for, and what a dial shows decides (decision 0109).
// Were the last word taken, a member could announce the addresses of another as its own: nobody would dial
// them while the liar is linked, and they would be gone when it no longer names them.

public import Causality
public import Wire

extension AddressBook {
    /// That a device is at an address of which the book says that another one is there.
    struct Claim: Sendable, Equatable {
        var source: Source
        /// Who said it, when it was said of another device.
        var announcer: DeviceID?
        var age: UInt64 = 0
    }

    /// Who may be there: whom the entry is about, then the others, ascending.
    public func devices(at address: PeerAddress) -> [DeviceID] { self[address]?.devices ?? [] }

    /// Where it came from that this device is at this address; nil when nobody says so.
    public func source(of address: PeerAddress, for device: DeviceID) -> Source? {
        guard let entry = self[address] else { return nil }
        return entry.device == device ? entry.source : entry.claims[device]?.source
    }

    /// Notes beside the entry that this device is said to be there too.
    mutating func claim(_ address: PeerAddress, _ claim: Claim, by device: DeviceID) {
        guard var entry = self[address] else { return }
        var claim = claim
        if let known = entry.claims[device] {
            guard claim.source > known.source else { return }
        } else if entry.claims.count >= MeshLimits.claimsMax,
            let oldest = entry.claims.min(by: { ($0.value.age, $0.key) < ($1.value.age, $1.key) })
        {
            entry.claims[oldest.key] = nil
        }
        if claim.source > .relayed { claim.announcer = nil }
        claim.age = grow()
        entry.claims[device] = claim
        set(address, entry)
        trim(device)
    }

    /// The device is no longer said to be there. What others claim of the address stays.
    mutating func release(_ address: PeerAddress, by device: DeviceID) {
        guard var entry = self[address] else { return }
        guard entry.device == device else {
            entry.claims[device] = nil
            return set(address, entry)
        }
        let next = entry.claims.max {
            ($0.value.source, $0.value.age, $0.key) < ($1.value.source, $1.value.age, $1.key)
        }
        guard let (heir, claim) = next else { return set(address, nil) }
        entry.claims[heir] = nil
        (entry.device, entry.source, entry.announcer) = (heir, claim.source, claim.announcer)
        entry.age = claim.age
        set(address, entry)
    }

    /// Keeps the addresses of a device in their bound. What others say of it goes first, and among that what
    /// is told by whoever tells most: one peer cannot displace what another one said.
    mutating func trim(_ device: DeviceID) {
        let own = ofDevice[device, default: []]
        guard own.count > MeshLimits.addressesOfDeviceMax else { return }
        let kept = own.compactMap { address in self[address].map { (key: address, value: $0) } }
            .filter { $0.value.source != .fixed }
            .sorted { Self.keepsLonger($0, $1) }
        var told: [DeviceID?: Int] = [:]
        let ranked = kept.enumerated().map { place, kept -> (told: Int, place: Int, address: PeerAddress) in
            guard source(of: kept.key, for: device) == .relayed else { return (0, place, kept.key) }
            let entry = kept.value
            let teller = entry.device == device ? entry.announcer : entry.claims[device]?.announcer
            told[teller, default: 0] += 1
            return (told[teller, default: 1], place, kept.key)
        }
        let ordered = ranked.sorted { ($0.told, $0.place) < ($1.told, $1.place) }
        for one in ordered.dropFirst(MeshLimits.addressesOfDeviceMax) { release(one.address, by: device) }
    }
}

extension AddressBook.Entry {
    /// Who may be there.
    var devices: [DeviceID] {
        let others = claims.isEmpty ? [] : claims.keys.sorted()
        return device.map { [$0] + others } ?? others
    }
}
