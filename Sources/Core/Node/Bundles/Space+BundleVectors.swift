// What another member holds, for whom a bundle is written: at least what it said last, on a link or in a
// bundle of its own, and what its changes were made on since. It may hold more; then some of the bundle is
// known to it. It holds less only if its state was put back, and then its next statement says less, which
// counts (decision 0241).

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Roster
import Wire

extension Space {
    /// What is known of a member, the statements of its bundles included.
    func known(of member: DeviceID, in store: some StoreReading) throws(StoreFailure)
        -> (held: VersionVector, heads: [Bytes32])
    {
        var held = peerVectors[member] ?? VersionVector()
        var heads: [Bytes32] = peerRosters[member] ?? []
        let said = try statement(of: member, in: store)
        for replica in logs.written(by: member) {
            // What it wrote before its statement is in that, or lost to it.
            guard let log = logs[replica], said.map({ log.timestamp > $0.timestamp }) ?? true else {
                continue
            }
            held.advance(replica, to: logs.durable[replica])
            // What waits here and is not appended was made on what is not here either.
            held.join(log.context)
            heads += log.rosterHeads
        }
        if let said {
            held.join(said.held)
            heads += said.heads
        }
        return (closings.clamped(held), heads)
    }

    private func statement(of member: DeviceID, in store: some StoreReading) throws(StoreFailure)
        -> BundleStatement?
    {
        guard let bytes = try store.meta(NodeMeta.bundleStatement(id, member)) else { return nil }
        do throws(DecodeFault) {
            var reader = ByteReader(bytes)
            return try BundleStatement(from: &reader)
        } catch {
            throw .unreadable(.bundleStatement(of: member), error)
        }
    }

    /// Who was let in again may hold nothing of what it held.
    mutating func forgetStatement(
        of member: DeviceID, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        let name = NodeMeta.bundleStatement(id, member)
        guard try transaction.store.meta(name) != nil else { return }
        try transaction.beginWriting()
        try transaction.store.setMeta(name, nil)
    }

    /// Keeps the latest statement of a member. It is signed, and its author is active. False: an older one.
    /// One that says more is later, whatever its clock says: a clock that was years ahead once must not hide
    /// all that its device says afterwards.
    mutating func keep(_ statement: BundleStatement, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure) -> Bool
    {
        if let known = try self.statement(of: statement.device, in: transaction.store),
            known.timestamp >= statement.timestamp,
            known.held == statement.held || !statement.held.covers(known.held)
        {
            return false
        }
        var writer = ByteWriter(reserving: 256)
        statement.encode(into: &writer)
        try transaction.beginWriting()
        try transaction.store.setMeta(NodeMeta.bundleStatement(id, statement.device), writer.bytes)
        return true
    }
}

extension NodeMeta {
    /// The latest `BundleStatement` of a device.
    static func bundleStatement(_ space: SpaceID, _ device: DeviceID) -> String {
        "bundle-statement/\(space)/\(device.text)"
    }
}
