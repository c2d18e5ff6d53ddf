// What the node keeps beside its spaces, by name.

import Causality

/// Names of meta values in the store.
enum NodeMeta {
    static let store = "store"
    static let addresses = "addresses"
    static let left = "left-spaces"
    /// Why the last new incarnation was opened: wall milliseconds (8 bytes), then the reason in UTF-8. The
    /// state directory writes it too, under the same name.
    static let continuity = "continuity"
    static func invites(_ space: SpaceID) -> String { "invites/\(space)" }
    static func rosterBudgets(_ space: SpaceID) -> String { "roster-budgets/\(space)" }
}
