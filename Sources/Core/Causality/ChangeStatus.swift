// The status of a change in the log. Admission decides it, the log keeps it, and a closed log, a quarantine
// or an upgrade may change it later; there is no other list of statuses.

/// Whether a committed change takes effect on its documents. Raw values are stored.
public enum ChangeStatus: UInt8, Hashable, Sendable {
    /// Its documents show it.
    case executed = 0
    /// In the log, satisfies contexts, has no effect: statically invalid, its author lost the right, or its
    /// log is closed before it.
    case void = 1
    /// Held and passed on, not executed, not void: it has operations of a newer version, is quarantined, or
    /// touches a document that cannot be read. The store keeps which of them beside it.
    case skipped = 2
}
