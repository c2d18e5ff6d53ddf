// One channel's half of PEERS: what the peer was told of addresses, not to repeat it.

import Causality
import Mesh
import Wire

/// Addresses that were told on one channel.
struct AddressExchange: Sendable {
    /// The version of the addresses known here when they were looked at last; 0: never.
    private var version: UInt64 = 0
    private var told: [DeviceID: [PeerAddress]] = [:]

    init() {}

    /// True when addresses changed since they were looked at last. The caller then asks for `news`.
    mutating func advances(to known: UInt64) -> Bool {
        if version == known { return false }
        version = known
        return true
    }

    /// What the peer was not told yet; nil when nothing is new.
    mutating func news(among entries: [PeersFrame.Entry]) -> PeersFrame? {
        var news: [PeersFrame.Entry] = []
        for entry in entries where told[entry.device] != entry.addresses {
            told[entry.device] = entry.addresses
            news.append(entry)
        }
        return news.isEmpty ? nil : PeersFrame(news)
    }
}
