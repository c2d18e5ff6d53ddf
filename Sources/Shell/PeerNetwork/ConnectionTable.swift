// All connections of the peer network, by id. Everything here happens on one event loop, so it needs no lock.

import NIOCore
import Node
import NodeRuntime

/// The connections. On its event loop only.
// @unchecked: each function checks that it is on the loop.
final class ConnectionTable: @unchecked Sendable {
    let loop: any EventLoop
    let limits: PeerNetworkLimits
    let post: @Sendable (Input) -> Void
    private var connections: [ConnectionID: ConnectionHandler] = [:]
    /// Dials under way; false when the node has let go of one.
    private var dials: [ConnectionID: Bool] = [:]
    /// Ids of accepted connections count from 1; the node numbers those that it dials, far above.
    private var lastAccepted: UInt64 = 0
    private var isStopped = false

    init(loop: any EventLoop, limits: PeerNetworkLimits, post: @escaping @Sendable (Input) -> Void) {
        self.loop = loop
        self.limits = limits
        self.post = post
    }

    var count: Int {
        loop.preconditionInEventLoop()
        return connections.count
    }

    func nextAccepted() -> ConnectionID {
        loop.preconditionInEventLoop()
        lastAccepted += 1
        return ConnectionID(lastAccepted)
    }

    /// True when the node hears of it; else it is closed without a byte.
    func accept(_ handler: ConnectionHandler, from remote: String) -> Bool {
        loop.preconditionInEventLoop()
        guard !isStopped, connections.count < limits.connectionsMax else {
            handler.closeNow()
            return false
        }
        connections[handler.id] = handler
        post(.accepted(handler.id, from: remote))
        return true
    }

    func remove(_ id: ConnectionID) {
        loop.preconditionInEventLoop()
        connections[id] = nil
    }

    func beginDial(_ id: ConnectionID) {
        loop.preconditionInEventLoop()
        dials[id] = true
    }

    /// False when nobody waits for the dial any more.
    func endDial(_ id: ConnectionID) -> Bool {
        loop.preconditionInEventLoop()
        return dials.removeValue(forKey: id) == true && !isStopped
    }

    func add(_ handler: ConnectionHandler) {
        loop.preconditionInEventLoop()
        connections[handler.id] = handler
    }

    /// Carries orders out; each connection is flushed once.
    func carryOut(
        _ orders: [PeerOrder], dial: (ConnectionID, String) -> Void, resolve: (String) -> Void
    ) {
        loop.preconditionInEventLoop()
        var written: [ConnectionHandler] = []
        for order in orders {
            switch order {
            case .dial(let id, let address): dial(id, address)
            case .resolve(let host): resolve(host)
            case .send(let id, let bytes):
                guard let handler = connections[id] else { continue }
                handler.send(bytes)
                if written.last !== handler { written.append(handler) }
            case .tellWritten(let id): connections[id]?.tellWritten()
            case .close(let id):
                if dials[id] != nil { dials[id] = false }
                connections[id]?.close()
            case .beacon: break  // The LAN's thread has it.
            case .handled(let id, let bytes): connections[id]?.handled(bytes)
            }
        }
        for handler in written { handler.flush() }
    }

    /// Ends all; what was sent goes out first.
    func stop() {
        loop.preconditionInEventLoop()
        isStopped = true
        for handler in connections.values { handler.close() }
    }
}
