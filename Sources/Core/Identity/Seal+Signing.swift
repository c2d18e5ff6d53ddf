// What a seal signs. The label keeps it apart from everything else that a device signs; space and replica
// keep it from being moved to another log.

import Bytes
public import Causality
import Crypto
public import Wire

extension Seal {
    /// "repld seal v1\0" ‖ SpaceID ‖ ReplicaID ‖ last u64 ‖ chain hash.
    static func message(
        space: SpaceID, replica: ReplicaID, last: SequenceNumber, chainHash: Bytes32
    ) -> [UInt8] {
        var writer = ByteWriter(reserving: 112)
        writer.raw("repld seal v1\0".utf8)
        space.raw.encode(into: &writer)
        replica.raw.encode(into: &writer)
        writer.u64(last.value)
        if !isPlanted("seal-leaves-out-hash") { chainHash.encode(into: &writer) }
        return writer.bytes
    }

    /// Signs. Only `LogState` knows what is true to sign.
    static func make(
        space: SpaceID, replica: ReplicaID, last: SequenceNumber, chainHash: Bytes32, with key: SigningKey
    ) -> Seal {
        let message = message(space: space, replica: replica, last: last, chainHash: chainHash)
        return Seal(replica: replica, last: last, chainHash: chainHash, signature: key.sign(message))
    }

    /// True when `device` signed this chain hash at this sequence. About 40 µs.
    public func isSigned(by device: DeviceID, in space: SpaceID) -> Bool {
        let message = Seal.message(space: space, replica: replica, last: last, chainHash: chainHash)
        return Ed25519.verify(signature, of: message, by: device.publicKey)
    }
}
