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
        guard spaces.count + links.joins.count < NodeLimits.spacesMax else {
            throw .tooMany(what: "spaces", limit: NodeLimits.spacesMax)
        }
        guard links.joins.count < JoinAttempt.attemptsMax else {
            throw .tooMany(what: "joins", limit: JoinAttempt.attemptsMax)
        }
        var addresses: [PeerAddress] = []
        for address in token.hints + configuration.settings.staticPeers.compactMap({ PeerAddress($0) })
        where !addresses.contains(address) && !address.isUnspecified { addresses.append(address) }
        links.joins[id] = JoinAttempt(
            token: token, name: name, remaining: addresses,
            deadline: now.monotonic + JoinAttempt.addressMilliseconds)
        joinNext(id, at: now)
    }

    /// The program went away; a membership that is on its way is then found by the next try with the same
    /// token.
    mutating func cancelJoin(_ id: RequestID) { links.joins[id] = nil }

    mutating func joinNext(_ id: RequestID, at now: Instant) {
        guard var attempt = links.joins[id] else { return }
        takeSenders(into: &attempt, at: now)
        guard !attempt.remaining.isEmpty else {
            if waitForSenders(id, attempt, at: now) { return }
            links.joins[id] = nil
            if attempt.listeningUntil != nil, attempt.senders.isEmpty {
                attempt.failures.append("local network: no other box was heard")
            }
            let error: NodeError =
                attempt.wasUnknown ? .inviteForeign : .inviterUnreachable(tried: attempt.failures)
            return batch.refuse(id, error)
        }
        let address = attempt.remaining.removeFirst()
        attempt.current = address
        attempt.tried.insert(address)
        attempt.joining = nil
        attempt.deadline = now.monotonic + JoinAttempt.addressMilliseconds
        links.joins[id] = attempt
        batch.answer(id, .joinStage("dialling \(address)"))
        // Who left and comes back says first that it left: else it would be let in as the member that it
        // still is there, and put out when its leave arrives from elsewhere.
        let space = attempt.token.space
        dial(address, for: left.index(of: space) == nil ? .join(address, id) : .tell(address, space, id))
    }

    /// The connection on which a leave was told is over, whatever came of it.
    mutating func joinAfterTelling(_ id: RequestID, at address: PeerAddress, _ now: Instant) {
        guard links.joins[id]?.current == address, !links.isStopping else { return }
        links.joins[id]?.deadline = now.monotonic + JoinAttempt.addressMilliseconds
        dial(address, for: .join(address, id))
    }

    /// The present address failed. `answered`: the connection stood.
    mutating func joinFailed(_ id: RequestID, reason: String, answered: Bool, at now: Instant) {
        guard var attempt = links.joins[id], let address = attempt.current else { return }
        attempt.failures.append("\(address): \(reason)")
        attempt.wasUnknown = attempt.wasUnknown || answered
        attempt.current = nil
        links.joins[id] = attempt
        joinNext(id, at: now)
    }

    /// The handshake is complete: the other side holds the invite too. Prove that we are who we say.
    mutating func proveInvite(
        _ connection: ConnectionHandle, _ link: EstablishedLink, _ request: RequestID, at now: Instant
    ) {
        guard var attempt = links.joins[request], let name = DeviceName(configuration.settings.deviceName)
        else {
            return close(connection, .done, "the request was cancelled", at: now)
        }
        if link.peer.device == device {
            return close(connection, .ownDevice, "this is the dialling device itself", at: now)
        }
        let joining = Joining(token: attempt.token, device: device, boxKey: configuration.box)
        let proof = joining.proof(
            name: name, addresses: announcedAddresses(), handshakeHash: link.handshakeHash,
            by: configuration.device)
        attempt.joining = joining
        links.joins[request] = attempt
        links[connection].phase = .joining
        batch.answer(request, .joinStage("proving the invite"))
        send([LinkFrame(JoinProofFrame(body: proof.encoded()), on: 0)], on: connection)
    }

    /// A frame of a joining link: a proof at the issuer, an answer at the joiner.
    mutating func dispatchJoining(_ frame: LinkFrame, on connection: ConnectionHandle, at now: Instant) {
        do throws(DecodeFault) {
            switch (FrameType(rawValue: frame.type), links[connection].purpose) {
            case (.joinProof, .accepted):
                try proofArrived(try JoinProofFrame(decoding: frame.body).body, on: connection, at: now)
            case (.joinAnswer, .join(let address, let request)):
                let body = try JoinAnswerFrame(decoding: frame.body).body
                answerArrived(body, on: connection, from: address, request, at: now)
            default: break
            }
        } catch {
            close(connection, .protocolFault, "frame \(frame.type): \(error)", at: now)
        }
    }

    private mutating func answerArrived(
        _ body: [UInt8], on connection: ConnectionHandle, from address: PeerAddress, _ request: RequestID,
        at now: Instant
    ) {
        guard var attempt = links.joins[request], var joining = attempt.joining else { return }
        do throws(JoinFault) {
            attempt.joining = nil
            links.joins[request] = attempt
            let joined = try joining.take(body)
            attempt.joining = joining
            links.joins[request] = attempt
            guard let joined else { return }
            if joined.roster.operations().contains(where: \.mayVoid) {
                return close(connection, .protocolFault, "the roster: \(Self.mayVoidFault)", at: now)
            }
            finishJoin(joined, attempt, request, issuer: address, at: now)
            close(connection, .done, "joined", at: now)
        } catch {
            close(
                connection, .protocolFault, "the answer does not make this device a member: \(error)", at: now
            )
        }
    }

    /// Roster, keys and space in one transaction; the request hears of it when that is durable.
    private mutating func finishJoin(
        _ joined: JoinedSpace, _ attempt: JoinAttempt, _ request: RequestID, issuer: PeerAddress,
        at now: Instant
    ) {
        links.joins[request] = nil
        do throws(NodeError) {
            if spaces.handle(of: joined.roster.space) != nil { throw .alreadyMember(joined.roster.space) }
            let wanted = attempt.name ?? joined.name.string
            // It is a member already: a name that was taken meanwhile must not undo that.
            let name = freeName(like: wanted)
            if name != wanted {
                batch.answer(
                    request,
                    .joinStage("the name \(wanted) is taken here, or is an id: this space is \(name) here"))
            }
            try stored { node throws(StoreFailure) in
                if node.left.index(of: joined.roster.space) != nil { node.forgetLeaving(joined.roster.space) }
                try node.add(Space(roster: joined.roster, keys: joined.keys, name: name))
            }
            guard let index = spaces.handle(of: joined.roster.space) else {
                preconditionFailure("the space was added")
            }
            batch.log(
                .notice, "space-joined",
                "joined space \(name) (\(joined.roster.space)) as \(joined.role.name)")
            // Its members are dialled at once, the one that let us in first of all.
            links.book.add(issuer, device: nil, source: .hint)
            learnAddresses(of: index)
            links.dialer.reset()
            links.nextDialCheck = 0
            // Some of them may be linked under another space, and said OPEN before we were in this one.
            for link in links.connections.linkHandles { openChannels(on: link, at: now) }
            batch.answer(request, .joined(report(spaces[index])))
        } catch {
            batch.refuse(request, error)
        }
    }

    /// A joining connection is gone.
    mutating func joinEnded(
        _ request: RequestID, reason: String, code: CloseCode?, at now: Instant
    ) {
        guard let attempt = links.joins[request] else { return }
        if let refusal = code.flatMap({ JoinRefusal(rawValue: $0.rawValue) }),
            let error = Self.error(of: refusal, attempt)
        {
            links.joins[request] = nil
            return batch.refuse(request, error)
        }
        let isUnknown = attempt.joining == nil || code?.rawValue == JoinRefusal.unknown.rawValue
        joinFailed(request, reason: reason, answered: isUnknown, at: now)
    }

    /// A refusal that no other address can turn; nil: try the next one.
    private static func error(of refusal: JoinRefusal, _ attempt: JoinAttempt) -> NodeError? {
        switch refusal {
        case .spent: .inviteSpent
        case .burned: .inviteBurned
        case .wrongProof: .inviteProofWrong
        case .issuerWithoutRight: .issuerWithoutRight
        case .expired: .inviteExpired
        case .revoked: .inviteRevoked
        case .alreadyMember: .alreadyMember(attempt.token.space)
        case .unknown: nil
        }
    }

    mutating func tickJoins(at now: Instant) {
        for request in links.joins.keys.sorted() {
            guard let attempt = links.joins[request], now.monotonic >= attempt.deadline else { continue }
            // It waited for a beacon and nobody was heard.
            if attempt.current == nil {
                joinNext(request, at: now)
                continue
            }
            let under = links.connections.handles.first { links[$0].purpose.request == request }
            if let under {
                close(under, .silent, "no answer in time", at: now)
            } else {
                links.dials = links.dials.filter { $0.value.purpose.request != request }
                joinFailed(request, reason: "no answer in time", answered: false, at: now)
            }
        }
    }
}
