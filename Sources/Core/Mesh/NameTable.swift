// What the names among the addresses mean. A name is looked up again in each round of dialling it, so a box
// that got another address is found; all its addresses of both families are dialled. Names lie and fail: what
// they said last, when, and why not is kept for `peers`, and what they may say is bounded.

public import Wire

/// Names that were looked up, by the address that carries them.
public struct NameTable: Sendable {
    public struct Entry: Sendable, Equatable {
        /// What it means, as far as it can be dialled; ascending.
        public internal(set) var addresses: [PeerAddress] = []
        /// Why the last lookup gave nothing; nil when it gave something.
        public internal(set) var failure: String?
        /// Of the last answer, wall milliseconds; nil before the first.
        public internal(set) var answeredAt: UInt64?
        public internal(set) var isUnderWay = false
    }

    private var entries: [PeerAddress: Entry] = [:]

    public init() {}

    public subscript(name: PeerAddress) -> Entry? { entries[name] }

    /// The names that mean this address, ascending.
    public func names(of address: PeerAddress) -> [PeerAddress] {
        entries.filter { $0.value.addresses.contains(address) }.keys.sorted()
    }

    /// True when this is the first of the names under way with this host: the others wait for its answer.
    public mutating func begin(_ name: PeerAddress) -> Bool {
        precondition(name.isName, "\(name) needs no lookup")
        let isFirst = !entries.contains { $0.value.isUnderWay && $0.key.host == name.host }
        entries[name, default: Entry()].isUnderWay = true
        return isFirst
    }

    /// What became of the names that waited for a host's lookup: what each means now and what it does not
    /// mean any more. `hosts` are numbers as in addresses, IPv6 without brackets. Ascending by name.
    public mutating func answer(
        _ host: String, _ hosts: [String], failure: String?, at wall: UInt64
    ) -> [(name: PeerAddress, means: [PeerAddress], gone: [PeerAddress])] {
        let names = entries.filter { $0.value.isUnderWay && $0.key.host == host }.keys.sorted()
        return names.map { name in
            let former = entries[name]?.addresses ?? []
            var entry = Entry(answeredAt: wall)
            var refused: String?
            for host in Set(hosts).sorted() {
                let text = host.contains(":") ? "[\(host)]:\(name.port)" : "\(host):\(name.port)"
                guard let address = PeerAddress(text), !address.isName else { continue }
                if let why = address.whyNotDialled {
                    refused = "the name means \(host): \(why)"
                } else if entry.addresses.count < MeshLimits.addressesOfNameMax {
                    entry.addresses.append(address)
                }
            }
            if entry.addresses.isEmpty {
                entry.failure = failure ?? refused ?? "the name has no address"
                // A resolver that is out of order does not take away what it said before.
                if failure != nil { entry.addresses = former }
            }
            entries[name] = entry
            return (name, entry.addresses, former.filter { !entry.addresses.contains($0) })
        }
    }

    /// Forgets names that are not in use any more.
    public mutating func retain(_ names: (PeerAddress) -> Bool) {
        entries = entries.filter { names($0.key) || $0.value.isUnderWay }
    }
}
