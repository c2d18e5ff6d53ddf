// What tests do to boxes and connections beyond weather: disks put back, copied and failing, strangers that
// connect.

public import Causality
public import Node
public import Wire

extension World {
    /// The node's disk as a backup of this moment would have it.
    public func diskCopy(_ index: Int) -> MemoryStore {
        nodes[index].node.map { $0.store.afterCrash() } ?? nodes[index].disk
    }

    /// Puts a disk in while the node is down. Seen: the state directory notices it at the next start.
    public mutating func replaceDisk(_ index: Int, with disk: MemoryStore, seen discontinuity: String? = nil)
    {
        precondition(nodes[index].node == nil, "node \(index) runs")
        nodes[index].disk = disk
        nodes[index].discontinuity = discontinuity
    }

    /// The node's next batch ends in a crash there.
    public mutating func crash(_ index: Int, at point: CrashPoint) { nodes[index].crashPoint = point }

    /// Another program, from the node's next start on.
    public mutating func setLevel(_ level: FeatureLevel, of index: Int) { nodes[index].level = level }

    /// Starts a second box with a copy of a node's disk and keys, on an address of its own; its index. Seen:
    /// its state directory noticed that it is a copy.
    @discardableResult
    public mutating func addClone(of original: Int, seen discontinuity: String? = nil) -> Int {
        let index = nodes.count
        var node = WorldNode(
            index: nodes[original].index, seed: seed, staticPeers: nodes[original].staticPeers,
            address: address(of: index))
        node.disk = diskCopy(original)
        // Other chance than the next starts of the original and of its other copies.
        node.starts = UInt64(nodes.count { $0.index == node.index }) << 32
        node.discontinuity = discontinuity
        nodes.append(node)
        start(index)
        return index
    }

    /// The node's next commit fails so; nil: no fault.
    public mutating func failCommit(_ index: Int, _ failure: StoreFailure?) {
        nodes[index].node?.store.fault = failure.map { MemoryStore.Fault(failure: $0) }
    }

    /// The process died of a trap while it executed the store's poison: the node is down, on the disk of that
    /// moment, and its next start is told. False when it did not die.
    public mutating func dieOfPoison(_ index: Int) -> Bool {
        guard let image = nodes[index].node?.store.imageOfTrap else { return false }
        crash(index)
        nodes[index].disk = image
        nodes[index].hasCrashed = true
        return true
    }

    /// Executing this change kills the node's process; the test looks with `dieOfPoison`.
    public mutating func poison(_ index: Int, _ change: Dot?) {
        nodes[index].node?.store.poison = change
        nodes[index].disk.poison = change
    }

    /// What the disk of a running node does wrong next; nil: nothing.
    public mutating func setDiskFault(_ index: Int, _ fault: MemoryStore.Fault?) {
        nodes[index].node?.store.fault = fault
        nodes[index].disk.fault = fault
    }

    /// The node does nothing for so long; what comes for it waits.
    public mutating func pause(_ index: Int, milliseconds: UInt64) {
        nodes[index].pausedUntil = max(nodes[index].pausedUntil, time + milliseconds)
    }

    /// Nothing arrives from one node at another any more, until `reunite` or `unblock`.
    public mutating func block(_ direction: Direction) { walls.insert(direction) }
    public mutating func unblock(_ direction: Direction) { walls.remove(direction) }

    /// What is under way from one node to another waits until this moment, and then comes at once.
    public mutating func clog(_ direction: Direction, until moment: UInt64) { clogs[direction] = moment }

    /// The machine's routes changed: the node hears of it.
    public mutating func changeNetwork(_ index: Int) { handle(index, .network(.changed)) }

    /// The node is told to stop, as by SIGTERM. It still runs: what it says is sent.
    public mutating func stop(_ index: Int) { handle(index, .stopping) }

    /// The node does nothing for so long, as a machine that sleeps; what happens meanwhile happens to it when
    /// it wakes.
    public mutating func freeze(_ index: Int, milliseconds: UInt64) {
        let end = time + milliseconds
        var missed: [Event] = []
        while let event = events.popFirst(until: end) {
            if isFor(index, event) {
                missed.append(event)
            } else {
                carryOut(event)
            }
        }
        time = end
        nodes[index].tickAt = nil
        handle(index, .tick)
        for event in missed {
            if case .tick = event.kind { continue }
            carryOut(event)
        }
    }

    private func isFor(_ index: Int, _ event: Event) -> Bool {
        switch event.kind {
        case .input(index, _, _), .tick(index), .commit(index), .wake(index, _): return true
        case .deliver(let number, let toDialler):
            guard let connection = connections[number] else { return false }
            return (toDialler ? connection.dialler : connection.listener).node == index
        case .arrive(let number): return connections[number]?.joins(index) ?? false
        default: return false
        }
    }

    /// The node's wall clock goes wrong, or right again.
    public mutating func setClock(_ index: Int, to clock: WorldClock) { nodes[index].clock = clock }

    /// The operator changes the settings of a node that runs.
    public mutating func changeSettings(_ index: Int, to settings: NodeSettings) {
        handle(index, .settings(settings))
    }

    // MARK: Strangers

    /// Connects to a node as nobody in particular; a number for it.
    public mutating func connectStranger(to index: Int) -> UInt64 {
        let number = nextConnection
        nextConnection += 1
        strangers[number] = Stranger(node: index)
        handle(index, .accepted(ConnectionID(number), from: "10.9.9.\(number % 200):1"))
        return number
    }

    public mutating func sendAsStranger(_ number: UInt64, _ bytes: [UInt8]) {
        guard let stranger = strangers[number], !stranger.isClosed else { return }
        handle(stranger.node, .received(ConnectionID(number), bytes))
    }

    /// All that was sent to the stranger is on its way: the node may send more.
    public mutating func readAsStranger(_ number: UInt64) {
        guard let stranger = strangers[number], !stranger.isClosed else { return }
        handle(stranger.node, .network(.written(ConnectionID(number))))
    }

    /// Hangs up.
    public mutating func endStranger(_ number: UInt64) {
        guard let stranger = strangers.removeValue(forKey: number), !stranger.isClosed else { return }
        handle(stranger.node, .disconnected(ConnectionID(number), reason: "closed by the peer"))
    }

    /// What the node sent since the last call.
    public mutating func takeHeard(_ number: UInt64) -> [UInt8] {
        defer { strangers[number]?.heard = [] }
        return heard(number)
    }

    /// Everything that the node sent to the stranger.
    public func heard(_ number: UInt64) -> [UInt8] { strangers[number]?.heard ?? [] }
    public func isClosed(_ number: UInt64) -> Bool { strangers[number]?.isClosed ?? true }

    /// True when the effect was about a stranger's connection.
    mutating func performForStranger(_ effect: Effect) -> Bool {
        switch effect {
        case .send(let id, let bytes) where strangers[id.value] != nil: strangers[id.value]?.heard += bytes
        case .close(let id) where strangers[id.value] != nil: strangers[id.value]?.isClosed = true
        default: return false
        }
        return true
    }
}

/// A connection whose other end is the test.
struct Stranger {
    let node: Int
    var heard: [UInt8] = []
    var isClosed = false
}
