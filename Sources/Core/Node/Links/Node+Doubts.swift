// Peers that name what they do not bring: they lie, or what they send is dropped here. Their words are no gap
// any more, so nobody waits for them: others are asked for what they name, and links are made eager, as if
// the doubted said nothing. They are asked beside the others, ever less often, until what they name is here:
// an honest one loses nothing (decision 0105). Doubts outlive links, or a new one would begin each lie
// afresh.
//
//     asked, and brings nothing in its turn  -> doubted: asked at once, after 2, 4 … patiences, 60 s at most
//     nothing that it names lacks any more   -> waited for again, but its next turn is half as long

import Causality
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// True when what the peer of a connection names is waited for by nobody.
    func isDoubted(_ link: LinkHandle, _ gossip: SpaceGossip) -> Bool {
        !gossip.doubts.isEmpty && gossip.doubts[links[link].device]?.stands == true
    }

    /// The peer had its turn and what it names is not here.
    func doubt(_ link: LinkHandle, _ gossip: inout SpaceGossip, at now: Instant) {
        let device = links[link].device
        var doubt = gossip.doubts[device] ?? SpaceGossip.Doubt()
        doubt.count = min(doubt.count + 1, 16)
        (doubt.stands, doubt.lookAt, doubt.askAt) = (true, now.monotonic, now.monotonic)
        gossip.doubts[device] = doubt
        gossip.due = min(gossip.due ?? .max, now.monotonic + 1)
    }

    /// Looks at what the doubted name, and asks them for it when their time has come.
    mutating func askDoubted(
        _ index: SpaceHandle, _ channels: [ChannelHandle], _ gossip: inout SpaceGossip,
        at now: Instant
    ) {
        if gossip.doubts.isEmpty { return }
        // Copies of a device have a link each.
        var places: [DeviceID: [ChannelPlace]] = [:]
        for channel in channels where isDoubted(links[channel].link, gossip) {
            let device = links.peer(of: channel)
            places[device, default: []].append(links.place(channel, in: index))
        }
        for device in places.keys.sorted() {
            guard var doubt = gossip.doubts[device] else { continue }
            if now.monotonic >= doubt.lookAt {
                ask(places[device] ?? [], &doubt, at: now)
                gossip.doubts[device] = doubt
            }
            if doubt.stands { gossip.due = min(gossip.due ?? .max, doubt.lookAt) }
        }
    }

    private mutating func ask(
        _ places: [ChannelPlace], _ doubt: inout SpaceGossip.Doubt, at now: Instant
    ) {
        // Not at each commit: what they name may be long.
        doubt.lookAt = now.monotonic + ReplicationLimits.doubtMilliseconds
        let lacking = places.filter { place in
            // Before its first HAVE nothing is known.
            let isLacking = links[place.channel].sync.peerHave == nil || !self.lacking(at: place).isEmpty
            links[place.channel].supply.isAhead = isLacking
            return isLacking
        }
        doubt.stands = !lacking.isEmpty
        guard doubt.stands, now.monotonic >= doubt.askAt else { return }
        var longest: UInt64 = 0
        for place in lacking {
            guard links[place.channel].sync.peerHave != nil else { continue }
            let patience = patience(with: place.link)
            // What is bringing something need not be asked.
            guard now.monotonic >= (links[place.channel].supply.usefulAt ?? 0) + patience else { continue }
            longest = max(longest, patience)
            graft(logsToAsk(of: place), place, isAgain: true, at: now)
        }
        if longest == 0 { return }
        doubt.askAt =
            now.monotonic + min(longest << UInt64(doubt.count), ReplicationLimits.doubtAskMillisecondsMax)
        doubt.count = min(doubt.count + 1, 16)
    }
}
