// Which key epochs a space has and who can open them: a function of the set of roster operations, so members
// that hold the same agree on the epoch for what is new (LIFECYCLE, "Keys"; decision 0168).
//
//   an admin's key-epoch, number = 1 + the greatest in its view   begins the epoch (number, id)
//   a key-epoch under a number and id that its view holds          adds packages
//   an add                                                         carries one epoch to the newcomer
//   any other key-epoch                                            is kept and means nothing
//
// Because only the next number counts, the last number of all cannot be taken, and rotation never ends.

public import Causality
public import Wire

/// The epochs of one space, with those who can open them.
public struct KeyEpochs: Sendable, Equatable {
    /// One operation that began an epoch. Somebody may copy the id of another's epoch; what it begins so has
    /// openers of its own, and takes nothing from the other.
    struct Beginning: Sendable, Equatable {
        let author: DeviceID
        /// Of the operation in the roster.
        let index: Int32
        /// True for those who can open payloads, false for those with the access secret only.
        var openers: [DeviceID: Bool]
    }

    /// An operation with a package for the device: a key-epoch, or an add that carries a later epoch.
    struct OwnPackage: Sendable, Equatable {
        let name: KeyEpochName
        let index: Int32
    }

    /// The device whose packages are looked out for.
    public let device: DeviceID
    /// Ascending; begins with the first epoch.
    public private(set) var names: [KeyEpochName] = []
    /// Of each of `names`, by arrival; never empty.
    private(set) var beginnings: [KeyEpochName: [Beginning]] = [:]
    /// Operations with a package for `device`, by arrival.
    private(set) var ownPackages: [OwnPackage] = []
    /// The newest epoch under which each member did something that only a holder of its keys does.
    private var usedBy: [DeviceID: KeyEpochName] = [:]
    /// The greatest number that counts among each operation and its ancestors, by index.
    private var greatest: [UInt32] = []

    /// Everything that the roster says now.
    public init(of roster: inout Roster, for device: DeviceID) {
        self.device = device
        read(&roster)
    }

    /// Takes in the operations that the roster has got since; true when some were about keys. O(1) for each
    /// other one.
    @discardableResult
    public mutating func read(_ roster: inout Roster) -> Bool {
        var isChanged = false
        for index in greatest.count..<roster.count {
            let entry = roster.entries[index]
            greatest.append(entry.parents.reduce(0) { max($0, greatest[Int($1)]) })
            switch entry.effect {
            case .genesis:
                greatest[index] = KeyEpochNumber.first.value
                begin(.first, by: entry.author, at: Int32(index), for: [:])
                isChanged = true
            case .add:
                readAdd(at: Int32(index), in: &roster)
                isChanged = true
            default:
                guard roster.isKeyEpoch(Int32(index)) else { continue }
                readKeyEpoch(at: Int32(index), in: &roster)
                isChanged = true
            }
        }
        return isChanged
    }

    private mutating func readKeyEpoch(at index: Int32, in roster: inout Roster) {
        let operation = roster.operation(at: index)
        guard case .keyEpoch(let epoch) = operation.body, let name = epoch.name,
            let view = roster.view(heads: operation.heads)
        else { return }
        let given = epoch.packages.map { ($0.device, KeyEpochSecrets.givesContent($0.sealedKeys)) }
        let openers = Dictionary(given) { $0 || $1 }
        if open(name, to: openers, by: operation.author, in: view) {
            // Packages for an epoch that it knows.
        } else if epoch.epoch.value == greatest[Int(index)] + 1,
            roster.role(of: operation.author, in: view)?.allows(.administer) == true
        {
            greatest[Int(index)] += 1
            begin(name, by: operation.author, at: index, for: openers)
        } else {
            return
        }
        record(name, by: operation.author)
        if openers[device] != nil { ownPackages.append(OwnPackage(name: name, index: index)) }
    }

    private mutating func readAdd(at index: Int32, in roster: inout Roster) {
        let operation = roster.operation(at: index)
        guard case .add(let add) = operation.body else { return }
        let openers = [add.device: add.role != .relay]
        let name = SpaceKeys.epochCarried(by: add.sealedKeys)
        if name == .first {
            beginnings[.first]?[0].openers.merge(openers) { $0 || $1 }
            return
        }
        guard let view = roster.view(heads: operation.heads) else { return }
        guard open(name, to: openers, by: operation.author, in: view) else { return }
        record(name, by: operation.author)
        // Who is let in again may hear of it from anybody, and the answer to its join was lost.
        if add.device == device { ownPackages.append(OwnPackage(name: name, index: index)) }
    }

    private mutating func begin(
        _ name: KeyEpochName, by author: DeviceID, at index: Int32, for openers: [DeviceID: Bool]
    ) {
        let place = names.partitioningIndex { $0 >= name }
        if place == names.count || names[place] != name { names.insert(name, at: place) }
        let all = openers.merging([author: true]) { $0 || $1 }
        beginnings[name, default: []].append(Beginning(author: author, index: index, openers: all))
    }

    /// False when the view holds no beginning of that name.
    private mutating func open(
        _ name: KeyEpochName, to openers: [DeviceID: Bool], by author: DeviceID, in view: View
    ) -> Bool {
        var isHeld = false
        for place in (beginnings[name] ?? []).indices {
            guard let index = beginnings[name]?[place].index, view.reachable.contains(Int(index)) else {
                continue
            }
            isHeld = true
            beginnings[name]?[place].openers.merge(openers) { $0 || $1 }
            // Who gives it to others has it, with the content key.
            beginnings[name]?[place].openers[author] = true
        }
        return isHeld
    }

    private mutating func record(_ name: KeyEpochName, by device: DeviceID) {
        usedBy[device] = max(usedBy[device] ?? .first, name)
    }

    /// The number of the epoch that an operation on these heads begins.
    func next(on heads: [Int32]) -> KeyEpochNumber {
        KeyEpochNumber(heads.reduce(KeyEpochNumber.first.value) { max($0, greatest[Int($1)]) } + 1)
    }

    // MARK: Judged by everything known

    public func contains(_ name: KeyEpochName) -> Bool { beginnings[name] != nil }

    /// The operation that began it; the first in the one order, when somebody copied the id.
    public func beginning(of name: KeyEpochName, in roster: Roster) -> RosterOperation? {
        let first = beginnings[name]?.map(\.index).min { roster.precedes($0, $1) }
        return first.map { roster.operation(at: $0) }
    }

    /// True while all who can open it are active members that may: nobody who left, was removed, or became a
    /// relay after it got the content key. A later epoch wraps earlier keys of its view, so who opens that
    /// one opens this one too.
    public func isGood(_ name: KeyEpochName, in roster: Roster) -> Bool {
        greatestGood(in: roster, where: { $0 == name }) != nil
    }

    /// The greatest good one of those; nil when none is. O(openers) while the greatest of all is.
    public func greatestGood(in roster: Roster, where fits: (KeyEpochName) -> Bool) -> KeyEpochName? {
        var found: KeyEpochName?
        eachGood(in: roster) { name in
            if fits(name) { found = name }
            return found == nil
        }
        return found
    }

    /// All that are good. O(epochs · openers).
    public func good(in roster: Roster) -> Set<KeyEpochName> {
        var found: Set<KeyEpochName> = []
        eachGood(in: roster) { found.insert($0).inserted }
        return found
    }

    /// From the greatest on, until `goesOn` says no.
    private func eachGood(in roster: Roster, _ goesOn: (KeyEpochName) -> Bool) {
        // What those that leak were made on.
        var leaking = ReachableSet()
        for name in names.reversed() {
            let tight = (beginnings[name] ?? []).filter { !leaking.contains(Int($0.index)) }
            let leaks = tight.filter { !isOpenedByMembersOnly($0, roster) }
            for beginning in leaks { leaking.formUnion(roster.reachable(from: [beginning.index])) }
            if leaks.count < tight.count, !goesOn(name) { return }
        }
    }

    private func isOpenedByMembersOnly(_ beginning: Beginning, _ roster: Roster) -> Bool {
        beginning.openers.allSatisfy { device, hasContent in
            guard let role = roster.role(of: device) else { return false }
            return !hasContent || role != .relay
        }
    }

    /// True when an active member can open it. O(openers).
    func isOpened(_ name: KeyEpochName, byMembersOf roster: Roster) -> Bool {
        (beginnings[name] ?? []).contains { $0.openers.keys.contains { roster.role(of: $0) != nil } }
    }

    /// True when the device was given it with the content key. O(beginnings of that name).
    func isOpened(_ name: KeyEpochName, by device: DeviceID) -> Bool {
        (beginnings[name] ?? []).contains { $0.openers[device] == true }
    }

    /// Active members that were not given the epoch, or not all of it that their role may have; ascending.
    public func lacking(_ name: KeyEpochName, in roster: Roster) -> [DeviceID] {
        let all = beginnings[name] ?? []
        return roster.activeDevices().filter { device in
            let role = roster.role(of: device)
            return !all.contains { beginning in
                guard let hasContent = beginning.openers[device] else { return false }
                return hasContent || role == .relay
            }
        }
    }

    /// The newest epoch under which the device did something in the roster; nil: none.
    public func epochUsed(by device: DeviceID) -> KeyEpochName? { usedBy[device] }

    func checkInvariants() {
        precondition(names.first == .first, "the first epoch begins with the genesis")
        precondition(Set(names) == Set(beginnings.keys) && names == names.sorted(), "names of all epochs")
        precondition(beginnings.values.allSatisfy { !$0.isEmpty }, "an epoch without a beginning")
    }
}

extension Roster {
    /// Without reading all of the operation.
    fileprivate func isKeyEpoch(_ index: Int32) -> Bool {
        bytes.byte(1, of: entries[Int(index)].place) == RosterBody.keyEpochKind
    }
}
