// Read connections. Opening one costs more than most reads, so a few are kept; and they are watched, because
// a snapshot that is held for long keeps the WAL from being emptied.

import Node
import Synchronization

/// Hands out read connections and takes them back. Any thread.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        /// In the order they were opened.
        var live: [WeakReader] = []
    }

    /// A reader that lives as long as its owner wants.
    private struct WeakReader {
        weak var reader: SQLiteReader?
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// A reader whose snapshot is the last commit before this call.
    func reader() throws(StoreFailure) -> SQLiteReader {
        let idle = state.withLock { $0.idle.popLast() }
        // Not with `??`, which forgets the type of what is thrown.
        let connection = if let idle { idle } else { try Connection(path, .reader) }
        connection.forget()
        try connection[.beginRead].run([])
        try connection[.pin].run([])
        let reader = SQLiteReader(connection, from: self)
        state.withLock { state in
            state.live.removeAll { $0.reader == nil }
            state.live.append(WeakReader(reader: reader))
        }
        return reader
    }

    /// A reader has ended: its connection is kept for the next one, or closed when enough are.
    func takeBack(_ connection: Connection) {
        do throws(StoreFailure) {
            if !connection.isOutsideTransaction { try connection[.rollback].run([]) }
        } catch {
            // It cannot end its snapshot: it is closed with its last reference, which does.
            return
        }
        state.withLock { if $0.idle.count < StoreLimits.idleReadersMax { $0.idle.append(connection) } }
    }

    /// Ends the oldest snapshot, so that the WAL can be emptied. One in the middle of a read is left for next
    /// time.
    func expireOldest() {
        let oldest = state.withLock { state in
            state.live.removeAll { $0.reader == nil }
            return state.live.isEmpty ? nil : state.live.removeFirst().reader
        }
        guard let oldest else { return }
        if !oldest.expire() { state.withLock { $0.live.insert(WeakReader(reader: oldest), at: 0) } }
    }
}
