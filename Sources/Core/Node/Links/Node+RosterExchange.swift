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
        let peer = links[place.link].device
        if spaces[place.space].roster.role(of: peer) != nil {
            spaces[place.space].peerRosters[peer] = frame.heads
        }
        answerRosterHave(place, at: now)
    }

    /// Answers what was asked last when it may be answered.
    mutating func answerRosterHave(_ place: ChannelPlace, at now: Instant) {
        let (roster, last) = (spaces[place.space].roster, lastShown(place))
        guard links[place.channel].roster.answer(from: roster, upTo: last, at: now.monotonic) else { return }
        if let last, !links[place.channel].roster.isPouring {
            spaces[place.space].replication.view?.recordTold(last)
        }
        pour(place, at: now)
    }

    mutating func rosterOperationsArrived(
        _ frame: RosterOperationsFrame, _ place: ChannelPlace, at now: Instant
    ) {
        links[place.channel].roster.receive(frame.operations)
        lookAtRoster(place, checksMax: ReplicationLimits.rosterChecksPerTurn, at: now)
    }

    /// Looks at what came on all channels and was left for this turn; each gets its share.
    mutating func tickRosters(at now: Instant) {
        let waiting = spaces.indices.flatMap { links.channels(of: spaces[$0].id) }
            .filter { links[$0].roster.isDue(at: now.monotonic) }
        let share = max(1, ReplicationLimits.rosterChecksPerTurn / max(1, waiting.count))
        for channel in waiting {
            guard links.connections.isOpen(channel), let index = spaces.handle(of: links[channel].space)
            else { continue }
            lookAtRoster(links.place(channel, in: index), checksMax: share, at: now)
        }
        for index in spaces.indices
        where spaces[index].membership.deadline.map({ $0 <= now.monotonic }) == true {
            askForPutOff(in: index, at: now)
        }
    }

    /// Looks at what came on a channel, as far as the turn allows; the rest is looked at in the next one.
    private mutating func lookAtRoster(_ place: ChannelPlace, checksMax: Int, at now: Instant) {
        // On a full disk each of them would end the batch, and with it all links.
        if links.pause.isOn(at: now.monotonic) {
            return links[place.channel].roster.pause(until: links.pause.until)
        }
        var looks = min(checksMax * ReplicationLimits.rosterLooksPerCheck, links.rosterLooksLeft)
        let before = looks
        var added: [RosterOperation] = []
        var fault: String?
        while looks > 0, fault == nil, let bytes = links[place.channel].roster.nextIncoming() {
            looks -= 1
            do {
                switch try look(at: bytes, in: place.space, at: now) {
                case .added(let operations):
                    added += operations
                    looks -= ReplicationLimits.rosterLooksPerCheck
                case .waiting:
                    links[place.channel].roster.noteLacking()
                    looks -= ReplicationLimits.rosterLooksPerCheck
                case .putOff, .known: break
                }
            } catch {
                fault = "roster operation: \(FaultWords(error))"
            }
        }
        links.rosterLooksLeft -= before - looks
        storeRoster(added, in: place.space, at: now)
        if let fault { return self.fault(place.link, fault, at: now) }
        guard links.connections.isOpen(place.channel), !links[place.channel].roster.hasIncoming else {
            return
        }
        // What is lacking in front of them is in nobody's flight: say what is held, and it comes.
        askIfLacking(place, at: now)
        dismissIfGone(place, at: now)
    }

    /// Looks at one operation. A throw is its author's or its bringer's fault.
    mutating func look(at bytes: [UInt8], in index: SpaceHandle, at now: Instant) throws
        -> SpaceMembership.Intake
    {
        let operation = try RosterOperation(decoding: bytes)
        let intake = try spaces[index].membership.take(operation, at: now)
        if case .putOff(isFirst: true) = intake { putOff(operation.author, in: index, at: now) }
        return intake
    }

    /// Asks the peer for what operations of it wait for; of what was put off, not at once again.
    private mutating func askIfLacking(_ place: ChannelPlace, at now: Instant) {
        let isSomePutOff = !spaces[place.space].membership.budgets.putOff.isEmpty
        guard links[place.channel].roster.takeLacking(isSomePutOff: isSomePutOff, at: now.monotonic) else {
            return
        }
        send([rosterHave(of: place.space, on: place.number)], on: place.link)
    }

    // MARK: Put off

    /// The author said more than its budget allows; nothing more of it is looked at for a while.
    private mutating func putOff(_ author: DeviceID, in index: SpaceHandle, at now: Instant) {
        let role = spaces[index].roster.role(of: author)
        let who = role == nil ? "devices that it does not list" : "\(named(author))"
        raise(
            Alarm(
                code: "roster-flood",
                message:
                    "the roster of space \(spaces[index].name) is flooded by \(who): more operations than a "
                    + "member needs are put off",
                hint: "nothing is lost, and others are not held up; look at that device, or ask who runs it",
                since: now.wall, space: spaces[index].id, device: role == nil ? nil : author))
    }

    /// There is room again for what was put off: every peer is told what is held.
    private mutating func askForPutOff(in index: SpaceHandle, at now: Instant) {
        for author in spaces[index].membership.askAgain(at: now) {
            resolveAlarm(code: "roster-flood", space: spaces[index].id, device: author)
        }
        for channel in links.channels(of: spaces[index].id) {
            send([rosterHave(of: index, on: links[channel].number)], on: links[channel].link)
        }
    }

    /// Stores operations that were just added, and does what follows from them.
    mutating func storeRoster(_ added: [RosterOperation], in index: SpaceHandle, at now: Instant) {
        guard !added.isEmpty else { return }
        let space = spaces[index].id
        do throws(StoreFailure) {
            try transaction.beginWriting()
            for operation in added { try store.addRosterOperation(space, operation.bytes) }
            if let budgets = spaces[index].membership.budgetsToStore(at: now) {
                try store.setMeta(NodeMeta.rosterBudgets(space), budgets)
            }
        } catch {
            return transaction.fail(error)
        }
        // Before the changes that waited for them: some acknowledge them.
        noteCheckpoints(added, in: index)
        for operation in added { links.buffer.arrive(operation.id, in: space) }
        drain()
        rosterAdvanced(index, by: added, at: now)
    }

    /// The roster of the space grew, here or by a peer.
    mutating func rosterAdvanced(_ index: SpaceHandle, by added: [RosterOperation], at now: Instant) {
        noteRejudged(in: index)
        forgetVectors(ofThoseIn: added, in: index)
        updateKeys(in: index, isForced: added.contains { $0.membershipSubject != nil }, at: now)
        spaces[index].membership.isSoftwareDue = true
        learnAddresses(said: added, in: index)
        reachability.checkDials()
        let space = spaces[index].id
        let isRemoved = spaces[index].roster.isRemoved(device)
        for channel in links.channels(of: space) {
            let place = links.place(channel, in: index)
            beginFarewellIfRemoved(place, at: now)
            advanceRoster(place, at: now)
            updateStanding(place, at: now)
            // So that the peer knows that we know.
            if isRemoved, links.connections.isOpen(channel) {
                send([rosterHave(of: index, on: place.number)], on: place.link)
                links[channel].sync.askAgain(at: now.monotonic)
            }
        }
        noteOwnRemoval(in: index, at: now)
        // A member of this space may be linked under another one.
        for link in links.connections.linkHandles { openChannels(on: link, at: now) }
    }

    /// What those said that they hold who are let in by these operations; mostly nothing.
    private mutating func forgetVectors(ofThoseIn added: [RosterOperation], in index: SpaceHandle) {
        for operation in added {
            guard case .add(let add) = operation.body else { continue }
            spaces[index].forgetVector(of: add.device)
            do throws(StoreFailure) {
                try spaces[index].forgetStatement(of: add.device, in: &transaction)
            } catch {
                return transaction.fail(error)
            }
            for channel in links.channels(of: spaces[index].id)
            where links[links[channel].link].device == add.device {
                links[channel].sync.peerWasLetInAgain()
            }
        }
    }
}
