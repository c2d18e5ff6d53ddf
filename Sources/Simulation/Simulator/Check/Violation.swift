// What a checker found, named by the invariant of THREATS.md that does not hold.

/// The invariants that a simulator can see.
public enum Invariant: String, Hashable, Sendable {
    case sameDocuments = "I1 the same executed changes give the same documents"
    case sameFromLog = "I2 rebuilt from the log = incremental = snapshot and tail"
    case contextFirst = "I3 never executed before its context"
    case wholeTransactions = "I4 a transaction is seen whole or not at all"
    case acknowledgedStays = "I5 every acknowledged change is present after any crash"
    case exactlyOnce = "I6 exactly once"
    case oneChangeADot = "I7 a dot never names two changes"
    case sameValidity = "I8 validity does not depend on order, clock or load"
    case watchesWithoutGaps = "I9 reads and watches are gap-free, or say resync"
    case readsAreRight = "reads, versions and conditions are those of the state they name"
    case caps = "I10 buffers stay under their caps"
    case noPlaintext = "I12 no plaintext outside members"
    case noEffectWithoutRight = "I13 no effect by an author without the right"
    case serves = "I15 honest service goes on"
    case converged = "I14 after the faults all honest nodes are equal and nothing waits"
    case rosterBudget = "a member adds to a roster what its allowance permits"
    case forkWork = "forks cost a part of a node's time, however many there are"
    case numbers = "numbers in reports are those that every reader of JSON holds"
    case words = "what a node says to people has no values in the notation of its language"
    case sameMembers = "members, roles and what counts follow from the operations of the roster"
    case servedNothing = "who was removed is told nothing of what came after it"
    case keys = "what is new is sealed for active members only, and all of them can open it"
    case oneChain = "what stands never unstands, and each checkpoint that stands follows the others"
    case neverLate = "who was waited for is never late"
    case nothingLost = "what was acknowledged is executed or listed"
    case adoptedOnce = "a device adopts a void change once"
    case silence = "a link on which nothing is heard is closed"
    case hoarding = "members that pass nothing on keep no write from the others"
    case timesGrow = "I17 timestamps grow strictly in a log"
    /// Of a user's workload.
    case everyStep = "every step of the workload is made"
    /// What is on a disk can be read.
    case stored = "a stored row is what its records say"
    /// No nonce is used for two texts.
    case nonces = "a nonce is used once"
    /// The process ended before it said what came of its seed; found by whoever started it.
    case trap = "no trap"
    /// It did not end in time; found by whoever started it.
    case hang = "no hang"
}

/// An invariant that did not hold.
public struct Violation: Error, Hashable, Sendable {
    public let invariant: Invariant
    public let message: String

    init(_ invariant: Invariant, _ message: String) {
        self.invariant = invariant
        self.message = message
    }
}
