// Which part of a log is held. All logs are whole today; what reads one from its beginning asks here where
// that is, and does not say 1 by itself.

import Causality

/// First and last sequence of what a node holds of a log.
struct LogExtent: Hashable, Sendable {
    /// Where a log begins of which nothing was cut.
    static let beginning = SequenceNumber(1)

    let first: SequenceNumber
    let last: SequenceNumber

    /// Nil where nothing is held.
    init?(first: SequenceNumber = beginning, through last: SequenceNumber) {
        guard last > .none else { return nil }
        precondition(first <= last, "a log that is held to \(last) cannot begin at \(first)")
        (self.first, self.last) = (first, last)
    }
}
