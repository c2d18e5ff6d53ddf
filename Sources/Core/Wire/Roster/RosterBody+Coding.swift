// The bytes of each kind of roster operation (WIRE.md, "Roster operations"). Fields follow one another
// without tags; what is new comes as a new kind, which old nodes keep as `unknown`.

public import Bytes
import Causality

extension RosterBody {
    /// The byte that names the kind.
    public var kindByte: UInt8 {
        switch self {
        case .genesis: 1
        case .invite: 2
        case .revokeInvite: 3
        case .add: 4
        case .leave: 5
        case .deviceUpdate: 6
        case .remove: 7
        case .role: 8
        case .keyEpoch: Self.keyEpochKind
        case .resolve: 10
        case .checkpoint: Self.checkpointKind
        case .deviceSoftware: Self.deviceSoftwareKind
        case .unknown(let kind, _): kind
        }
    }

    /// Of a key-epoch; the second byte of an operation.
    public static let keyEpochKind: UInt8 = 9

    public static let checkpointKind: UInt8 = 11

    static let deviceSoftwareKind: UInt8 = 12

    /// The kinds that this version reads in one way only.
    static let knownKinds: ClosedRange<UInt8> = 1...10

    func encode(into writer: inout ByteWriter) {
        switch self {
        case .genesis(let genesis):
            genesis.name.encode(into: &writer)
            genesis.creator.encode(into: &writer)
            genesis.nonce.encode(into: &writer)
        case .invite(let invite):
            invite.id.raw.encode(into: &writer)
            writer.u8(invite.role.rawValue)
            writer.u64(invite.expirySeconds)
            invite.key.encode(into: &writer)
        case .revokeInvite(let id): id.raw.encode(into: &writer)
        case .add(let add):
            precondition(add.sealedKeys.count <= RosterLimits.sealedKeysBytesMax, "sealed keys")
            add.device.publicKey.encode(into: &writer)
            writer.u8(add.role.rawValue)
            add.invite.raw.encode(into: &writer)
            add.description.encode(into: &writer)
            writer.counted(add.sealedKeys)
        case .leave: break
        case .deviceUpdate(let update): update.description.encode(into: &writer)
        case .remove(let remove):
            remove.device.publicKey.encode(into: &writer)
            Self.encode(remove.frontier, into: &writer)
        case .role(let change):
            change.device.publicKey.encode(into: &writer)
            writer.u8(change.role.rawValue)
            Self.encode(change.frontier, into: &writer)
        case .keyEpoch(let epoch): epoch.encode(into: &writer)
        case .resolve(let payload):
            precondition(
                payload.count <= RosterLimits.reservedBytesMax, "a payload of \(payload.count) bytes")
            writer.raw(payload)
        case .checkpoint(let checkpoint): checkpoint.encode(into: &writer)
        case .deviceSoftware(let software): software.encode(into: &writer)
        case .unknown(let kind, let payload):
            precondition(!Self.knownKinds.contains(kind), "kind \(kind) is known")
            precondition(
                kind != Self.checkpointKind || payload.count <= RosterLimits.reservedBytesMax,
                "a checkpoint of \(payload.count) bytes")
            writer.raw(payload)
        }
    }

    /// Reads the body of kind `kind`, which ends where the reader ends.
    init(kindByte kind: UInt8, from reader: inout ByteReader) throws(DecodeFault) {
        switch kind {
        case 1:
            self = .genesis(
                Genesis(
                    name: try SpaceName(from: &reader), creator: try DeviceDescription(from: &reader),
                    nonce: try Bytes32(from: &reader)))
        case 2:
            self = .invite(
                Invite(
                    id: InviteID(raw: try Bytes16(from: &reader)), role: try Role(from: &reader),
                    expirySeconds: try reader.u64(), key: try Bytes32(from: &reader)))
        case 3: self = .revokeInvite(InviteID(raw: try Bytes16(from: &reader)))
        case 4: self = .add(try Add(from: &reader))
        case 5: self = .leave
        case 6: self = .deviceUpdate(DeviceUpdate(try DeviceDescription(from: &reader)))
        case 7:
            self = .remove(
                Remove(
                    device: DeviceID(publicKey: try Bytes32(from: &reader)),
                    frontier: try Self.frontier(from: &reader)))
        case 8:
            self = .role(
                RoleChange(
                    device: DeviceID(publicKey: try Bytes32(from: &reader)), role: try Role(from: &reader),
                    frontier: try Self.frontier(from: &reader)))
        case 9: self = .keyEpoch(try KeyEpoch(from: &reader))
        case 10: self = .resolve(try Self.payload(from: &reader))
        case Self.checkpointKind:
            let payload = try Self.payload(from: &reader)
            self =
                CheckpointBody(payload: payload).map { .checkpoint($0) }
                ?? .unknown(kind: kind, payload)
        case Self.deviceSoftwareKind:
            let payload = try reader.raw(reader.remaining)
            self =
                DeviceSoftware(payload: payload).map { .deviceSoftware($0) }
                ?? .unknown(kind: kind, payload)
        case 0: throw .unknownTag(field: "roster operation kind", value: 0)
        default: self = .unknown(kind: kind, try reader.raw(reader.remaining))
        }
    }

    private static func payload(from reader: inout ByteReader) throws(DecodeFault) -> [UInt8] {
        let (count, limit) = (reader.remaining, RosterLimits.reservedBytesMax)
        if count > limit { throw .overLimit(field: "payload", value: UInt64(count), limit: UInt64(limit)) }
        return try reader.raw(count)
    }

    /// A count, then (replica 16, last varint) ascending by replica.
    private static func encode(_ frontier: VersionVector, into writer: inout ByteWriter) {
        precondition(frontier.count <= RosterLimits.frontierMax, "a frontier of \(frontier.count) replicas")
        writer.varint(frontier.count)
        for entry in frontier.entries {
            entry.replica.raw.encode(into: &writer)
            writer.varint(entry.last.value)
        }
    }

    private static func frontier(from reader: inout ByteReader) throws(DecodeFault) -> VersionVector {
        let count = try reader.count(limit: RosterLimits.frontierMax, field: "frontier")
        var frontier = VersionVector()
        for _ in 0..<count {
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            if let end = frontier.entries.last, end.replica >= replica {
                throw .notCanonical(field: "frontier")
            }
            let last = SequenceNumber(try reader.varint())
            guard last > .none, last <= .max else { throw .outOfRange(field: "frontier") }
            frontier.advance(replica, to: last)
        }
        return frontier
    }
}

extension Role {
    public init(from reader: inout ByteReader) throws(DecodeFault) {
        guard let role = Role(rawValue: try reader.u8()) else { throw .outOfRange(field: "role") }
        self = role
    }
}

extension RosterBody.Add {
    fileprivate init(from reader: inout ByteReader) throws(DecodeFault) {
        device = DeviceID(publicKey: try Bytes32(from: &reader))
        role = try Role(from: &reader)
        invite = InviteID(raw: try Bytes16(from: &reader))
        description = try DeviceDescription(from: &reader)
        sealedKeys = try reader.counted(limit: RosterLimits.sealedKeysBytesMax, field: "sealed keys")
    }
}

extension RosterBody.KeyEpoch {
    fileprivate func encode(into writer: inout ByteWriter) {
        precondition(epoch > .first, "epoch \(epoch.value) begins with the genesis")
        precondition(wrappedPrevious.count <= RosterLimits.sealedKeysBytesMax, "a wrapped key")
        precondition(packages.count <= RosterLimits.epochPackagesMax, "\(packages.count) packages")
        writer.u32(epoch.value)
        writer.counted(wrappedPrevious)
        writer.varint(packages.count)
        for (index, package) in packages.enumerated() {
            precondition(index == 0 || packages[index - 1].device < package.device, "packages out of order")
            precondition(package.sealedKeys.count <= RosterLimits.sealedKeysBytesMax, "sealed keys")
            package.device.publicKey.encode(into: &writer)
            writer.counted(package.sealedKeys)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeFault) {
        epoch = KeyEpochNumber(try reader.u32())
        guard epoch > .first else { throw .outOfRange(field: "epoch") }
        let limit = RosterLimits.sealedKeysBytesMax
        wrappedPrevious = try reader.counted(limit: limit, field: "wrapped key")
        var packages: [Package] = []
        for _ in 0..<(try reader.count(limit: RosterLimits.epochPackagesMax, field: "packages")) {
            let device = DeviceID(publicKey: try Bytes32(from: &reader))
            if let last = packages.last, last.device >= device { throw .notCanonical(field: "packages") }
            packages.append(
                Package(device: device, sealedKeys: try reader.counted(limit: limit, field: "sealed keys")))
        }
        self.packages = packages
    }
}
