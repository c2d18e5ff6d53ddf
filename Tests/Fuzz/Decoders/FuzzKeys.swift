// Fixed keys and names: a corpus that was made once must mean the same in every run.

import Bytes
import Causality
import Crypto
import Wire

/// Who writes, signs and receives in the properties.
enum FuzzKeys {
    static let space = SpaceID(raw: Bytes32([UInt8](repeating: 0xA3, count: 32)))
    static let device = SigningKey(seed: secret(1))
    static let box = AgreementKey(secret: secret(2))
    static let contentKey = secret(3)
    static let declaration = declaration(incarnation: 7)
    static let otherDeclaration = declaration(incarnation: 8)
    static let replica = ReplicaID(space: space, declaration: declaration)
    static let otherReplica = ReplicaID(space: space, declaration: otherDeclaration)
    static let nonce = [UInt8](repeating: 5, count: XChaCha.nonceBytes)

    static var deviceName: DeviceName {
        guard let name = DeviceName("box") else { preconditionFailure("box is a name") }
        return name
    }
    static var spaceName: SpaceName {
        guard let name = SpaceName("home") else { preconditionFailure("home is a name") }
        return name
    }

    static func secret(_ byte: UInt8) -> Secret { Secret(copying: [UInt8](repeating: byte, count: 32)) }

    static func declaration(incarnation: UInt64) -> Change.Declaration {
        Change.Declaration(device: DeviceID(publicKey: device.publicKey), incarnation: incarnation)
    }
}
