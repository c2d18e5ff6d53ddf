// Which link brings which log (Plumtree). What comes first makes its link the log's supplier; what comes
// twice prunes the other one. A hint about who sends, never about what is needed.

import Causality
import Wire

/// The suppliers of one space's logs.
struct Suppliers: Sendable {
    /// A link that brought what was known already.
    struct Source: Sendable {
        let connection: ConnectionID
        let device: DeviceID
        /// The log is pushed on it.
        let isPushed: Bool
        /// What comes on it may have been under way when it was pruned.
        let isSettlingPrune: Bool
    }

    /// The eager link that brings a log: the others that push it too are pruned. Connections that are gone
    /// count as none.
    private var connections: [ReplicaID: ConnectionID] = [:]
    /// Whose link brought the last change of a log.
    private(set) var deliverers: [ReplicaID: DeviceID] = [:]

    init() {}

    subscript(_ replica: ReplicaID) -> ConnectionID? { connections[replica] }

    /// Something that was missing came.
    mutating func recordNew(
        _ replica: ReplicaID, from device: DeviceID, on connection: ConnectionID, isPushed: Bool
    ) {
        deliverers[replica] = device
        if isPushed { connections[replica] = connection }
    }

    /// Something came that is known already. Returns the connection that is one too many for the log, to be
    /// pruned. `isSupplied`: the supplier's link is there and pushes the log.
    mutating func recordDuplicate(
        _ replica: ReplicaID, of author: DeviceID, from source: Source, isSupplied: Bool
    ) -> ConnectionID? {
        guard isSupplied, let supplier = connections[replica] else {
            // Whoever brought it first is gone, or was asked once: this is the one that pushes it.
            if source.isPushed { connections[replica] = source.connection }
            return nil
        }
        if supplier == source.connection { return nil }
        // It was told, and this was under way; only one that goes on is told again.
        if !source.isPushed, source.isSettlingPrune { return nil }
        guard source.device == author, source.isPushed else { return source.connection }
        // The author itself: no way is shorter, however the race went.
        connections[replica] = source.connection
        return supplier
    }

    /// A link is gone. Returns the logs that it brought, ascending.
    mutating func lose(_ connection: ConnectionID) -> [ReplicaID] {
        let orphans = connections.filter { $0.value == connection }.map(\.key).sorted()
        for log in orphans { connections[log] = nil }
        return orphans
    }
}
