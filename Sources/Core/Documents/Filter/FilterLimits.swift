// How large a filter may be: it is tried on each candidate, so its size multiplies.

/// Limits of what is asked of documents.
public enum FilterLimits {
    /// Comparisons of one filter; one more is refused with its place.
    public static let comparisonsMax = 64
    /// Nesting of a literal: that of a document.
    public static let literalDepthMax = DocumentLimits.nestingMax
    /// Bytes of a string in a sortable form; what is longer is cut there (`OrderedValue.encoded`).
    public static let encodedStringBytesMax = 256
}
