// What peers said that they hold.

import Causality
import Identity
import Replication

extension Space {
    /// Logs of which nothing is held here go.
    mutating func trimPeerVector(of peer: DeviceID) {
        guard let said = peerVectors[peer] else { return }
        peerVectors[peer] = VersionVector(said.entries.filter { logs[$0.replica] != nil })
    }

    /// Who was let in again may have left meanwhile, and holds nothing then of what it held before.
    mutating func forgetVector(of peer: DeviceID) {
        peerVectors[peer] = nil
        peerRosters[peer] = nil
    }

    /// A device said what it holds. Over all its links, copies of it included, no more logs than one of them
    /// may name.
    mutating func recordVector(_ vector: VersionVector, of peer: DeviceID, isFull: Bool) {
        if isFull {
            peerVectors[peer] = vector
            return
        }
        peerVectors[peer, default: VersionVector()].join(vector)
        if peerVectors[peer]?.count ?? 0 > held.count + ReplicationLimits.haveLogsMax {
            trimPeerVector(of: peer)
        }
    }
}
