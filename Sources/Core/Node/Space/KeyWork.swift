// What this device has to do for the keys of a space, and when: packages for members that were forgotten, and
// a new epoch where none is good. Whoever is first spares the others, so most of it is done by one device.
// After a restart it is found out again.

import Bytes
import Causality
import Crypto
import Roster
import Wire

/// What lacks of the keys of one space, and since when.
struct KeyWork: Sendable {
    /// Somebody who lacks a package of an epoch.
    private struct Lack: Hashable {
        let epoch: KeyEpochName
        let member: DeviceID
    }

    /// None twice of one epoch.
    private var missing: [MissingPackages] = []
    /// Since when it is known here, monotonic milliseconds.
    private var since: [Lack: UInt64] = [:]
    /// Since when no epoch is good, as far as it was looked at; monotonic milliseconds.
    private(set) var noneGoodSince: UInt64?
    /// When it is looked at next whether this device begins one; nil where it may not.
    var rotationCheck: UInt64?

    /// After removals that crossed, or several leaves, operations come one after the other.
    static let rotationMilliseconds: UInt64 = 1_000
    /// After which it is looked at again whether all members were upgraded.
    static let upgradeMilliseconds: UInt64 = 60_000
    private static let delayMilliseconds: UInt64 = 5_000
    private static let jitterMilliseconds: UInt64 = 25_000

    /// The roster or the keys changed. O(members) once keys were renewed.
    mutating func update(
        _ keys: SpaceKeys, _ epochs: KeyEpochs, _ roster: inout Roster, at now: UInt64
    ) {
        missing = [MissingPackages(of: keys, epochs, in: roster)].compactMap(\.self)
        missing += MissingPackages.stranded(of: keys, epochs, in: &roster)
        let before = since
        since = [:]
        for (lack, _) in duties { since[lack] = before[lack] ?? now }
        guard let role = roster.role(of: epochs.device),
            epochs.greatestGood(in: roster, where: { _ in true }) == nil
        else {
            (noneGoodSince, rotationCheck) = (nil, nil)
            return
        }
        if noneGoodSince == nil { noneGoodSince = now }
        if role < .admin {
            rotationCheck = nil
        } else if rotationCheck == nil {
            rotationCheck = now + Self.rotationMilliseconds
        }
    }

    private var duties: [(lack: Lack, afterMilliseconds: UInt64)] {
        missing.flatMap { packages in
            packages.duties.map { (Lack(epoch: packages.epoch, member: $0.member), $0.afterMilliseconds) }
        }
    }

    /// When something of it is due, monotonic milliseconds.
    var deadline: UInt64? {
        let packages = duties.compactMap { duty in since[duty.lack].map { $0 + duty.afterMilliseconds } }
        return [packages.min(), rotationCheck].compactMap(\.self).min()
    }

    /// Members whose packages this device makes now, by epoch. They are not told again for a while, should it
    /// not help.
    mutating func takeDue(at now: UInt64) -> [(epoch: KeyEpochName, members: [DeviceID])] {
        var due: [(epoch: KeyEpochName, members: [DeviceID])] = []
        for packages in missing {
            let members = packages.duties.filter { duty in
                let lack = Lack(epoch: packages.epoch, member: duty.member)
                return since[lack].map { $0 + duty.afterMilliseconds <= now } == true
            }.map(\.member)
            for member in members {
                since[Lack(epoch: packages.epoch, member: member)] =
                    now + Self.delayMilliseconds + Self.jitterMilliseconds
            }
            if !members.isEmpty { due.append((packages.epoch, members)) }
        }
        return due
    }

    /// How long an admin waits for those who are senior to it: a hash of it and the space.
    static func rotationDelay(of device: DeviceID, in space: SpaceID) -> UInt64 {
        delayMilliseconds
            + Blake2b.hash256(device.publicKey.bytes + space.raw.bytes).firstWord % jitterMilliseconds
    }
}
