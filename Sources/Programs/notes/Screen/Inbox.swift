// What tasks have to tell the thread that draws. It waits for keys, signals and this at once, so each telling
// writes a byte into its pipe. What is told is a state that the next telling replaces: it does not grow while
// nobody looks, as while an editor has the terminal.

import Glibc
import ReplModels
import Synchronization
import Terminal

final class Inbox: Sendable {
    private let news = Mutex(News())
    let pipe: (read: CInt, write: CInt)

    /// Changes that are remembered one by one; of more it cannot be said any more which were told.
    static let changesMax = 4_096

    init() throws {
        var ends: [CInt] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else {
            throw NotesFailure(.failed, "pipe: \(String(cString: strerror(errno)))", hint: "")
        }
        pipe = (ends[0], ends[1])
        for descriptor in ends {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(pipe.read)
        close(pipe.write)
    }

    func put(_ change: (inout News) -> Void) {
        news.withLock { news in
            change(&news)
            if news.changes.count > Self.changesMax {
                news.changes = []
                news.isWhole = true
            }
        }
        // A full pipe wakes its reader too. Signals write their numbers there; this is none.
        var byte: UInt8 = 0
        _ = write(pipe.write, &byte, 1)
    }

    /// All that was told since the last time.
    func take() -> News {
        news.withLock { news in
            defer { news = News() }
            return news
        }
    }
}
