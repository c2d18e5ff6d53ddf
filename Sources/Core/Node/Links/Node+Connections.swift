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
        if batch.failure != nil {
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
        precondition(id < .firstDialled && links.connections[id] == nil, "connection \(id.value) is new")
        if links.isStopping { return batch.emit(.close(id)) }
        let ip = remote.lastIndex(of: ":").map { String(remote[..<$0]) } ?? remote
        let candidates = responderCandidates(at: now)
        guard links.gate.admit(from: ip, halfOpen: links.halfOpenCount, at: now.monotonic),
            !candidates.isEmpty
        else { return batch.emit(.close(id)) }
        let secure = SecureLink(
            responding: candidates, identity: links.identity, ephemeral: entropy.secret(32), at: now)
        links.connections[id] = PeerConnection(id: id, purpose: .accepted, remote: remote, secure: secure)
    }

    private mutating func connected(_ id: ConnectionID, remote: String, at now: Instant) {
        guard let dial = links.dials.removeValue(forKey: id) else { return batch.emit(.close(id)) }
        guard let candidate = initiatorCandidate(dial) else {
            dialEnded(dial.address, "no key to dial with", at: now)
            return batch.emit(.close(id))
        }
        let secure = SecureLink(
            initiating: candidate, identity: links.identity, ephemeral: entropy.secret(32), at: now)
        links.connections[id] = PeerConnection(id: id, purpose: dial.purpose, remote: remote, secure: secure)
        guard let outputs = links.connections[id]?.secure.start() else { return }
        take(outputs, of: id, at: now)
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
        guard links.connections[id] != nil else { return }
        links.counters.bytesReceived += UInt64(bytes.count)
        links.connections[id]?.traffic.received += UInt64(bytes.count)
        links.connections[id]?.link?.liveness.hear(at: now.monotonic)
        let outputs = links.connections[id]?.secure.receive(bytes, replays: &links.replays, at: now) ?? []
        take(outputs, of: id, at: now)
        boundFragments(of: id, at: now)
    }

    /// What a peer that is listed nowhere on its link may send counts from the first fragment on. After the
    /// frames in front of it: a roster among them may list the peer.
    private mutating func boundFragments(of id: ConnectionID, at now: Instant) {
        guard let held = links.connections[id]?.secure.heldBytes, held > 0,
            let standings = links.connections[id]?.link?.channels.values.map(\.standing)
        else { return }
        var left = 0
        for standing in standings {
            guard case .provisional(let bytes, _) = standing else { return }
            left = max(left, bytes)
        }
        if held > left { close(id, .notMember, "the roster does not list this device", at: now) }
    }

    private mutating func disconnected(_ id: ConnectionID, reason: String, at now: Instant) {
        // It ended before it stood: were the dial not over, its address would never be dialled again.
        if links.dials[id] != nil { return dialFailed(id, reason: reason, at: now) }
        guard links.connections[id] != nil else { return }
        let outputs = links.connections[id]?.secure.streamEnded() ?? []
        take(outputs, of: id, at: now, streamReason: reason)
        if links.connections[id] != nil { forget(id, reason: reason, at: now) }
    }

    /// Does what a secure link asks for, in order; stops when the connection is gone.
    mutating func take(
        _ outputs: [LinkOutput], of id: ConnectionID, at now: Instant, streamReason: String? = nil
    ) {
        for output in outputs {
            // A batch that is lost takes its links with it: what they say further is not heard.
            guard links.connections[id] != nil, batch.failure == nil else { return }
            switch output {
            case .send(let bytes): emit(bytes, on: id)
            case .pinged(let body): pinged(body, on: id, at: now)
            case .established(let link): established(id, link, at: now)
            case .frame(let frame): take(frame, on: id, at: now)
            case .close(let end):
                batch.emit(.close(id))
                ended(id, end, streamReason: streamReason, at: now)
            }
        }
    }

    /// Sends frames on an established link.
    mutating func send(_ frames: [LinkFrame], on id: ConnectionID) {
        guard !frames.isEmpty, links.connections[id]?.secure.established != nil,
            let bytes = links.connections[id]?.secure.send(frames), !bytes.isEmpty
        else { return }
        links.connections[id]?.link?.liveness.send(at: links.clock)
        emit(bytes, on: id)
    }

    private mutating func emit(_ bytes: [UInt8], on id: ConnectionID) {
        links.connections[id]?.traffic.sent += UInt64(bytes.count)
        batch.emit(.send(id, bytes))
    }

    /// Says CLOSE and ends the connection.
    mutating func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String, at now: Instant) {
        for output in links.connections[id]?.secure.close(code, reason: reason) ?? [] {
            if case .send(let bytes) = output { emit(bytes, on: id) }
        }
        batch.emit(.close(id))
        forget(id, reason: reason, isReplaced: code == .replaced || code == .ownDevice, at: now)
    }

    /// The peer broke the protocol: counted against its device, and the link ends.
    mutating func fault(_ id: ConnectionID, _ reason: String, at now: Instant) {
        noteFault(of: id, reason, at: now)
        close(id, .protocolFault, reason, at: now)
    }

    private mutating func noteFault(of id: ConnectionID, _ reason: String, at now: Instant) {
        links.counters.faults += 1
        guard let link = links.connections[id]?.link else { return }
        let isRefused = links.faults.note(link.device, reason: reason, at: now.monotonic)
        batch.log(
            .warning, "peer-fault",
            "\(link.device.text) broke the protocol (\(reason)); the link was closed"
                + (isRefused ? " and the device is refused for a while; update or inspect that node" : ""))
    }

    /// A secure link ended by itself.
    private mutating func ended(_ id: ConnectionID, _ end: LinkEnd, streamReason: String?, at now: Instant) {
        switch end {
        case .silently(let fault):
            links.counters.handshakesFailed += 1
            forget(id, reason: Self.words(fault), wasCutOff: true, at: now)
        case .faulted(let fault):
            noteFault(of: id, "\(fault)", at: now)
            forget(id, reason: "protocol fault: \(fault)", at: now)
        case .byPeer(let code, let reason):
            forget(
                id, reason: "closed by the peer: \(reason) (code \(code.rawValue))",
                isReplaced: code == .replaced || code == .ownDevice, code: code, at: now)
        case .byUs, .truncated:
            forget(id, reason: streamReason ?? "the connection was cut", at: now)
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
        _ id: ConnectionID, reason: String, isReplaced: Bool = false, wasCutOff: Bool = false,
        code: CloseCode? = nil, at now: Instant
    ) {
        guard let connection = links.connections.removeValue(forKey: id) else { return }
        links.table.remove(id)
        links.nextDialCheck = 0
        if code == .removed, let space = connection.link?.channels[0]?.space { toldLeaving(space, at: now) }
        switch connection.purpose {
        case .accepted: break
        case .tell(let address, _, let request): joinAfterTelling(request, at: address, now)
        case .join(_, let request):
            joinEnded(request, id, reason: reason, code: code, at: now)
        case .mesh(let address, _):
            if let link = connection.link {
                linkEnded(link, address, reason: reason, isReplaced: isReplaced, at: now)
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
        guard let link = connection.link else { return }
        supplierLost(id, of: link.device, at: now)
        if code == .enough { peerHasEnough(link.device, at: now) }
        if !links.table.isLinked(to: link.device) { forgetWords(of: link.device) }
        links.linkedAt[link.device] = now.monotonic
        links.traffic[link.device, default: LinkTraffic()].add(connection.traffic)
        if !isMember(link.device) {
            // Of a stranger nothing is kept: who holds a space's key can make any number of them.
            links.linkedAt[link.device] = nil
            links.traffic[link.device] = nil
            links.peerStates[link.device] = nil
            for code in ["clock-far", "cloned"] { resolveAlarm(code: code, device: link.device) }
        } else if !links.table.isLinked(to: link.device) {
            noteState(of: link.device, "waiting", at: now)
            batch.log(.info, "link-down", "the link to \(link.device.text) ended: \(reason)")
        }
    }

    /// A link that we had dialled is over.
    private mutating func linkEnded(
        _ link: PeerLink, _ address: PeerAddress, reason: String, isReplaced: Bool, at now: Instant
    ) {
        if isReplaced, links.table.isLinked(to: link.device) { return }
        links.linkedAt[link.device] = now.monotonic
        links.book.wasUsed(address, at: now.wall)
        links.book.failed(address, reason: reason, at: now.wall)
        links.dialer.linkEnded(
            address, wasUseful: now.monotonic >= link.begun + MeshLimits.usefulMilliseconds,
            bound: backOffBound(of: address), at: now.monotonic)
    }

    /// The node stops: whoever is linked hears it, so that no stream looks cut off, and nobody is dialled
    /// or taken in any more.
    mutating func stopLinks(at now: Instant) {
        links.isStopping = true
        for request in links.joins.keys.sorted() {
            links.joins[request] = nil
            batch.refuse(request, .stopping)
        }
        for id in links.dials.keys.sorted() { batch.emit(.close(id)) }
        links.dials = [:]
        for id in links.connectionIDs { close(id, .done, "the node stops", at: now) }
    }

    static var storeFailed: String { "this node's store failed" }

    /// Drops every connection: the batch they spoke in is lost, so both ends would count records differently.
    mutating func dropLinks(at now: Instant) -> [Effect] {
        let effects = links.connectionIDs.map { Effect.close($0) }
        for index in spaces.indices { spaces[index].replication.dropLinks() }
        for id in links.connectionIDs {
            links.connections[id]?.proofDeadline = nil
            forget(id, reason: Self.storeFailed, at: now)
        }
        links.buffer = .init()
        for index in spaces.indices { spaces[index].replication.dropLinks() }
        caution.drop()
        // Made from a roster that may be taken back: the next one of the same length is another.
        links.candidates = nil
        return effects
    }
}
