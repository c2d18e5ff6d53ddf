// Several nodes in one process, without sockets, disks or real time: the same node values that the daemon
// runs, over in-memory stores and a network made of a seeded generator. Time jumps from event to event. The
// same seed gives the same trace in every process; `traceHash` proves it.

import Bytes
public import Causality
import Crypto
public import Node

/// Nodes, the network between them, and the clock.
public struct World {
    /// What the network does to connections.
    public struct Weather: Sendable {
        /// One way, milliseconds; each direction of a connection stays in order, connections do not.
        public var delay: ClosedRange<UInt64> = 1...40
        /// One delivery in so many breaks its connection; 0: none.
        public var breaksOneIn: UInt64 = 0
        /// One datagram in so many is lost, and one comes twice; 0: none.
        public var losesDatagramOneIn: UInt64 = 0
        public var doublesDatagramOneIn: UInt64 = 0
        /// Bytes of a delivery at most: the stream arrives in pieces of any size up to this.
        public var pieceBytesMax = 2_048

        public init() {}
    }

    public internal(set) var nodes: [WorldNode] = []
    public var weather = Weather()
    /// How long a node collects inputs before it commits them as one batch; 0: each by itself.
    public var batchMilliseconds: UInt64 = 0
    /// Milliseconds since the start.
    public internal(set) var time: UInt64 = 0
    /// FNV-1a over everything that happened.
    public internal(set) var traceHash: UInt64 = 0xCBF2_9CE4_8422_2325
    var dice: SeededGenerator
    var events = EventQueue()
    var connections: [UInt64: WorldConnection] = [:]
    /// Numbers of connections by who dialled them.
    var dialled: [ConnectionName: UInt64] = [:]
    var nextConnection: UInt64 = 1
    /// Who hears whose beacons, and what was sent and dialled.
    public var air = Airwaves()
    /// Pairs that cannot reach each other, lower index first.
    var walls: Set<[Int]> = []
    /// What names mean to all nodes: numbers; a name that is not here cannot be found.
    public var names: [String: [String]] = [:]
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
        let node = WorldNode(index: index, seed: seed, staticPeers: staticPeers, address: address(of: index))
        nodes.append(node)
        start(index)
        return index
    }

    public func address(of index: Int) -> String { "10.0.0.\(index + 1):21420" }

    /// Power loss: what the store did not sync is gone, connections die without a word to this node.
    public mutating func crash(_ index: Int) {
        guard let node = nodes[index].node else { return }
        nodes[index].disk = node.store.afterCrash()
        nodes[index].node = nil
        nodes[index].commitAt = nil
        for id in connections.keys.sorted() where connections[id]?.joins(index) == true {
            breakConnection(id)
        }
    }

    /// Starts a node on the disk it has.
    public mutating func start(_ index: Int) {
        precondition(nodes[index].node == nil, "node \(index) runs")
        nodes[index].starts += 1
        let node = nodes[index].boot(at: now)
        nodes[index].node = node
        handle(index, .listening([address(of: index)]))
        tellNetworks(index)
    }

    /// Nobody in `group` reaches anybody outside it. Their connections stall without being closed.
    public mutating func separate(_ group: Set<Int>) {
        for a in nodes.indices {
            for b in nodes.indices where a < b && group.contains(a) != group.contains(b) {
                walls.insert([a, b])
            }
        }
    }

    public mutating func reunite() {
        walls = []
        for index in nodes.indices { handle(index, .networkChanged) }
    }

    /// The walls go, and no node is told that anything changed.
    public mutating func heal() { walls = [] }

    func isWalled(_ a: Int, _ b: Int) -> Bool { walls.contains([min(a, b), max(a, b)]) }

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
        case .input(let index, let input): handle(index, input)
        case .tick(let index):
            if nodes[index].tickAt == event.time {
                nodes[index].tickAt = nil
                handle(index, .tick)
            }
        case .commit(let index): if nodes[index].commitAt == event.time { commit(index) }
        case .deliver(let id, let toDialler, let bytes): deliver(id, toDialler, bytes)
        case .ended(let id, let toDialler): deliverEnd(id, toDialler)
        case .arrive(let id): arrive(id)
        }
    }

    /// One input; its commit and what it asks for, at once or at the end of the batch.
    mutating func handle(_ index: Int, _ input: Input) {
        guard nodes[index].node != nil else { return }
        trace(UInt64(index))
        trace(time)
        let now = self.now
        nodes[index].node?.handle(input, at: now)
        guard batchMilliseconds > 0 else { return commit(index) }
        if nodes[index].commitAt == nil {
            nodes[index].commitAt = time + batchMilliseconds
            events.insert(Event(time: time + batchMilliseconds, kind: .commit(index)))
        }
    }

    /// The end of a batch: what it made durable leaves.
    private mutating func commit(_ index: Int) {
        nodes[index].commitAt = nil
        let now = self.now
        let effects = nodes[index].node?.commit(at: now) ?? []
        for effect in effects { perform(effect, of: index) }
        guard let deadline = nodes[index].node?.deadline else { return }
        let due = max(time + 1, deadline > 1_000 ? deadline - 1_000 : 0)
        if due < nodes[index].tickAt ?? .max {
            nodes[index].tickAt = due
            events.insert(Event(time: due, kind: .tick(index)))
        }
    }

    private mutating func perform(_ effect: Effect, of index: Int) {
        if performForStranger(effect) { return }
        switch effect {
        case .answer(let request, let answer): nodes[index].answers[request, default: []].append(answer)
        case .log(let level, let code, let message):
            let line = "\(time) \(level) \(code): \(message)"
            nodes[index].log.append(line)
        case .dial(let id, let address): dial(id, address, from: index)
        case .resolve(let host): resolve(host, for: index)
        case .send(let id, let bytes): send(bytes, on: id, from: index)
        case .close(let id): closeConnection(id, from: index)
        case .beacon(let bytes, _): callOut(bytes, from: index)
        case .backup(let request):
            nodes[index].answers[request, default: []].append(.backup(path: "/nowhere"))
        case .reload(let request, _):
            // A world has no config files; scripts hand settings over themselves.
            let report = ReloadReport(applied: [], needsRestart: [])
            nodes[index].answers[request, default: []].append(.reloaded(report))
        case .halt(let message):
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
