// A replica is named by a hash of who writes it, so nobody can begin another's log, and one log can never
// claim two authors: its first change must declare what hashes to its name (DESIGN 4).

import Bytes
public import Causality
import Crypto

extension ReplicaID {
    /// First 16 bytes of BLAKE2b-256(device pk ‖ SpaceID ‖ incarnation u64), personal "repld-replica-v1".
    public init(space: SpaceID, declaration: Change.Declaration) {
        var writer = ByteWriter(reserving: 72)
        declaration.device.publicKey.encode(into: &writer)
        space.raw.encode(into: &writer)
        writer.u64(declaration.incarnation)
        let hash = Blake2b.hash256(writer.bytes, personal: "repld-replica-v1")
        self.init(raw: Bytes16(hash.bytes.prefix(Bytes16.byteCount)))
    }
}
