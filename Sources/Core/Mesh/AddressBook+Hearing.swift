// A beacon of a member came from an address: worth a dial, and worth no more than that. Anybody can send a
// recorded beacon from an address of its own, so what was only heard is bounded by itself and replaces
// nothing that is known better.

public import Causality
public import Wire

extension PeerAddress {
    /// True for a link-local address with the interface of this box: it means nothing on another.
    public var isScoped: Bool { string.utf8.contains(0x25) }
}

extension AddressBook {
    /// Notes where a beacon of the device came from.
    public mutating func hear(_ address: PeerAddress, of device: DeviceID) {
        // A dial proved it, or a person named it: that says more.
        if let known = self[address], known.source > .heard { return }
        let heard = addresses(of: device).compactMap { known in
            source(of: known, for: device) == .heard && known != address
                ? self[known].map { (known, $0.age) } : nil
        }
        let oldest = heard.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        for (known, _) in oldest.prefix(max(0, heard.count + 1 - MeshLimits.heardAddressesOfDeviceMax)) {
            release(known, by: device)
        }
        add(address, device: device, source: .heard)
    }
}
