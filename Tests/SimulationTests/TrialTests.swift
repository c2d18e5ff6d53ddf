// Trials: whole meshes under drawn faults, with all checkers. Few and short ones here, in debug; hundreds run
// through the release program (`ReplSimTests`).

import Simulator
import Testing

@Suite struct TrialTests {
    private func run(_ seed: UInt64, minutes: UInt64 = 2, profile: Profile = .standard) -> TrialResult {
        var options = FaultPlan.Options()
        options.milliseconds = minutes * 60_000
        options.nodes = 3...4
        options.profile = profile
        var trial = Trial(FaultPlan(seed: seed, options: options))
        return trial.run()
    }

    @Test("a mesh under drawn faults keeps what repld promises, by seed", arguments: 1..<5 as Range<UInt64>)
    func passes(seed: UInt64) {
        let result = run(seed)
        #expect(result.failure == nil, "\(result.timeline.suffix(40).joined(separator: "\n"))")
        #expect(result.transactions > 0 && result.comparisons > 0 && result.changes > 0)
        #expect(result.reads > 0)
    }

    @Test("copies of boxes, old disks and a member that tells a log in two ways lose and double nothing")
    func forks() {
        var marks: Set<String> = []
        for seed in 1..<4 as Range<UInt64> {
            let result = run(seed, minutes: 4, profile: .forks)
            #expect(result.failure == nil, "\(seed): \(result.timeline.suffix(40).joined(separator: "\n"))")
            marks.formUnion(result.marks)
        }
        #expect(marks.isSuperset(of: ["cloned", "restored", "fork-suspicion"]), "\(marks)")
    }

    @Test("the same seed gives the same trace, event for event")
    func deterministic() {
        let (first, second) = (run(7, minutes: 1), run(7, minutes: 1))
        #expect(first.traceHash == second.traceHash && first.events == second.events)
        #expect(first.timeline == second.timeline)
        #expect(run(8, minutes: 1).traceHash != first.traceHash)
    }

    @Test("switching one fault off leaves the intensities of the others as they were")
    func independent() {
        let seeds = 1..<200 as Range<UInt64>
        var differing = 0
        for seed in seeds {
            let plan = FaultPlan(seed: seed)
            guard let kind = plan.kinds.first else { continue }
            var options = FaultPlan.Options()
            options.without = [kind]
            let other = FaultPlan(seed: seed, options: options)
            var expected = plan.intensities
            expected[kind] = nil
            #expect(other.intensities == expected)
            // Without the last fault of its kind there is no traitor, who has a role of its own.
            // One that tells a log in two ways is a writer, and one that lets members in an admin.
            let hasOwnRole = kind == .equivocation || kind == .hoarding
            #expect(other.traitor != plan.traitor || hasOwnRole || other.roles == plan.roles)
            differing += 1
        }
        #expect(differing > 150)
    }

    @Test("every fault of the default profile is drawn by some seed, and seeds draw different ones")
    func swarm() {
        var drawn: Set<FaultKind> = []
        var plans: Set<[FaultKind]> = []
        for seed in 1..<100 as Range<UInt64> {
            let plan = FaultPlan(seed: seed)
            drawn.formUnion(plan.kinds)
            plans.insert(plan.kinds)
        }
        let ofOthers = FaultKind.membership.union(FaultKind.finiteness)
        #expect(drawn == Set(FaultKind.allCases).subtracting(ofOthers))
        #expect(plans.count > 90)
    }
}
