// New secrets into the roster: an epoch with its packages, and packages for who was forgotten. A newcomer
// that was added while an epoch began elsewhere is in neither list of recipients; whoever added it gives it
// the package, and if that device stays away the others do, each after a delay of its own.

import Bytes
public import Causality
public import Crypto
public import Wire

/// An epoch that was begun: store operations and keys in one transaction.
public struct KeyRotation: Sendable {
    public let id: KeyEpochID
    /// In the order in which they are stored and sent.
    public let operations: [RosterOperation]
    public let keys: SpaceKeys
}

extension SpaceKeys {
    /// Begins an epoch for all active members but those who are `out`: 64 packages an operation, one for this
    /// device too, which may come back from a backup. The roster gets the operations. Only admins may.
    public func rotated(
        in roster: inout Roster, _ known: KeyEpochs, without out: Set<DeviceID> = [],
        _ entropy: inout Entropy, at timestamp: Timestamp, by key: SigningKey
    ) throws(RosterFault) -> KeyRotation {
        let author = DeviceID(publicKey: key.publicKey)
        guard let role = roster.role(of: author), role.allows(.administer) else {
            throw .noRight(author: author, need: .administer, have: roster.role(of: author))
        }
        // 1. The number after those that the operation will name.
        let heads = roster.headsToName(for: .leave, by: author).compactMap { roster.indices[$0] }
        var epochs = known
        epochs.read(&roster)
        let number = epochs.next(on: heads)
        let secrets = KeyEpochSecrets(access: entropy.secret(32), content: .key(entropy.secret(32)))
        let epoch = Epoch(number, secrets, in: space)
        guard let content = secrets.contentKey, let id = epoch.id else {
            preconditionFailure("new secrets have an id")
        }
        // 2. Its operations: the first leads back, the others name it.
        let wrapped = WrappedKeys.seal(
            newestReadable(before: number), under: content, of: epoch.name, by: author, in: space,
            nonce: entropy.bytes(XChaCha.nonceBytes))
        var members = roster.activeDevices().filter { !out.contains($0) }
        if isPlanted("newcomer-forgotten") {
            let newest = members.compactMap(roster.member).max { $0.since < $1.since }?.device
            members.removeAll { $0 == newest && $0 != author }
        }
        let operations = try Self.give(
            epoch, to: members, beginningWith: wrapped, in: &roster, &entropy, at: timestamp, by: key)
        // 3. The keys that go with them.
        var keys = self
        guard keys.insert(epoch) else { preconditionFailure("a new epoch \(number.value) is held") }
        epochs.read(&roster)
        keys.choose(epochs, in: roster)
        return KeyRotation(id: id, operations: operations, keys: keys)
    }

    /// Packages of an epoch that this device holds, for members that lack it. The roster gets the operations;
    /// none when there is nothing to give.
    public func packages(
        of name: KeyEpochName, for devices: [DeviceID], in roster: inout Roster, _ entropy: inout Entropy,
        at timestamp: Timestamp, by key: SigningKey
    ) throws(RosterFault) -> [RosterOperation] {
        guard name != .first, let epoch = epoch(name), epoch.content != nil, !devices.isEmpty else {
            return []
        }
        return try Self.give(epoch, to: devices, in: &roster, &entropy, at: timestamp, by: key)
    }

    /// `wrapped` is nil in operations that begin nothing; `heads`: what they are made on, where it is not all
    /// that is known.
    static func give(
        _ epoch: Epoch, to devices: [DeviceID], beginningWith wrapped: [UInt8]? = nil,
        on heads: [Bytes32]? = nil, in roster: inout Roster, _ entropy: inout Entropy,
        at timestamp: Timestamp, by key: SigningKey
    ) throws(RosterFault) -> [RosterOperation] {
        var operations: [RosterOperation] = []
        var rest = devices.sorted()[...]
        repeat {
            var packages: [RosterBody.KeyEpoch.Package] = []
            for device in rest.prefix(RosterLimits.epochPackagesMax) {
                guard let role = roster.role(of: device), let said = roster.description(of: device),
                    let sealed = epoch.secrets.package(
                        for: role, to: said.boxKey, of: roster.space,
                        ephemeral: AgreementKey(secret: entropy.secret(32)))
                else { continue }
                packages.append(RosterBody.KeyEpoch.Package(device: device, sealedKeys: sealed))
            }
            rest = rest.dropFirst(RosterLimits.epochPackagesMax)
            // It would be made again and again.
            if packages.isEmpty, wrapped == nil || !operations.isEmpty { continue }
            let field = operations.isEmpty ? wrapped ?? epoch.name.id.raw.bytes : epoch.name.id.raw.bytes
            let body = RosterBody.KeyEpoch(epoch: epoch.number, wrappedPrevious: field, packages: packages)
            let operation = try roster.author(.keyEpoch(body), on: heads, at: timestamp, by: key)
            _ = try roster.add(operation)
            operations.append(operation)
        } while !rest.isEmpty
        return operations
    }

    /// The newest epochs that can be read, ascending.
    private func newestReadable(before number: KeyEpochNumber) -> [ReadableEpoch] {
        let own = epochs.compactMap { epoch in
            epoch.content.map {
                ReadableEpoch(
                    number: epoch.number,
                    accessHalf: KeyEpochSecrets.accessHalf(epoch.access, of: space), content: $0)
            }
        }
        let named = (own + readable).filter { $0.number < number }
            .map { (name: KeyEpochName($0.number, $0.id(in: space)), epoch: $0) }
            .sorted { $0.name < $1.name }
        return named.suffix(RosterLimits.wrappedEpochsMax).map(\.epoch)
    }
}

/// Who gives a package to whom it was not given, and when.
public struct MissingPackages: Sendable, Equatable {
    public struct Duty: Sendable, Equatable {
        public let member: DeviceID
        /// Since the lack became known here; 0 for the device that added the member.
        public let afterMilliseconds: UInt64
    }

    public let epoch: KeyEpochName
    /// Ascending by member.
    public let duties: [Duty]

    /// Where the others begin, and the width over which they are spread.
    static let delayMilliseconds: UInt64 = 5_000
    static let jitterMilliseconds: UInt64 = 25_000
    /// By then each admin that hears of it would have begun an epoch.
    static let adminsMilliseconds: UInt64 = 60_000

    enum Time { case atOnce, inTurn, afterAdmins }

    /// Nil when nothing is missing, or this device holds no content key of the epoch or may not give it. The
    /// delay is a hash of maker and epoch, so members seldom make the same package twice.
    public init?(of keys: SpaceKeys, _ epochs: KeyEpochs, in roster: Roster) {
        if isPlanted("newcomer-forgotten") { return nil }
        let current = keys.current
        let device = epochs.device
        guard current.number != .first, current.content != nil,
            epochs.isGood(current.name, in: roster),
            roster.role(of: device)?.allows(.keyEpoch) == true
        else { return nil }
        let lacking = epochs.lacking(current.name, in: roster).filter { $0 != device }
        if lacking.isEmpty { return nil }
        self.init(of: current.name, for: lacking, by: device, in: roster, when: .inTurn)
    }

    init(
        of epoch: KeyEpochName, for lacking: [DeviceID], by device: DeviceID, in roster: Roster,
        when time: Time
    ) {
        self.epoch = epoch
        let hash = Blake2b.hash256(device.publicKey.bytes + epoch.id.raw.bytes).firstWord
        let delay = Self.delayMilliseconds + hash % Self.jitterMilliseconds
        duties = lacking.map { member in
            let isAdder = roster.member(member)?.addedBy == device
            let own: UInt64 =
                switch time {
                case .atOnce: 0
                case .inTurn: isAdder ? 0 : delay
                case .afterAdmins: Self.adminsMilliseconds + delay
                }
            return Duty(member: member, afterMilliseconds: own)
        }
    }
}
