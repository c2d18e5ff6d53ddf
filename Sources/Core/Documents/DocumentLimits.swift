// How large the parts of a document may be (DESIGN 12). Requests over a limit are refused with 413;
// operations over one that arrive from a peer are statically invalid, so their change is void.

/// Limits of keys, values and nesting.
public enum DocumentLimits {
    /// A document's key: 1 to this many bytes.
    public static let documentKeyBytesMax = 512
    /// A map key: 0 to this many bytes.
    public static let mapKeyBytesMax = 1_024
    /// Steps below a document's root map.
    public static let nestingMax = 32
    /// What a refusal over `nestingMax` names: at the API it is malformed, not too large.
    public static let nestingName = "nesting"
    /// A string scalar, or the text of one insertion.
    public static let stringBytesMax = 512 * 1_024
    /// JSON operations of a transaction.
    public static let transactionOperationsMax = 4_096
    /// Canonical bytes of a change.
    public static let changeBytesMax = 1_024 * 1_024
    /// Operations of one canonical change (a JSON operation may become several).
    public static let changeOperationsMax = 1 << 20
}
