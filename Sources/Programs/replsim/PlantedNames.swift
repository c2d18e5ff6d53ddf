// The bugs that the test build has, each by the name that guards its lines in Sources/Core; TESTING.md says
// what each does. A test compares this list with the guards.

#if PLANTED_BUGS
import Bytes
import Simulator

extension PlantedBugs {
    static let names: [StaticString] = [
        "context-check-skipped",
        "repeated-transaction-written",
        "acknowledged-before-commit",
        "sequence-reused-after-restore",
        "nonce-from-sequence",
        "time-goes-back",
        "seal-leaves-out-hash",
        "keys-by-character",
        "buffer-forgets",
        "watcher-skips",
        "half-transaction",
        "vector-by-maximum",
        "digest-ignores-counters",
        "need-remembered",
        "winner-by-arrival",
        "delete-wins-over-edit",
        "lost-batch-kept",
        "tail-forgotten",
        "closed-branch-counts",
        "branch-never-reissued",
        "other-branch-blamed",
    ]

    /// The faults under which a bug shows, where an ordinary draw has them too seldom. What was asked for on
    /// the command line stays.
    static func prepare(_ plan: inout PlanOptions, for name: String) {
        guard plan.profile == Profile.standard.rawValue, plan.with == nil, plan.without == nil else { return }
        switch name {
        case "closed-branch-counts", "branch-never-reissued", "other-branch-blamed":
            plan.profile = Profile.forks.rawValue
            // A disk that is put back is noticed or not: only where it is not a log forks.
            plan.without = FaultKind.restores.rawValue
        case "seal-leaves-out-hash": plan.with = FaultKind.forgeries.rawValue
        default: break
        }
    }

    /// Switches a bug on; false when none has this name.
    static func choose(_ name: String) -> Bool {
        guard let found = names.first(where: { $0.description == name }) else { return false }
        chosen = found
        return true
    }
}
#endif
