// A roster of the node's own store. Everything in it was checked when it was taken in, so nothing is verified
// or judged again: what is left is to read it and to put it into the indices.

import Bytes
public import Causality
import Wire

/// A roster while it is read from the store, with its key epochs: they are read as operations come, while the
/// view that each was made on is at hand.
public struct RestoredRoster: Sendable {
    public private(set) var roster: Roster
    public private(set) var epochs: KeyEpochs

    /// From the first operation that the store kept. `device` opens packages.
    public init(genesis: [UInt8], for device: DeviceID, flooding: Set<DeviceID> = []) throws(RosterFault) {
        roster = try Roster(restoring: genesis, flooding: flooding)
        epochs = KeyEpochs(of: &roster, for: device)
    }

    /// The next one; in the order in which they were added.
    public mutating func restore(_ bytes: [UInt8]) throws(RosterFault) {
        try roster.restore(bytes)
        epochs.read(&roster)
    }
}

extension Roster {
    /// The first operation that the store kept.
    public init(restoring genesis: [UInt8], flooding: Set<DeviceID> = []) throws(RosterFault) {
        try self.init(known: try Self.read(genesis))
        self.flooding = flooding
    }

    /// The next one; in the order in which they were added. O(log n).
    public mutating func restore(_ bytes: [UInt8]) throws(RosterFault) {
        let operation = try Self.read(bytes)
        guard indices[operation.id] == nil, let view = view(heads: operation.heads) else {
            throw .notInOrder(operation.id)
        }
        append(operation, judgement(of: operation, in: view))
    }

    private static func read(_ bytes: [UInt8]) throws(RosterFault) -> RosterOperation {
        do throws(DecodeFault) {
            return try RosterOperation(decoding: bytes)
        } catch {
            throw .malformed(error)
        }
    }
}
