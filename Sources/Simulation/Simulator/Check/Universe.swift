// Every change that any node of a space ever made durable, decoded once, from the first node that had it. It
// is what the checkers compare all others with: one dot, one change, everywhere and for ever. Only a device
// whose disk was copied or put back, or whose keys are in wrong hands, may write a log in two ways; such a
// log has branches here, each a list of its changes from the first on, and a node is on one of them.

import Bytes
import Causality
import DocumentModel
import Documents
import Identity
import Node
import Wire

/// A change as the world knows it.
struct KnownChange {
    let change: Change
    /// The same for the model.
    let model: ModelChange
    /// Its canonical bytes.
    let bytes: [UInt8]
    /// How many changes of its log stand before it.
    let place: Int
    /// What every node makes of it whose log is not closed before its end; nil: no such node had it yet.
    var status: ChangeStatus?
    /// Keys of the documents it touches, ascending.
    let documents: [Key]
    /// The operations of the roster that its author had seen.
    let heads: [Bytes32]

    /// It makes a void change again.
    var isAdopting: Bool { change.operations.first?.adopted != nil }
}

/// One way in which a log goes on.
struct KnownBranch {
    let replica: ReplicaID
    /// Numbers of its changes, in order and without gaps.
    var changes: [Int] = []
    var coder: LogCoder

    init(replica: ReplicaID) {
        self.replica = replica
        coder = LogCoder(replica: replica)
    }
}

/// How much of which branch of a log a node holds.
struct HeldBranch {
    var branch: Int
    /// So many of its changes.
    var count = 0
}

/// All changes of one space.
struct Universe {
    private(set) var changes: [KnownChange] = []
    private(set) var branches: [KnownBranch] = []
    /// Branches of each log, the one that was seen first first.
    private(set) var branchesOf: [ReplicaID: [Int]] = [:]
    private(set) var devices: [ReplicaID: DeviceID] = [:]
    /// Numbers of the changes that touch a document, in the order in which the world learned of them, which
    /// is causal.
    private(set) var touching: [[UInt8]: [Int]] = [:]
    /// Devices that may write a log in two ways.
    var forking: Set<DeviceID> = []

    subscript(number: Int) -> KnownChange { changes[number] }

    /// The last sequence of what is held of a branch.
    func last(_ held: HeldBranch?) -> SequenceNumber {
        guard let held, held.count > 0 else { return .none }
        return changes[branches[held.branch].changes[held.count - 1]].change.last
    }

    /// True when a change is among those held of its log.
    func contains(_ number: Int, _ held: HeldBranch?) -> Bool {
        guard let held else { return false }
        let place = changes[number].place
        return place < held.count && branches[held.branch].changes[place] == number
    }

    /// What is held of a log up to a sequence; nil: it is not held so far.
    func prefix(of held: HeldBranch?, through last: SequenceNumber) -> HeldBranch? {
        guard let held else { return nil }
        let count = branches[held.branch].changes[..<held.count].prefix { changes[$0].change.last <= last }
            .count
        let prefix = HeldBranch(branch: held.branch, count: count)
        return self.last(prefix) == last ? prefix : nil
    }

    /// Numbers of the changes held of a log that end at or after a sequence.
    func held(_ held: HeldBranch?, from first: SequenceNumber) -> [Int] {
        guard let held else { return [] }
        return branches[held.branch].changes[..<held.count].filter { changes[$0].change.last >= first }
    }

    /// The number of the change that ends at a dot, if it is held. O(log n).
    func number(of dot: Dot, _ held: HeldBranch?) -> Int? {
        guard let held else { return nil }
        let list = branches[held.branch].changes
        var (low, high) = (0, held.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[list[middle]].change.last < dot.sequence { low = middle + 1 } else { high = middle }
        }
        guard low < held.count, changes[list[low]].change.last == dot.sequence else { return nil }
        return list[low]
    }

    /// Compares a stored row with what is known of its log, and learns what is new in it. `held` is what the
    /// node that has it held of the log before the row, and then after each change. The numbers of its
    /// changes.
    mutating func take(_ run: StoredRun, _ records: [CommitRecord], _ held: HeldBranch?) throws(Violation)
        -> [(number: Int, held: HeldBranch)]
    {
        var reader = ByteReader(run.bytes)
        var taken: [(number: Int, held: HeldBranch)] = []
        var now = held
        for record in records {
            let start = reader.offset
            let bytes: [UInt8]
            do throws(DecodeFault) {
                try reader.skip(try reader.count(limit: WireLimits.changeBytesMax, field: "change"))
                bytes = reader.passed(from: start)
            } catch {
                throw Violation(.stored, "row \(run.replica):\(run.first) is cut wrongly: \(error)")
            }
            guard record.first == last(now) + 1 else {
                throw Violation(
                    .exactlyOnce, "\(run.replica):\(record.first) is committed after \(last(now)) of its log")
            }
            let next = try branch(with: bytes, after: now, of: run.replica)
            taken.append((branches[next.branch].changes[next.count - 1], next))
            now = next
        }
        if !reader.isAtEnd { throw Violation(.stored, "row \(run.replica):\(run.first) has more bytes") }
        return taken
    }

    /// The branch that has these bytes next, after what is held.
    private mutating func branch(with bytes: [UInt8], after held: HeldBranch?, of replica: ReplicaID)
        throws(Violation) -> HeldBranch
    {
        if branchesOf[replica] == nil {
            branchesOf[replica] = [branches.count]
            branches.append(KnownBranch(replica: replica))
        }
        let all = branchesOf[replica] ?? []
        let own = held?.branch ?? all[0]
        let count = held?.count ?? 0
        // 1. One that shares what is held goes on with them.
        let sharing = [own] + all.filter { $0 != own && isShared(count, own, $0) }
        for number in sharing where branches[number].changes.count > count {
            if changes[branches[number].changes[count]].bytes == bytes {
                return HeldBranch(branch: number, count: count + 1)
            }
        }
        // 2. One that ends there.
        if let number = sharing.first(where: { branches[$0].changes.count == count }) {
            try learn(bytes, on: number)
            return HeldBranch(branch: number, count: count + 1)
        }
        // 3. The log goes on in another way.
        guard let device = devices[replica], forking.contains(device) else {
            let place = changes[branches[own].changes[count]].change
            throw Violation(.oneChangeADot, "\(replica):\(place.first) has other bytes than elsewhere")
        }
        var fork = KnownBranch(replica: replica)
        for number in branches[own].changes[..<count] {
            var reader = ByteReader(changes[number].bytes)
            _ = try Self.decode(&fork.coder, &reader)
            fork.changes.append(number)
        }
        branches.append(fork)
        branchesOf[replica]?.append(branches.count - 1)
        try learn(bytes, on: branches.count - 1)
        return HeldBranch(branch: branches.count - 1, count: count + 1)
    }

    /// Two branches have the same first changes.
    private func isShared(_ count: Int, _ a: Int, _ b: Int) -> Bool {
        guard count > 0 else { return true }
        return branches[b].changes.count >= count
            && branches[a].changes[count - 1] == branches[b].changes[count - 1]
    }

    private static func decode(_ coder: inout LogCoder, _ reader: inout ByteReader) throws(Violation)
        -> Change
    {
        let last = coder.last
        do throws(DecodeFault) {
            return try coder.decode(from: &reader)
        } catch {
            throw Violation(.stored, "\(coder.replica) does not decode after \(last): \(error)")
        }
    }

    private mutating func learn(_ bytes: [UInt8], on branch: Int) throws(Violation) {
        let before = branches[branch].coder.timestamp
        var reader = ByteReader(bytes)
        let change = try Self.decode(&branches[branch].coder, &reader)
        guard change.timestamp > before else {
            throw Violation(.timesGrow, "\(change.id) has time \(change.timestamp), after \(before)")
        }
        if let declared = change.declaration { devices[change.replica] = declared.device }
        // An acknowledgement names a document only for its form.
        let keys = change.operations.filter(\.touchesDocument).map { Array($0.document.utf8) }
        let documents = Set(keys).sorted { $0.lexicographicallyPrecedes($1) }
        let number = changes.count
        let known = branches[branch].changes.last.map { changes[$0].heads } ?? []
        changes.append(
            KnownChange(
                change: change, model: ModelChange(change), bytes: bytes,
                place: branches[branch].changes.count, status: nil,
                documents: documents.map { Key(String(decoding: $0, as: UTF8.self)) },
                heads: change.rosterHeads.isEmpty ? known : change.rosterHeads))
        branches[branch].changes.append(number)
        for document in documents { touching[document, default: []].append(number) }
    }

    /// A node whose log is not closed there gives a change this status: all such nodes do.
    mutating func judge(_ number: Int, as status: ChangeStatus) throws(Violation) {
        let known = changes[number]
        guard let expected = known.status else {
            changes[number].status = status
            return
        }
        guard expected == status else {
            throw Violation(.sameValidity, "\(known.change.id) is \(status) here, \(expected) elsewhere")
        }
    }
}

extension ModelChange {
    fileprivate init(_ change: Change) {
        self.init(
            first: Dot(change.replica, change.first), milliseconds: change.timestamp.milliseconds,
            context: change.context.entries.map { (replica: $0.replica, last: $0.last.value) },
            operations: change.operations)
    }
}
