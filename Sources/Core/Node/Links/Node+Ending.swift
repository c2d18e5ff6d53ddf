// How a connection ends, and all that ends with it: its link and channels, what a peer was to supply, a join
// that waits for its answer, a space that is being left. Each of these may close other connections, so they
// stand together: these functions call each other in a circle, and no others of the node do.

import Causality
import Identity
import Mesh
import Replication
import SecureLink
import Wire

extension Node {
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

    mutating func recordFault(of connection: ConnectionHandle, _ reason: String, at now: Instant) {
        links.connections.counters.faults += 1
        guard links.connections.isOpen(connection), let link = links.connections.linked(connection) else {
            return
        }
        let device = links[link].device
        let isRefused = reachability.recordFault(of: device, reason: reason, at: now)
        batch.log(
            .warning, "peer-fault",
            "\(named(device)) broke the protocol (\(reason)); the link was closed"
                + (isRefused ? " and the device is refused for a while; update or inspect that node" : ""))
    }

    /// What a device signed is wrong, and another one brought it. Its own links end when it is refused.
    mutating func recordFault(ofAuthor author: DeviceID, _ reason: String, at now: Instant) {
        links.connections.counters.faults += 1
        let isRefused = reachability.recordFault(of: author, reason: reason, at: now)
        batch.log(
            .warning, "peer-fault",
            "\(named(author)) broke the protocol in what it signed (\(reason)), which another member sent"
                + (isRefused ? "; the device is refused for a while; update or inspect that node" : ""))
        guard isRefused else { return }
        for link in links.connections.linkHandles where links[link].device == author {
            close(link, .protocolFault, reason, at: now)
        }
    }

    /// A connection did not come to stand: the next address of a join, or a later dial.
    mutating func dialFailed(_ id: ConnectionID, reason: String, at now: Instant) {
        guard let dial = links.dials.removeValue(forKey: id) else { return }
        switch dial.purpose {
        case .join(_, let request), .tell(_, _, let request):
            joinFailed(request, reason: reason, answered: false, at: now)
        default: reachability.recordDialFailure(dial.address, reason, at: now)
        }
    }

    /// Takes a connection out of every table and decides when its address is dialled again.
    mutating func forget(
        _ connection: ConnectionHandle, reason: String, isReplaced: Bool = false, wasCutOff: Bool = false,
        code: CloseCode? = nil, at now: Instant
    ) {
        let ended = links.connections.end(connection)
        reachability.checkDials()
        if code == .removed, let ended, let first = links.connections.channel(0, on: ended) {
            leaveAcknowledged(links[first].space, by: links[ended].device, at: now)
        }
        switch links[connection].purpose {
        case .accepted: break
        case .tell(let address, _, let request): joinAfterTelling(request, at: address, now)
        case .join(_, let request):
            joinEnded(request, reason: reason, code: code, at: now)
        case .mesh(let address, _):
            if let ended {
                linkEnded(
                    ended, address, reason: reason, isReplaced: isReplaced, isUnwanted: code == .removed,
                    at: now)
            } else if isReplaced {
                reachability.recordReplacedDial(address, at: now)
            } else if !wasCutOff || !reachability.tryNextKey(of: address, keyCount: dialKeyCount) {
                reachability.recordDialFailure(address, reason, at: now)
            }
        }
        guard let ended else { return }
        let device = links[ended].device
        supplierLost(links[connection].id, of: device, at: now)
        let source = BaseSource(device: device, link: links[connection].id)
        for index in spaces.indices { spaces[index].checkpoints.taken?.lost(source, at: now.monotonic) }
        if code == .enough { peerHasEnough(device, at: now) }
        if !links.connections.table.isLinked(to: device) { trimPeerVectors(of: device) }
        reachability.recordLinked(device, at: now)
        if !isMember(device) {
            // Of a stranger nothing is kept: who holds a space's key can make any number of them.
            reachability.forgetLinked(device)
            links.connections.forgetTraffic(with: device)
            links.peerStates[device] = nil
            resolveAlarm(code: "clock-far", device: device)
            forgetCopies(of: device)
        } else if !links.connections.table.isLinked(to: device) {
            links.recordState(of: device, "waiting", at: now)
            batch.log(.info, "link-down", "the link to \(named(device)) ended: \(reason)")
        }
    }

    /// A link that we had dialled is over.
    private mutating func linkEnded(
        _ link: LinkHandle, _ address: PeerAddress, reason: String, isReplaced: Bool, isUnwanted: Bool,
        at now: Instant
    ) {
        if isReplaced, links.connections.table.isLinked(to: links[link].device) { return }
        reachability.recordLinkEnd(
            of: links[link].device, at: address, begun: links[link].begun, isUnwanted: isUnwanted,
            reason: reason, now: now)
    }

    /// A peer closed the link because it has enough: others first for a while.
    private mutating func peerHasEnough(_ peer: DeviceID, at now: Instant) {
        for index in spaces.indices { spaces[index].replication.view?.avoid(peer, at: now.monotonic) }
    }

    /// The link to a device is gone: of what it said, logs that are nobody's need not be remembered.
    private mutating func trimPeerVectors(of peer: DeviceID) {
        for index in spaces.indices { spaces[index].trimPeerVector(of: peer) }
    }

    /// A member has the leave operation on its disk: nothing of the space is needed any more.
    mutating func leaveAcknowledged(_ space: SpaceID, by peer: DeviceID, at now: Instant) {
        guard let name = left[space]?.name else { return }
        // Who comes back tells everybody that it asks to let it in: one that does not know that it left would
        // let it in as the member that it is there.
        let isComing = joins.areJoining(space)
        if !isComing {
            guard forgetLeaving(space) else { return }
            batch.log(
                .info, "space-left-told", "a member of space \(name) (\(space)) knows that this device left")
        }
        for channel in links.channels(of: space) where !isComing || links[links[channel].link].device == peer
        {
            closeLeaving(channel, "the space was left", at: now)
        }
    }

    /// Nobody is told on it any more that the space was left.
    mutating func closeLeaving(_ channel: ChannelHandle, _ reason: String, at now: Instant) {
        let (link, number) = (links[channel].link, links[channel].number)
        links.connections.close(channel)
        if number == 0, links[link].channels.isEmpty { close(link, .done, reason, at: now) }
    }

    /// Does what requests to join ask for, in order.
    mutating func perform(_ actions: [JoinAttempts.Action], at now: Instant) {
        for action in actions {
            switch action {
            case .stage(let request, let text): batch.answer(request, .joinStage(text))
            case .refuse(let request, let error): batch.refuse(request, error)
            case .dial(let address, let request, let space):
                // Who left and comes back says first that it left: else it would be let in as the member that
                // it still is there, and put out when its leave arrives from elsewhere.
                let hasLeft = left[space] != nil
                dial(address, for: hasLeft ? .tell(address, space, request) : .join(address, request))
            case .hangUp(let request): hangUp(request, at: now)
            }
        }
    }

    /// The present address failed. `answered`: the connection stood.
    mutating func joinFailed(_ id: RequestID, reason: String, answered: Bool, at now: Instant) {
        let near = neighbourhood(at: now)
        perform(joins.fail(id, reason: reason, answered: answered, near, at: now), at: now)
    }

    /// A joining connection is gone.
    private mutating func joinEnded(_ id: RequestID, reason: String, code: CloseCode?, at now: Instant) {
        let refusal = code.flatMap { JoinRefusal(rawValue: $0.rawValue) }
        let near = neighbourhood(at: now)
        perform(
            joins.connectionEnded(id, reason: reason, refusal: refusal, near, at: now), at: now)
    }

    /// The connection on which a leave was told is over, whatever came of it.
    private mutating func joinAfterTelling(_ id: RequestID, at address: PeerAddress, _ now: Instant) {
        guard !links.isStopping, joins.leaveAcknowledged(id, at: address, now) else { return }
        dial(address, for: .join(address, id))
    }

    private mutating func hangUp(_ request: RequestID, at now: Instant) {
        let reason = "no answer in time"
        if let connection = links.connections.handles.first(where: { links[$0].purpose.request == request }) {
            return close(connection, .silent, reason, at: now)
        }
        links.dials = links.dials.filter { $0.value.purpose.request != request }
        joinFailed(request, reason: reason, answered: false, at: now)
    }

    /// Who was heard on the local network, for joiners whose token leads nowhere.
    func neighbourhood(at now: Instant) -> JoinAttempts.Neighbourhood {
        JoinAttempts.Neighbourhood(
            hosts: reachability.discovery.senders.hosts(at: now.monotonic),
            isListening: reachability.discovery.networks.isListening)
    }
}
