// The machine of programs that read and wait: change streams, reads that wait for a version, and `wait` for
// other devices to hold a change. All of it is looked at once a batch, after the commit, when vectors and
// positions are what they say, and at deadlines. What a stuck program costs is bounded (`NodeLimits`).
//
//     commit -> updateHolds, updateReads -> .answer, .read
//            -> feed -> .answer(.watchLine), .closed

import Causality

/// What readers ask of the node, in order.
enum ReaderAction: Sendable {
    case answer(RequestID, NodeAnswer)
    /// The version that a read waited for is held: it is answered now.
    case read(RequestID, NodeRequest, in: SpaceID)
    /// One stream of the space is gone.
    case closed(SpaceID)
    case log(LogLevel, code: String, message: String)
}

/// Streams and waiting requests of programs.
struct Readers: StateMachine {
    /// In the order in which they were opened.
    private(set) var watchers: [Watcher] = []
    private(set) var waitingReads: [WaitingRead] = []
    private(set) var waitingHolds: [WaitingHold] = []
    private(set) var counters = Counters()

    /// For the metrics; nothing is decided by them.
    struct Counters: Sendable {
        var lines: UInt64 = 0
        var resyncs: UInt64 = 0
    }

    /// When a waiting request is late.
    var deadline: UInt64? {
        var next: UInt64?
        for waiting in waitingReads { next = min(next ?? .max, waiting.deadline) }
        for waiting in waitingHolds { next = min(next ?? .max, waiting.deadline) }
        return next
    }

    var waitCount: Int { waitingReads.count + waitingHolds.count }

    /// Devices that a program waits for by name; few, so that a wait for everybody does not dial everybody.
    func awaitedDevices(countMax: Int) -> [DeviceID] {
        waitingHolds.flatMap { $0.devices.count <= countMax ? $0.devices : [] }
    }

    /// The program went away.
    mutating func cancel(_ id: RequestID) -> [ReaderAction] {
        waitingReads.removeAll { $0.request == id }
        waitingHolds.removeAll { $0.request == id }
        guard let index = watchers.firstIndex(where: { $0.request == id }) else { return [] }
        return [.closed(watchers.remove(at: index).space)]
    }

    // MARK: Streams

    func needRoomForWatcher() throws(NodeError) {
        guard watchers.count < NodeLimits.watchersMax else {
            throw .tooMany(what: "watchers", limit: NodeLimits.watchersMax)
        }
    }

    /// Opens a stream; there is room for it.
    mutating func open(_ watcher: Watcher) {
        precondition(watchers.count < NodeLimits.watchersMax, "\(watchers.count) streams are open")
        watchers.append(watcher)
    }

    /// The program wrote out so many lines of its stream.
    mutating func credit(_ id: RequestID, lines: Int) {
        guard let index = watchers.firstIndex(where: { $0.request == id }) else { return }
        watchers[index].credit(lines: lines)
    }

    /// A batch was lost. Streams that are ahead of what is left of it are told to read again. `position`: nil
    /// for a space that is not here.
    mutating func batchLost(position: (SpaceID) -> CommitPosition?) {
        for index in watchers.indices {
            guard let left = position(watchers[index].space) else { continue }
            if watchers[index].position > left { watchers[index].needsResync = true }
        }
    }

    // MARK: Waiting

    func needRoomForWait() throws(NodeError) {
        guard waitCount < NodeLimits.waitsMax else {
            throw .tooMany(what: "waits", limit: NodeLimits.waitsMax)
        }
    }

    mutating func wait(_ read: WaitingRead) {
        precondition(waitCount < NodeLimits.waitsMax, "\(waitCount) requests wait")
        waitingReads.append(read)
    }

    mutating func wait(_ hold: WaitingHold) {
        precondition(waitCount < NodeLimits.waitsMax, "\(waitCount) requests wait")
        waitingHolds.append(hold)
    }

    /// Answers the `wait`s that are fulfilled or late. `held` says for each of them, in order, which of its
    /// devices hold the change; nil: the space is not here.
    mutating func updateHolds(_ held: [[HeldBy]?], at now: Instant) -> [ReaderAction] {
        precondition(held.count == waitingHolds.count, "\(held.count) answers to \(waitingHolds.count) waits")
        var actions: [ReaderAction] = []
        var left: [WaitingHold] = []
        for (hold, held) in zip(waitingHolds, held) {
            guard let held else {
                actions.append(.answer(hold.request, .failed(.noSuchSpace(hold.space.description))))
                continue
            }
            let complete = held.allSatisfy(\.held)
            if complete || now.monotonic >= hold.deadline {
                let answer = NodeAnswer.waited(change: hold.change, on: held, complete: complete)
                actions.append(.answer(hold.request, answer))
            } else {
                left.append(hold)
            }
        }
        waitingHolds = left
        return actions
    }

    /// Lets reads go on whose version is held, and refuses those that are late. `isHeld`: nil when the
    /// space is not here.
    mutating func updateReads(
        isHeld: (VersionToken, SpaceID) -> Bool?, at now: Instant
    ) -> [ReaderAction] {
        var actions: [ReaderAction] = []
        var left: [WaitingRead] = []
        for waiting in waitingReads {
            switch isHeld(waiting.token, waiting.space) {
            case nil:
                actions.append(.answer(waiting.request, .failed(.noSuchSpace(waiting.space.description))))
            case true?: actions.append(.read(waiting.request, waiting.read, in: waiting.space))
            case false? where now.monotonic >= waiting.deadline:
                actions.append(.answer(waiting.request, .failed(.timedOut)))
            case false?: left.append(waiting)
            }
        }
        waitingReads = left
        return actions
    }
}

extension Readers {
    /// Whole: requests are told apart, and the windows say what was sent.
    func checkInvariants(whole: Bool) {
        precondition(watchers.count <= NodeLimits.watchersMax, "\(watchers.count) streams are open")
        precondition(waitCount <= NodeLimits.waitsMax, "\(waitCount) requests wait")
        guard whole else { return }
        for watcher in watchers { watcher.checkInvariants() }
        let requests = watchers.map(\.request) + waitingReads.map(\.request) + waitingHolds.map(\.request)
        precondition(Set(requests).count == requests.count, "a request waits twice")
    }

    /// The streams, to be fed in place.
    mutating func withWatchers(_ body: (inout [Watcher], inout Counters) -> Void) {
        body(&watchers, &counters)
    }
}
