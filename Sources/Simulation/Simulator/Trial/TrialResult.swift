// What came of a trial: counts for the report, and the failure if there was one.

/// The end of one seed.
public struct TrialResult: Sendable {
    public let plan: FaultPlan
    public internal(set) var traceHash: UInt64 = 0
    public internal(set) var simulatedMilliseconds: UInt64 = 0
    /// From the end of the faults until all were equal.
    public internal(set) var settledMilliseconds: UInt64 = 0
    public internal(set) var events = 0
    public internal(set) var transactions = 0
    public internal(set) var changes = 0
    public internal(set) var comparisons = 0
    /// Answers to reads and conditions that were judged by the model.
    public internal(set) var reads = 0
    /// The most that a node ever had at once: bytes of early changes, connections.
    public internal(set) var earlyBytesMax = 0
    public internal(set) var connectionsMax = 0
    public internal(set) var faults: [FaultKind: Int] = [:]
    public internal(set) var marks: Set<String> = []
    /// Zero without a script.
    public internal(set) var script = ScriptCounts()
    public internal(set) var failure: Failure?
    /// What happened, oldest first; the last of it unless everything was asked for.
    public internal(set) var timeline: [String] = []

    init(plan: FaultPlan) { self.plan = plan }

    /// An invariant that did not hold, and when.
    public struct Failure: Sendable {
        public let violation: Violation
        /// Milliseconds since the start.
        public let time: UInt64
    }
}
