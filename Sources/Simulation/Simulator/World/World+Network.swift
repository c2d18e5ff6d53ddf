// The network: connections with delays, pieces, breaks, walls and clogs. Each direction of a connection is a
// queue of pieces in order, and each delivery takes the first one; between connections anything may overtake
// anything.

import Causality
import Node

/// A connection of the world, by its two ends.
struct WorldConnection {
    /// What arrives next at an end.
    enum Piece {
        case bytes([UInt8])
        /// The other side closed.
        case end
    }

    struct End {
        let node: Int
        let id: ConnectionID
        var isOpen = true
        /// What this end sent so far.
        var sentBytes = 0
        /// Nothing sent to this end may arrive before this.
        var notBefore: UInt64 = 0
        /// Something on the way to this end was lost: nothing after it may arrive.
        var isStalled = false
        /// On the way, in order; those before `next` have arrived.
        var pieces: [Piece] = []
        var next = 0

        mutating func takePiece() -> Piece? {
            guard next < pieces.count else { return nil }
            defer {
                next += 1
                if next == pieces.count { (pieces, next) = ([], 0) }
            }
            return pieces[next]
        }
    }

    var dialler: End
    var listener: End

    subscript(isDialler: Bool) -> End {
        _read { yield isDialler ? dialler : listener }
        _modify { if isDialler { yield &dialler } else { yield &listener } }
    }

    func joins(_ index: Int) -> Bool { dialler.node == index || listener.node == index }

    /// The way to an end.
    func direction(toDialler: Bool) -> Direction {
        Direction(from: self[!toDialler].node, to: self[toDialler].node)
    }
}

/// How a node names one of its connections.
struct ConnectionName: Hashable {
    let node: Int
    let id: ConnectionID
}

/// The end of a connection of the world.
struct ConnectionEnd {
    let number: UInt64
    let isDialler: Bool
}

extension World {
    /// The weather from one node to another.
    func weather(_ direction: Direction) -> Weather { weathers[direction] ?? weather }

    mutating func isChosen(oneIn count: UInt64) -> Bool {
        count > 0 && UInt64.random(in: 0..<count, using: &dice) == 0
    }

    // MARK: Dialling

    mutating func dial(_ id: ConnectionID, _ address: String, from index: Int) {
        air.dials[address, default: 0] += 1
        let delay = UInt64.random(in: weather.delay, using: &dice)
        let target = nodes.indices.first { self.address(of: $0) == address }
        guard let target, nodes[target].node != nil, !isWalled(index, target), !isWalled(target, index) else {
            let reason = target == nil ? "no such host" : "timed out"
            let input = Input.dialFailed(id, reason: reason)
            return plan(input, for: index, at: time + delay)
        }
        let number = nextConnection
        nextConnection += 1
        connections[number] = WorldConnection(
            dialler: .init(node: index, id: id), listener: .init(node: target, id: ConnectionID(number)))
        ends[ConnectionName(node: index, id: id)] = ConnectionEnd(number: number, isDialler: true)
        ends[ConnectionName(node: target, id: ConnectionID(number))] = ConnectionEnd(
            number: number, isDialler: false)
        events.insert(Event(time: time + delay, kind: .arrive(number)))
    }

    mutating func resolve(_ host: String, for index: Int) {
        let delay = UInt64.random(in: weather.delay, using: &dice)
        let means = names[host] ?? []
        let failure = means.isEmpty ? "the name cannot be found" : nil
        plan(.resolved(host: host, addresses: means, failure: failure), for: index, at: time + delay)
    }

    /// Both ends learn that the connection stands.
    mutating func arrive(_ number: UInt64) {
        guard let connection = connections[number] else { return }
        let (a, b) = (connection.dialler, connection.listener)
        let from = "10.0.0.\(a.node + 1):\(30_000 + number % 30_000)"
        if isChosen(oneIn: weather(connection.direction(toDialler: false)).halfOpensOneIn) {
            count(.halfOpens)
            connections[number]?.listener.isStalled = true
        } else {
            handle(b.node, .accepted(b.id, from: from))
        }
        handle(a.node, .connected(a.id, at: address(of: b.node)))
    }

    // MARK: Sending

    /// Of a silent node nothing goes out behind its part of the handshake.
    private mutating func said(_ bytes: [UInt8], by end: ConnectionEnd, of index: Int) -> [UInt8] {
        guard silent.contains(index), let connection = connections[end.number] else { return bytes }
        let handshakeBytes = end.isDialler ? 24 + 2 + 48 + 2 + 216 : 2 + 248
        let sent = connection[end.isDialler].sentBytes
        connections[end.number]?[end.isDialler].sentBytes += bytes.count
        return Array(bytes.prefix(max(0, handshakeBytes - sent)))
    }

    mutating func send(_ all: [UInt8], on id: ConnectionID, from index: Int) {
        guard let end = ends[ConnectionName(node: index, id: id)], let connection = connections[end.number]
        else { return }
        let bytes = said(all, by: end, of: index)
        let pieceBytesMax = max(1, weather(connection.direction(toDialler: !end.isDialler)).pieceBytesMax)
        record(bytes, end, from: index)
        var start = 0
        while start < bytes.count {
            let count = min(bytes.count - start, Int.random(in: 1...pieceBytesMax, using: &dice))
            schedule(.bytes(Array(bytes[start..<start + count])), on: end.number, toDialler: !end.isDialler)
            start += count
        }
    }

    /// What was sent is written when the last of it is on its way.
    mutating func tellWritten(_ id: ConnectionID, of index: Int) {
        guard let end = ends[ConnectionName(node: index, id: id)], let connection = connections[end.number]
        else { return }
        let moment = max(time + 1, connection[!end.isDialler].notBefore)
        events.insert(
            Event(time: moment, kind: .input(index, start: nodes[index].starts, .network(.written(id)))))
    }

    mutating func closeConnection(_ id: ConnectionID, from index: Int) {
        guard let end = ends.removeValue(forKey: ConnectionName(node: index, id: id)) else { return }
        connections[end.number]?[end.isDialler].isOpen = false
        schedule(.end, on: end.number, toDialler: !end.isDialler)
    }

    private mutating func schedule(_ piece: WorldConnection.Piece, on number: UInt64, toDialler: Bool) {
        guard let connection = connections[number] else { return }
        let weather = weather(connection.direction(toDialler: toDialler))
        var at = max(
            connection[toDialler].notBefore, time + UInt64.random(in: weather.delay, using: &dice))
        if case .bytes(let bytes) = piece, weather.bandwidth > 0 {
            at += UInt64(bytes.count) / weather.bandwidth
        }
        connections[number]?[toDialler].notBefore = at
        connections[number]?[toDialler].pieces.append(piece)
        events.insert(Event(time: at, kind: .deliver(number, toDialler: toDialler)))
    }

    // MARK: Arriving

    /// The first piece on the way to an end arrives, if nothing keeps it.
    mutating func deliver(_ number: UInt64, toDialler: Bool) {
        guard let connection = connections[number], !connection[toDialler].isStalled else { return }
        let direction = connection.direction(toDialler: toDialler)
        if let until = clogs[direction], until > time {
            return events.insert(Event(time: until, kind: .deliver(number, toDialler: toDialler)))
        }
        let weather = weather(direction)
        if isWalled(direction.from, direction.to) {
            guard weather.isPatient else { return stall(number, toDialler: toDialler) }
            count(.patience)
            let again = time + 1_000
            return events.insert(Event(time: again, kind: .deliver(number, toDialler: toDialler)))
        }
        guard let piece = connections[number]?[toDialler].takePiece() else { return }
        guard case .bytes(var bytes) = piece else { return deliverEnd(number, toDialler: toDialler) }
        if isChosen(oneIn: weather.breaksOneIn) {
            count(.breaks)
            return breakConnection(number)
        }
        if isChosen(oneIn: weather.stallsOneIn) {
            count(.stalls)
            return stall(number, toDialler: toDialler)
        }
        if isChosen(oneIn: weather.coalescesOneIn) { coalesce(&bytes, number, toDialler: toDialler) }
        if isChosen(oneIn: weather.corruptsOneIn) { corrupt(&bytes) }
        let isTruncated = isChosen(oneIn: weather.truncatesOneIn)
        if isTruncated { bytes.removeLast(Int.random(in: 1...bytes.count, using: &dice)) }
        receive(bytes, number, toDialler: toDialler)
        if isTruncated {
            count(.truncations)
            breakConnection(number)
        }
    }

    private mutating func receive(_ bytes: [UInt8], _ number: UInt64, toDialler: Bool) {
        guard let end = connections[number]?[toDialler], end.isOpen, !bytes.isEmpty else { return }
        for byte in bytes.prefix(16) { trace(UInt64(byte)) }
        trace(UInt64(bytes.count))
        handle(end.node, .received(end.id, bytes))
    }

    /// What is on the way comes at once; the deliveries that were planned for it find nothing.
    private mutating func coalesce(_ bytes: inout [UInt8], _ number: UInt64, toDialler: Bool) {
        count(.coalescing)
        while bytes.count < 1 << 16, let end = connections[number]?[toDialler], end.next < end.pieces.count,
            case .bytes(let more) = end.pieces[end.next]
        {
            _ = connections[number]?[toDialler].takePiece()
            bytes += more
        }
    }

    private mutating func corrupt(_ bytes: inout [UInt8]) {
        count(.corruption)
        let place = Int.random(in: 0..<bytes.count, using: &dice)
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &dice)
    }

    private mutating func stall(_ number: UInt64, toDialler: Bool) {
        connections[number]?[toDialler].isStalled = true
        connections[number]?[toDialler].pieces = []
        connections[number]?[toDialler].next = 0
    }

    /// The other side closed, and everything it had sent before has arrived.
    private mutating func deliverEnd(_ number: UInt64, toDialler: Bool) {
        guard let end = connections[number]?[toDialler] else { return }
        forget(number)
        if end.isOpen { handle(end.node, .disconnected(end.id, reason: "closed by the peer")) }
    }

    /// Reset: both ends hear of it, what was under way is lost.
    mutating func breakConnection(_ number: UInt64) {
        guard let connection = connections[number] else { return }
        forget(number)
        for end in [connection.dialler, connection.listener] where end.isOpen {
            handle(end.node, .disconnected(end.id, reason: "connection reset"))
        }
    }

    /// A node is gone without a word: the other end hears nothing more.
    mutating func abandonConnection(_ number: UInt64, of index: Int) {
        guard let connection = connections[number] else { return }
        for isDialler in [true, false] where connection[isDialler].node == index {
            ends[ConnectionName(node: index, id: connection[isDialler].id)] = nil
            connections[number]?[isDialler].isOpen = false
            connections[number]?[!isDialler].isStalled = true
        }
    }

    private mutating func forget(_ number: UInt64) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        for end in [connection.dialler, connection.listener] {
            ends[ConnectionName(node: end.node, id: end.id)] = nil
        }
    }
}
