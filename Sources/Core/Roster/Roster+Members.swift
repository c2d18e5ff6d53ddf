// What the roster says, as lists: members and invites, judged by everything known.

public import Bytes
public import Causality
public import Wire

extension RosterOperation {
    /// The device whose name, addresses or membership it says.
    public var describedDevice: DeviceID? {
        if case .deviceUpdate = body { author } else { membershipSubject }
    }
}

extension Roster {
    /// Of an operation that is held.
    public func timestamp(of id: Bytes32) -> Timestamp {
        indices[id].map { operation(at: $0).timestamp } ?? .zero
    }

    /// Who made the space.
    public var founder: DeviceID { entries[0].author }

    /// All that are or were members, ascending by device.
    public func members() -> [Member] { membership.keys.sorted().compactMap { member($0) } }

    /// Devices that are or were members, ascending.
    public var devices: [DeviceID] { membership.keys.sorted() }

    /// Devices of active members, ascending; cheap beside `members()`.
    public func activeDevices() -> [DeviceID] { membership.keys.filter { role(of: $0) != nil }.sorted() }

    /// Nil for a device that never was a member.
    public func member(_ device: DeviceID) -> Member? {
        let state = state(of: device)
        let admissions = admissions(of: device)
        // A role that it got since may stand where its admission does not: then it was let in by that one all
        // the same, with this box key.
        guard let grant = newest(admissions.filter(standing.holds)) ?? newest(admissions) else { return nil }
        let shown: Member.State
        let role: Role
        switch state {
        case .active(let now): (shown, role) = (.active, now)
        case .left: (shown, role) = (.left, grantedRole(device))
        case .removed: (shown, role) = (.removed, grantedRole(device))
        case .stranger: return nil
        }
        let operation = operation(at: grant)
        return Member(
            device: device, description: description(of: device, addedBy: operation, at: grant), role: role,
            addedBy: operation.author, since: operation.timestamp, state: shown)
    }

    /// Operations that let a device in, whether they stand or not, and the genesis.
    private func admissions(of device: DeviceID) -> [Int32] {
        (membership[device] ?? []).filter { entries[Int($0)].effect.isAdmission }
    }

    /// True when it came more than once: in between it was no member, and may have given up what it held.
    public func wasLetInAgain(_ device: DeviceID) -> Bool { admissions(of: device).count > 1 }

    /// True when nothing let the device in that the view does not know.
    public func knowsAdmissions(of device: DeviceID, _ view: View) -> Bool {
        admissions(of: device).allSatisfy { view.reachable.contains(Int($0)) }
    }

    /// The operation that let an active member in and holds its keys, sealed to this box key; nil for the
    /// creator, who needs none, and for another box key.
    public func admission(of device: DeviceID, boxKey: Bytes32) -> RosterOperation? {
        guard role(of: device) != nil else { return nil }
        let grants = (membership[device] ?? []).filter {
            guard standing.holds($0), case .add(let add) = operation(at: $0).body else { return false }
            return add.description.boxKey == boxKey
        }
        return newest(grants).map(operation(at:))
    }

    /// The box key, name and addresses of an active member; nil for any other device.
    public func description(of device: DeviceID) -> DeviceDescription? {
        role(of: device) == nil ? nil : member(device)?.description
    }

    /// When an active admin was made one; nil for any other device.
    public func adminSince(_ device: DeviceID) -> Timestamp? {
        guard role(of: device) == .admin else { return nil }
        return newest(counting(about: device, in: nil, standing)).map { operation(at: $0).timestamp }
    }

    /// The one of these devices that was made admin first; nil when none is an admin.
    public func mostSenior(of devices: some Sequence<DeviceID>) -> DeviceID? {
        let admins = devices.filter { role(of: $0) == .admin }.compactMap { device in
            newest(counting(about: device, in: nil, standing)).map { (device: device, since: $0) }
        }
        return admins.min { precedes($0.since, $1.since) }?.device
    }

    /// True when it was a member and was removed.
    public func isRemoved(_ device: DeviceID) -> Bool {
        !restrictions.isEmpty && state(of: device) == .removed
    }

    /// Removed devices that were admins once, by whatever operation: they may have removed others meanwhile,
    /// who do not know them as members either. O(admins that ever were).
    public func removedAdmins() -> [DeviceID] { everAdmin.filter(isRemoved).sorted() }

    /// True when it was a member and left by itself.
    public func hasLeft(_ device: DeviceID) -> Bool { state(of: device) == .left }

    /// True when whoever let it in might not any more: it does not count as ever having been a member.
    public func isUnadmitted(_ device: DeviceID) -> Bool {
        membership[device]?.isEmpty == false && state(of: device) == .stranger
    }

    /// True when it was a member and is none by what others did: removed, or its admission does not stand.
    public func isOut(_ device: DeviceID) -> Bool { isRemoved(device) || isUnadmitted(device) }

    /// The signed removal to show to a removed device before its link is closed (THREATS.md); nil for others.
    public func removal(of device: DeviceID) -> RosterOperation? {
        guard state(of: device) == .removed else { return nil }
        return newest(
            counting(about: device, in: nil, standing).filter { entries[Int($0)].effect == .removal }
        )
        .map(operation(at:))
    }

    /// Operations that say, with those they were made on, that a device was removed: its removal first, then
    /// whatever fells what let it in again since, what would fell one of these, and what would leave the
    /// space without the admin that removed it. Empty for devices that were not.
    public func exclusion(of device: DeviceID) -> [RosterOperation] {
        guard let removal = removal(of: device), let place = indices[removal.id] else { return [] }
        let fallen = (membership[device] ?? []).filter { index in
            entries[Int(index)].effect.roleGiven != nil && !standing.holds(index)
        }
        // Where no admin is left the most senior stays one, which this device may be.
        let doubts = (restrictions[removal.author] ?? []).map(\.index).filter { !standing.holds($0) }
        if fallen.isEmpty, doubts.isEmpty { return [removal] }
        let before = reachable(from: [place])
        // What was made beside the removal gives no role that it does not take.
        let returns = fallen.filter {
            !before.contains(Int($0)) && reachable(from: [$0]).contains(Int(place))
        }
        var open = [place] + (returns + doubts).compactMap { standingRestriction(felling: [$0]) }
        var shown: Set<Int32> = []
        while let index = open.popLast() {
            guard shown.insert(index).inserted else { continue }
            open += fallenRivals(of: index).compactMap { standingRestriction(felling: [$0]) }
        }
        return [removal] + shown.filter { !before.contains(Int($0)) }.sorted().map(operation(at:))
    }

    /// Restrictions of its author that would fell a standing act, and do not stand themselves: who does not
    /// know why takes the act for fallen.
    private func fallenRivals(of index: Int32) -> [Int32] {
        let entry = entries[Int(index)]
        return (restrictions[entry.author] ?? []).filter { restriction in
            !standing.holds(restriction.index) && isSenior(restriction.index, to: index)
                && !entry.restrictionsSeen.contains(restriction.index)
                && !restriction.reachable.contains(Int(index))
        }.map(\.index)
    }

    /// Every invite, by issuer and then as issued.
    public func inviteRecords() -> [InviteRecord] {
        invites.values.joined().sorted { precedes($0, $1) }.compactMap(inviteRecord(at:))
    }

    /// Those with this id: one, unless somebody issued it again.
    public func inviteRecords(of id: InviteID) -> [InviteRecord] {
        (invites[id] ?? []).compactMap(inviteRecord(at:))
    }

    private func inviteRecord(at index: Int32) -> InviteRecord? {
        let operation = operation(at: index)
        guard case .invite(let invite) = operation.body else { return nil }
        return InviteRecord(
            operation: operation.id, invite: invite, issuer: operation.author,
            isRevoked: revocations[invite.id] != nil, spentBy: spender(of: invite.id, by: operation.author))
    }

    /// True when a revocation of the invite is known, from whomever.
    public func isRevoked(_ id: InviteID) -> Bool { revocations[id] != nil }

    private func spender(of id: InviteID, by issuer: DeviceID) -> DeviceID? {
        let spent = newest((adds[id] ?? []).filter { entries[Int($0)].author == issuer })
        guard let spent, case .add(let add) = operation(at: spent).body else { return nil }
        return add.device
    }

    /// The role that the newest operation gave a device that has none any more.
    private func grantedRole(_ device: DeviceID) -> Role {
        let given = (membership[device] ?? []).filter {
            standing.holds($0) && entries[Int($0)].effect.roleGiven != nil
        }
        return newest(given).flatMap { entries[Int($0)].effect.roleGiven } ?? .relay
    }

    private func description(
        of device: DeviceID, addedBy admission: RosterOperation, at index: Int32
    ) -> DeviceDescription {
        if let update = updates[device], precedes(index, update),
            case .deviceUpdate(let said) = operation(at: update).body
        {
            return said.description
        }
        switch admission.body {
        case .add(let add): return add.description
        case .genesis(let genesis): return genesis.creator
        default: preconditionFailure("operation \(admission.id) admits nobody")
        }
    }

    /// The last in the one order that every replica has: by depth, which respects ancestry, then by id.
    func newest(_ candidates: [Int32]) -> Int32? { candidates.max { precedes($0, $1) } }

    /// Deterministic and topological.
    func precedes(_ left: Int32, _ right: Int32) -> Bool {
        // Field by field: copies of whole entries would cost a sort most of its time.
        let (a, b) = (entries[Int(left)].depth, entries[Int(right)].depth)
        return a == b ? entries[Int(left)].id < entries[Int(right)].id : a < b
    }
}
