// Inputs of the peer network: connections come and go, bytes arrive. Each connection's secure link turns
// bytes into frames; everything that is wrong with a connection ends here, with that connection and nothing
// else.

import Bytes
import Causality
import Crypto
import Mesh
import Replication
import SecureLink
import Wire

extension Node {
    /// The machine's network changed, as the shell sees it.
    mutating func networkChanged(_ news: NetworkNews, at now: Instant) {
        updateActivity()
        switch news {
        case .changed:
            reachability.forgetOwnAddresses()
            askAll(at: now)
            announceByBeacon(at: now)
        case .listening(let addresses): reachability.setListening(addresses)
        case .lan(let networks): perform(reachability.update(networks, at: now), at: now)
        case .dropped(let dropped): reachability.recordDropped(dropped)
        case .written(let id): written(id, at: now)
        }
    }

    // A batch that cannot be committed drops all links: nothing more is read from them, and none is made.
    // Everything else is news that nobody says twice.

    mutating func accepted(_ id: ConnectionID, from remote: String, at now: Instant) {
        if transaction.failure != nil { return batch.emit(.close(id)) }
        if links.isStopping { return batch.emit(.close(id)) }
        let candidates = responderCandidates(at: now)
        guard links.connections.admits(from: remote, at: now), !candidates.isEmpty else {
            return batch.emit(.close(id))
        }
        links.connections.accept(id, from: remote, candidates, ephemeral: entropy.secret(32), at: now)
    }

    mutating func connected(_ id: ConnectionID, remote: String, at now: Instant) {
        if transaction.failure != nil {
            batch.emit(.close(id))
            return dialFailed(id, reason: Self.storeFailed, at: now)
        }
        guard let dial = links.dials.removeValue(forKey: id) else { return batch.emit(.close(id)) }
        guard let candidate = initiatorCandidate(dial) else {
            reachability.recordDialFailure(dial.address, "no key to dial with", at: now)
            return batch.emit(.close(id))
        }
        let (connection, actions) = links.connections.connect(
            id, to: remote, dial.purpose, candidate, ephemeral: entropy.secret(32), at: now)
        perform(actions, of: connection, at: now)
    }

    mutating func received(_ id: ConnectionID, _ bytes: [UInt8], at now: Instant) {
        guard transaction.failure == nil, let connection = links.connections.handle(of: id) else { return }
        perform(links.connections.receive(bytes, on: connection, at: now), of: connection, at: now)
        // After the frames in front of it: a roster among them may list the peer.
        guard links.connections.isOverBudget(connection) else { return }
        close(connection, .notMember, "the roster does not list this device", at: now)
    }

    mutating func disconnected(_ id: ConnectionID, reason: String, at now: Instant) {
        // It ended before it stood: were the dial not over, its address would never be dialled again.
        if links.dials[id] != nil { return dialFailed(id, reason: reason, at: now) }
        guard let connection = links.connections.handle(of: id) else { return }
        perform(links[connection].secure.streamEnded(), of: connection, at: now, streamReason: reason)
        if links.connections.isOpen(connection) { forget(connection, reason: reason, at: now) }
    }

    /// Does what a connection asks for, in order; stops when it is gone.
    mutating func perform(
        _ actions: [Connections.Action], of connection: ConnectionHandle, at now: Instant,
        streamReason: String? = nil
    ) {
        for action in actions {
            // A batch that is lost takes its links with it: what they say further is not heard.
            guard links.connections.isOpen(connection), transaction.failure == nil else { return }
            switch action {
            case .send(let bytes): emit(bytes, on: connection)
            case .pinged(let body): pinged(body, on: connection, at: now)
            case .established(let link): established(connection, link, at: now)
            case .frame(let frame): dispatch(frame, on: connection, at: now)
            case .close(let end):
                batch.emit(.close(links[connection].id))
                ended(connection, end, streamReason: streamReason, at: now)
            }
        }
    }

    /// A secure link ended by itself.
    private mutating func ended(
        _ connection: ConnectionHandle, _ end: LinkEnd, streamReason: String?, at now: Instant
    ) {
        switch end {
        case .silently(let fault):
            links.connections.counters.handshakesFailed += 1
            forget(connection, reason: Self.words(fault), wasCutOff: true, at: now)
        case .faulted(let fault):
            recordFault(of: connection, "\(FaultWords(fault))", at: now)
            forget(connection, reason: "protocol fault: \(FaultWords(fault))", at: now)
        case .byPeer(let code, let reason):
            forget(
                connection, reason: "closed by the peer: \(reason) (code \(code.rawValue))",
                isReplaced: code == .replaced || code == .ownDevice, code: code, at: now)
        case .byUs, .truncated:
            forget(connection, reason: streamReason ?? "the connection was cut", at: now)
        }
    }

    private static func words(_ fault: LinkFault) -> String {
        switch fault {
        case .handshakeCutOff: "no answer to the handshake: it shares no space with this node, or refused it"
        case .handshakeTooSlow: "the handshake took longer than \(MeshLimits.handshakeMilliseconds / 1_000) s"
        default: "handshake: \(FaultWords(fault))"
        }
    }

    /// The node stops: whoever is linked hears it, so that no stream looks cut off, and nobody is dialled
    /// or taken in any more.
    mutating func stopLinks(at now: Instant) {
        links.isStopping = true
        for request in joins.endAll() { batch.refuse(request, .stopping) }
        for id in links.dials.keys.sorted() { batch.emit(.close(id)) }
        links.dials = [:]
        for connection in links.connections.handles { close(connection, .done, "the node stops", at: now) }
    }

    static var storeFailed: String { "this node's store failed" }

    /// Drops every connection: the batch they spoke in is lost, so both ends would count records differently.
    mutating func dropLinks(at now: Instant) -> [Effect] {
        let open = links.connections.handles
        let effects = open.map { Effect.close(links[$0].id) }
        for index in spaces.indices { spaces[index].replication.dropLinks() }
        for connection in open { forget(connection, reason: Self.storeFailed, at: now) }
        links.buffer = .init()
        for index in spaces.indices { spaces[index].replication.dropLinks() }
        crashGuard.drop()
        // Made from a roster that may be taken back: the next one of the same length is another.
        links.candidates = nil
        return effects
    }
}
