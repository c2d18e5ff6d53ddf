// What the roster says, as lists: members and invites, judged by everything known.

public import Bytes
public import Causality
public import Wire

extension Roster {
    /// All that are or were members, ascending by device.
    public func members() -> [Member] { membership.keys.sorted().compactMap { member($0) } }

    /// Nil for a device that never was a member.
    public func member(_ device: DeviceID) -> Member? {
        let standing = state(of: device, in: nil, isJudged: true)
        let grants = (membership[device] ?? []).filter { isStanding[$0] && entries[$0].operation.isAdmission }
        guard let grant = newest(grants) else { return nil }
        let state: Member.State
        let role: Role
        switch standing {
        case .active(let now): (state, role) = (.active, now)
        case .left: (state, role) = (.left, grantedRole(device))
        case .removed: (state, role) = (.removed, grantedRole(device))
        case .stranger: return nil
        }
        let operation = entries[grant].operation
        return Member(
            device: device, description: description(of: device, addedAt: grant), role: role,
            addedBy: operation.author, since: operation.timestamp, state: state)
    }

    /// The operation that let an active member in and holds its keys, sealed to this box key; nil for the
    /// creator, who needs none, and for another box key.
    public func admission(of device: DeviceID, boxKey: Bytes32) -> RosterOperation? {
        guard role(of: device) != nil else { return nil }
        let grants = (membership[device] ?? []).filter {
            guard isStanding[$0], case .add(let add) = entries[$0].operation.body else { return false }
            return add.description.boxKey == boxKey
        }
        return newest(grants).map { entries[$0].operation }
    }

    /// The box key, name and addresses of an active member; nil for any other device.
    public func description(of device: DeviceID) -> DeviceDescription? {
        role(of: device) == nil ? nil : member(device)?.description
    }

    /// The signed removal to show to a removed device before its link is closed (THREATS.md); nil for others.
    public func removal(of device: DeviceID) -> RosterOperation? {
        guard state(of: device, in: nil, isJudged: true) == .removed else { return nil }
        return newest((membership[device] ?? []).filter { entries[$0].operation.isRemoval })
            .map { entries[$0].operation }
    }

    /// Every invite, by issuer and then as issued.
    public func inviteRecords() -> [InviteRecord] {
        let all = invites.values.joined().sorted { precedes($0, $1) }
        return all.compactMap { index in
            let operation = entries[index].operation
            guard case .invite(let invite) = operation.body else { return nil }
            return InviteRecord(
                operation: operation.id, invite: invite, issuer: operation.author,
                isRevoked: revocations[invite.id] != nil,
                spentBy: spender(of: invite.id, by: operation.author))
        }
    }

    /// True when a revocation of the invite is known, from whomever.
    public func isRevoked(_ id: InviteID) -> Bool { revocations[id] != nil }

    private func spender(of id: InviteID, by issuer: DeviceID) -> DeviceID? {
        let spent = newest((adds[id] ?? []).filter { entries[$0].operation.author == issuer })
        guard let spent, case .add(let add) = entries[spent].operation.body else { return nil }
        return add.device
    }

    /// The role that the newest operation gave a device that has none any more.
    private func grantedRole(_ device: DeviceID) -> Role {
        let given = (membership[device] ?? []).filter {
            isStanding[$0] && entries[$0].operation.roleGiven != nil
        }
        return newest(given).flatMap { entries[$0].operation.roleGiven } ?? .relay
    }

    private func description(of device: DeviceID, addedAt grant: Int) -> DeviceDescription {
        let update = newest(updates[device] ?? [])
        if let update, precedes(grant, update), case .deviceUpdate(let said) = entries[update].operation.body
        {
            return said.description
        }
        switch entries[grant].operation.body {
        case .add(let add): return add.description
        case .genesis(let genesis): return genesis.creator
        default: preconditionFailure("operation \(entries[grant].operation.id) admits nobody")
        }
    }

    /// The last in the one order that every replica has: by depth, which respects ancestry, then by id.
    private func newest(_ candidates: [Int]) -> Int? { candidates.max { precedes($0, $1) } }

    /// Deterministic and topological.
    func precedes(_ left: Int, _ right: Int) -> Bool {
        // Field by field: copies of whole entries would cost a sort most of its time.
        let (a, b) = (entries[left].depth, entries[right].depth)
        return a == b ? entries[left].operation.id < entries[right].operation.id : a < b
    }
}

extension RosterOperation {
    var isAdmission: Bool {
        switch body {
        case .genesis, .add: true
        default: false
        }
    }

    var isRemoval: Bool { if case .remove = body { true } else { false } }

    var roleGiven: Role? {
        switch body {
        case .genesis: .admin
        case .add(let add): add.role
        case .role(let change): change.role
        default: nil
        }
    }
}
