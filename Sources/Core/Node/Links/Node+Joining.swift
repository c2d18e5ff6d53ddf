// Joining: the joiner's half. Hints of the token first, then static peers. The answer is checked by
// `Joining`; roster, keys and space are stored in one transaction, and the request is answered when that is
// durable.

import Bytes
import Causality
import Crypto
import Mesh
import Roster
import SecureLink
import Wire

extension Node {
    mutating func join(_ id: RequestID, token text: String, name: String?, at now: Instant) throws(NodeError)
    {
        let token: InviteToken
        do throws(InviteTokenFault) {
            token = try InviteToken(text)
        } catch {
            throw .tokenInvalid(error.message)
        }
        if links.isStopping { throw .stopping }
        if spaces.handle(of: token.space) != nil { throw .alreadyMember(token.space) }
        if token.isExpired(at: now) { throw .inviteExpired }
        if let name { try checkName(name) }
        guard spaces.count + joins.count < NodeLimits.spacesMax else {
            throw .tooMany(what: "spaces", limit: NodeLimits.spacesMax)
        }
        guard joins.count < JoinAttempt.attemptsMax else {
            throw .tooMany(what: "joins", limit: JoinAttempt.attemptsMax)
        }
        var addresses: [PeerAddress] = []
        for address in token.hints + configuration.settings.staticPeers.compactMap({ PeerAddress($0) })
        where !addresses.contains(address) && !address.isUnspecified { addresses.append(address) }
        perform(
            joins.begin(id, token, name: name, addresses: addresses, neighbourhood(at: now), at: now),
            at: now)
    }

    /// The program went away.
    mutating func cancelJoin(_ id: RequestID) { joins.end(id) }

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

    /// Who was heard on the local network, for joiners whose token leads nowhere.
    func neighbourhood(at now: Instant) -> JoinAttempts.Neighbourhood {
        JoinAttempts.Neighbourhood(
            hosts: reachability.discovery.senders.hosts(at: now.monotonic),
            isListening: reachability.discovery.networks.isListening)
    }

    private mutating func hangUp(_ request: RequestID, at now: Instant) {
        let reason = "no answer in time"
        if let connection = links.connections.handles.first(where: { links[$0].purpose.request == request }) {
            return close(connection, .silent, reason, at: now)
        }
        links.dials = links.dials.filter { $0.value.purpose.request != request }
        joinFailed(request, reason: reason, answered: false, at: now)
    }

    /// The connection on which a leave was told is over, whatever came of it.
    mutating func joinAfterTelling(_ id: RequestID, at address: PeerAddress, _ now: Instant) {
        guard !links.isStopping, joins.toldLeave(id, at: address, now) else { return }
        dial(address, for: .join(address, id))
    }

    /// The present address failed. `answered`: the connection stood.
    mutating func joinFailed(_ id: RequestID, reason: String, answered: Bool, at now: Instant) {
        let near = neighbourhood(at: now)
        perform(joins.fail(id, reason: reason, answered: answered, near, at: now), at: now)
    }

    /// A joining connection is gone.
    mutating func joinEnded(_ id: RequestID, reason: String, code: CloseCode?, at now: Instant) {
        let refusal = code.flatMap { JoinRefusal(rawValue: $0.rawValue) }
        let near = neighbourhood(at: now)
        perform(
            joins.connectionEnded(id, reason: reason, refusal: refusal, near, at: now), at: now)
    }

    /// The handshake is complete: the other side holds the invite too. Prove that we are who we say.
    mutating func proveInvite(
        _ connection: ConnectionHandle, _ link: EstablishedLink, _ request: RequestID, at now: Instant
    ) {
        guard let token = joins[request]?.token,
            let name = DeviceName(configuration.settings.deviceName)
        else {
            return close(connection, .done, "the request was cancelled", at: now)
        }
        if link.peer.device == device {
            return close(connection, .ownDevice, "this is the dialling device itself", at: now)
        }
        let joining = Joining(token: token, device: device, boxKey: configuration.box)
        let proof = joining.proof(
            name: name, addresses: reachability.advertisedAddresses, handshakeHash: link.handshakeHash,
            by: configuration.device)
        links[connection].phase = .joining
        perform(joins.prove(request, with: joining), at: now)
        send([LinkFrame(JoinProofFrame(body: proof.encoded()), on: 0)], on: connection)
    }

    /// A frame of a joining link: a proof at the issuer, an answer at the joiner.
    mutating func dispatchJoining(_ frame: LinkFrame, on connection: ConnectionHandle, at now: Instant) {
        do throws(DecodeFault) {
            switch links[connection].phase {
            case .admitting:
                guard frame.type == FrameType.joinProof.rawValue else { return }
                try proofArrived(try JoinProofFrame(decoding: frame.body).body, on: connection, at: now)
            case .joining:
                guard frame.type == FrameType.joinAnswer.rawValue else { return }
                answerArrived(try JoinAnswerFrame(decoding: frame.body).body, on: connection, at: now)
            case .handshaking, .linked: preconditionFailure("the connection joins nothing")
            }
        } catch {
            close(connection, .protocolFault, "frame \(frame.type): \(error)", at: now)
        }
    }

    private mutating func answerArrived(
        _ body: [UInt8], on connection: ConnectionHandle, at now: Instant
    ) {
        guard case .join(let address, let request) = links[connection].purpose else { return }
        // Not the attempt itself: the answer that it holds would be copied as it grows.
        let name = joins[request]?.name
        do throws(JoinFault) {
            guard let joined = try joins.receive(body, for: request) else { return }
            if joined.roster.operations().contains(where: \.revokesRights) {
                return close(connection, .protocolFault, "the roster: \(Self.revokesRightsFault)", at: now)
            }
            finishJoin(joined, name: name, request, issuer: address, at: now)
            close(connection, .done, "joined", at: now)
        } catch {
            close(
                connection, .protocolFault, "the answer does not make this device a member: \(error)", at: now
            )
        }
    }

    /// Roster, keys and space in one transaction; the request hears of it when that is durable.
    private mutating func finishJoin(
        _ joined: JoinedSpace, name localName: String?, _ request: RequestID, issuer: PeerAddress,
        at now: Instant
    ) {
        joins.end(request)
        do throws(NodeError) {
            if spaces.handle(of: joined.roster.space) != nil { throw .alreadyMember(joined.roster.space) }
            let wanted = localName ?? joined.name.string
            // It is a member already: a name that was taken meanwhile must not undo that.
            let name = freeName(like: wanted)
            if name != wanted {
                batch.answer(
                    request,
                    .joinStage("the name \(wanted) is taken here, or is an id: this space is \(name) here"))
            }
            try stored { node throws(StoreFailure) in
                if node.left[joined.roster.space] != nil { node.forgetLeaving(joined.roster.space) }
                try node.add(Space(roster: joined.roster, keys: joined.keys, name: name))
            }
            guard let index = spaces.handle(of: joined.roster.space) else {
                preconditionFailure("the space was added")
            }
            batch.log(
                .notice, "space-joined",
                "joined space \(name) (\(joined.roster.space)) as \(joined.role.name)")
            // Its members are dialled at once, the one that let us in first of all.
            reachability.addHint(issuer)
            learnAddresses(of: index)
            reachability.resetBackOff()
            // Some of them may be linked under another space, and said OPEN before we were in this one.
            for link in links.connections.linkHandles { openChannels(on: link, at: now) }
            batch.answer(request, .joined(report(spaces[index])))
        } catch {
            batch.refuse(request, error)
        }
    }
}
