// What is held and has no effect, as a person reads it: which change, whose, why, and which documents it
// would have changed. Why is judged as admission judges it, by the roster of when the listing began.

import Bytes
import Causality
import Documents
import Identity
import JSON
import Replication
import Roster
import Wire

/// Why a change is void. Raw values are those of the API.
public enum VoidReason: String, CaseIterable, Sendable {
    case removed
    case demoted
    case notAdmitted = "not-admitted"
    /// It stands behind the place where its log went on in two ways.
    case forked
    /// It came after a checkpoint that does not hold it.
    case late
    /// It is against the rules of operations, for ever.
    case invalid

    init(_ kind: VoidCause.Kind) {
        switch kind {
        case .removed: self = .removed
        case .demoted: self = .demoted
        case .notAdmitted: self = .notAdmitted
        }
    }
}

/// Which void changes are wanted; nil: whatever it is.
public struct VoidQuery: Hashable, Sendable {
    public var reason: VoidReason?
    /// Who wrote them.
    public var member: MemberReference?

    public init(reason: VoidReason? = nil, member: MemberReference? = nil) {
        (self.reason, self.member) = (reason, member)
    }
}

/// A void change and why it is.
struct VoidVerdict: Sendable {
    let reason: VoidReason
    /// Whose operation of the roster ended the author's right.
    let by: DeviceID?
}

/// Judges void changes of a space, one after the other.
struct VoidJudge: Sendable {
    private var roster: Roster
    private let forks: SpaceForks
    /// What is late follows from it.
    private let agreement: Checkpoints
    /// The checkpoint that documents are made on. A later one may stand, of which less is known here yet.
    private let base: Bytes32?
    /// The change that was judged last, and the heads of its view.
    private var last: (change: Dot, heads: [Bytes32])?

    init(roster: Roster, forks: SpaceForks, agreement: Checkpoints, base: Bytes32?) {
        (self.roster, self.forks, self.agreement, self.base) = (roster, forks, agreement, base)
    }

    /// Nil: by what is known now it counts, and is about to be executed.
    mutating func verdict(
        on change: Change, by author: DeviceID?, reading logs: inout LogReader, from store: some StoreReading
    ) throws(StoreFailure) -> VoidVerdict? {
        let heads = try heads(of: change, reading: &logs, from: store)
        last = (change.id, heads)
        if forks.isVoid(change.id) { return VoidVerdict(reason: .forked, by: nil) }
        if !Admission.isStaticallyValid(change) { return VoidVerdict(reason: .invalid, by: nil) }
        if let base,
            agreement.isLate(change.replica, from: change.first, context: change.context, within: base)
        {
            return VoidVerdict(reason: .late, by: nil)
        }
        // It was late when the checkpoint that holds it now came, and stays void.
        let final = agreement.isFinal(change.id) ? VoidVerdict(reason: .late, by: nil) : nil
        guard let author, let view = roster.view(heads: heads) else { return final }
        let range = DotRange(change.replica, change.first, change.last)
        guard let cause = roster.voidCause(of: range, by: author, in: view, needing: change.right) else {
            return final
        }
        return VoidVerdict(reason: VoidReason(cause.kind), by: cause.by)
    }

    private func heads(
        of change: Change, reading logs: inout LogReader, from store: some StoreReading
    ) throws(StoreFailure) -> [Bytes32] {
        if !change.rosterHeads.isEmpty { return change.rosterHeads }
        if let last, last.change == Dot(change.replica, change.first.previous) { return last.heads }
        return try logs.rosterHeads(of: change, from: store)
    }
}

extension Space {
    /// By what is known now.
    var voidJudge: VoidJudge {
        VoidJudge(
            roster: roster, forks: forks, agreement: checkpoints.agreement, base: documents.bases.newest?.id)
    }
}

/// Yields the void changes of a space, in this node's commit order, in pieces of whole lines.
// @unchecked: `any ReadJob` is owned by one reader at a time, who calls `next` in turn; nothing else holds
// it.
final class VoidJob<Reader: StoreReading & Sendable>: ReadJob, @unchecked Sendable {
    private let store: Reader
    private let space: SpaceID
    private let reason: VoidReason?
    private let author: DeviceID?
    private let authors: [ReplicaID: DeviceID]
    private let names: [DeviceID: String]
    private var position = CommitPosition.start
    private var logs: LogReader
    private var judge: VoidJudge
    private var isDone = false

    /// Changes that are looked at for one piece.
    private static var pageSize: Int { 1_024 }

    /// `authors`: of all logs that are held. `names`: of authors, and of those who ended their rights.
    init(
        store: Reader, space: SpaceID, reason: VoidReason?, author: DeviceID?, judge: VoidJudge,
        authors: [ReplicaID: DeviceID], names: [DeviceID: String]
    ) {
        (self.store, self.space, self.reason, self.author) = (store, space, reason, author)
        (self.judge, self.authors, self.names) = (judge, authors, names)
        logs = LogReader(space: space)
    }

    /// Nearly all that it passes counts: it goes on to the next change that does not.
    func next() throws(StoreFailure) -> [UInt8]? {
        while !isDone {
            let piece = try nextPage()
            if !piece.isEmpty { return piece }
        }
        return nil
    }

    private func nextPage() throws(StoreFailure) -> [UInt8] {
        let records = try store.commits(space, after: position, limit: Self.pageSize)
        isDone = records.count < Self.pageSize
        guard let last = records.last else { return [] }
        position = last.position
        var piece: [UInt8] = []
        for record in records where record.status == .void {
            let device = authors[record.replica]
            if let author, device != author { continue }
            let change = try logs.change(record, from: store)
            let verdict = try judge.verdict(on: change, by: device, reading: &logs, from: store)
            guard let verdict, reason == nil || verdict.reason == reason else { continue }
            CanonicalJSON.append(try line(change, by: device, verdict), to: &piece)
            piece.append(0x0A)
        }
        return piece
    }

    private func line(_ change: Change, by author: DeviceID?, _ verdict: VoidVerdict)
        throws(StoreFailure) -> PlainValue
    {
        let own = try store.standingAdoption(of: change.id, by: .own, in: space, with: &logs)
        let other = try store.standingAdoption(of: change.id, by: .other, in: space, with: &logs)
        return .object([
            .init("adopted", .scalar(own.map { .string(Key($0.description)) } ?? .null)),
            .init("adoptedElsewhere", .scalar(.bool(other != nil))),
            .init("author", named(author)),
            .init("by", named(verdict.by)),
            .init("cause", .scalar(.string(Key(verdict.reason.rawValue)))),
            .init("change", .scalar(.string(Key(change.id.description)))),
            .init("documents", .array(change.touched.map { .scalar(.string($0)) })),
            .init("timestamp", .scalar(.integer(Int64(change.timestamp.milliseconds)))),
        ])
    }

    private func named(_ device: DeviceID?) -> PlainValue {
        guard let device else { return .scalar(.null) }
        return .object([
            .init("device", .scalar(.string(Key(device.text)))),
            .init("name", .scalar(.string(Key(names[device] ?? "")))),
        ])
    }
}
