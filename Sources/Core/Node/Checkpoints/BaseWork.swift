// A base that is being computed, a slice at a time between everything else: each document as the changes that
// a checkpoint holds have made it, and the pages that all of them are hashed in (decision 0190). What a slice
// made is in the store with the place that was reached, so a restart goes on there.
//
//     bases      only after a base was taken from others: documents not purged yet, by their frontiers
//     keys       which documents may differ from the base before: a walk through the logs since then
//     documents  each of them made again from the base before and its changes
//     pages      those that a changed document lies in are hashed again; the others keep their hash
//     done       the manifest's hash, to be signed or to be compared
//
// Whoever computes knows what the checkpoint holds (W) before there is a checkpoint: its author marks a
// change, computes, and signs.

public import Bytes
public import Causality
import Wire

/// What is computed, and how far it is. Times are monotonic milliseconds.
struct BaseWork: Sendable {
    /// The change that the checkpoint is made on, and its author's: names what is computed.
    let witness: Dot
    /// What the checkpoint holds.
    let covered: VersionVector
    /// What those hold, ascending, that lie between it and the standing one: it follows one that is open. A
    /// document goes through the base of each.
    let passed: [VersionVector]
    /// What the standing checkpoint holds: the base is in normal form as of it.
    let released: VersionVector
    /// What the one before the standing one holds: documents that nothing touched since stay as they are.
    let settled: VersionVector

    enum Stage: Sendable {
        /// The last document that was looked at.
        case bases(after: Key?)
        /// The next log, and how far it was walked.
        case keys(ReplicaID?, after: SequenceNumber)
        /// The last document that was made.
        case documents(after: Key?)
        case pages(PageWalk)
        case done(BaseSummary)
        case failed(BaseFailure)
    }

    private(set) var stage: Stage
    /// Changes were judged again since it began.
    var isDoubtful = false
    /// Changes that it holds beyond the standing one, as far as the logs were walked.
    var changes = 0
    /// Documents that are being made, and sections of logs that were read for them and for those before: keys
    /// that are near each other were often written together. Nil outside of that stage.
    var making: BaseMaking?
    var reader: LogReader?
    private var due: UInt64 = 0

    /// `isTaken`: the standing base came from others, and the log of what it covers beyond `settled` did not.
    init(
        witness: Dot, covered: VersionVector, passed: [VersionVector], released: VersionVector,
        settled: VersionVector, isTaken: Bool
    ) {
        let all = [settled, released] + passed + [covered]
        precondition(
            zip(all, all.dropFirst()).allSatisfy { $1.covers($0) },
            "checkpoints that do not grow at \(witness)")
        (self.witness, self.covered, self.passed) = (witness, covered, passed)
        (self.released, self.settled) = (released, settled)
        stage = isTaken ? .bases(after: nil) : .keys(nil, after: .none)
    }

    var summary: BaseSummary? { if case .done(let summary) = stage { summary } else { nil } }
    var failure: BaseFailure? { if case .failed(let failure) = stage { failure } else { nil } }
    private var isEnded: Bool { summary != nil || failure != nil }

    mutating func reach(_ stage: Stage) { self.stage = stage }

    /// The stage, for who works on it in place and says with `reach` where it is then.
    mutating func takeStage() -> Stage {
        defer { stage = .failed(.unreadable(nil)) }
        return stage
    }

    /// Others have their turn before the next slice, which takes about as long.
    mutating func pause(at now: UInt64) { due = now + 1 }
    /// Not at once: a batch was lost, or the disk is full.
    mutating func rest(at now: UInt64) { due = now + NodeLimits.baseRestMilliseconds }

    func isDue(at now: UInt64) -> Bool { !isEnded && now >= due }
    var deadline: UInt64? { isEnded ? nil : due }

    func checkInvariants(whole: Bool) {
        precondition(covered.contains(witness), "a base without its own witness \(witness)")
    }
}

/// What came of it.
struct BaseSummary: Hashable, Sendable {
    let manifest: Bytes32
    /// Documents in it, those that do not show included, and their bytes.
    let documents: Int
    let bytes: Int
}

/// Why this node cannot compute a base: it acknowledges none, and its status says why.
public enum BaseFailure: Hashable, Sendable {
    /// A change that the checkpoint holds was not executed here: of a newer version, quarantined, or of a
    /// document that cannot be read.
    case skipped(Dot)
    /// What is stored cannot be read.
    case unreadable(Key?)
}
