// How much of the log a node keeps that checkpoints would let it forget.

/// The setting `retain-history`.
public enum Retention: Hashable, Sendable {
    /// The larger of 30 days and the size of the state.
    case standard
    /// What was committed in the last seconds.
    case seconds(UInt64)
    /// The newest bytes of the log.
    case bytes(UInt64)
    /// Nothing is forgotten.
    case all
    /// No more than is needed.
    case none

    /// What `standard` keeps at least.
    public static let standardSeconds: UInt64 = 30 * 86_400
}
