// Why a text is no filter, no order or no path, and at which character: errors point at it.

/// The first thing wrong with a text that a person wrote.
public struct FilterFault: Error, Hashable, Sendable {
    /// In Unicode scalars of the text, from 0; the length of the text for what is missing at its end.
    public let position: Int
    /// The mistake in words, without its place.
    public let reason: String
    /// An advice: how to write it instead.
    public let hint: String

    init(at position: Int, _ reason: String, hint: String) {
        self.position = position
        self.reason = reason
        self.hint = hint
    }
}
