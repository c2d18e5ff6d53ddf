// A roster decides who may speak: what a peer may say on a channel follows it at once.

import Causality
import Roster
import SecureLink

extension Node {
    /// A provisional peer becomes full on the same link when the roster lists it, and the other way round.
    mutating func updateStanding(_ place: ChannelPlace, at now: Instant) {
        let isListed = spaces[place.space].roster.role(of: links[place.link].device) != nil
        let isFull = links[place.channel].isFull
        if isListed, links[place.channel].isFarewell || links[place.channel].isUnheard {
            // What it may not have said until now has to be said from the beginning.
            beginAgain(place, at: now)
        } else if isListed, !isFull {
            let wasMember = links[place.link].channels.contains { links[$0.handle].isFull }
            links[place.channel].standing = .full
            if !wasMember { recordMember(place.link, at: now) }
        } else if !isListed, isFull {
            dismissIfGone(place, at: now)
            // Nobody might have let it in: from now on it says and hears what a stranger may.
            if links.connections.isOpen(place.channel) { beginAgain(place, at: now) }
        }
    }

    /// What was said so far is to be said again: the peer of a farewell is a member again, or is one after
    /// all, or it spoke of forks under a key that this node did not have.
    mutating func beginAgain(_ place: ChannelPlace, at now: Instant) {
        if place.number == 0 {
            close(place.link, .done, "it begins again as a link of members", at: now)
        } else {
            links.connections.close(place.channel)
        }
    }

    /// A member that left gets the roster that says so, then CLOSE. What it knows of that is not known here
    /// is heard first: somebody else may have let it in again.
    mutating func dismissIfGone(_ place: ChannelPlace, at now: Instant) {
        let roster = spaces[place.space].roster
        guard let member = roster.member(links[place.link].device), member.state == .left,
            links[place.channel].isFull || links[place.channel].roster.isLevel(with: roster)
        else { return }
        if place.number == 0 {
            close(place.link, .removed, "the device \(member.state.name) the space", at: now)
        } else {
            links.connections.close(place.channel)
        }
    }
}
