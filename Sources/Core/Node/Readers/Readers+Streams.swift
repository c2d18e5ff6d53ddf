// How change streams are fed: after each commit every stream gets what it has room for. First the past that
// it began with, a page at a time; then the ring's events, or one line that tells it to read again.

import Bytes
import Causality

/// The spaces as streams see them, for one call.
struct StreamSpaces {
    /// Nil for a space that is not here.
    let position: (SpaceID) -> CommitPosition?
    let ring: (SpaceID) -> EventRing
    /// Of the position, as programs go on from it.
    let cursor: (SpaceID) -> String
    /// The next page of a stream's past.
    let nextPage: (inout any LineSource, SpaceID) throws(StoreFailure) -> LinePage
    /// The lines of a stream with a filter from its position up to the last commit.
    let replay: (Watcher) throws(StoreFailure) -> any LineSource
}

extension Readers {
    /// Feeds all streams, and closes those that are at their end.
    mutating func feed(_ spaces: StreamSpaces) -> [ReaderAction] {
        var actions: [ReaderAction] = []
        withWatchers { watchers, counters in
            let reading = watchers.reduce(0) { $0 + ($1.past == nil ? 0 : 1) }
            for index in watchers.indices {
                // Most commits bring most streams nothing.
                if let position = spaces.position(watchers[index].space), watchers[index].isBehind(position) {
                    watchers[index].feed(at: position, spaces, &counters, &actions)
                }
                watchers[index].past?.trim(to: NodeLimits.replayBytesMax / max(1, reading))
            }
            for index in watchers.indices.reversed() {
                let isGone = spaces.position(watchers[index].space) == nil
                guard isGone || watchers[index].isAtEnd else { continue }
                let watcher = watchers.remove(at: index)
                actions += [.answer(watcher.request, .ended), .closed(watcher.space)]
            }
        }
        return actions
    }
}

extension Watcher {
    /// Everything that it asked for was sent.
    var isAtEnd: Bool { !follow && backlog.isEmpty && past == nil && !needsResync }

    /// Sends what it has room for, of a space that is at this position.
    fileprivate mutating func feed(
        at position: CommitPosition, _ spaces: StreamSpaces, _ counters: inout Readers.Counters,
        _ actions: inout [ReaderAction]
    ) {
        feedFromBacklog(spaces, &counters, &actions)
        guard window > 0, backlog.isEmpty, past == nil else { return }
        if follow && !needsResync {
            if filter == nil {
                feedFromRing(spaces.ring(space), &counters, &actions)
            } else if self.position != position {
                beginReplay(up: position, spaces, &actions)
                feedFromBacklog(spaces, &counters, &actions)
            }
        }
        if needsResync {
            needsResync = false
            self.position = position
            counters.resyncs += 1
            send(.resync(cursor: spaces.cursor(space)), &counters, &actions)
        }
    }

    /// At most one page of the past a commit: its lines are credited, which brings the next one.
    private mutating func feedFromBacklog(
        _ spaces: StreamSpaces, _ counters: inout Readers.Counters, _ actions: inout [ReaderAction]
    ) {
        if backlog.isEmpty, past != nil, window > 0 {
            do throws(StoreFailure) {
                let space = space
                try readPast { source throws(StoreFailure) in try spaces.nextPage(&source, space) }
            } catch {
                let message = "a change stream could not read on (\(error)); it was told to read again"
                actions.append(.log(.warning, code: "state-cut", message: message))
                past = nil
                needsResync = true
            }
        }
        while window > 0, let line = backlog.popLast() { send(line, &counters, &actions) }
    }

    /// A stream with a filter: what was committed since its position is told from the log, if any of it
    /// touched documents with its prefix.
    private mutating func beginReplay(
        up position: CommitPosition, _ spaces: StreamSpaces, _ actions: inout [ReaderAction]
    ) {
        let events = spaces.ring(space).events(after: self.position, limit: NodeLimits.ringEventsMax)
        // A rebuild is not in the log.
        guard let events, !events.contains(where: { $0.event.cause != nil }) else {
            needsResync = true
            return
        }
        let prefix = prefix
        let isTouched = events.contains { $0.event.documents.contains { $0.key.hasPrefix(prefix) } }
        do throws(StoreFailure) {
            if isTouched { past = try spaces.replay(self) }
            self.position = position
        } catch {
            let message = "a change stream could not read on (\(error)); it was told to read again"
            actions.append(.log(.warning, code: "state-cut", message: message))
            needsResync = true
        }
    }

    private mutating func feedFromRing(
        _ ring: EventRing, _ counters: inout Readers.Counters, _ actions: inout [ReaderAction]
    ) {
        while window > 0 {
            guard let events = ring.events(after: position, limit: 256) else {
                needsResync = true
                return
            }
            if events.isEmpty { return }
            for entry in events {
                let isSkipped = isPlanted("watcher-skips") && entry.position.value % 16 == 0
                if !isSkipped, let line = line(for: entry.event) {
                    if window == 0 { break }
                    send(line, &counters, &actions)
                }
                position = entry.position
            }
        }
    }

    private mutating func send(
        _ line: WatchLine, _ counters: inout Readers.Counters, _ actions: inout [ReaderAction]
    ) {
        sent(bytes: line.estimatedBytes)
        counters.lines += 1
        actions.append(.answer(request, .watchLine(line)))
    }
}
