// Numbers that tell the loans of a process apart (`ReplicatingPart.lend`).

import Synchronization

enum LoanNumbers {
    private static let last = Atomic<UInt64>(0)

    /// Never 0, which is no loan.
    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
