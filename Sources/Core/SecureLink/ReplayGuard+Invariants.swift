// What holds between the guard's fields, for tests and the simulator.

extension ReplayGuard {
    /// Traps when the set and the queue disagree. O(n).
    public func checkInvariants() {
        precondition(head <= entries.count, "\(head) of \(entries.count) are gone")
        precondition(
            Set(entries[head...].map(\.ephemeral)) == seen, "the queue holds other ephemerals than the set")
        precondition(
            entries.count - head == seen.count, "\(entries.count - head) queued, \(seen.count) in the set")
        precondition(seen.count <= SecureLinkLimits.replayCountMax, "\(seen.count) are remembered")
        precondition(
            zip(entries[head...], entries[head...].dropFirst()).allSatisfy { $0.until <= $1.until },
            "the queue is out of order")
    }
}
