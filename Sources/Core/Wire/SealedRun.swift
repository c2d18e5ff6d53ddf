// What one node gives another of a log: a range of it that ends at a seal, with its author's declaration, so
// that the receiver can check it without asking back. Nothing in it is checked yet.

public import Causality

/// A run, the seals inside it, and who is said to have written it.
public struct SealedRun: Hashable, Sendable {
    public let declaration: Change.Declaration
    public let run: Run
    /// Ascending, at least one; the last one is at the run's end.
    public let seals: [Seal]

    public init(declaration: Change.Declaration, run: Run, seals: [Seal]) {
        precondition(seals.last?.last == run.last, "a run that ends at \(run.last) without a seal there")
        precondition(
            seals.allSatisfy { $0.replica == run.replica && $0.last >= run.first }
                && zip(seals, seals.dropFirst()).allSatisfy { $0.last < $1.last },
            "seals of \(run.replica) are ascending and inside the run")
        self.declaration = declaration
        self.run = run
        self.seals = seals
    }

    public var replica: ReplicaID { run.replica }
}
