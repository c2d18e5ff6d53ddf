// The identity row and the steps of a start. Their order is what makes a kill -9 between any two of them
// harmless:
//
//   1. instance.new is made and synced        its inode is known now, its name means nothing yet
//   2. database: next_token, next_inode       from here a file with that token and inode is accepted;
//                                             with the new incarnations if continuity was uncertain
//   3. instance.new becomes instance          synced with the directory
//   4. database: token, inode, ctime
//
// Cut off before 3, the old file still matches the old token and ctime; cut off between 3 and 4, the new file
// matches what step 2 announced. So from step 2 on the next start may find nothing uncertain any more: what
// follows from it is written then, not later. Were the file written first, a cut-off start would look like a
// copy; were the database written first, like an older one. The ctime cannot be announced, as the rename sets
// it; hence the inode.

import Bytes
import Glibc
import Node

/// The row `identity` of a database: whose it is, and which directory it belongs to.
struct IdentityRow {
    let connection: Connection

    /// Throws `unusable` when the row is gone.
    func read() throws(StoreFailure) -> Findings.Identity {
        let path = connection.path
        let columns = "device, seed, origin, token, inode, changed, next_token, next_inode"
        let identity = try connection.first("SELECT \(columns) FROM identity") { row throws(StoreFailure) in
            Findings.Identity(
                device: row.isNull(0) ? nil : try StoredForms.bytes32(row.blob(0), in: path),
                seed: row.isNull(1) ? nil : row.blob(1), origin: row.isNull(2) ? nil : row.text(2),
                token: token(row, 3), inode: row.isNull(4) ? nil : UInt64(bitPattern: row.integer(4)),
                changed: row.isNull(5) ? nil : row.integer(5), nextToken: token(row, 6),
                nextInode: row.isNull(7) ? nil : UInt64(bitPattern: row.integer(7)))
        }
        guard let identity else {
            throw .unusable(.file(path: path, .noIdentity))
        }
        return identity
    }

    /// Nil when the column is NULL or of another length.
    private func token(_ row: borrowing Row, _ column: Int32) -> Bytes16? {
        let bytes = row.blob(column)
        return bytes.count == Bytes16.byteCount ? Bytes16(bytes) : nil
    }

    /// Step 2. What an uncertain start leads to goes in the same transaction: were it a later one, a start
    /// that was cut off between the two would leave a directory that recognises itself and still has the old
    /// incarnations.
    func announce(token: Bytes16, inode: UInt64, uncertain reason: String?, wall: UInt64)
        throws(StoreFailure)
    {
        try connection[.begin].run([])
        do throws(StoreFailure) {
            try connection.run(
                "UPDATE identity SET next_token = ?, next_inode = ?",
                [.blob(token.bytes), .integer(Int64(bitPattern: inode))])
            if let reason {
                try connection.execute("UPDATE spaces SET incarnation = NULL")
                var note = ByteWriter()
                note.u64(wall)
                note.raw(reason.utf8)
                try connection[.putMeta].run([.text(Continuity.noteName), .blob(note.bytes)])
            }
            try connection[.commit].run([])
        } catch {
            if !connection.isOutsideTransaction { try connection[.rollback].run([]) }
            throw error
        }
    }

    /// Before another device takes the state over: no log of the old one goes on.
    func forgetDevice() throws(StoreFailure) {
        try connection[.begin].run([])
        do throws(StoreFailure) {
            try connection.execute("UPDATE identity SET device = NULL, seed = NULL")
            try connection.execute("UPDATE spaces SET incarnation = NULL")
            try connection[.commit].run([])
        } catch {
            if !connection.isOutsideTransaction { try connection[.rollback].run([]) }
            throw error
        }
    }

    /// Step 4.
    func settle(device: Bytes32, token: Bytes16, inode: UInt64, changed: Int64) throws(StoreFailure) {
        try connection.run(
            """
            UPDATE identity SET device = ?, seed = NULL, origin = NULL, token = ?, inode = ?, changed = ?,
            next_token = NULL, next_inode = NULL
            """,
            [
                .blob(device.bytes), .blob(token.bytes), .integer(Int64(bitPattern: inode)),
                .integer(changed),
            ])
    }

    /// Says in a backup what it is, and gives it the device key, if it may leave.
    func markBackup(origin: String, seed: [UInt8]?) throws(StoreFailure) {
        try connection.run(
            "UPDATE identity SET origin = ?, seed = ?", [.text(origin), seed.map { .blob($0) } ?? .null])
    }
}
