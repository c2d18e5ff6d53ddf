// Change streams. A stream is opened after the commit, so it stands exactly between two commits: what is
// before its cursor it has, what comes after it will get, or it is told to read again.

import Bytes
import Causality
import Documents
import Wire

extension Node {
    mutating func watch(_ id: RequestID, in index: SpaceHandle, start: WatchStart, prefix: Key, follow: Bool)
        throws(NodeError)
    {
        try need(.reader, in: index)
        guard watchers.count < NodeLimits.watchersMax else {
            throw .tooMany(what: "watchers", limit: NodeLimits.watchersMax)
        }
        let reference = SpaceReference(spaces[index].id.description)
        batch.later(id, .watch(reference, start: start, prefix: prefix, follow: follow))
    }

    /// After the commit: registers the stream and sends what it starts with.
    mutating func openWatch(
        _ id: RequestID, in index: SpaceHandle, start: WatchStart, prefix: Key, follow: Bool
    )
        throws(StoreFailure)
    {
        let position = spaces[index].position
        var watcher = Watcher(
            request: id, space: spaces[index].id, prefix: prefix, follow: follow, position: position,
            backlog: [], past: nil, needsResync: false)
        let present = Cursor(store: epochs.current, space: watcher.space, position: position)
        // What a program may go on from when it has read this line and no other.
        var first = present.text
        switch start {
        case .now: break
        case .begin:
            watcher.past = StateLines(
                store: try store.reader(), space: watcher.space, prefix: prefix, cursor: present)
            try watcher.readPast(in: spaces[index])
            if !watcher.backlog.isEmpty { first = present.textWithin }
        case .cursor(let text):
            if let from = self.position(of: text, in: index) {
                first = text
                if from < position {
                    watcher.past = ReplayLines(
                        store: try store.reader(), space: watcher.space, storeName: epochs.current,
                        prefix: prefix,
                        after: from)
                    try watcher.readPast(in: spaces[index])
                }
            } else {
                watcher.needsResync = true
                first = present.textWithin
            }
        }
        // Events are only made while somebody watches: from here on the ring is without gaps.
        spaces[index].documents.addWatcher(at: position)
        watchers.append(watcher)
        batch.answer(id, .watching(cursor: first))
    }

    mutating func credit(_ id: RequestID, lines: Int) {
        guard let index = watchers.firstIndex(where: { $0.request == id }) else { return }
        watchers[index].credit(lines: lines)
    }

    mutating func removeWatcher(at index: Int) {
        let watcher = watchers.remove(at: index)
        guard let space = spaces.handle(of: watcher.space) else { return }
        spaces[space].documents.removeWatcher(at: spaces[space].position)
    }

    /// After each commit: every stream gets what it has room for.
    mutating func feedWatchers() {
        let reading = watchers.reduce(0) { $0 + ($1.past == nil ? 0 : 1) }
        for index in watchers.indices {
            feed(index)
            watchers[index].past?.trim(to: NodeLimits.replayBytesMax / max(1, reading))
        }
        for index in watchers.indices.reversed() where isDone(watchers[index]) {
            batch.answer(watchers[index].request, .ended)
            removeWatcher(at: index)
        }
    }

    private func isDone(_ watcher: Watcher) -> Bool {
        if spaces.handle(of: watcher.space) == nil { return true }
        return !watcher.follow && watcher.backlog.isEmpty && watcher.past == nil && !watcher.needsResync
    }

    private mutating func feed(_ index: Int) {
        guard let space = spaces.handle(of: watchers[index].space),
            // Most commits bring most streams nothing.
            watchers[index].isBehind(spaces[space].position)
        else { return }
        var watcher = watchers[index]
        // Held once, so that neither is copied when it changes.
        watchers[index].backlog = []
        watchers[index].past = nil
        feedFromBacklog(&watcher, in: space)
        guard watcher.window > 0, watcher.backlog.isEmpty, watcher.past == nil else {
            watchers[index] = watcher
            return
        }
        if watcher.follow && !watcher.needsResync { feedFromRing(&watcher, spaces[space].documents.ring) }
        if watcher.needsResync {
            watcher.needsResync = false
            watcher.position = spaces[space].position
            counters.watchResyncs += 1
            send(.resync(cursor: cursor(of: space)), to: &watcher)
        }
        watchers[index] = watcher
    }

    /// At most one page of the past a commit: its lines are credited, which brings the next one.
    private mutating func feedFromBacklog(_ watcher: inout Watcher, in index: SpaceHandle) {
        if watcher.backlog.isEmpty, watcher.past != nil, watcher.window > 0 {
            do throws(StoreFailure) {
                try watcher.readPast(in: spaces[index])
            } catch {
                batch.log(
                    .warning, "state-cut",
                    "a change stream could not read on (\(error)); it was told to read again")
                watcher.past = nil
                watcher.needsResync = true
            }
        }
        while watcher.window > 0, let line = watcher.backlog.popLast() { send(line, to: &watcher) }
    }

    private mutating func feedFromRing(_ watcher: inout Watcher, _ ring: EventRing) {
        while watcher.window > 0 {
            guard let events = ring.events(after: watcher.position, limit: 256) else {
                watcher.needsResync = true
                return
            }
            if events.isEmpty { return }
            for entry in events {
                let isSkipped = isPlanted("watcher-skips") && entry.position.value % 16 == 0
                if !isSkipped, let line = watcher.line(for: entry.event) {
                    if watcher.window == 0 { break }
                    send(line, to: &watcher)
                }
                watcher.position = entry.position
            }
        }
    }

    private mutating func send(_ line: WatchLine, to watcher: inout Watcher) {
        watcher.sent(bytes: line.estimatedBytes)
        counters.watchLines += 1
        batch.answer(watcher.request, .watchLine(line))
    }
}
