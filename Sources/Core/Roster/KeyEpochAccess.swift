// Under which access secrets links may be opened. A member that slept through rotations dials with what it
// has, so older secrets stay good for links until everybody showed a newer one; a removed device learns so
// that it is removed. What a link may then carry is decided by who is at its other end, not by the secret.

import Bytes
public import Causality
public import Crypto
public import Wire

/// The newest epoch under which each member was linked since this node started. Forgetting it keeps older
/// secrets a little longer, and no more.
public struct LinkedEpochs: Sendable, Equatable {
    private var numbers: [DeviceID: KeyEpochNumber] = [:]

    public init() {}

    public mutating func record(_ device: DeviceID, linkedUnder number: KeyEpochNumber) {
        numbers[device] = max(numbers[device] ?? .first, number)
    }

    /// Of two epochs of one number it is not told which: the lesser.
    func name(of device: DeviceID) -> KeyEpochName {
        KeyEpochName(numbers[device] ?? .first, KeyEpochName.first.id)
    }
}

extension SpaceKeys {
    /// The current epoch and at most 32 others, newest first.
    public var accessEpochs: [Epoch] { accessEpochs(from: .first) }

    /// Those under which links may be opened: each epoch until every active member has shown a newer one, by
    /// a link or by an operation that only a holder of its keys makes. That a member was given a package is
    /// not enough: it may be garbage. A removed device has to hear that it was, and dials with what it had.
    public func accessEpochs(
        in roster: Roster, _ epochs: KeyEpochs, linked: LinkedEpochs = LinkedEpochs()
    ) -> [Epoch] {
        var least = currentName
        if epochs.names.count == 1 { return accessEpochs }
        for device in roster.devices
        where device != epochs.device && (roster.role(of: device) != nil || roster.isOut(device)) {
            if isPlanted("package-taken-as-read"), !isLacking(device, epochs, in: roster) { continue }
            least = min(least, max(used(by: device, epochs), linked.name(of: device)))
        }
        return accessEpochs(from: least)
    }

    /// One that is not held here is of a mesh that was cut off: it says nothing of those that are.
    private func used(by device: DeviceID, _ epochs: KeyEpochs) -> KeyEpochName {
        epochs.epochUsed(by: device).flatMap { holds($0) ? $0 : nil } ?? .first
    }

    private func isLacking(_ device: DeviceID, _ epochs: KeyEpochs, in roster: Roster) -> Bool {
        roster.role(of: device) != nil && epochs.lacking(currentName, in: roster).contains(device)
    }

    private func accessEpochs(from least: KeyEpochName) -> [Epoch] {
        let others = epochs.filter { $0.name != currentName && $0.name >= least }
        return [current] + others.suffix(RosterLimits.olderSecretsMax).reversed()
    }

    /// The access secrets of the current epoch and at most `previous` others, newest first.
    public func accessSecrets(previous: Int = RosterLimits.olderSecretsMax) -> [Secret] {
        accessEpochs.prefix(previous + 1).map(\.access)
    }
}
