// The network: connections with delays, pieces, breaks and walls. Each direction of a connection is a stream
// in order; between connections anything may overtake anything.

import Causality
import Node

/// A connection of the world, by its two ends.
struct WorldConnection {
    struct End {
        let node: Int
        let id: ConnectionID
        var isOpen = true
        /// Nothing sent to this end may arrive before this.
        var notBefore: UInt64 = 0
    }

    var dialler: End
    var listener: End
    /// Something of it was lost behind a wall: nothing after it may arrive.
    var isStalled = false

    func joins(_ index: Int) -> Bool { dialler.node == index || listener.node == index }
}

/// How a node names one of its connections.
struct ConnectionName: Hashable {
    let node: Int
    let id: ConnectionID
}

extension World {
    mutating func dial(_ id: ConnectionID, _ address: String, from index: Int) {
        let delay = UInt64.random(in: weather.delay, using: &dice)
        air.dials[address, default: 0] += 1
        let target = nodes.indices.first { self.address(of: $0) == address }
        guard let target, nodes[target].node != nil, !isWalled(index, target) else {
            let reason = target == nil ? "no such host" : "timed out"
            let input = Input.dialFailed(id, to: address, reason: reason)
            events.insert(Event(time: time + delay, kind: .input(index, input)))
            return
        }
        let number = nextConnection
        nextConnection += 1
        dialled[ConnectionName(node: index, id: id)] = number
        connections[number] = WorldConnection(
            dialler: .init(node: index, id: id), listener: .init(node: target, id: ConnectionID(number)))
        events.insert(Event(time: time + delay, kind: .arrive(number)))
    }

    mutating func resolve(_ host: String, for index: Int) {
        let delay = UInt64.random(in: weather.delay, using: &dice)
        let means = names[host] ?? []
        let failure = means.isEmpty ? "the name cannot be found" : nil
        let input = Input.resolved(host: host, addresses: means, failure: failure)
        events.insert(Event(time: time + delay, kind: .input(index, input)))
    }

    /// Both ends learn that the connection stands.
    mutating func arrive(_ number: UInt64) {
        guard let connection = connections[number] else { return }
        let (a, b) = (connection.dialler, connection.listener)
        let from = "10.0.0.\(a.node + 1):\(30_000 + number % 30_000)"
        handle(b.node, .accepted(b.id, from: from))
        handle(a.node, .connected(a.id, to: address(of: b.node), at: address(of: b.node)))
    }

    private func connection(_ id: ConnectionID, of index: Int) -> (number: UInt64, isDialler: Bool)? {
        // Whoever was dialled knows a connection by its number.
        let isDialler = id >= .firstDialled
        let number = isDialler ? dialled[ConnectionName(node: index, id: id)] : id.value
        guard let number, connections[number] != nil else { return nil }
        return (number, isDialler)
    }

    mutating func send(_ bytes: [UInt8], on id: ConnectionID, from index: Int) {
        guard let (number, isDialler) = connection(id, of: index) else { return }
        var start = 0
        while start < bytes.count {
            let count = min(
                bytes.count - start, Int.random(in: 1...max(1, weather.pieceBytesMax), using: &dice))
            let piece = Array(bytes[start..<start + count])
            schedule(number, toDialler: !isDialler, .deliver(number, toDialler: !isDialler, piece))
            start += count
        }
    }

    mutating func closeConnection(_ id: ConnectionID, from index: Int) {
        guard let (number, isDialler) = connection(id, of: index) else { return }
        if isDialler {
            connections[number]?.dialler.isOpen = false
        } else {
            connections[number]?.listener.isOpen = false
        }
        schedule(number, toDialler: !isDialler, .ended(number, toDialler: !isDialler))
    }

    private mutating func schedule(_ number: UInt64, toDialler: Bool, _ kind: Event.Kind) {
        guard let connection = connections[number] else { return }
        let end = toDialler ? connection.dialler : connection.listener
        let at = max(end.notBefore, time + UInt64.random(in: weather.delay, using: &dice))
        if toDialler {
            connections[number]?.dialler.notBefore = at
        } else {
            connections[number]?.listener.notBefore = at
        }
        events.insert(Event(time: at, kind: kind))
    }

    mutating func deliver(_ number: UInt64, _ toDialler: Bool, _ bytes: [UInt8]) {
        guard let connection = connections[number], !connection.isStalled else { return }
        if isWalled(connection.dialler.node, connection.listener.node) {
            connections[number]?.isStalled = true
            return
        }
        if weather.breaksOneIn > 0, UInt64.random(in: 0..<weather.breaksOneIn, using: &dice) == 0 {
            return breakConnection(number)
        }
        let end = toDialler ? connection.dialler : connection.listener
        guard end.isOpen else { return }
        for byte in bytes.prefix(16) { trace(UInt64(byte)) }
        trace(UInt64(bytes.count))
        handle(end.node, .received(end.id, bytes))
    }

    /// The other side closed, and everything it had sent before has arrived.
    mutating func deliverEnd(_ number: UInt64, _ toDialler: Bool) {
        guard let connection = connections[number], !connection.isStalled else { return }
        let end = toDialler ? connection.dialler : connection.listener
        connections[number] = nil
        if end.isOpen { handle(end.node, .disconnected(end.id, reason: "closed by the peer")) }
    }

    /// Reset: both ends hear of it, what was under way is lost.
    mutating func breakConnection(_ number: UInt64) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        for end in [connection.dialler, connection.listener] where end.isOpen {
            handle(end.node, .disconnected(end.id, reason: "connection reset"))
        }
    }
}
