// Wires the machine of readers: opens streams after the commit, so that each stands exactly between two
// commits, hands over what the spaces are now, and performs what readers ask for.

import Bytes
import Causality
import Documents
import Identity
import Replication
import Roster
import Wire

extension Node {
    /// Performs what readers ask for, in order.
    mutating func perform(_ actions: [ReaderAction], at now: Instant) {
        for action in actions {
            switch action {
            case .answer(let id, let answer): batch.answer(id, answer)
            case .read(let id, let read, let space): answerRead(id, read, in: space, at: now)
            case .closed(let space): streamClosed(space)
            case .log(let level, let code, let message): batch.log(level, code, message)
            }
        }
    }

    /// A read whose version is held now.
    private mutating func answerRead(
        _ id: RequestID, _ read: NodeRequest, in space: SpaceID, at now: Instant
    ) {
        guard let index = spaces.handle(of: space) else {
            preconditionFailure("a read in space \(space), which is not here")
        }
        do throws(NodeError) {
            try answerRead(id, read, in: index)
        } catch {
            refuse(id, error, at: now)
        }
    }

    /// Events are only made while somebody watches.
    private mutating func streamClosed(_ id: SpaceID) {
        guard let space = spaces.handle(of: id) else { return }
        spaces[space].documents.removeWatcher(at: spaces[space].position)
    }

    // MARK: Requests

    mutating func watch(_ id: RequestID, in index: SpaceHandle, _ request: NodeRequest) throws(NodeError) {
        try need(.reader, in: index)
        try readers.needRoomForWatcher()
        batch.later(id, request.naming(SpaceReference(spaces[index].id.description)))
    }

    /// After the commit: registers the stream and sends what it starts with.
    mutating func openWatch(
        _ id: RequestID, in index: SpaceHandle, start: WatchStart, prefix: Key, follow: Bool,
        _ filter: Filter?
    ) throws(StoreFailure) {
        let position = spaces[index].position
        var watcher = Watcher(
            request: id, space: spaces[index].id, prefix: prefix, follow: follow, filter: filter,
            position: position)
        let present = Cursor(store: epochs.current, space: watcher.space, position: position)
        // What a program may go on from when it has read this line and no other.
        var first = present.text
        switch start {
        case .now: break
        case .begin:
            watcher.past = StateLines(
                store: try store.reader(), space: watcher.space, prefix: prefix, filter: filter,
                cursor: present)
            try watcher.readPast { source throws(StoreFailure) in try source.next(in: spaces[index]) }
            if !watcher.backlog.isEmpty { first = present.textWithin }
        case .cursor(let text):
            if let from = self.position(of: text, in: index) {
                first = text
                if from < position {
                    watcher.past = ReplayLines(
                        store: try store.reader(), space: watcher.space, storeName: epochs.current,
                        prefix: prefix, filter: filter, after: from)
                    try watcher.readPast { source throws(StoreFailure) in try source.next(in: spaces[index]) }
                }
            } else {
                watcher.needsResync = true
                first = present.textWithin
            }
        }
        // From here on the ring is without gaps.
        spaces[index].documents.addWatcher(at: position)
        readers.open(watcher)
        batch.answer(id, .watching(cursor: first))
    }

    /// The position that a cursor stands for; nil when it is foreign or too long ago.
    private func position(of text: String, in index: SpaceHandle) -> CommitPosition? {
        let held = spaces[index].position
        guard let cursor = Cursor(text), epochs.holds(cursor, of: spaces[index].id),
            cursor.position <= held, cursor.position >= spaces[index].documents.rebuilt,
            held.value - cursor.position.value <= UInt64(NodeLimits.replayChangesMax)
        else { return nil }
        return cursor.position
    }

    mutating func wait(
        _ id: RequestID, in index: SpaceHandle, change: Dot, on members: [MemberReference]?,
        timeoutSeconds: UInt64,
        at now: Instant
    ) throws(NodeError) {
        var devices: Set<DeviceID>?
        if let members {
            var named: Set<DeviceID> = []
            for reference in members {
                named.insert(try member(reference, in: index, isActive: true).device)
            }
            devices = named
        }
        try readers.needRoomForWait()
        let all = spaces[index].roster.activeDevices().filter { isWaitedFor($0, in: index) }
        readers.wait(
            WaitingHold(
                request: id, space: spaces[index].id, change: change, devices: (devices ?? Set(all)).sorted(),
                isForAll: devices == nil, deadline: now.monotonic + timeoutSeconds * 1_000))
    }

    /// Relays are not waited for unless they are named: this version sends them no changes to hold.
    private func isWaitedFor(_ device: DeviceID, in index: SpaceHandle) -> Bool {
        spaces[index].roster.role(of: device).map { $0 > .relay } ?? false
    }

    // MARK: After a commit

    /// Answers requests that are fulfilled or late: `durable` and the peers' vectors are what they say.
    mutating func answerWaiting(at now: Instant) {
        if !readers.waitingHolds.isEmpty {
            let held = readers.waitingHolds.map { holders(of: $0) }
            perform(readers.updateHolds(held, at: now), at: now)
        }
        if !readers.waitingReads.isEmpty { perform(updateReads(at: now), at: now) }
    }

    /// Which devices of a `wait` hold its change; nil when the space is not here.
    private mutating func holders(of hold: WaitingHold) -> [HeldBy]? {
        guard let index = spaces.handle(of: hold.space) else { return nil }
        let change = standIn(for: hold.change, in: index)
        let devices = hold.isForAll ? hold.devices.filter { isWaitedFor($0, in: index) } : hold.devices
        return devices.map {
            HeldBy(device: $0, name: spaces[index].nameOf($0), held: holds($0, change, in: index))
        }
    }

    /// The change itself, or what it was re-issued as when it is void.
    private mutating func standIn(for change: Dot, in index: SpaceHandle) -> Dot {
        guard spaces[index].forks.closed.isClosed(change) else { return change }
        do throws(StoreFailure) {
            return try reissue(of: change.replica, in: index)?.renamed(change) ?? change
        } catch {
            // Asked again after the next commit.
            return change
        }
    }

    private func holds(_ device: DeviceID, _ change: Dot, in index: SpaceHandle) -> Bool {
        if device == self.device { return spaces[index].isDurable(change) }
        // Vectors do not name what is gone, which each member has that goes on from the checkpoint.
        let isGone = spaces[index].exceptions.gone.contains(change)
        return spaces[index].peerVectors[device].map { isGone || $0.contains(change) } ?? false
    }

    private mutating func updateReads(at now: Instant) -> [ReaderAction] {
        let spaces = spaces
        return readers.updateReads(
            isHeld: { token, space in
                spaces.handle(of: space).map {
                    token.isHeld(in: spaces[$0].durable, closed: spaces[$0].closings)
                }
            }, at: now)
    }

    /// Every stream gets what it has room for.
    mutating func feedWatchers(at now: Instant) {
        if readers.watchers.isEmpty { return }
        // Made in a function of its own: the copy of the spaces is gone when one of them changes.
        perform(feedActions(), at: now)
    }

    private mutating func feedActions() -> [ReaderAction] {
        let (spaces, epoch, store) = (spaces, epochs.current, store)
        func handle(_ id: SpaceID) -> SpaceHandle {
            guard let handle = spaces.handle(of: id) else {
                preconditionFailure("a stream of space \(id), which is not here")
            }
            return handle
        }
        return readers.feed(
            StreamSpaces(
                position: { spaces.handle(of: $0).map { spaces[$0].position } },
                ring: { spaces[handle($0)].documents.ring },
                cursor: { id in
                    Cursor(store: epoch, space: id, position: spaces[handle(id)].position).text
                },
                nextPage: { source, id throws(StoreFailure) in try source.next(in: spaces[handle(id)]) },
                replay: { watcher throws(StoreFailure) in
                    ReplayLines(
                        store: try store.reader(), space: watcher.space, storeName: epoch,
                        prefix: watcher.prefix, filter: watcher.filter, after: watcher.position)
                }))
    }
}
