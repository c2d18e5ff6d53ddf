// STATE/instance: how a state directory recognises itself (DESIGN 4). Machine, inode of the database and a
// token that is new at each start; the database repeats the token and knows the file's inode and ctime, which
// no copy can have.

import Bytes
import Crypto
import Glibc
import Node

/// What the file says.
struct InstanceFile: Equatable {
    /// A hash of /etc/machine-id, which is not to be shown around.
    let machine: String
    let databaseInode: UInt64
    let token: Bytes16

    static let bytesMax = 512

    var text: String {
        """
        repld instance 1
        machine \(machine)
        database-inode \(databaseInode)
        token \(Hex.encode(token.bytes))

        """
    }

    init(machine: String, databaseInode: UInt64, token: Bytes16) {
        (self.machine, self.databaseInode, self.token) = (machine, databaseInode, token)
    }

    /// Nil when it is anything but `text`.
    init?(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: " ")
        }
        guard lines.count == 4, lines[1...].allSatisfy({ $0.count == 2 }),
            let inode = UInt64(lines[2][1]), let token = Hex.decode(String(lines[3][1])),
            token.count == Bytes16.byteCount
        else { return nil }
        self.init(machine: String(lines[1][1]), databaseInode: inode, token: Bytes16(token))
        guard Array(text.utf8) == bytes else { return nil }
    }

    /// Of the machine that this process runs on; "none" where there is no machine id.
    static func thisMachine() throws(StoreFailure) -> String {
        guard let id = try Files.read("/etc/machine-id", limit: 64), id.count >= 32 else { return "none" }
        return Hex.encode(Blake2b.hash256(id, personal: "repld-machine-v1").bytes.prefix(8))
    }
}
