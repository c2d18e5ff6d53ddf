// A seal over anything: what a member with its own device key can sign. Written from WIRE.md, because the
// project's own maker of seals signs only what is true.

import Bytes
import Causality
import Crypto
import Wire

enum HostileSeal {
    /// "repld seal v1\0" ‖ SpaceID ‖ ReplicaID ‖ last u64 ‖ chain hash.
    static func make(at last: SequenceNumber, chainHash: Bytes32) -> Seal {
        var writer = ByteWriter(reserving: 112)
        writer.raw("repld seal v1\0".utf8)
        FuzzKeys.space.raw.encode(into: &writer)
        FuzzKeys.replica.raw.encode(into: &writer)
        writer.u64(last.value)
        chainHash.encode(into: &writer)
        return Seal(
            replica: FuzzKeys.replica, last: last, chainHash: chainHash,
            signature: FuzzKeys.device.sign(writer.bytes))
    }
}
