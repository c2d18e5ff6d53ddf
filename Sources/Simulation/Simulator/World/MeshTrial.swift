// How a mesh of many nodes does: what it costs to receive, over how many links a change travels and how long,
// and what is left of it when nodes die. The nodes are the same values that the daemon runs, with real
// handshakes; only time and the wires are simulated. `replbench mesh` prints it, tests hold it to its
// figures.

import Bytes
public import Causality
import Documents
import Node
import Wire

/// A mesh under measurement.
public struct MeshTrial {
    /// What was sent and received by some nodes in a while.
    public struct Traffic: Sendable {
        /// All bytes that arrived on links, summed over the nodes.
        public var received: UInt64 = 0
        /// Of them, segments that brought what was lacking; segments that did not.
        public var useful: UInt64 = 0
        public var duplicate: UInt64 = 0
        /// Canonical bytes of the changes that the nodes lacked, with the seal of each segment.
        public var lacked: UInt64 = 0
        public var have: UInt64 = 0
        public var grafts: UInt64 = 0
        public var prunes: UInt64 = 0

        /// All that was received for a byte of sealed changes that the nodes lacked, as they travel.
        public var ratio: Double { useful == 0 ? 0 : Double(received) / Double(useful) }
    }

    /// One change on its way to all.
    public struct Spread: Sendable {
        /// Milliseconds until the last node held it.
        public var milliseconds: UInt64
        /// Links on the longest way and on the way to a node, on average.
        public var hopsMax: Int
        public var hopsMean: Double
    }

    public var world: World
    public let space: SpaceID
    static let name = "mesh"
    private var dice: SeededGenerator
    private var hoarders: Hoarders?

    /// Starts the nodes; nothing is linked yet. `silent` members more are linked and say nothing, `hoarding`
    /// ones are linked to everybody, speak, and pass nothing on.
    public init?(
        nodes: Int, silent: Int = 0, hoarding: Int = 0, seed: UInt64, delay: ClosedRange<UInt64> = 5...15
    ) {
        world = World(seed: seed)
        world.weather.delay = delay
        world.weather.pieceBytesMax = 1 << 16
        world.silent = Set(nodes..<nodes + silent)
        let all = nodes + silent + hoarding
        guard let space = world.addMembers(all, of: Self.name) else { return nil }
        self.space = space
        dice = SeededGenerator(seed: seed &+ 7)
        if hoarding == 0 { return }
        for index in nodes + silent..<all { world.crash(index) }
        hoarders = Hoarders(nodes + silent..<all, besides: 0..<nodes, of: space, in: world, seed: seed &+ 9)
        if hoarders == nil { return nil }
    }

    /// Links that hoarders had made so far.
    public var hoarderLinkCount: Int { hoarders?.linksMade ?? 0 }

    /// Lets this much time pass.
    public mutating func run(milliseconds: UInt64) {
        let end = world.time + milliseconds
        while hoarders != nil, world.time < end {
            hoarders?.act(in: &world)
            world.run(milliseconds: min(end - world.time, Hoarders.milliseconds))
        }
        if world.time < end { world.run(milliseconds: end - world.time) }
    }

    /// Runs until the condition holds; false when the time ran out first.
    public mutating func run(within milliseconds: UInt64, until isDone: (World) -> Bool) -> Bool {
        let end = world.time + milliseconds
        while !isDone(world) {
            if world.time >= end { return false }
            run(milliseconds: min(200, end - world.time))
        }
        return true
    }

    /// Connections that were made so far.
    public var connectionCount: UInt64 { world.nextConnection }
    /// Bytes that arrived on the links of all nodes that run.
    public var received: UInt64 { totals().received }
    /// Nodes that run and speak, ascending.
    public var alive: [Int] {
        world.nodes.indices.filter { world.nodes[$0].node != nil && !world.silent.contains($0) }
    }

    // MARK: Links

    /// Linked pairs by node, among those that run.
    public func neighbours() -> [Int: [Int]] {
        var index: [DeviceID: Int] = [:]
        for node in alive { index[world.nodes[node].node?.ownDevice ?? DeviceID(publicKey: .zero)] = node }
        var result: [Int: [Int]] = [:]
        for node in alive {
            result[node] = world.nodes[node].node?.linkedDevices.compactMap { index[$0] } ?? []
        }
        return result
    }

    /// Nodes that the first one that runs reaches over links.
    public func reachable() -> Int {
        let links = neighbours()
        guard let first = alive.first else { return 0 }
        var seen: Set<Int> = [first]
        var queue = [first]
        while let node = queue.popLast() {
            for next in links[node] ?? [] where seen.insert(next).inserted { queue.append(next) }
        }
        return seen.count
    }

    // MARK: Writing

    /// Each of `writers` makes a change of about so many bytes every so often, for a while.
    public mutating func write(
        _ writers: [Int], bytes: Int, every period: UInt64, for milliseconds: UInt64
    ) -> Traffic {
        let before = totals()
        let end = world.time + milliseconds
        var next = writers.map { ($0, world.time + UInt64.random(in: 0..<period, using: &dice)) }
        while let (place, due) = next.enumerated().map({ ($0, $1.1) }).min(by: { $0.1 < $1.1 }), due < end {
            if due > world.time { run(milliseconds: due - world.time) }
            write(next[place].0, bytes: bytes)
            next[place].1 = due + period
        }
        // What is under way arrives.
        run(milliseconds: max(end, world.time) - world.time + 2_000)
        var traffic = totals()
        traffic.received -= before.received
        traffic.useful -= before.useful
        traffic.duplicate -= before.duplicate
        traffic.lacked -= before.lacked
        traffic.have -= before.have
        traffic.grafts -= before.grafts
        traffic.prunes -= before.prunes
        return traffic
    }

    /// One change by a node: a register with text that does not compress.
    public mutating func write(_ index: Int, bytes: Int) {
        guard world.nodes[index].node != nil else { return }
        let text = String(
            decoding: (0..<bytes).map { _ in UInt8.random(in: 33...126, using: &dice) }, as: UTF8.self)
        let key = Key("note/\(index)/\(UInt8.random(in: 0..<32, using: &dice))")
        let operation = OperationRequest(
            document: key, path: [.key("text")], verb: .set(.scalar(.string(Key(text)))))
        let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        world.request(index, .transact(SpaceReference(Self.name), transaction))
    }

    /// Sums over the nodes that run.
    private func totals() -> Traffic {
        var sum = Traffic()
        for index in alive {
            guard let node = world.nodes[index].node else { continue }
            let measures = node.linkMeasures
            sum.received += measures.bytesReceived
            sum.useful += measures.usefulBytes
            sum.duplicate += measures.duplicateBytes
            sum.have += measures.haveBytesSent
            sum.grafts += measures.grafts
            sum.prunes += measures.prunes
            let own = node.ownReplica(in: space)
            for entry in node.heldDurably(of: space).entries where entry.replica != own {
                sum.lacked += canonicalBytes(entry.replica, in: node.store)
            }
        }
        return sum
    }

    private func canonicalBytes(_ replica: ReplicaID, in store: MemoryStore) -> UInt64 {
        do throws(StoreFailure) {
            let runs = try store.runs(
                space, replica, from: SequenceNumber(1), bytesMax: Int.max / 2)
            return runs.reduce(0) { $0 + UInt64($1.bytes.count) }
        } catch {
            return 0
        }
    }

    // MARK: Spreading

    /// One node makes a change; how it reached all others. Nil when it did not in that time.
    public mutating func spread(from origin: Int, within milliseconds: UInt64 = 60_000) -> Spread? {
        let start = world.time
        write(origin, bytes: 64)
        guard let node = world.nodes[origin].node, let replica = node.ownReplica(in: space) else {
            return nil
        }
        let last = node.heldDurably(of: space)[replica]
        let space = self.space
        let others = alive
        var missing = Set(others)
        while !missing.isEmpty, world.time < start + milliseconds {
            run(milliseconds: 5)
            missing = missing.filter { world.nodes[$0].node?.heldDurably(of: space)[replica] ?? .none < last }
        }
        guard missing.isEmpty else { return nil }
        var index: [DeviceID: Int] = [:]
        for node in others { index[world.nodes[node].node?.ownDevice ?? DeviceID(publicKey: .zero)] = node }
        var hops = [origin: 0]
        for node in others {
            var way: [Int] = []
            var at = node
            while hops[at] == nil, way.count <= others.count,
                let from = world.nodes[at].node?.deliverer(of: replica, in: space).flatMap({ index[$0] })
            {
                way.append(at)
                at = from
            }
            guard var count = hops[at] else { return nil }
            for step in way.reversed() {
                count += 1
                hops[step] = count
            }
        }
        let sum = hops.values.reduce(0, +)
        return Spread(
            milliseconds: world.time - start, hopsMax: hops.values.max() ?? 0,
            hopsMean: Double(sum) / Double(max(1, hops.count - 1)))
    }

    /// Some of the nodes lose power for good; which.
    public mutating func lose(percent: Int) -> [Int] {
        let lost = Array(alive.shuffled(using: &dice).prefix(alive.count * percent / 100))
        for index in lost { world.crash(index) }
        return lost
    }

    /// Runs until all that run hold the same; milliseconds, nil when they do not in that time.
    public mutating func converge(within milliseconds: UInt64) -> UInt64? {
        let start = world.time
        let (space, nodes) = (self.space, alive)
        let isDone = run(within: milliseconds) { world in
            let first = world.nodes[nodes[0]].node?.heldDurably(of: space)
            return nodes.allSatisfy { world.nodes[$0].node?.heldDurably(of: space) == first }
        }
        return isDone ? world.time - start : nil
    }

    /// Addresses and contacts that a node keeps, at most and on average.
    public func remembered() -> (max: Int, mean: Double) {
        let counts = alive.map { world.nodes[$0].node?.rememberedCount ?? 0 }
        return (counts.max() ?? 0, Double(counts.reduce(0, +)) / Double(max(1, counts.count)))
    }
}
