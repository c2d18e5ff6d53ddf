// What happens to connections and links: they come, speak, fall silent and end. Everything that is wrong with
// one ends with that one and nothing else. What a frame says is nobody's concern here.
//
//     accept | connect -> (handshake) -> .established -> begin -> .frame … -> .close | streamEnded -> end

import Causality
import Crypto
import Identity
import Mesh
import SecureLink

extension Connections: StateMachine {
    /// What a connection asks for; `LinkOutput` says each.
    typealias Action = LinkOutput

    // MARK: Beginning

    /// False when whoever dialled from there is over a rate or a bound: no byte is sent.
    mutating func admits(from remote: String, at now: Instant) -> Bool {
        let ip = remote.lastIndex(of: ":").map { String(remote[..<$0]) } ?? remote
        return gate.admit(from: ip, halfOpen: halfOpenCount, at: now.monotonic)
    }

    /// Somebody dialled us and is to shake hands under one of these keys.
    mutating func accept(
        _ id: ConnectionID, from remote: String, _ candidates: [PSKCandidate], ephemeral: Secret,
        at now: Instant
    ) {
        precondition(id < .firstDialled, "connection \(id.value) is one that this node dialled")
        let secure = SecureLink(
            responding: candidates, identity: identity, ephemeral: ephemeral, at: now)
        _ = insert(PeerConnection(id: id, purpose: .accepted, remote: remote, secure: secure))
    }

    /// A dial of ours is through; shakes hands under the key.
    mutating func connect(
        _ id: ConnectionID, to remote: String, _ purpose: ConnectionPurpose, _ candidate: PSKCandidate,
        ephemeral: Secret, at now: Instant
    ) -> (ConnectionHandle, [Action]) {
        precondition(id >= .firstDialled, "connection \(id.value) is one that somebody else dialled")
        let secure = SecureLink(
            initiating: candidate, identity: identity, ephemeral: ephemeral, at: now)
        let connection = insert(PeerConnection(id: id, purpose: purpose, remote: remote, secure: secure))
        return (connection, self[connection].secure.start())
    }

    /// Which of two links to a device stays. A refused one was not entered.
    mutating func enter(_ connection: ConnectionHandle, _ link: EstablishedLink, at now: Instant)
        -> LinkTable<ConnectionID>.Verdict?
    {
        let known = table.links(to: link.peer.device)
        let silent = Set(
            known.map(\.connection).filter { id in
                self.link(of: id).map { self[$0].liveness.isSilent(at: now.monotonic) } ?? true
            })
        let others = known.count { $0.instance != link.peer.instance && !silent.contains($0.connection) }
        guard others < MeshLimits.instancesLinkedMax else { return nil }
        return table.enter(
            self[connection].id, peer: link.peer.device, instance: link.peer.instance,
            isInitiator: link.role == .initiator, isSilent: silent.contains)
    }

    /// The link stays: it is a mesh link from now on, without channels.
    mutating func begin(_ connection: ConnectionHandle, _ link: EstablishedLink, at now: Instant)
        -> LinkHandle
    {
        precondition(table[self[connection].id] != nil, "a link that the table did not let in")
        counters.linksOpened += 1
        return establish(
            PeerLink(
                connection: connection, device: link.peer.device, instance: link.peer.instance,
                handshakeHash: link.handshakeHash, role: link.role, begun: now.monotonic,
                liveness: Liveness(times, at: now.monotonic),
                nextChannel: link.role == .initiator ? 2 : 1,
                clockOffset: ClockOffset.milliseconds(of: link.peer.wallMilliseconds, from: now.wall)))
    }

    // MARK: Bytes and frames

    /// Bytes arrived.
    mutating func receive(
        _ bytes: consuming [UInt8], on connection: ConnectionHandle, at now: Instant
    ) -> [Action] {
        counters.bytesReceived += UInt64(bytes.count)
        self[connection].traffic.received += UInt64(bytes.count)
        if let link = linked(connection) { self[link].liveness.hear(at: now.monotonic) }
        return unlock(bytes, on: connection, at: now)
    }

    /// The records of these frames; nil when nobody is there to read them.
    mutating func seal(
        _ frames: [LinkFrame], on connection: ConnectionHandle, at now: UInt64
    ) -> [UInt8]? {
        guard !frames.isEmpty, isOpen(connection), self[connection].secure.established != nil else {
            return nil
        }
        let bytes = self[connection].secure.send(frames)
        if bytes.isEmpty { return nil }
        if let link = linked(connection) { self[link].liveness.send(at: now) }
        return bytes
    }

    /// Bytes go out.
    mutating func recordSent(_ byteCount: Int, on connection: ConnectionHandle) {
        self[connection].traffic.sent += UInt64(byteCount)
    }

    /// True when the peer, which is listed nowhere on its link, holds more of a frame back here than it may
    /// still send: fragments count from the first one on.
    func isOverBudget(_ connection: ConnectionHandle) -> Bool {
        let held = self[connection].secure.heldBytes
        guard held > 0, isOpen(connection), let link = linked(connection) else { return false }
        var left = 0
        for channel in self[link].channels {
            guard case .provisional(let bytes, _) = self[channel.handle].standing else { return false }
            left = max(left, bytes)
        }
        return held > left
    }

    /// Counts a frame against what a peer that is no member may send; false when that was too much.
    mutating func spend(_ byteCount: Int, on channel: ChannelHandle) -> Bool {
        switch self[channel].standing {
        case .full: return true
        case .provisional(let left, let deadline):
            guard byteCount <= left else { return false }
            self[channel].standing = .provisional(bytesLeft: left - byteCount, deadline: deadline)
        case .farewell(let left, let deadline):
            guard byteCount <= left else { return false }
            self[channel].standing = .farewell(bytesLeft: left - byteCount, deadline: deadline)
        }
        return true
    }

    // MARK: Ending

    /// A connection that was closed is over: what it carried counts for its device, and nil for none.
    mutating func end(_ connection: ConnectionHandle) -> LinkHandle? {
        let link = linked(connection)
        close(connection)
        table.remove(self[connection].id)
        if let link { endedTraffic[self[link].device, default: LinkTraffic()].add(self[connection].traffic) }
        return link
    }

    /// Bytes of all links to a device, of this run.
    func traffic(with peer: DeviceID) -> LinkTraffic {
        var traffic = endedTraffic[peer] ?? LinkTraffic()
        for open in table.links(to: peer).compactMap({ handle(of: $0.connection) }) {
            traffic.add(self[open].traffic)
        }
        return traffic
    }

    /// Of a stranger nothing is kept.
    mutating func forgetTraffic(with peer: DeviceID) { endedTraffic[peer] = nil }

    // MARK: Time

    /// Connections whose handshake is not complete, those that others opened.
    var halfOpenCount: Int {
        handles.reduce(0) {
            $0 + (self[$1].secure.deadline != nil && self[$1].purpose.address == nil ? 1 : 0)
        }
    }

    /// When a handshake, a proof, a sign of life or a provisional channel is due.
    var deadline: UInt64? {
        var next: UInt64?
        func take(_ moment: UInt64?) {
            if let moment { next = min(next ?? .max, moment) }
        }
        for connection in handles {
            take(self[connection].secure.deadline)
            if case .admitting(let deadline, _) = self[connection].phase { take(deadline) }
            guard let link = linked(connection) else { continue }
            take(self[link].liveness.deadline)
            for channel in self[link].channels {
                take(self[channel.handle].standing.deadline)
            }
        }
        return next
    }

    /// Other times of liveness from now on.
    mutating func set(_ times: LivenessTimes, at now: Instant) {
        self.times = times
        for link in linkHandles { self[link].liveness.take(times, at: now.monotonic) }
    }
}

/// Counts for the metrics; nothing is decided by them.
struct ConnectionCounters: Sendable {
    var linksOpened: UInt64 = 0
    var handshakesFailed: UInt64 = 0
    var faults: UInt64 = 0
    var bytesReceived: UInt64 = 0
}
