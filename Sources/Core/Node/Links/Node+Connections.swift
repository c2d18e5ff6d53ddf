// Inputs of the peer network: connections come and go, bytes arrive. Each connection's secure link turns
// bytes into frames; everything that is wrong with a connection ends here, with that connection and nothing
// else.

import Causality
import Crypto
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// One input of the peer network.
    mutating func handleNetwork(_ input: Input, at now: Instant) {
        // A batch that cannot be committed drops all links: nothing more is read from them, and none is made.
        // Everything else is news that nobody says twice.
        if transaction.failure != nil {
            switch input {
            case .received, .datagram: return
            case .accepted(let id, _): return batch.emit(.close(id))
            case .connected(let id, _, _):
                batch.emit(.close(id))
                return dialFailed(id, reason: Self.storeFailed, at: now)
            default: break
            }
        }
        switch input {
        case .accepted(let id, let remote): accepted(id, from: remote, at: now)
        case .connected(let id, _, let remote): connected(id, remote: remote, at: now)
        case .dialFailed(let id, _, let reason): dialFailed(id, reason: reason, at: now)
        case .received(let id, let bytes): received(id, bytes, at: now)
        case .disconnected(let id, let reason): disconnected(id, reason: reason, at: now)
        case .networkChanged:
            links.ownAddresses = []
            askAll(at: now)
            announceByBeacon(at: now)
        case .resolved(let host, let addresses, let failure):
            resolved(host, addresses, failure: failure, at: now)
        case .localNetworks(let networks): networksChanged(networks, at: now)
        case .datagram(let bytes, let sender, _): heard(bytes, from: sender, at: now)
        default: break
        }
    }

    private mutating func accepted(_ id: ConnectionID, from remote: String, at now: Instant) {
        if links.isStopping { return batch.emit(.close(id)) }
        let candidates = responderCandidates(at: now)
        guard links.connections.admits(from: remote, at: now), !candidates.isEmpty else {
            return batch.emit(.close(id))
        }
        links.connections.accept(id, from: remote, candidates, ephemeral: entropy.secret(32), at: now)
    }

    private mutating func connected(_ id: ConnectionID, remote: String, at now: Instant) {
        guard let dial = links.dials.removeValue(forKey: id) else { return batch.emit(.close(id)) }
        guard let candidate = initiatorCandidate(dial) else {
            dialEnded(dial.address, "no key to dial with", at: now)
            return batch.emit(.close(id))
        }
        let (connection, actions) = links.connections.connect(
            id, to: remote, dial.purpose, candidate, ephemeral: entropy.secret(32), at: now)
        perform(actions, of: connection, at: now)
    }

    private mutating func dialFailed(_ id: ConnectionID, reason: String, at now: Instant) {
        guard let dial = links.dials.removeValue(forKey: id) else { return }
        switch dial.purpose {
        case .join(_, let request), .tell(_, _, let request):
            joinFailed(request, reason: reason, answered: false, at: now)
        default: dialEnded(dial.address, reason, at: now)
        }
    }

    private mutating func received(_ id: ConnectionID, _ bytes: [UInt8], at now: Instant) {
        guard let connection = links.connections.handle(of: id) else { return }
        perform(links.connections.receive(bytes, on: connection, at: now), of: connection, at: now)
        // After the frames in front of it: a roster among them may list the peer.
        guard links.connections.isOverBudget(connection) else { return }
        close(connection, .notMember, "the roster does not list this device", at: now)
    }

    private mutating func disconnected(_ id: ConnectionID, reason: String, at now: Instant) {
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

    /// Sends frames on a link; one that ended in this step gets none.
    mutating func send(_ frames: [LinkFrame], on link: LinkHandle) {
        send(frames, on: links[link].connection)
    }

    /// The same before it is a mesh link.
    mutating func send(_ frames: [LinkFrame], on connection: ConnectionHandle) {
        guard let bytes = links.connections.seal(frames, on: connection, at: links.clock) else { return }
        emit(bytes, on: connection)
    }

    private mutating func emit(_ bytes: [UInt8], on connection: ConnectionHandle) {
        links.connections.recordSent(bytes.count, on: connection)
        batch.emit(.send(links[connection].id, bytes))
    }

    /// Says CLOSE and ends the link, unless it ended in this step.
    mutating func close(_ link: LinkHandle, _ code: CloseCode, _ reason: String, at now: Instant) {
        close(links[link].connection, code, reason, at: now)
    }

    /// Says CLOSE and ends the connection, unless it ended in this step.
    mutating func close(
        _ connection: ConnectionHandle, _ code: CloseCode, _ reason: String, at now: Instant
    ) {
        guard links.connections.isOpen(connection) else { return }
        for output in links[connection].secure.close(code, reason: reason) {
            if case .send(let bytes) = output { emit(bytes, on: connection) }
        }
        batch.emit(.close(links[connection].id))
        forget(connection, reason: reason, isReplaced: code == .replaced || code == .ownDevice, at: now)
    }

    /// The peer broke the protocol: counted against its device, and the link ends.
    mutating func fault(_ link: LinkHandle, _ reason: String, at now: Instant) {
        recordFault(of: links[link].connection, reason, at: now)
        close(link, .protocolFault, reason, at: now)
    }

    private mutating func recordFault(of connection: ConnectionHandle, _ reason: String, at now: Instant) {
        links.connections.counters.faults += 1
        guard links.connections.isOpen(connection), let link = links.connections.linked(connection) else {
            return
        }
        let device = links[link].device
        let isRefused = links.faults.note(device, reason: reason, at: now.monotonic)
        batch.log(
            .warning, "peer-fault",
            "\(device.text) broke the protocol (\(reason)); the link was closed"
                + (isRefused ? " and the device is refused for a while; update or inspect that node" : ""))
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
            recordFault(of: connection, "\(fault)", at: now)
            forget(connection, reason: "protocol fault: \(fault)", at: now)
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
        default: "handshake: \(fault)"
        }
    }

    /// Takes a connection out of every table and decides when its address is dialled again.
    private mutating func forget(
        _ connection: ConnectionHandle, reason: String, isReplaced: Bool = false, wasCutOff: Bool = false,
        code: CloseCode? = nil, at now: Instant
    ) {
        let ended = links.connections.end(connection)
        links.nextDialCheck = 0
        if code == .removed, let ended, let first = links.connections.channel(0, on: ended) {
            toldLeaving(links[first].space, at: now)
        }
        switch links[connection].purpose {
        case .accepted: break
        case .tell(let address, _, let request): joinAfterTelling(request, at: address, now)
        case .join(_, let request):
            joinEnded(request, reason: reason, code: code, at: now)
        case .mesh(let address, _):
            if let ended {
                linkEnded(ended, address, reason: reason, isReplaced: isReplaced, at: now)
            } else if isReplaced {
                // The link that stayed may be one that does not answer: not again at once.
                links.dialer.failed(address, bound: backOffBound(of: address), at: now.monotonic)
            } else if wasCutOff, turnKey(of: address) {
                // Another of our keys may fit: at once, it is the same attempt.
                links.dialer.released(address)
            } else {
                dialEnded(address, reason, at: now)
            }
        }
        guard let ended else { return }
        let device = links[ended].device
        supplierLost(links[connection].id, of: device, at: now)
        if code == .enough { peerHasEnough(device, at: now) }
        if !links.connections.table.isLinked(to: device) { forgetWords(of: device) }
        links.linkedAt[device] = now.monotonic
        if !isMember(device) {
            // Of a stranger nothing is kept: who holds a space's key can make any number of them.
            links.linkedAt[device] = nil
            links.connections.forgetTraffic(with: device)
            links.peerStates[device] = nil
            for code in ["clock-far", "cloned"] { resolveAlarm(code: code, device: device) }
        } else if !links.connections.table.isLinked(to: device) {
            noteState(of: device, "waiting", at: now)
            batch.log(.info, "link-down", "the link to \(device.text) ended: \(reason)")
        }
    }

    /// A link that we had dialled is over.
    private mutating func linkEnded(
        _ link: LinkHandle, _ address: PeerAddress, reason: String, isReplaced: Bool, at now: Instant
    ) {
        if isReplaced, links.connections.table.isLinked(to: links[link].device) { return }
        links.linkedAt[links[link].device] = now.monotonic
        links.book.wasUsed(address, at: now.wall)
        links.book.failed(address, reason: reason, at: now.wall)
        links.dialer.linkEnded(
            address, wasUseful: now.monotonic >= links[link].begun + MeshLimits.usefulMilliseconds,
            bound: backOffBound(of: address), at: now.monotonic)
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
