// Secrets out of the roster: packages for this device, and what their epochs wrap. A package that does not
// give the id that it stands under is as none; so is a wrapped key of an epoch that never began.

import Bytes
public import Causality
public import Crypto
import Wire

extension SpaceKeys {
    /// Takes in all that the roster gives this device, and chooses the current epoch; true when anything
    /// changed, so that it is to be stored. Call it whenever `epochs.read` says that there is news, or
    /// somebody's role changed. O(epochs).
    public mutating func read(_ epochs: KeyEpochs, in roster: Roster, with boxKey: AgreementKey) -> Bool {
        let before = (currentName, self.epochs.count, readable.count)
        var isChanged = false
        for own in epochs.ownPackages where epoch(own.name)?.content == nil {
            guard let package = package(own, for: epochs.device, in: roster),
                let secrets = KeyEpochSecrets(opening: package, of: own.name, in: space, with: boxKey)
            else { continue }
            if insert(Epoch(own.name.number, secrets, in: space)) { isChanged = true }
        }
        // Each leads to lower numbers only.
        for name in epochs.names.reversed() {
            for epoch in wrapped(by: name, epochs, in: roster) where isEpoch(epoch, of: epochs) {
                if insert(epoch) { isChanged = true }
            }
        }
        choose(epochs, in: roster)
        return isChanged || before != (currentName, self.epochs.count, readable.count)
    }

    private func package(_ own: KeyEpochs.OwnPackage, for device: DeviceID, in roster: Roster) -> [UInt8]? {
        switch roster.operation(at: own.index).body {
        case .keyEpoch(let epoch): epoch.packages.first { $0.device == device }?.sealedKeys
        case .add(let add): Self.packageCarried(by: add.sealedKeys)
        default: nil
        }
    }

    /// What an epoch leads back to; empty when its content key is not held.
    func wrapped(by name: KeyEpochName, _ epochs: KeyEpochs, in roster: Roster) -> [ReadableEpoch] {
        guard name != .first, let content = content(of: name) else { return [] }
        return (epochs.beginnings[name] ?? []).flatMap { beginning -> [ReadableEpoch] in
            guard case .keyEpoch(let operation) = roster.operation(at: beginning.index).body else {
                return []
            }
            return WrappedKeys.open(
                operation.wrappedPrevious, under: content, of: name, by: beginning.author, in: space)
        }
    }

    /// Authors use the greatest good epoch. Where none is good, the greatest that is held: links are with
    /// members only, and one of the admins will rotate. Who is out hands over what it wrote, so of those the
    /// greatest that somebody who stayed can open.
    mutating func choose(_ epochs: KeyEpochs, in roster: Roster) {
        let held = epochs.names.filter { holds($0) }
        if isPlanted("old-key-used"), held.contains(currentName) { return }
        // A space whose keys never changed pays nothing for each member that comes.
        if held.count == 1 { return currentName = held[0] }
        let isOut = roster.role(of: epochs.device) == nil
        currentName =
            epochs.greatestGood(in: roster, where: { holds($0) })
            ?? held.last { !isOut || epochs.isOpened($0, byMembersOf: roster) } ?? held.last
            ?? self.epochs[self.epochs.count - 1].name
    }

    /// Under which a peer is sent what this device holds: the current one. Who is out hands over to each the
    /// greatest that this one can open: others who can may be away for ever. O(epochs).
    public func sealing(to peer: DeviceID, _ epochs: KeyEpochs, in roster: Roster) -> Epoch {
        guard self.epochs.count > 1, roster.role(of: epochs.device) == nil else { return current }
        let opened = epochs.names.last { epochs.isOpened($0, by: peer) && epoch($0)?.content != nil }
        return opened.flatMap { epoch($0) } ?? current
    }

    private func isEpoch(_ epoch: ReadableEpoch, of epochs: KeyEpochs) -> Bool {
        epoch.number == .first || epochs.contains(KeyEpochName(epoch.number, epoch.id(in: space)))
    }

    private func content(of name: KeyEpochName) -> Secret? {
        if let content = epoch(name)?.content { return content }
        let place = readable.partitioningIndex { KeyEpochName($0.number, $0.id(in: space)) >= name }
        guard place < readable.count, readable[place].id(in: space) == name.id else { return nil }
        return readable[place].number == name.number ? readable[place].content : nil
    }
}
