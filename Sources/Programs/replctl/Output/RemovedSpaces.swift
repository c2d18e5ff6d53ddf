// Spaces from which this device was removed. They stay readable, and their members are no peers any more:
// that they are not linked is as it should be.

import Bytes
import JSON

/// From the answer of `status`.
struct RemovedSpaces {
    private let ids: Set<String>
    /// As they are called here.
    let names: [String]
    /// True when there are spaces, and this device belongs to none of them.
    let areAll: Bool

    init(status: PlainValue) {
        let spaces = status.list("spaces")
        let removed = spaces.filter { $0.string("state") == "removed" }
        ids = Set(removed.compactMap { $0.string("id") })
        names = removed.map { $0.cell("name") }
        areAll = !removed.isEmpty && removed.count == spaces.count
    }

    /// True when a peer shares nothing but such spaces with this device.
    func areAllShared(with peer: PlainValue) -> Bool {
        let shared = peer.list("spaces").compactMap { $0.string("space") }
        return !shared.isEmpty && shared.allSatisfy(ids.contains)
    }
}
