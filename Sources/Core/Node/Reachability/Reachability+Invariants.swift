// What holds in the machine of reachability after each step.

import Mesh
import Wire

extension Reachability {
    /// Whole: O(addresses).
    func checkInvariants(whole: Bool) {
        precondition(isDialling || !isDiscoverable, "a node that is in a space dials its members")
        precondition(discovery.counts.sent == discovery.counter, "each beacon sent has a counter of its own")
        guard whole else { return }
        keys.checkInvariants()
        dialer.checkInvariants()
        book.checkInvariants()
        discovery.checkInvariants()
        precondition(linkedAt[device] == nil, "this device was linked to itself")
        precondition(book.addresses(of: device).isEmpty, "the book gives this device an address")
    }
}

extension Discovery {
    func checkInvariants() {
        let current = keys.prefix { $0.isCurrent }
        precondition(!keys.dropFirst(current.count).contains { $0.isCurrent }, "an old key stands in front")
        precondition(current.count == Set(current.map(\.space)).count, "a space has two current keys")
    }
}
