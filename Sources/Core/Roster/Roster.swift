// Who belongs to a space: a signed DAG of operations, apart from the logs (DESIGN 7). Built so that the
// answers are a function of the set of operations, never of the order in which they came:
//
//   - an operation is added only after everything it names, so every set held is closed under "ancestor of";
//   - whether it is valid is judged in its author's own view, that is, among its ancestors;
//   - what holds now is read from the whole set; where operations about one device are concurrent, the one
//     that gives fewer rights counts (decision 0021).
//
// Grow-only: nothing is ever taken out. Files: +Checking (is it valid), +Rights (who may what), +Members,
// +Exchange (what a peer lacks), +Authoring, +Invariants.

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

    /// An operation with what is needed to judge by it, all of it a function of the operation's ancestors.
    struct Entry: Sendable {
        let operation: RosterOperation
        /// Indices of its heads.
        let parents: [Int]
        /// Longest way to the genesis: greater than that of every ancestor.
        let depth: Int
        /// The membership operations about its author that count in its view: why the author may.
        let basis: [Int]
        /// When it is about somebody's membership: the latest ones about the same device in its view.
        let supersedes: [Int]
        /// The restrictions of its author in its view.
        let restrictionsSeen: [Int]
    }

    /// By arrival; every operation stands after its parents. Index 0 is the genesis.
    var entries: [Entry] = []
    /// Inverse of `entries`.
    var indices: [Bytes32: Int] = [:]
    /// Operations that no other names, ascending; never empty.
    public internal(set) var heads: [Bytes32] = []
    /// genesis, add, remove, role and leave by the device they are about, ascending by index.
    var membership: [DeviceID: [Int]] = [:]
    /// device-update by author, ascending by index.
    var updates: [DeviceID: [Int]] = [:]
    var invites: [InviteID: [Int]] = [:]
    var revocations: [InviteID: [Int]] = [:]
    var adds: [InviteID: [Int]] = [:]
    /// remove, and role below admin, by the device they are about, each with its ancestors.
    var restrictions: [DeviceID: [Restriction]] = [:]
    /// Same order as `entries`: false for a grant by somebody who was concurrently restricted, and for what
    /// was granted on the strength of such a one.
    var isStanding: [Bool] = []
    var waiting = WaitingOperations()
    /// Views of recent heads; dropped at will.
    var views: [[Bytes32]: View] = [:]
    /// Operations that had waited and were then refused: faults of peers that can no longer be named.
    public internal(set) var refusedAfterWaiting = 0

    struct Restriction: Sendable {
        let index: Int
        let reachable: ReachableSet
    }

    /// A roster begins with its genesis, whose hash is the space.
    public init(genesis: RosterOperation) throws(RosterFault) {
        guard case .genesis(let content) = genesis.body else { throw .notGenesis }
        guard genesis.isSigned() else { throw .notSigned(by: genesis.author) }
        space = SpaceID(raw: genesis.id)
        name = content.name
        append(
            genesis,
            Judgement(view: View(tops: [], reachable: ReachableSet()), parents: [], basis: []))
    }

    /// Checks and adds an operation, in any order and any number of times. A throw is its author's or
    /// sender's fault and changes nothing. O(operations) at worst, mostly O(its heads).
    public mutating func add(_ operation: RosterOperation) throws(RosterFault) -> RosterAddition {
        if indices[operation.id] != nil { return .known }
        if waiting.contains(operation.id) { return .waiting(missing: waiting.missing(of: operation.id)) }
        if operation.body.isGenesis { throw .otherSpace }
        guard operation.isSigned() else { throw .notSigned(by: operation.author) }
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
    public var genesis: RosterOperation { entries[0].operation }

    public func contains(_ id: Bytes32) -> Bool { indices[id] != nil }
    public func operation(_ id: Bytes32) -> RosterOperation? { indices[id].map { entries[$0].operation } }

    /// Puts a judged operation into all indices.
    mutating func append(_ operation: RosterOperation, _ judgement: Judgement) {
        let index = entries.count
        let subject = operation.membershipSubject
        let view = judgement.view
        entries.append(
            Entry(
                operation: operation, parents: judgement.parents,
                depth: judgement.parents.reduce(0) { max($0, entries[$1].depth + 1) }, basis: judgement.basis,
                supersedes: subject.map { latest(about: $0, in: view.reachable) } ?? [],
                restrictionsSeen: (restrictions[operation.author] ?? []).map(\.index).filter {
                    view.reachable.contains($0)
                }))
        indices[operation.id] = index
        replaceHeads(by: operation)
        register(operation, at: index, in: view)
        extendStanding(with: index)
        keep(view.adding(operation.id, at: index))
    }

    private mutating func register(_ operation: RosterOperation, at index: Int, in view: View) {
        if let subject = operation.membershipSubject { membership[subject, default: []].append(index) }
        switch operation.body {
        case .invite(let invite): invites[invite.id, default: []].append(index)
        case .revokeInvite(let id): revocations[id, default: []].append(index)
        case .add(let add): adds[add.invite, default: []].append(index)
        case .deviceUpdate: updates[operation.author, default: []].append(index)
        default: break
        }
        if let restricted = operation.restrictedDevice {
            restrictions[restricted, default: []].append(Restriction(index: index, reachable: view.reachable))
        }
    }

    private mutating func replaceHeads(by operation: RosterOperation) {
        let covered = Set(operation.heads)
        heads.removeAll { covered.contains($0) }
        heads.insert(operation.id, at: heads.firstIndex { $0 > operation.id } ?? heads.count)
    }
}

extension RosterOperation {
    /// The device whose membership this decides.
    var membershipSubject: DeviceID? {
        switch body {
        case .genesis, .leave: author
        case .add(let add): add.device
        case .remove(let remove): remove.device
        case .role(let change): change.device
        default: nil
        }
    }

    /// The device whose rights to grant this takes away.
    var restrictedDevice: DeviceID? {
        switch body {
        case .remove(let remove): remove.device
        case .role(let change): change.role < .admin ? change.device : nil
        default: nil
        }
    }
}
