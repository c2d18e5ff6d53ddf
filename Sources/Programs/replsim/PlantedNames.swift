// The bugs that the test build has, each by the name that guards its lines in Sources/Core; TESTING.md says
// what each does. A test compares this list with the guards.

#if PLANTED_BUGS
import Bytes
import Simulator

extension PlantedBugs {
    /// Each bug with the invariants by which it may be found: what else fails is another matter.
    static let all: [(name: StaticString, by: [Invariant])] = [
        ("context-check-skipped", [.contextFirst]),
        ("repeated-transaction-written", [.exactlyOnce]),
        ("acknowledged-before-commit", [.acknowledgedStays]),
        ("sequence-reused-after-restore", [.oneChangeADot]),
        ("nonce-from-sequence", [.nonces]),
        ("time-goes-back", [.trap]),
        ("seal-leaves-out-hash", [.oneChangeADot]),
        ("keys-by-character", [.sameDocuments, .sameFromLog, .readsAreRight]),
        ("buffer-forgets", [.converged, .serves]),
        ("watcher-skips", [.watchesWithoutGaps]),
        ("half-transaction", [.wholeTransactions, .sameFromLog, .readsAreRight]),
        ("vector-by-maximum", [.sameFromLog, .sameDocuments, .contextFirst]),
        ("digest-ignores-counters", [.sameDocuments]),
        ("need-remembered", [.acknowledgedStays, .converged, .serves]),
        ("winner-by-arrival", [.sameDocuments, .sameFromLog, .readsAreRight]),
        ("delete-wins-over-edit", [.sameDocuments, .sameFromLog, .readsAreRight]),
        ("lost-batch-kept", [.watchesWithoutGaps, .exactlyOnce, .acknowledgedStays, .readsAreRight]),
        ("tail-forgotten", [.sameDocuments, .sameFromLog, .readsAreRight]),
        ("closed-branch-counts", [.sameFromLog, .sameValidity, .readsAreRight]),
        ("branch-never-reissued", [.converged, .acknowledgedStays]),
        ("other-branch-blamed", [.converged, .serves]),
        ("buffer-unbounded", [.caps]),
        ("body-in-clear", [.noPlaintext]),
        ("half-told", [.wholeTransactions]),
        ("roster-unbudgeted", [.rosterBudget]),
        ("forks-one-by-one", [.forkWork]),
        ("numbers-unbounded", [.numbers]),
        ("faults-dumped", [.words]),
        ("silent-links-stay", [.silence]),
        ("nobody-visited", [.hoarding]),
        ("restriction-by-arrival", [.sameValidity, .sameMembers]),
        ("junior-beats-senior", [.sameValidity, .sameMembers]),
        ("removed-served-on", [.servedNothing]),
        ("old-key-used", [.keys]),
        ("newcomer-forgotten", [.keys, .converged]),
        ("stranded-epochs-kept", [.keys, .converged]),
        ("package-taken-as-read", [.keys, .converged]),
        ("void-not-rebuilt", [.sameDocuments, .sameFromLog, .readsAreRight]),
        ("void-thrown-away", [.converged, .acknowledgedStays]),
        ("adopted-twice", [.adoptedOnce]),
        ("ended-log-open", [.sameValidity, .converged, .serves, .acknowledgedStays]),
        ("named-purged", [.sameDocuments, .sameFromLog, .readsAreRight]),
        ("latest-edit-purged", [.sameDocuments, .sameFromLog, .readsAreRight]),
        ("base-goes-further", [.converged, .sameDocuments, .sameFromLog, .readsAreRight]),
        ("late-executed", [.sameValidity, .sameDocuments, .sameFromLog, .readsAreRight]),
        ("page-not-verified", [.sameDocuments, .sameFromLog, .readsAreRight]),
        ("void-collected", [.nothingLost, .converged]),
        ("half-base-shown", [.readsAreRight]),
    ]

    /// The faults under which a bug shows, where an ordinary draw has them too seldom; and a first seed,
    /// where one of thousands shows it. What was asked for on the command line stays.
    static func prepare(_ plan: inout PlanOptions, _ first: inout UInt64, for name: String) {
        guard plan.profile == Profile.standard.rawValue, plan.with == nil, plan.without == nil else { return }
        switch name {
        case "closed-branch-counts", "branch-never-reissued", "other-branch-blamed":
            plan.profile = Profile.forks.rawValue
            // A disk that is put back is noticed or not: only where it is not a log forks.
            plan.without = FaultKind.restores.rawValue
        case "seal-leaves-out-hash": plan.with = FaultKind.forgeries.rawValue
        case "buffer-unbounded": plan.with = FaultKind.missingContexts.rawValue
        case "body-in-clear": plan.with = FaultKind.farFuture.rawValue
        case "roster-unbudgeted": plan.with = FaultKind.rosterFloods.rawValue
        case "forks-one-by-one":
            // Where nothing else forks, for the check to count by.
            plan.profile = Profile.calm.rawValue
            plan.with = FaultKind.forkFloods.rawValue
        case "numbers-unbounded": plan.with = FaultKind.extremes.rawValue
        case "faults-dumped": plan.with = FaultKind.forgeries.rawValue
        case "nobody-visited": plan.with = FaultKind.hoarding.rawValue
        case "silent-links-stay": plan.with = FaultKind.silences.rawValue
        case "stranded-epochs-kept":
            // Members miss an epoch that nobody gives on only where none is good.
            plan.profile = Profile.members.rawValue
            plan.minutes = 1
            first = 42_851
        case _ where finite.contains(name): plan.profile = Profile.finite.rawValue
        case _ where members.contains(name): plan.profile = Profile.members.rawValue
        default: break
        }
    }

    /// Bugs that seeds show only where checkpoints stand.
    private static let finite: Set = [
        "ended-log-open", "named-purged", "latest-edit-purged", "base-goes-further", "late-executed",
        "page-not-verified", "void-collected", "half-base-shown",
    ]

    /// Bugs that seeds show only where members come and go.
    private static let members: Set = [
        "restriction-by-arrival", "junior-beats-senior", "removed-served-on", "old-key-used",
        "newcomer-forgotten", "stranded-epochs-kept", "package-taken-as-read", "void-not-rebuilt",
        "void-thrown-away", "adopted-twice",
    ]

    /// Switches a bug on; false when none has this name.
    static func choose(_ name: String) -> Bool {
        guard let found = all.first(where: { $0.name.description == name }) else { return false }
        chosen = found.name
        return true
    }
}
#endif
