// What a store can fail with. `fsync` is fatal for the process (the kernel may have dropped the pages: after
// it, nobody knows what is on disk); everything else fails the batch, and the node is reloaded.

/// A failure of the store: the environment's, not a peer's and not ours.
public enum StoreFailure: Error, Equatable, Sendable {
    /// No space left, or the floor of free space is reached.
    case full(String)
    /// The first failed sync: stop acknowledging, say so, exit.
    case syncFailed(String)
    /// The database is damaged or of a newer version; nothing was changed.
    case unusable(String)
    /// Not the disk's: the log that this batch writes to goes on elsewhere, so its dots are taken. Its
    /// transactions are made again in another log.
    case overtaken(String)
    /// Any other failure of reading or writing.
    case failed(code: Int32, String)
}
