// What a simulation reads of a node's links, to measure how the mesh does. Nothing is decided by it.

package import Bytes
package import Causality
import Mesh
import Replication

/// Counts of one node since its start.
package struct LinkMeasures: Sendable {
    /// All bytes that arrived on links.
    package let bytesReceived: UInt64
    /// Of segments that brought something that was lacking, and of those that did not.
    package let usefulBytes: UInt64
    package let duplicateBytes: UInt64
    package let segmentsReceived: UInt64
    package let duplicates: UInt64
    package let haveBytesSent: UInt64
    package let grafts: UInt64
    package let prunes: UInt64
    package let linksOpened: UInt64
}

extension Node {
    package var linkMeasures: LinkMeasures {
        let counters = links.counters
        return LinkMeasures(
            bytesReceived: links.connections.counters.bytesReceived, usefulBytes: counters.usefulBytes,
            duplicateBytes: counters.duplicateBytes, segmentsReceived: counters.segmentsReceived,
            duplicates: counters.duplicates, haveBytesSent: counters.haveBytesSent, grafts: counters.grafts,
            prunes: counters.prunes, linksOpened: links.connections.counters.linksOpened)
    }

    package var ownDevice: DeviceID { device }

    /// Devices with a complete link, ascending.
    package var linkedDevices: [DeviceID] { links.connections.table.peers }

    /// What is durable here of a space.
    package func heldDurably(of space: SpaceID) -> VersionVector {
        spaces.handle(of: space).map { spaces[$0].durable } ?? VersionVector()
    }

    /// The checkpoint that the documents of a space are made on.
    package func standingCheckpoint(of space: SpaceID) -> Bytes32? {
        spaces.handle(of: space).flatMap { spaces[$0].documents.bases.standing?.id }
    }

    /// The log that this node writes in a space.
    package func ownReplica(in space: SpaceID) -> ReplicaID? {
        spaces.handle(of: space).flatMap { spaces[$0].ownReplica }
    }

    /// Addresses that are kept, and devices of passive views.
    package var rememberedCount: Int {
        spaces.reduce(reachability.book.count) { $0 + ($1.replication.view?.rememberedCount ?? 0) }
    }

    /// Entries of vectors that peers said.
    package var heardEntryCount: Int {
        let onLinks = links.connections.linkHandles.reduce(0) { sum, link in
            links[link].channels.reduce(sum) { $0 + (links[$1.handle].sync.peerHave?.count ?? 0) }
        }
        return spaces.reduce(onLinks) { $0 + $1.peerVectors.values.reduce(0) { $0 + $1.count } }
    }

    /// Addresses of which it is known which key opens them, or whose turn it is.
    package var triedAddressCount: Int { reachability.keys.count }

    /// Whose link brought the last change of a log; nil for one that was written here or before the start.
    package func deliverer(of replica: ReplicaID, in space: SpaceID) -> DeviceID? {
        spaces.handle(of: space).flatMap { spaces[$0].replication.suppliers.deliverers[replica] }
    }
}
