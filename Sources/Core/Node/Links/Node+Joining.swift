// Joining: the joiner's half. Hints of the token first, then static peers. The answer is checked by
// `Joining`; roster, keys and space are stored in one transaction, and the request is answered when that is
// durable.

import Bytes
import Causality
import Roster
import SecureLink
import Wire

extension Node {
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
            close(connection, .protocolFault, "frame \(frame.type): \(FaultWords(error))", at: now)
        }
    }

    private mutating func answerArrived(
        _ body: [UInt8], on connection: ConnectionHandle, at now: Instant
    ) {
        guard case .join(let address, let request) = links[connection].purpose else { return }
        // Not the attempt itself: the answer that it holds would be copied as it grows.
        let name = joins[request]?.name
        do throws(JoinFault) {
            guard let joined = try joins.receive(body, for: request, at: now) else { return }
            if joined.roster.hasRestrictions {
                return close(connection, .protocolFault, "the roster: \(Self.revokesRightsFault)", at: now)
            }
            finishJoin(joined, name: name, request, issuer: address, at: now)
            close(connection, .done, "joined", at: now)
        } catch {
            close(
                connection, .protocolFault,
                "the answer does not make this device a member: \(FaultWords(error))", at: now
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
