// How issued invites lie in the node's own store: secrets in clear, protected like the device key beside
// them.
//
//   version 1 | n varint, n × (secret 32, ascending by id | role u8 | expiry s u64 | state)
//   state: 0, wrong proofs u8 | 1, device 32, add operation 32 | 2 revoked | 3 burned

public import Bytes
import Causality
import Crypto
import Wire

extension IssuedInvites {
    private static let version: UInt8 = 1

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 8 + 128 * entries.count)
        writer.u8(Self.version)
        writer.varint(entries.count)
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
            entry.secret.secret.withBytes { writer.raw($0) }
            writer.u8(entry.role.rawValue)
            writer.u64(entry.expirySeconds)
            switch entry.state {
            case .open(let wrongProofs):
                writer.u8(0)
                writer.u8(UInt8(wrongProofs))
            case .spent(let device, let add):
                writer.u8(1)
                device.publicKey.encode(into: &writer)
                add.encode(into: &writer)
            case .revoked: writer.u8(2)
            case .burned: writer.u8(3)
            }
        }
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else {
            throw .unknownTag(field: "issued invites", value: UInt64(version))
        }
        self.init()
        var last: InviteID?
        for _ in 0..<(try reader.count(limit: RosterLimits.issuedInvitesMax, field: "issued invites")) {
            let secret = InviteSecret(Secret(copying: try reader.raw(32)))
            if let last, last >= secret.id { throw .notCanonical(field: "issued invites") }
            last = secret.id
            entries[secret.id] = Entry(
                secret: secret, role: try Role(from: &reader), expirySeconds: try reader.u64(),
                state: try Self.state(from: &reader))
        }
        try reader.finish()
    }

    private static func state(from reader: inout ByteReader) throws(DecodeFault) -> State {
        let tag = try reader.u8()
        switch tag {
        case 0:
            let wrongProofs = Int(try reader.u8())
            guard wrongProofs < RosterLimits.wrongProofsMax else { throw .outOfRange(field: "wrong proofs") }
            return .open(wrongProofs: wrongProofs)
        case 1:
            let device = DeviceID(publicKey: try Bytes32(from: &reader))
            return .spent(by: device, add: try Bytes32(from: &reader))
        case 2: return .revoked
        case 3: return .burned
        default: throw .unknownTag(field: "invite state", value: UInt64(tag))
        }
    }
}
