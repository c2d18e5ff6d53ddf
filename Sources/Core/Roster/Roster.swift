// Who belongs to a space: a signed DAG of operations, apart from the logs (DESIGN 7). Built so that the
// answers are a function of the set of operations, never of the order in which they came:
//
//   - an operation is added only after everything it names, so every set held is closed under "ancestor of";
//   - what stands in such a set follows from it alone (+Standing, decision 0167);
//   - whether an operation is valid is judged in its author's own view, that is, among its ancestors, and who
//     has which role now in the whole set, by the same rules.
//
// Grow-only: nothing is ever taken out. Files: +Checking (is it valid), +Standing (what counts), +Rights (who
// may what), +Members, +Exchange (what a peer lacks), +Authoring, +Restoring (from the own store),
// +Invariants.

public import Bytes
public import Causality
import Crypto
public import Wire

/// What became of an operation.
public enum RosterAddition: Sendable {
    /// New, with those that had waited for it; in an order in which they can be stored and sent.
    case added([RosterOperation])
    /// Held or waiting already; nothing changed.
    case known
    /// Kept until these heads are known, ascending; ask for them.
    case waiting(missing: [Bytes32])
}

/// The roster of one space.
public struct Roster: Sendable {
    public let space: SpaceID
    /// The name that the creator chose; each node may use another.
    public let name: SpaceName

    /// What is needed to judge by an operation, all of it a function of the operation's ancestors. Its bytes
    /// lie in `bytes` and are read again when more of it is asked for.
    struct Entry: Sendable {
        let id: Bytes32
        let author: DeviceID
        let place: OperationBytes.Place
        let effect: Effect
        /// Longest way to the genesis: greater than that of every ancestor.
        let depth: Int32
        /// Every index below is the operation's own or an ancestor's.
        let covered: Int32
        /// Indices of its heads.
        let parents: [Int32]
        /// The membership operations about its author that count in its view: why the author may.
        let basis: [Int32]
        /// The last of `basis` in the one order: smaller is senior. -1 for the genesis.
        let key: Int32
        /// When it is about somebody's membership: the latest ones about the same device in its view, whether
        /// they stand or not.
        let supersedes: [Int32]
        /// The restrictions of its author that stand in its view.
        let restrictionsSeen: [Int32]
    }

    /// By arrival; every operation stands after its parents. Index 0 is the genesis.
    var entries: [Entry] = []
    var bytes = OperationBytes()
    /// Inverse of `entries`.
    var indices: [Bytes32: Int32] = [:]
    /// All indices in the one order that every replica has (`precedes`).
    var ordered: [Int32] = []
    /// Operations that no other names, ascending; never empty.
    public internal(set) var heads: [Bytes32] = []
    /// Of the operations about membership by authors that were calm, those that none of them follows,
    /// ascending: what a change names (+Authoring).
    var standingHeads: [Bytes32] = []
    /// The last of each author by arrival.
    var latestBy: [DeviceID: Int32] = [:]
    /// genesis, add, remove, role and leave by the device they are about, ascending by index.
    var membership: [DeviceID: [Int32]] = [:]
    /// The newest device-update of each author.
    var updates: [DeviceID: Int32] = [:]
    /// The newest device-software of each author.
    var software: [DeviceID: Int32] = [:]
    var invites: [InviteID: [Int32]] = [:]
    var revocations: [InviteID: [Int32]] = [:]
    var adds: [InviteID: [Int32]] = [:]
    /// remove, and role below admin, by the device they are about, each with its ancestors.
    var restrictions: [DeviceID: [Restriction]] = [:]
    /// The same, all of them, ascending, and whom each is about.
    var restricting: [Int32] = []
    var restricted: [Int32: DeviceID] = [:]
    /// Operations that may fall (`Effect.isAct`), seniors first.
    var acts: [Int32] = []
    /// The same by author, ascending.
    var actsBy: [DeviceID: [Int32]] = [:]
    /// Devices that some operation makes admin.
    var everAdmin: [DeviceID] = []
    /// What stands of everything known.
    var standing = Standing()
    /// Devices about which what stands changed since they were last taken.
    var rejudged: Set<DeviceID> = []
    var waiting = WaitingOperations()
    /// Authors that lately say more than a member needs to (`RosterBudgets`): what others sign is not made on
    /// their operations before it must be.
    public var flooding: Set<DeviceID> = []
    /// Views of recent heads; dropped at will.
    var views: [[Bytes32]: View] = [:]
    /// Operations that had waited and were then refused: faults of peers that can no longer be named.
    public internal(set) var refusedAfterWaiting = 0

    struct Restriction: Sendable {
        let index: Int32
        /// Its ancestors and itself.
        let reachable: ReachableSet
        /// That much of the device's logs stays in effect.
        let kept: VersionVector
        /// The role that is left; nil: none.
        let role: Role?
    }

    /// A roster begins with its genesis, whose hash is the space.
    public init(genesis: RosterOperation) throws(RosterFault) {
        try self.init(known: genesis)
        guard genesis.isSigned() else { throw .notSigned(by: genesis.author) }
        if case .genesis(let content) = genesis.body {
            try Self.checkBoxKey(content.creator, of: genesis.author)
        }
    }

    init(known genesis: RosterOperation) throws(RosterFault) {
        guard case .genesis(let content) = genesis.body else { throw .notGenesis }
        space = SpaceID(raw: genesis.id)
        name = content.name
        append(
            genesis,
            Judgement(
                view: View(tops: [], reachable: ReachableSet(), standing: Standing()), parents: [], basis: [])
        )
    }

    /// Checks and adds an operation, in any order and any number of times. A throw is its author's or
    /// sender's fault and changes nothing. O(log n) and a signature, as long as it is made on recent ones.
    public mutating func add(_ operation: RosterOperation) throws(RosterFault) -> RosterAddition {
        if let known = known(operation.id) { return known }
        guard operation.body.isGenesis || operation.isSigned() else {
            throw .notSigned(by: operation.author)
        }
        return try add(signed: operation)
    }

    /// What `add` answers for an operation that is held or waits; nil for a new one.
    public func known(_ id: Bytes32) -> RosterAddition? {
        if indices[id] != nil { return .known }
        return waiting.contains(id) ? .waiting(missing: waiting.missing(of: id)) : nil
    }

    /// The same for a new operation whose signature holds.
    public mutating func add(signed operation: RosterOperation) throws(RosterFault) -> RosterAddition {
        if operation.body.isGenesis { throw .otherSpace }
        let missing = operation.heads.filter { indices[$0] == nil }
        guard missing.isEmpty else {
            waiting.insert(operation, missing: Set(missing))
            return .waiting(missing: missing)
        }
        append(operation, try judge(operation))

        // What waited for it may be ready now, and so on: a list instead of recursion on input.
        var added = [operation]
        var next = 0
        while next < added.count {
            for ready in waiting.release(by: added[next].id) {
                do throws(RosterFault) {
                    append(ready, try judge(ready))
                    added.append(ready)
                } catch {
                    refusedAfterWaiting += 1
                }
            }
            next += 1
        }
        return .added(added)
    }

    /// The same from bytes that a peer sent or the store kept.
    public mutating func add(decoding bytes: [UInt8]) throws(RosterFault) -> RosterAddition {
        let operation: RosterOperation
        do throws(DecodeFault) {
            operation = try RosterOperation(decoding: bytes)
        } catch {
            throw .malformed(error)
        }
        return try add(operation)
    }

    /// BLAKE2b-256 of the sorted heads, 32 bytes each: what certificates carry (THREATS.md).
    public var rosterHash: Bytes32 { Blake2b.hash256(heads.flatMap(\.bytes)) }

    /// Operations held; waiting ones do not count.
    public var count: Int { entries.count }
    public var waitingCount: Int { waiting.count }
    public var waitingBytes: Int { waiting.byteCount }
    public var genesis: RosterOperation { operation(at: 0) }

    public func contains(_ id: Bytes32) -> Bool { indices[id] != nil }
    public func operation(_ id: Bytes32) -> RosterOperation? { indices[id].map { operation(at: $0) } }

    /// Reads an operation again. About 2 µs.
    func operation(at index: Int32) -> RosterOperation {
        let entry = entries[Int(index)]
        do throws(DecodeFault) {
            return try RosterOperation(decoding: bytes[entry.place], knownAs: entry.id)
        } catch {
            preconditionFailure("operation \(entry.id) does not decode any more: \(error)")
        }
    }

    /// Puts a judged operation into all indices.
    mutating func append(_ operation: RosterOperation, _ judgement: Judgement) {
        let index = Int32(entries.count)
        let subject = operation.membershipSubject
        let former = judgement.view.reachable
        var reachable = former
        reachable.insert(Int(index))
        // Most operations of an author stand on the same ones about it: they share the array.
        let shared = latestBy[operation.author].map { entries[Int($0)].basis }
        let basis = shared.flatMap { $0 == judgement.basis ? $0 : nil } ?? judgement.basis
        let seen = restrictions.isEmpty ? nil : restrictions[operation.author]
        entries.append(
            Entry(
                id: operation.id, author: operation.author, place: bytes.append(operation.bytes),
                effect: Effect(operation.body),
                depth: judgement.parents.reduce(0) { max($0, entries[Int($1)].depth + 1) },
                covered: Int32(reachable.first), parents: judgement.parents, basis: basis,
                key: newest(basis) ?? -1,
                supersedes: subject.map { counting(about: $0, in: former, Standing()) } ?? [],
                restrictionsSeen: (seen ?? []).map(\.index).filter {
                    former.contains(Int($0)) && judgement.view.standing.holds($0)
                }))
        indices[operation.id] = index
        latestBy[operation.author] = index
        ordered.insert(index, at: ordered.partitioningIndex { precedes(index, $0) })
        replaceHeads(by: operation)
        if subject != nil, !flooding.contains(operation.author) {
            replaceStandingHeads(by: operation.id, in: reachable)
        }
        register(operation, at: index, reachable)
        extendStanding(with: index)
        keep(view(adding: operation.id, at: index, to: judgement.view, reachable))
    }

    private mutating func register(
        _ operation: RosterOperation, at index: Int32, _ reachable: ReachableSet
    ) {
        let effect = entries[Int(index)].effect
        if let subject = operation.membershipSubject {
            membership[subject, default: []].append(index)
            if effect.roleGiven == .admin, !everAdmin.contains(subject) { everAdmin.append(subject) }
        }
        if effect.isAct {
            acts.insert(index, at: acts.partitioningIndex { isSenior(index, to: $0) })
            actsBy[operation.author, default: []].append(index)
        }
        switch operation.body {
        case .invite(let invite): invites[invite.id, default: []].append(index)
        case .revokeInvite(let id): revocations[id, default: []].append(index)
        case .add(let add): adds[add.invite, default: []].append(index)
        case .deviceUpdate:
            if let newest = updates[operation.author], precedes(index, newest) { break }
            updates[operation.author] = index
        case .deviceSoftware:
            if let newest = software[operation.author], precedes(index, newest) { break }
            software[operation.author] = index
        default: break
        }
        if let (device, role, kept) = operation.restriction {
            restricting.append(index)
            restricted[index] = device
            restrictions[device, default: []].append(
                Restriction(index: index, reachable: reachable, kept: kept, role: role))
        }
    }

    private mutating func replaceHeads(by operation: RosterOperation) {
        for head in operation.heads {
            let place = heads.partitioningIndex { $0 >= head }
            if place < heads.count, heads[place] == head { heads.remove(at: place) }
        }
        heads.insert(operation.id, at: heads.partitioningIndex { $0 > operation.id })
    }

    private mutating func replaceStandingHeads(by id: Bytes32, in reachable: ReachableSet) {
        standingHeads.removeAll { head in
            indices[head].map { reachable.contains(Int($0)) } ?? false
        }
        standingHeads.insert(id, at: standingHeads.partitioningIndex { $0 > id })
    }
}

/// What an operation decides, as far as other operations ask.
enum Effect: Hashable, Sendable {
    case genesis
    case invite(Role)
    case revocation
    case add(Role)
    case leave
    case removal
    case role(Role)
    case checkpoint
    case none

    init(_ body: RosterBody) {
        self =
            switch body {
            case .genesis: .genesis
            case .invite(let invite): .invite(invite.role)
            case .revokeInvite: .revocation
            case .add(let add): .add(add.role)
            case .leave: .leave
            case .remove: .removal
            case .role(let change): .role(change.role)
            case .checkpoint: .checkpoint
            case .deviceUpdate, .deviceSoftware, .keyEpoch, .resolve, .unknown: .none
            }
    }

    /// The role that it gives somebody.
    var roleGiven: Role? {
        switch self {
        case .genesis: .admin
        case .add(let role), .role(let role): role
        case .invite, .revocation, .leave, .removal, .checkpoint, .none: nil
        }
    }

    var isAdmission: Bool {
        switch self {
        case .genesis, .add: true
        default: false
        }
    }

    /// Done by the right of an admin, and falls with it.
    var isAct: Bool {
        switch self {
        case .invite, .add, .removal, .role: true
        case .genesis, .revocation, .leave, .checkpoint, .none: false
        }
    }
}

extension RosterOperation {
    /// The device whose membership this decides.
    public var membershipSubject: DeviceID? {
        switch body {
        case .genesis, .leave: author
        case .add(let add): add.device
        case .remove(let remove): remove.device
        case .role(let change): change.device
        default: nil
        }
    }

    /// The device whose rights to grant this takes away, the role that it keeps, and what stays in effect.
    var restriction: (device: DeviceID, role: Role?, kept: VersionVector)? {
        switch body {
        case .remove(let remove): (remove.device, nil, remove.frontier)
        case .role(let change) where change.role < .admin: (change.device, change.role, change.frontier)
        default: nil
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element fits, where all that fit stand behind those that do not; O(log n).
    func partitioningIndex(where fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
