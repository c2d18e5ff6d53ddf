// Peers and their addresses as JSON objects.

import Causality
import Identity
import JSON
import Node

extension JSONWriter {
    mutating func peers(_ peers: [PeerReport], _ unassigned: [AddressReport]) {
        object {
            $0.list("peers", peers) { $0.peer($1) }
            $0.list("addresses", unassigned) { $0.address($1) }
        }
    }

    mutating func pinged(_ milliseconds: UInt64, _ address: String) {
        object {
            $0.member("rttMs", milliseconds)
            $0.member("address", address)
        }
    }

    mutating func peer(_ peer: PeerReport) {
        object {
            $0.member("device", peer.device.text)
            $0.member("name", peer.name)
            $0.list("addresses", peer.addresses) { $0.string($1) }
            $0.member("state", peer.state)
            $0.member("since", peer.since)
            $0.count("rttMs", peer.rttMilliseconds)
            $0.member("whyNot", orNull: peer.whyNot)
            $0.list("spaces", peer.spaces) { writer, sync in
                writer.object {
                    $0.member("space", sync.space.description)
                    $0.count("behindChanges", sync.behindChanges)
                    $0.count("aheadChanges", sync.aheadChanges)
                    $0.member("treeRole", orNull: sync.treeRole)
                }
            }
            $0.count("heardAt", peer.heardAt)
            $0.count("lastSeenMs", peer.lastSeenAt)
            $0.name("clockOffsetMs")
            if let offset = peer.clockOffsetMilliseconds { $0.integer(offset) } else { $0.null() }
            $0.member("bytesReceived", peer.bytesReceived)
            $0.member("bytesSent", peer.bytesSent)
            $0.list("dials", peer.dials) { $0.address($1) }
        }
    }

    mutating func address(_ address: AddressReport) {
        object {
            $0.member("address", address.address)
            $0.member("source", address.source)
            $0.member("outcome", address.outcome.rawValue)
            $0.member("reason", orNull: address.reason)
            $0.count("triedAt", address.triedAt)
            $0.count("workedAt", address.workedAt)
            $0.member("failures", address.failures)
            $0.count("nextAt", address.nextAt)
            $0.list("means", address.means) { $0.string($1) }
        }
    }
}
