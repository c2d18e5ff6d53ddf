// Every bound of the loop, with its reason and what happens at it.

/// Bounds of the node's thread and its queue.
public enum RuntimeLimits {
    /// Requests waiting for the node's thread. Policy: refuse (429). Servers hold their own connections back
    /// long before; this is what keeps memory bounded when they do not.
    public static let requestsMax = 8_192
    /// Inputs handled in one batch, so that the first of it does not wait long for the commit.
    public static let batchInputsMax = 1_024
    /// Received bytes handled in one batch, for the same reason.
    public static let batchBytesMax = 8 << 20
    /// Time after which a batch ends, for the same reason: some inputs take a thousand times as long as
    /// others. What is left of it is the next one.
    public static let batchMilliseconds: UInt64 = 5
    /// Unhandled bytes of one peer connection. Policy: its reading pauses until the node has caught up, so
    /// all connections together hold at most links × this.
    public static let connectionBytesMax = 256 << 10
    /// The longest the thread sleeps: deadlines count suspended time, its sleep does not.
    public static let sleepMillisecondsMax: UInt64 = 15_000
    /// No input for so long: what only work needs is given back (`IdleMemory`).
    public static let quietMilliseconds: UInt64 = 3_000
    /// Log lines that are kept in memory, and their bytes. Policy: the oldest go.
    public static let lastLinesMax = 2_000
    public static let lastLineBytesMax = 256 << 10
    /// Equal log lines are told once in this time.
    public static let logRepeatMilliseconds: UInt64 = 10_000
    /// Lines of one code in that time, whatever they say; the rest are counted in one line.
    public static let logLinesMax = 20
}
