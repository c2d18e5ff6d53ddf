// What holds in an address book after each step: its two indexes say what its entries say.

import Causality
import Wire

extension AddressBook {
    /// O(addresses); traps where something does not hold.
    public func checkInvariants() {
        precondition(entries.count <= MeshLimits.addressesMax, "\(entries.count) addresses are kept")
        var owned: [DeviceID: Set<PeerAddress>] = [:]
        var relayed: [DeviceID: Int] = [:]
        for (address, entry) in entries {
            for device in entry.devices { owned[device, default: []].insert(address) }
            if let announcer = entry.announcer { relayed[announcer, default: 0] += 1 }
            precondition(entry.announcer == nil || entry.source == .relayed, "\(address) is no hearsay")
            precondition(
                entry.device.map { entry.claims[$0] == nil } ?? true, "\(address) is claimed twice")
            precondition(entry.lastSuccess == nil || entry.claims.isEmpty, "\(address) is proved and claimed")
        }
        precondition(owned == ofDevice, "addresses of devices differ from the entries")
        precondition(relayed == relayedBy, "counts of hearsay differ from the entries")
    }
}
