// Several nodes in one process, without sockets, disks or real time: the same node values that the daemon
// runs, over in-memory stores and a network made of a seeded generator. Time jumps from event to event. The
// same seed gives the same trace in every process; `traceHash` proves it.

import Bytes
public import Causality
import Crypto
public import Node

/// Nodes, the network between them, and the clock.
public struct World {
    public internal(set) var nodes: [WorldNode] = []
    /// Nodes that complete handshakes and then say nothing.
    public var silent: Set<Int> = []
    public var weather = Weather()
    /// Directions with a weather of their own.
    public var weathers: [Direction: Weather] = [:]
    /// How long a node collects inputs before it commits them as one batch; 0: each by itself.
    public var batchMilliseconds: UInt64 = 0
    /// Of nodes that are added from now on; nil: as a daemon without settings.
    var checkpoints: CheckpointPace?
    /// Milliseconds since the start.
    public internal(set) var time: UInt64 = 0
    /// FNV-1a over everything that happened.
    public internal(set) var traceHash: UInt64 = 0xCBF2_9CE4_8422_2325
    var dice: SeededGenerator
    var events = EventQueue()
    var connections: [UInt64: WorldConnection] = [:]
    var nextConnection: UInt64 = 1
    /// Who hears whose beacons, and what was sent and dialled.
    public var air = Airwaves()
    /// What names mean to all nodes: numbers; a name that is not here cannot be found.
    public var names: [String: [String]] = [:]
    var ends: [ConnectionName: ConnectionEnd] = [:]
    /// Directions in which nothing arrives.
    var walls: Set<Direction> = []
    /// Directions in which everything waits until a moment.
    var clogs: [Direction: UInt64] = [:]
    /// How often each fault of the weather happened.
    public internal(set) var faultCounts: [FaultKind: Int] = [:]
    /// What happened since it was last taken, for whoever checks; nothing is noted unless `isObserved`.
    public internal(set) var happenings: [Happening] = []
    public var isObserved = false
    /// Bytes that must never be seen on the network.
    public var secret: [UInt8] = []
    /// What diallers sent at the beginning of the last connections, to be played again.
    var recordings: [UInt64: Recording] = [:]
    /// Connections of tests, by number.
    var strangers: [UInt64: Stranger] = [:]
    let seed: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        dice = SeededGenerator(seed: seed)
    }

    // MARK: Nodes

    /// Adds a node and starts it; its index. It listens at `address(of:)`.
    @discardableResult
    public mutating func addNode(staticPeers: [String] = []) -> Int {
        let index = nodes.count
        var node = WorldNode(index: index, seed: seed, staticPeers: staticPeers, address: address(of: index))
        node.checkpoints = checkpoints
        nodes.append(node)
        start(index)
        return index
    }

    public func address(of index: Int) -> String { "10.0.0.\(index + 1):21420" }

    /// Power loss: what the store did not sync is gone. The other ends of its connections hear of it, or,
    /// `silently`, nothing at all.
    public mutating func crash(_ index: Int, silently: Bool = false) {
        guard let node = nodes[index].node else { return }
        nodes[index].disk = node.store.afterCrash()
        nodes[index].node = nil
        nodes[index].commitAt = nil
        nodes[index].tickAt = nil
        nodes[index].crashPoint = nil
        nodes[index].forgetWaiting()
        for number in strangers.keys where strangers[number]?.node == index {
            strangers[number]?.isClosed = true
        }
        note(.crashed(index))
        for number in connections.keys.sorted() where connections[number]?.joins(index) == true {
            if silently { abandonConnection(number, of: index) } else { breakConnection(number) }
        }
    }

    /// Starts a node on the disk it has. It does not run then if it has to write and there is no room.
    public mutating func start(_ index: Int) {
        precondition(nodes[index].node == nil, "node \(index) runs")
        nodes[index].starts += 1
        nodes[index].startsFound = nodes[index].disk.startsKept
        if nodes[index].discontinuity != nil { nodes[index].retireLogs() }
        guard let node = nodes[index].boot(at: now(of: index)) else { return }
        nodes[index].node = node
        nodes[index].discontinuity = nil
        note(.started(index))
        handle(index, .network(.listening([address(of: index)])))
        tellNetworks(index)
    }

    /// Nobody in `group` reaches anybody outside it. Their connections stall without being closed.
    public mutating func separate(_ group: Set<Int>) {
        for a in nodes.indices {
            for b in nodes.indices where group.contains(a) != group.contains(b) {
                walls.insert(Direction(from: a, to: b))
            }
        }
    }

    public mutating func reunite() {
        walls = []
        clogs = [:]
        for index in nodes.indices { handle(index, .network(.changed)) }
    }

    /// The walls go, and no node is told that anything changed.
    public mutating func heal() { walls = [] }

    /// True when nothing arrives from one node at another.
    func isWalled(_ from: Int, _ to: Int) -> Bool { walls.contains(Direction(from: from, to: to)) }

    // MARK: Requests

    /// Hands a request to a node; its answers so far are in `answers`.
    @discardableResult
    public mutating func request(_ index: Int, _ request: NodeRequest) -> RequestID {
        let id = RequestID(nodes[index].nextRequest)
        nodes[index].nextRequest += 1
        handle(index, .request(id, request))
        return id
    }

    /// Asks and runs the world until the final answer is there, at most this long; the final answer.
    public mutating func ask(_ index: Int, _ request: NodeRequest, within milliseconds: UInt64 = 120_000)
        -> NodeAnswer?
    {
        let id = self.request(index, request)
        let end = time + milliseconds
        while time < end {
            if let last = nodes[index].answers[id]?.last, last.isFinal { return last }
            guard step(until: end) else { break }
        }
        return nodes[index].answers[id]?.last
    }

    /// The canonical export of a space.
    public mutating func export(_ index: Int, _ space: String) -> [UInt8]? {
        guard case .reading(let job, _) = ask(index, .export(SpaceReference(space), view: .plain)) else {
            return nil
        }
        var bytes: [UInt8] = []
        do throws(StoreFailure) {
            while let piece = try job.next() { bytes += piece }
        } catch {
            return nil
        }
        return bytes
    }

    // MARK: Time

    public var now: Instant { Instant(monotonic: 1_000 + time, wall: 1_700_000_000_000 + time) }

    /// The moment as a node's clocks show it.
    public func now(of index: Int) -> Instant {
        Instant(monotonic: now.monotonic, wall: nodes[index].clock.wall(now.wall, at: time))
    }

    /// Lets this much time pass.
    public mutating func run(milliseconds: UInt64) {
        let end = time + milliseconds
        while step(until: end) {}
        time = end
    }

    /// Runs until the condition holds after an event; false when the time ran out first.
    public mutating func run(within milliseconds: UInt64, until isDone: (inout World) -> Bool) -> Bool {
        let end = time + milliseconds
        while !isDone(&self) {
            // The condition may cost much: not after each event.
            let pause = min(end, time + 200)
            while step(until: pause) {}
            time = max(time, pause)
            if time >= end { return isDone(&self) }
        }
        return true
    }

    /// The next event before `end`; false when there is none.
    mutating func step(until end: UInt64) -> Bool {
        guard let event = events.popFirst(until: end) else { return false }
        carryOut(event)
        return true
    }

    mutating func carryOut(_ event: Event) {
        time = max(time, event.time)
        switch event.kind {
        case .input(let index, let start, let input):
            if nodes[index].starts == start { handle(index, input) }
        case .tick(let index):
            if nodes[index].tickAt == event.time {
                nodes[index].tickAt = nil
                handle(index, .tick)
            }
        case .wake(let index, let start): if nodes[index].starts == start { wake(index) }
        case .commit(let index): if nodes[index].commitAt == event.time { commit(index) }
        case .deliver(let id, let toDialler): deliver(id, toDialler: toDialler)
        case .arrive(let id): arrive(id)
        }
    }

    /// Hands an input to a node later, if it runs on until then.
    mutating func plan(_ input: Input, for index: Int, at moment: UInt64) {
        events.insert(Event(time: moment, kind: .input(index, start: nodes[index].starts, input)))
    }

    /// One input; its commit and what it asks for, at once or at the end of the batch.
    mutating func handle(_ index: Int, _ input: Input) {
        guard nodes[index].node != nil else { return }
        guard nodes[index].pausedUntil <= time, !nodes[index].isAnythingWaiting else {
            if nodes[index].wait(input) { planWake(index) }
            return
        }
        take(input, at: index)
    }

    /// Milliseconds that a node collects inputs.
    func batch(of index: Int) -> UInt64 { nodes[index].batchMilliseconds ?? batchMilliseconds }

    private mutating func take(_ input: Input, at index: Int) {
        trace(UInt64(index))
        trace(time)
        let now = now(of: index)
        nodes[index].node?.handle(input, at: now)
        let pause = batch(of: index)
        guard pause > 0 else { return commit(index) }
        if nodes[index].commitAt == nil {
            nodes[index].commitAt = time + pause
            events.insert(Event(time: time + pause, kind: .commit(index)))
        }
    }

    private mutating func planWake(_ index: Int) {
        let kind = Event.Kind.wake(index, start: nodes[index].starts)
        events.insert(Event(time: max(time, nodes[index].pausedUntil), kind: kind))
    }

    private mutating func wake(_ index: Int) {
        guard nodes[index].pausedUntil <= time else { return planWake(index) }
        // One an event: whoever looks on sees what each of them led to.
        guard let input = nodes[index].takeWaiting() else { return }
        take(input, at: index)
        if nodes[index].isAnythingWaiting { planWake(index) }
    }

    /// The end of a batch: what it made durable leaves.
    private mutating func commit(_ index: Int) {
        nodes[index].commitAt = nil
        if nodes[index].crashPoint == .beforeCommit { return crash(index) }
        let now = now(of: index)
        let effects = nodes[index].node?.commit(at: now) ?? []
        // Not in the build with planted bugs: what nodes show is to find them.
        #if !PLANTED_BUGS
        nodes[index].commits += 1
        let isHundredth = nodes[index].commits % 100 == 0
        nodes[index].node?.checkInvariants(whole: isHundredth)
        #endif
        note(.committed(index))
        var left = effects.count
        if case .afterEffects(let count) = nodes[index].crashPoint, !effects.isEmpty { left = count }
        for effect in effects.prefix(left) { perform(effect, of: index) }
        if case .afterEffects = nodes[index].crashPoint, !effects.isEmpty { return crash(index) }
        guard let deadline = nodes[index].node?.deadlineInPlace() else { return }
        let due = max(time + 1, deadline > 1_000 ? deadline - 1_000 : 0)
        if due < nodes[index].tickAt ?? .max {
            nodes[index].tickAt = due
            events.insert(Event(time: due, kind: .tick(index)))
        }
    }

    private mutating func perform(_ effect: Effect, of index: Int) {
        if case .send(_, let bytes) = effect { searchForSecret(bytes, from: index) }
        if performForStranger(effect) { return }
        switch effect {
        case .answer(let request, let answer):
            if isObserved { return note(.answered(index, request, answer)) }
            nodes[index].answers[request, default: []].append(answer)
        case .log(let level, let code, let message):
            note(.logged(index, level, code: code, message))
            let line = "\(time) \(level) \(code): \(message)"
            nodes[index].log.append(line)
        case .dial(let id, let address): dial(id, address, from: index)
        case .resolve(let host): resolve(host, for: index)
        case .send(let id, let bytes): send(bytes, on: id, from: index)
        case .tellWritten(let id): tellWritten(id, of: index)
        case .close(let id): closeConnection(id, from: index)
        case .beacon(let bytes, _): callOut(bytes, from: index)
        case .backup(let request):
            nodes[index].answers[request, default: []].append(.backup(path: "/nowhere"))
        case .reload(let request, _):
            // A world has no config files; scripts hand settings over themselves.
            let report = ReloadReport(applied: [], needsRestart: [])
            nodes[index].answers[request, default: []].append(.reloaded(report))
        case .halt(let message):
            note(.logged(index, .critical, code: "halt", message))
            let line = "\(time) halt: \(message)"
            nodes[index].log.append(line)
            crash(index)
        }
    }

    mutating func trace(_ value: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            traceHash = (traceHash ^ (value >> UInt64(shift) & 0xFF)) &* 0x0000_0100_0000_01B3
        }
    }
}

extension Node {
    /// `deadline` of a value that stands in a table: what mutates reads in place, without a copy of it all.
    fileprivate mutating func deadlineInPlace() -> UInt64? { deadline }
}
