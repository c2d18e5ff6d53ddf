// One frame of a link: who may say it, and where it goes. A frame of an unknown number, or on a channel that
// is not open, is dropped: a newer node may say what an older one does not know, and channels close on one
// side first.

import Bytes
import Causality
import Crypto
import Identity
import Mesh
import Roster
import SecureLink
import Wire

extension Node {
    /// Hands a frame to whoever understands it where the connection stands. What ends on the way stays
    /// readable to the end of the step, so that no handler has to ask after each line.
    mutating func dispatch(_ frame: LinkFrame, on connection: ConnectionHandle, at now: Instant) {
        switch links[connection].phase {
        case .handshaking: preconditionFailure("a secure link gives frames after its handshake")
        case .admitting, .joining: dispatchJoining(frame, on: connection, at: now)
        case .linked(let link): dispatch(frame, on: link, at: now)
        }
    }

    private mutating func dispatch(_ frame: LinkFrame, on link: LinkHandle, at now: Instant) {
        do throws(DecodeFault) {
            switch frame.type {
            case LinkFrame.pong: return try pong(frame.body, on: link, at: now)
            case OpenFrame.type: return try open(frame, on: link, at: now)
            default: break
            }
            guard let type = FrameType(rawValue: frame.type),
                let channel = links.connections.channel(frame.channel, on: link)
            else { return }
            guard let index = spaces.handle(of: links[channel].space) else {
                guard type == .rosterHave, spend(frame, on: channel, at: now) else { return }
                return leavingHaveArrived(try .init(decoding: frame.body), on: channel, at: now)
            }
            try dispatch(frame, type, links.place(channel, in: index), at: now)
        } catch {
            fault(link, "frame \(frame.type): \(FaultWords(error))", at: now)
        }
    }

    /// A frame of replication, in a space of this node. What only a full member may say is dropped from
    /// others.
    private mutating func dispatch(
        _ frame: LinkFrame, _ type: FrameType, _ place: ChannelPlace, at now: Instant
    ) throws(DecodeFault) {
        let isFull = links[place.channel].isFull
        if links[place.channel].isFarewell, type != .rosterHave, type != .rosterOperations {
            return try farewellArrived(frame, type, place, at: now)
        }
        switch type {
        case .rosterHave:
            guard spend(frame, on: place.channel, at: now) else { return }
            rosterHaveArrived(try .init(decoding: frame.body), place, at: now)
        case .rosterOperations:
            guard spend(frame, on: place.channel, at: now) else { return }
            rosterOperationsArrived(try .init(decoding: frame.body), place, at: now)
        // Their links have no channels.
        case .joinProof, .joinAnswer: return
        case _ where links[place.channel].roster.holds(isFull: isFull):
            links[place.channel].roster.hold(frame)
        case _ where !isFull: links[place.channel].isUnheard = true
        case .have: haveArrived(try .init(decoding: frame.body), place, at: now)
        case .received: receivedArrived(try .init(decoding: frame.body), place, at: now)
        case .segment: segmentArrived(frame.body, place, at: now)
        case .digest: digestArrived(try .init(decoding: frame.body), place, at: now)
        case .digestParts: digestPartsArrived(try .init(decoding: frame.body), place)
        case .digestDocuments: digestDocumentsArrived(try .init(decoding: frame.body), place, at: now)
        case .forks: forksArrived(try .init(decoding: frame.body), place, at: now)
        case .forkBoundaries: forkBoundariesArrived(try .init(decoding: frame.body), place, at: now)
        case .forkRun: forkRunArrived(frame.body, place, at: now)
        case .forkProof: forkProofArrived(frame.body, place, at: now)
        case .forkAsk: forkAskArrived(try .init(decoding: frame.body), place)
        case .neighbour: neighbourArrived(try .init(decoding: frame.body), place, at: now)
        case .walk: walkArrived(try .init(decoding: frame.body), place, at: now)
        case .graft: graftArrived(try .init(decoding: frame.body), place)
        case .prune: pruneArrived(try .init(decoding: frame.body), place)
        case .backlog: backlogArrived(try .init(decoding: frame.body), place, at: now)
        case .peers: peersArrived(try .init(decoding: frame.body), place)
        case .baseOffer: baseOfferArrived(try .init(decoding: frame.body), place, at: now)
        case .baseAsk: baseAskArrived(try .init(decoding: frame.body), place, at: now)
        case .basePart: try basePartArrived(try .init(decoding: frame.body), place, at: now)
        case .baseNone: baseNoneArrived(try .init(decoding: frame.body), place, at: now)
        }
    }

    private mutating func pong(_ body: [UInt8], on link: LinkHandle, at now: Instant) throws(DecodeFault) {
        var reader = ByteReader(body)
        let token = try reader.u64()
        // Our wall clock of then.
        _ = try reader.u64()
        try reader.finish()
        pings.answered(token, on: links[links[link].connection].id, at: now.monotonic)
        guard links[link].liveness.answered(token, at: now.monotonic), links[link].cloneProbe == token,
            isMember(links[link].device)
        else { return }
        let device = links[link].device
        copySeen(
            of: device, "device \(named(device)) runs in two places at once",
            hint: "its state was copied: stop one of the two, or make the copy a device of its own: repld "
                + "--new-identity", at: now)
    }

    /// The peer opens a further space.
    private mutating func open(_ frame: LinkFrame, on link: LinkHandle, at now: Instant) throws(DecodeFault) {
        let tag = try OpenFrame(decoding: frame.body).tag
        let isPeers = (frame.channel % 2 == 0) == (links[link].role == .responder)
        guard frame.channel != 0, isPeers else {
            return fault(link, "OPEN on channel \(frame.channel)", at: now)
        }
        if let known = links.connections.channel(frame.channel, on: link) {
            // Said again, because our OPEN of the same space crossed the first one.
            guard let index = spaces.handle(of: links[known].space),
                isTag(tag, of: spaces[index], links[link])
            else {
                return fault(link, "OPEN on channel \(frame.channel)", at: now)
            }
            return
        }
        guard let index = spaces.firstIndex(where: { isTag(tag, of: $0, links[link]) }) else { return }
        if let mine = links.connections.channel(of: spaces[index].id, on: link) {
            let number = links[mine].number
            if number == 0 { return }
            // Both opened it: the initiator's channel stays. A peer that was not in the space yet did not
            // hear of it, so it is opened again.
            if links[link].role == .initiator { return openChannel(number, of: index, on: link, at: now) }
            links.connections.close(mine)
        }
        let standing = standing(of: links[link].device, in: index, at: now)
        let channel = links.connections.open(frame.channel, for: spaces[index].id, standing, on: link)
        beginChannel(channel, at: now)
    }

    private func isTag(_ tag: Bytes32, of space: Space, _ link: PeerLink) -> Bool {
        space.membership.accepted.contains {
            LinkKeys.openTag(
                accessSecret: $0.access, handshakeHash: link.handshakeHash, role: link.role.other)
                == tag
        }
    }

    /// Counts a roster frame against what a provisional peer may send; false when the link was closed for it.
    private mutating func spend(_ frame: LinkFrame, on channel: ChannelHandle, at now: Instant) -> Bool {
        if links.connections.spend(frame.body.count, on: channel) { return true }
        close(links[channel].link, .notMember, "the roster does not list this device", at: now)
        return false
    }
}
