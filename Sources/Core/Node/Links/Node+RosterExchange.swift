// The roster is exchanged first on every channel: each side says what it holds, the other sends what lacks. A
// roster that grows decides at once who may speak, who is dialled, and which early changes are ready.

import Bytes
import Causality
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    mutating func rosterHaveArrived(_ frame: RosterHaveFrame, _ place: ChannelPlace, at now: Instant) {
        links[place.channel].roster.receive(frame)
        answerRosterHave(place, at: now)
    }

    /// Answers what was asked last when it may be answered.
    mutating func answerRosterHave(_ place: ChannelPlace, at now: Instant) {
        let roster = spaces[place.space].roster
        guard let lacking = links[place.channel].roster.answer(from: roster, at: now.monotonic) else {
            return
        }
        send(Self.operationFrames(lacking, on: place.number), on: place.link)
        dismissIfGone(place, at: now)
    }

    mutating func rosterOperationsArrived(
        _ frame: RosterOperationsFrame, _ place: ChannelPlace, at now: Instant
    ) {
        var added: [RosterOperation] = []
        var isWaiting = false
        for bytes in frame.operations {
            do {
                let operation = try RosterOperation(decoding: bytes)
                if operation.revokesRights {
                    storeRoster(added, in: place.space, at: now)
                    return fault(place.link, Self.revokesRightsFault, at: now)
                }
                switch try spaces[place.space].membership.roster.add(operation) {
                case .added(let operations): added += operations
                case .known: break
                case .waiting: isWaiting = true
                }
            } catch {
                storeRoster(added, in: place.space, at: now)
                return fault(place.link, "roster operation: \(FaultWords(error))", at: now)
            }
        }
        // What is lacking in front of them is in nobody's flight: say what is held, and it comes.
        if isWaiting { send([rosterHave(of: place.space, on: place.number)], on: place.link) }
        storeRoster(added, in: place.space, at: now)
    }

    /// Stores operations that were just added, and does what follows from them.
    mutating func storeRoster(_ added: [RosterOperation], in index: SpaceHandle, at now: Instant) {
        guard !added.isEmpty else { return }
        let space = spaces[index].id
        do throws(StoreFailure) {
            try transaction.beginWriting()
            for operation in added { try store.addRosterOperation(space, operation.bytes) }
        } catch {
            return transaction.fail(error)
        }
        for operation in added { links.buffer.arrive(operation.id, in: space) }
        drain()
        rosterAdvanced(index, at: now)
    }

    /// The roster of the space grew, here or by a peer.
    mutating func rosterAdvanced(_ index: SpaceHandle, at now: Instant) {
        learnAddresses(of: index)
        reachability.checkDials()
        let space = spaces[index].id
        for channel in links.channels(of: space) {
            sendRoster(of: index, on: channel)
            updateStanding(links.place(channel, in: index), at: now)
        }
        // A member of this space may be linked under another one.
        for link in links.connections.linkHandles { openChannels(on: link, at: now) }
    }

    /// A provisional peer becomes full on the same link when the roster lists it, and the other way round.
    private mutating func updateStanding(_ place: ChannelPlace, at now: Instant) {
        let isListed = spaces[place.space].roster.role(of: links[place.link].device) != nil
        let isFull = links[place.channel].isFull
        if isListed, !isFull {
            let wasMember = links[place.link].channels.contains { links[$0.handle].isFull }
            links[place.channel].standing = .full
            if !wasMember { recordMember(place.link, at: now) }
        } else if !isListed, isFull {
            dismissIfGone(place, at: now)
        }
    }

    /// A member that left or was removed gets the roster that says so, then CLOSE.
    private mutating func dismissIfGone(_ place: ChannelPlace, at now: Instant) {
        guard let member = spaces[place.space].roster.member(links[place.link].device),
            member.state != .active
        else { return }
        if place.number == 0 {
            close(place.link, .removed, "the device \(member.state.name) the space", at: now)
        } else {
            links.connections.close(place.channel)
        }
    }
}
