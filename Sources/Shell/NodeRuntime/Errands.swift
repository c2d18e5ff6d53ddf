// What the node asks for that is not its own to do. Each errand takes its time, so it runs on a thread of its
// own and answers its request from there.

public import Node

/// The errands of a daemon.
public struct Errands: Sendable {
    /// Writes a copy of the store; its path.
    let backup: @Sendable () throws -> String
    /// Reads the config again and hands over what the node is to take; throws when it cannot be used, and
    /// then nothing is handed over, as when it is only a check.
    let reload: @Sendable (_ isCheck: Bool, _ take: (NodeSettings) -> Void) throws -> ReloadReport

    /// Without `reload` there is no config, and nothing in it differs.
    public init(
        backup: @escaping @Sendable () throws -> String,
        reload: @escaping @Sendable (_ isCheck: Bool, _ take: (NodeSettings) -> Void) throws -> ReloadReport =
            { _, _ in
                ReloadReport(applied: [], needsRestart: [])
            }
    ) {
        self.backup = backup
        self.reload = reload
    }
}
