// Leaving a space. Whoever is linked hears the leave at once; then any member that is met is asked what it
// knows, until one has shown that it has the operation:
//
//     member  --ROSTER_HAVE-->          lists the operation: told
//     leaver  --ROSTER_OPERATIONS, ROSTER_HAVE-->
//     member  --CLOSE removed-->        on channel 0: told
//     leaver  --CLOSE removed-->        to one that was removed, behind what says so
//     leaver  --OPEN on a new channel-->  --ROSTER_HAVE-->   on another channel, which closes without a word
//
// What it says is durable there: its answers leave after its commit.

import Causality
import Crypto
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// Leaves: the roster is told, then everything held here is removed but what it takes to tell a member.
    mutating func leaveSpace(
        _ id: RequestID, _ reference: SpaceReference, isForced: Bool, answer: NodeAnswer = .done,
        at now: Instant
    ) throws(NodeError) {
        let index = try handle(of: reference)
        if !isForced, let refusal = try refusalToLeave(index) {
            throw .leaveRefused(space: spaces[index].name, refusal)
        }
        let wasMember = spaces[index].roster.role(of: device) != nil
        if wasMember { announceLeaving(index, at: now) }
        let space = spaces[index]
        let hasOthers = space.roster.members().contains { $0.state == .active && $0.device != device }
        let isTold = space.roster.role(of: device) != nil || !hasOthers || !wasMember
        let logs = space.logs.written(by: device)
        let known = space.known
        left.add(logs.map { LeftSpaces.FormerLog(replica: $0, last: known[$0]) })
        if !isTold {
            left.add(
                LeavingSpace(
                    roster: space.roster, keys: space.keys.withoutContent(), name: space.name, since: now.wall
                ))
        }
        try stored { node throws(StoreFailure) in
            try node.transaction.beginWriting()
            try node.store.remove(space.id)
            for name in NodeMeta.names(of: space.id) { try node.store.setMeta(name, nil) }
            for name in try node.store.metaNames(beginningWith: NodeMeta.contents(space.id)) {
                try node.store.setMeta(name, nil)
            }
            for member in space.roster.devices {
                try node.store.setMeta(NodeMeta.bundleStatement(space.id, member), nil)
            }
            try node.store.setMeta(NodeMeta.left, node.left.encoded())
        }
        // Positions start again when this device comes back to the space; cursors of before must not fit.
        let ends = spaces.filter { $0.id != space.id }.map { ($0.id, $0.position) }
        epochs.leave(space.id, entropy.u64(), ends: Dictionary(ends) { first, _ in first })
        _ = spaces.remove(index)
        catchUps.forget(space.id)
        linksForget(space.id, at: now)
        batch.log(
            .notice, "space-left", "space \(space.name) (\(space.id)) was left and removed from this node")
        batch.answer(id, answer)
    }

    /// What leaving would lose, as far as anybody is known to hold it.
    mutating func refusalToLeave(_ index: SpaceHandle) throws(NodeError) -> LeaveRefusal? {
        var told = spaces[index].peerVectors
        for channel in links.channels(of: spaces[index].id) {
            guard let have = links[channel].sync.peerHave, !links[channel].sync.isPeerHaveStale else {
                continue
            }
            told[links[links[channel].link].device, default: VersionVector()].join(have)
        }
        try stored { node throws(StoreFailure) in
            try node.spaces[index].writeRun(to: &node.transaction)
        }
        return try reading(in: index) { node throws(StoreFailure) in
            try node.spaces[index].refusalToLeave(of: node.device, told: told, in: node.store)
        }
    }

    /// Tells the roster, and whoever is linked, that this device leaves. The space is removed in the same
    /// batch.
    private mutating func announceLeaving(_ index: SpaceHandle, at now: Instant) {
        do throws(RosterFault) {
            let operation = try spaces[index].membership.roster.author(
                .leave, at: now.timestamp, by: configuration.device)
            _ = try spaces[index].membership.roster.add(operation)
        } catch {
            // Not a member any more: there is nothing to announce.
            return
        }
        for channel in links.channels(of: spaces[index].id) {
            advanceRoster(links.place(channel, in: index), at: now)
        }
    }

    /// The space is gone from this node.
    private mutating func linksForget(_ space: SpaceID, at now: Instant) {
        let isLeaving = left[space] != nil
        let standing = leavingStanding(at: now)
        for channel in links.channels(of: space) {
            let (link, number) = (links[channel].link, links[channel].number)
            if !isLeaving, number == 0 {
                close(link, .done, "the space was left", at: now)
                continue
            }
            // The peer ends channel 0 when it has taken the operation in; of another it is asked anew.
            if number == 0 {
                links.connections.open(number, for: space, standing, on: link)
            } else {
                links.connections.close(channel)
            }
            if isLeaving { openChannels(on: link, at: now) }
        }
        for log in links.buffer.logs(of: space) { _ = links.buffer.drop(log) }
        if !isLeaving { reachability.keys.forget(space) }
        reachability.checkDials()
    }

    /// A peer says which operations it holds of a space that was left.
    mutating func leavingHaveArrived(
        _ frame: RosterHaveFrame, on channel: ChannelHandle, at now: Instant
    ) {
        let (space, link, number) = (links[channel].space, links[channel].link, links[channel].number)
        let id = links.connectionID(of: link)
        switch left.receive(frame, of: space, from: links[link].device, on: id) {
        case nil: return
        case .dismiss(let lacking):
            send(Self.operationFrames(lacking, on: number), on: link)
            endFarewell(of: channel, at: now)
        case .forget: leaveAcknowledged(space, by: links[link].device, at: now)
        case .send(let lacking, let roster):
            send(Self.operationFrames(lacking, on: number) + [rosterHave(of: roster, on: number)], on: link)
            guard number != 0 else { return }
            links.connections.close(channel)
            openLeavingChannels(on: link, at: now)
        }
    }

    /// Spaces of which nobody could be told in 30 days.
    mutating func expireLeaving(at now: Instant) {
        for space in left.leaving where space.isOver(at: now) {
            batch.log(
                .notice, "space-left-untold",
                "no member of space \(space.name) (\(space.id)) was met since it was left; it may list this "
                    + "device for ever")
            forgetLeaving(space.id)
        }
    }
}

extension NodeMeta {
    /// All that is kept of a space, but for contents by hash: it goes with the space, since a device that
    /// comes back to it begins without them.
    fileprivate static func names(of space: SpaceID) -> [String] {
        [
            invites(space), rosterBudgets(space), rebuilt(space), rejudging(space), otherBranches(space),
            bases(space), acknowledgements(space), seeding(space), restored(space), ownLate(space),
        ]
    }
}
