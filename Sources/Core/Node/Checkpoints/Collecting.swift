// Where a collection of logs is: which log is next, what one plan forgets of it, and what was forgotten so
// far.

import Causality

/// Rows and bytes that one step let go.
struct Collected: Equatable, Sendable {
    var rows = 0
    var bytes = 0
    var changes = 0
}

/// The part of a log that a collection forgets. All its steps take the same plan.
struct LogCollection: Equatable, Sendable {
    let replica: ReplicaID
    let through: SequenceNumber
    let keeping: [DotRange]
}

/// Which log is collected next, and how far it was. Times are monotonic milliseconds.
struct Collecting: Equatable, Sendable {
    private(set) var isUnderWay = false
    /// Logs up to this one are done.
    private(set) var done: ReplicaID?
    /// The plan of the log that is being collected.
    var plan: LogCollection?
    private(set) var total = Collected()
    private var due: UInt64 = 0

    /// From the first log on.
    mutating func begin(at now: UInt64) {
        (isUnderWay, done, plan, total, due) = (true, nil, nil, Collected(), now)
    }
    mutating func finish(_ log: ReplicaID) { (done, plan) = (log, nil) }
    mutating func add(_ collected: Collected) {
        total.rows += collected.rows
        total.bytes += collected.bytes
        total.changes += collected.changes
    }
    mutating func end() { isUnderWay = false }
    mutating func pause(at now: UInt64) { due = now + 1 }
    mutating func rest(at now: UInt64) { due = now + NodeLimits.baseRestMilliseconds }

    func isDue(at now: UInt64) -> Bool { isUnderWay && now >= due }
    var deadline: UInt64? { isUnderWay ? due : nil }
    func checkInvariants(whole: Bool) {}
}
