// A change stream of one program. It is a position in the commit order plus a window of lines that the
// program has not taken yet; the lines themselves are the ring's (`EventRing`), shared by all watchers.

import Bytes
import Causality
import Documents

/// One open change stream.
struct Watcher: Sendable {
    let request: RequestID
    let space: SpaceID
    let prefix: Key
    let follow: Bool
    /// What it tells of is made from the log then, not taken from the ring: events do not say what a document
    /// was before.
    let filter: Filter?
    /// Everything up to here was sent, filtered out, or is in `backlog`.
    var position: CommitPosition
    /// Lines of the past (a resumed cursor, a page of the state), oldest last; sent before those of the ring.
    var backlog: [WatchLine] = []
    /// Where the backlog comes from while the stream still tells the past that it began with.
    var past: (any LineSource)?
    /// It fell behind: a resync line is due as soon as it takes lines again.
    var needsResync = false
    /// Bytes, roughly, of the lines sent and not yet credited, oldest first; at most
    /// `NodeLimits.watchEventsMax`.
    private(set) var unread: [Int] = []
    /// The sum of `unread`: the last line may carry it past `NodeLimits.watchBytesMax`.
    private(set) var unreadBytes = 0

    /// How many lines it takes now.
    var window: Int {
        unreadBytes < NodeLimits.watchBytesMax ? NodeLimits.watchEventsMax - unread.count : 0
    }

    /// True when there may be something to send, of a space that is at this position.
    func isBehind(_ position: CommitPosition) -> Bool {
        self.position != position || !backlog.isEmpty || past != nil || needsResync
    }

    init(
        request: RequestID, space: SpaceID, prefix: Key, follow: Bool, filter: Filter? = nil,
        position: CommitPosition
    ) {
        self.request = request
        self.space = space
        self.prefix = prefix
        self.follow = follow
        self.filter = filter
        self.position = position
    }

    /// Fills an empty backlog with the next page of the past; at its end there is no source any more.
    mutating func readPast(
        _ nextPage: (inout any LineSource) throws(StoreFailure) -> LinePage
    ) throws(StoreFailure) {
        precondition(backlog.isEmpty, "a page is read before the last one was sent")
        // Taken out: what it changes in place is not copied first.
        guard var source = past.take() else { return }
        switch try nextPage(&source) {
        case .lines(let lines, let isLast):
            backlog = lines.reversed()
            if !isLast { past = source }
        case .end: break
        case .lost: needsResync = true
        }
    }

    mutating func sent(bytes: Int) {
        unread.append(bytes)
        unreadBytes += bytes
    }

    /// The program took so many lines.
    mutating func credit(lines: Int) {
        let taken = unread.prefix(lines)
        unreadBytes -= taken.reduce(0, +)
        unread.removeFirst(taken.count)
    }

    func checkInvariants() {
        precondition(unread.count <= NodeLimits.watchEventsMax, "\(unread.count) lines are under way")
        precondition(unreadBytes == unread.reduce(0, +), "\(unreadBytes) bytes are under way")
    }

    /// The event as this watcher sees it; nil when none of its documents has the prefix.
    func line(for event: ChangeEvent) -> WatchLine? {
        if prefix.utf8Count == 0, !isPlanted("half-told") { return .change(event) }
        var wanted = event.documents.filter { $0.key.hasPrefix(prefix) }
        if isPlanted("half-told") { wanted = Array(wanted.prefix(1)) }
        if wanted.isEmpty { return nil }
        return .change(
            ChangeEvent(
                cursor: event.cursor, change: event.change, author: event.author,
                authorName: event.authorName,
                timestamp: event.timestamp, documents: wanted, cause: event.cause))
    }
}
