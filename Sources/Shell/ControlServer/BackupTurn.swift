// One backup at a time. Each is a whole copy of the store, on the disk until its reader is done with it, so
// programs that ask and go away, or that do not read, must not be able to fill the disk with them.

import Synchronization

/// The right to make backups of a server.
final class BackupTurns: Sendable {
    fileprivate let isTaken = Atomic(false)

    /// Nil while another backup is under way, or not yet read and removed.
    func take() -> BackupTurn? {
        isTaken.exchange(true, ordering: .acquiring) ? nil : BackupTurn(of: self)
    }
}

/// Held by whoever has a part in the backup; given back when the last of them lets go of it.
final class BackupTurn: Sendable {
    private let turns: BackupTurns

    fileprivate init(of turns: BackupTurns) { self.turns = turns }

    deinit { turns.isTaken.store(false, ordering: .releasing) }
}
