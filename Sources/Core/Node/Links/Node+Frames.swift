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
    mutating func take(_ frame: LinkFrame, on id: ConnectionID, at now: Instant) {
        guard let hasLink = links.connections[id].map({ $0.link != nil }) else { return }
        if !hasLink { return takeJoining(frame, on: id, at: now) }
        do throws(DecodeFault) {
            switch frame.type {
            case LinkFrame.pong: return try pong(frame.body, on: id, at: now)
            case OpenFrame.type: return try open(frame, on: id, at: now)
            default: break
            }
            guard let type = FrameType(rawValue: frame.type),
                let (space, isFull) = standing(of: frame.channel, on: id)
            else { return }
            guard let index = spaces.handle(of: space) else {
                guard type == .rosterHave, spend(frame, on: id, at: now) else { return }
                return leavingHaveArrived(
                    try .init(decoding: frame.body), of: space, on: frame.channel, of: id, at: now)
            }
            switch type {
            case .rosterHave:
                guard spend(frame, on: id, at: now) else { return }
                return rosterHaveArrived(
                    try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .rosterOperations:
                guard spend(frame, on: id, at: now) else { return }
                return rosterOperationsArrived(
                    try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            default: break
            }
            guard isFull else { return }
            switch type {
            case .have: haveArrived(try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .received:
                receivedArrived(try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .segment: segmentArrived(frame.body, at(id, frame.channel, index), at: now)
            case .digest:
                digestArrived(try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .digestParts:
                digestPartsArrived(try .init(decoding: frame.body), at(id, frame.channel, index))
            case .digestDocuments:
                digestDocumentsArrived(try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .forks: forksArrived(try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .forkBoundaries:
                forkBoundariesArrived(try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .forkRun: forkRunArrived(frame.body, at(id, frame.channel, index), at: now)
            case .forkProof: forkProofArrived(frame.body, at(id, frame.channel, index), at: now)
            case .forkAsk: forkAskArrived(try .init(decoding: frame.body), at(id, frame.channel, index))
            case .neighbour:
                neighbourArrived(
                    try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .walk: walkArrived(try .init(decoding: frame.body), at(id, frame.channel, index), at: now)
            case .graft: graftArrived(try .init(decoding: frame.body), at(id, frame.channel, index))
            case .prune: pruneArrived(try .init(decoding: frame.body), at(id, frame.channel, index))
            case .backlog: backlogArrived(try .init(decoding: frame.body), at(id, frame.channel, index))
            case .peers: peersArrived(try .init(decoding: frame.body), at(id, frame.channel, index))
            default: break
            }
        } catch {
            fault(id, "frame \(frame.type): \(error)", at: now)
        }
    }

    /// The space of a channel, and whether the peer may say all there. Not the channel itself: held on to
    /// while a frame is handled, it would be copied with all its vectors by the first change in it.
    private func standing(of channel: UInt16, on id: ConnectionID) -> (space: SpaceID, isFull: Bool)? {
        links.connections[id]?.link?.channels[channel].map { ($0.space, $0.isFull) }
    }

    private func at(_ id: ConnectionID, _ channel: UInt16, _ index: SpaceHandle) -> ChannelPlace {
        ChannelPlace(connection: id, number: channel, space: index)
    }

    private mutating func pong(_ body: [UInt8], on id: ConnectionID, at now: Instant) throws(DecodeFault) {
        var reader = ByteReader(body)
        let token = try reader.u64()
        // Our wall clock of then.
        _ = try reader.u64()
        try reader.finish()
        guard links.connections[id]?.link?.liveness.answered(token, at: now.monotonic) == true,
            let link = links.connections[id]?.link, link.cloneProbe == token, isMember(link.device)
        else { return }
        raise(
            Alarm(
                code: "cloned", message: "device \(link.device.text) runs in two places at once",
                hint: "its state was copied: stop one of the two, or give the copy a key of its own",
                since: now.wall, device: link.device))
    }

    /// The peer opens a further space.
    private mutating func open(_ frame: LinkFrame, on id: ConnectionID, at now: Instant) throws(DecodeFault) {
        let tag = try OpenFrame(decoding: frame.body).tag
        guard let link = links.connections[id]?.link else { return }
        let isPeers = (frame.channel % 2 == 0) == (link.role == .responder)
        guard frame.channel != 0, isPeers else {
            return fault(id, "OPEN on channel \(frame.channel)", at: now)
        }
        if let known = link.channels[frame.channel] {
            // Said again, because our OPEN of the same space crossed the first one.
            guard let index = spaces.handle(of: known.space), isTag(tag, of: spaces[index], link) else {
                return fault(id, "OPEN on channel \(frame.channel)", at: now)
            }
            return
        }
        guard let index = spaces.firstIndex(where: { isTag(tag, of: $0, link) }) else { return }
        if let mine = link.channel(of: spaces[index].id) {
            if mine == 0 { return }
            // Both opened it: the initiator's channel stays. A peer that was not in the space yet did not
            // hear of it, so it is opened again.
            if link.role == .initiator { return openChannel(mine, of: index, on: id, at: now) }
            links.connections[id]?.link?.channels[mine] = nil
        }
        let standing = standing(of: link.device, in: index, at: now)
        let channel = SpaceChannel(space: spaces[index].id, standing: standing)
        links.connections[id]?.link?.channels[frame.channel] = channel
        beginChannel(frame.channel, on: id, at: now)
    }

    private func isTag(_ tag: Bytes32, of space: SpaceState, _ link: PeerLink) -> Bool {
        space.keys.accessSecrets().contains {
            LinkKeys.openTag(accessSecret: $0, handshakeHash: link.handshakeHash, role: link.role.other)
                == tag
        }
    }

    /// Counts a roster frame against what a provisional peer may send; false when the link was closed for it.
    private mutating func spend(_ frame: LinkFrame, on id: ConnectionID, at now: Instant) -> Bool {
        guard let standing = links.connections[id]?.link?.channels[frame.channel]?.standing,
            case .provisional(let left, let deadline) = standing
        else { return true }
        guard frame.body.count <= left else {
            close(id, .notMember, "the roster does not list this device", at: now)
            return false
        }
        links.connections[id]?.link?.channels[frame.channel]?.standing = .provisional(
            bytesLeft: left - frame.body.count, deadline: deadline)
        return true
    }
}

/// A channel of a connection, and its space's place in `spaces`.
struct ChannelPlace: Sendable {
    let connection: ConnectionID
    let number: UInt16
    let space: SpaceHandle

    /// The same for later, when spaces may stand elsewhere.
    struct Name: Hashable, Sendable {
        let connection: ConnectionID
        let number: UInt16
        let space: SpaceID
    }
}
