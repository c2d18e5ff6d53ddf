// What a simulated disk says when it does not do what it was asked for, in the words of a real one.

public import Node

extension StoreFailure {
    /// No room: a commit that fails so may succeed later.
    public static let noSpace = StoreFailure.full(.step(step("no space left on device")))
    /// A sync that failed: after it no commit succeeds.
    public static let failingSync = StoreFailure.syncFailed(step("input/output error"))
    /// Neither of these.
    public static let diskError = StoreFailure.failed(step("disk I/O error"))

    private static func step(_ words: String) -> FailedStep {
        FailedStep(doing: "writing", path: "a simulated disk", answer: .simulated(words: words))
    }
}
