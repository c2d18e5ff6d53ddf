// What a roster operation does. Of the second line, `remove` and `role` restrict (decision 0167),
// `checkpoint` proposes (decision 0183), and `resolve` is kept and passed on until its issue. `acknowledge`
// is an operation of the logs, not of the roster.
//
//   kind  1 genesis  2 invite  3 revoke-invite  4 add  5 leave  6 device-update
//         7 remove   8 role    9 key-epoch     10 resolve  11 checkpoint  12 device-software
//         others: from a newer version

public import Bytes
public import Causality

/// The kinds of roster operations, with what each carries.
public enum RosterBody: Hashable, Sendable {
    case genesis(Genesis)
    case invite(Invite)
    case revokeInvite(InviteID)
    case add(Add)
    case leave
    case deviceUpdate(DeviceUpdate)
    case remove(Remove)
    case role(RoleChange)
    case keyEpoch(KeyEpoch)
    /// Reserved: decides between branches of a roster; opaque.
    case resolve([UInt8])
    /// What its author proposes to be final, so that logs can be cut.
    case checkpoint(CheckpointBody)
    /// Which program a member runs now; replaces what was said before.
    case deviceSoftware(DeviceSoftware)
    /// Of a newer version, or of kind 11 or 12 and unreadable: kept and passed on, without effect here.
    case unknown(kind: UInt8, [UInt8])

    /// The first operation; its hash is the SpaceID, so `nonce` makes two spaces of one name differ.
    public struct Genesis: Hashable, Sendable {
        public let name: SpaceName
        public let creator: DeviceDescription
        /// Random.
        public let nonce: Bytes32

        public init(name: SpaceName, creator: DeviceDescription, nonce: Bytes32) {
            self.name = name
            self.creator = creator
            self.nonce = nonce
        }
    }

    /// Somebody who holds the secret behind `key` may be added once by this operation's author.
    public struct Invite: Hashable, Sendable {
        public let id: InviteID
        public let role: Role
        /// Seconds since 1970 by the issuer's clock.
        public let expirySeconds: UInt64
        /// Ed25519, derived from the invite's secret.
        public let key: Bytes32

        public init(id: InviteID, role: Role, expirySeconds: UInt64, key: Bytes32) {
            self.id = id
            self.role = role
            self.expirySeconds = expirySeconds
            self.key = key
        }
    }

    /// A newcomer, by an invite of this operation's author.
    public struct Add: Hashable, Sendable {
        public let device: DeviceID
        public let role: Role
        public let invite: InviteID
        public let description: DeviceDescription
        /// The newest space keys, sealed to the newcomer's box key.
        public let sealedKeys: [UInt8]

        public init(
            device: DeviceID, role: Role, invite: InviteID, description: DeviceDescription,
            sealedKeys: [UInt8]
        ) {
            self.device = device
            self.role = role
            self.invite = invite
            self.description = description
            self.sealedKeys = sealedKeys
        }
    }

    /// What a member says of itself now; replaces what was said before.
    public struct DeviceUpdate: Hashable, Sendable {
        public let description: DeviceDescription

        public init(_ description: DeviceDescription) { self.description = description }
    }

    /// A device belongs no more.
    public struct Remove: Hashable, Sendable {
        public let device: DeviceID
        /// What the remover held of the device's logs: that much stays in effect.
        public let frontier: VersionVector

        public init(device: DeviceID, frontier: VersionVector) {
            self.device = device
            self.frontier = frontier
        }
    }

    /// A member's role from now on.
    public struct RoleChange: Hashable, Sendable {
        public let device: DeviceID
        public let role: Role
        /// As in `Remove`; matters where rights shrink.
        public let frontier: VersionVector

        public init(device: DeviceID, role: Role, frontier: VersionVector) {
            self.device = device
            self.role = role
            self.frontier = frontier
        }
    }

    /// New space keys, sealed to each member that stays (decision 0168).
    public struct KeyEpoch: Hashable, Sendable {
        /// From 2 on.
        public let epoch: KeyEpochNumber
        /// The id of the epoch, and in the operation that begins it the previous content keys under the new.
        public let wrappedPrevious: [UInt8]
        /// Ascending by device, none twice.
        public let packages: [Package]

        public struct Package: Hashable, Sendable {
            public let device: DeviceID
            public let sealedKeys: [UInt8]

            public init(device: DeviceID, sealedKeys: [UInt8]) {
                self.device = device
                self.sealedKeys = sealedKeys
            }
        }

        public init(epoch: KeyEpochNumber, wrappedPrevious: [UInt8], packages: [Package]) {
            self.epoch = epoch
            self.wrappedPrevious = wrappedPrevious
            self.packages = packages
        }
    }

    public var isGenesis: Bool {
        if case .genesis = self { true } else { false }
    }
}

/// Which generation of a space's keys; the genesis starts epoch 1.
public struct KeyEpochNumber: Hashable, Comparable, Sendable {
    public let value: UInt32

    public init(_ value: UInt32) { self.value = value }
    public static let first = KeyEpochNumber(1)
    public static func < (left: KeyEpochNumber, right: KeyEpochNumber) -> Bool { left.value < right.value }
}

/// What the roster says of a device beyond its key.
public struct DeviceDescription: Hashable, Sendable {
    public let name: DeviceName
    /// X25519: opens sealed space keys.
    public let boxKey: Bytes32
    /// Hints where to dial it, best first; may be empty.
    public let addresses: [PeerAddress]

    public init(name: DeviceName, boxKey: Bytes32, addresses: [PeerAddress] = []) {
        self.name = name
        self.boxKey = boxKey
        self.addresses = addresses
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        name = try DeviceName(from: &reader)
        boxKey = try Bytes32(from: &reader)
        addresses = try PeerAddress.list(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        name.encode(into: &writer)
        boxKey.encode(into: &writer)
        PeerAddress.encode(addresses, into: &writer)
    }
}
