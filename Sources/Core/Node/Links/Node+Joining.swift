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
            if let index = spaces.handle(of: joined.roster.space) {
                // Its admission may have come by a link that stands, before this answer.
                try readmit(joined, in: index, at: now)
                if let localName, localName != spaces[index].name {
                    batch.answer(
                        request, .joinStage("the space is here already, and is still \(spaces[index].name)"))
                }
                return batch.answer(request, .joined(report(spaces[index])))
            }
            let wanted = localName ?? joined.name.string
            // It is a member already: a name that was taken meanwhile must not undo that.
            let name = freeName(like: wanted)
            if name != wanted {
                batch.answer(
                    request,
                    .joinStage("the name \(wanted) is taken here, or is an id: this space is \(name) here"))
            }
            // Its members speak to it as to one of them, on channels of their own.
            for channel in links.channels(of: joined.roster.space) {
                closeLeaving(channel, "the space was joined again", at: now)
            }
            try stored { node throws(StoreFailure) in
                if node.left[joined.roster.space] != nil { node.forgetLeaving(joined.roster.space) }
                var space = Space(roster: joined.roster, keys: joined.keys, name: name, device: node.device)
                space.checkpoints.isSeeding = !joined.roster.checkpoints().isEmpty
                try node.add(space)
            }
            guard let index = spaces.handle(of: joined.roster.space) else {
                preconditionFailure("the space was added")
            }
            // By its admission no epoch may be good any more, and it may be the only one who can begin one.
            updateKeys(in: index, isForced: true, at: now)
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

    /// This device was removed, and an admin let it in again: its space goes on with the roster and the keys
    /// that came.
    private mutating func readmit(_ joined: JoinedSpace, in index: SpaceHandle, at now: Instant)
        throws(NodeError)
    {
        var added: [RosterOperation] = []
        for operation in joined.roster.operations() {
            do throws(RosterFault) {
                if case .added(let new) = try spaces[index].membership.roster.add(operation) { added += new }
            } catch {
                preconditionFailure("an operation of a roster that was checked is refused: \(error)")
            }
        }
        spaces[index].membership.join(joined.keys)
        storeRoster(added, in: index, at: now)
        updateKeys(in: index, isForced: true, at: now)
        // Whoever gave the invite may not have known of the removal: then it stands.
        _ = try myRole(in: index)
        batch.log(
            .notice, "space-joined",
            "joined space \(spaces[index].name) (\(spaces[index].id)) again as \(joined.role.name)")
        learnAddresses(of: index)
        reachability.resetBackOff()
    }
}
