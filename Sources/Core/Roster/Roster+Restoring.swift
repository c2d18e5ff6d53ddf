// A roster of the node's own store. Everything in it was checked when it was taken in, so nothing is verified
// or judged again: what is left is to read it and to put it into the indices.

import Bytes
public import Causality
import Wire

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
