// When HAVE goes out on which channel. At once where there are few links; else within the budget, whoever was
// told longest ago first, so that each node hears soon from somebody what is about.

import Bytes
import Causality
import Mesh
import Replication
import SecureLink
import Wire

extension Node {
    /// Tells on the channels of a space what advanced, as far as the budget allows.
    mutating func sendHave(_ index: SpaceHandle, at now: Instant) {
        guard let told = spaces[index].replication.advertised else { return }
        let channels = links.readyChannels(of: spaces[index].id)
        if channels.isEmpty { return }
        let isPrompt = channels.count <= ReplicationLimits.promptLinksMax
        spaces[index].replication.budget.fill(at: now.monotonic)
        var due: [(last: UInt64, id: ConnectionID, channel: ChannelHandle, isOverdue: Bool)] = []
        for channel in channels {
            let mustTell = links[channel].sync.mustTell(at: now.monotonic)
            guard mustTell || links[channel].pacing.position != told.position else { continue }
            switch links[channel].pacing.turn(
                told.position, mustTell: mustTell, isPrompt: isPrompt, at: now.monotonic)
            {
            case .now: sendHave(links.place(channel, in: index), at: now)
            case .due(let last, let isOverdue):
                due.append((last, links.connectionID(of: channel), channel, isOverdue))
            case .rest: break
            }
        }
        for (_, _, channel, isOverdue) in due.sorted(by: { ($0.last, $0.id) < ($1.last, $1.id) }) {
            guard isOverdue || spaces[index].replication.budget.isOpen else { continue }
            sendHave(links.place(channel, in: index), at: now)
        }
    }

    /// Tells on one channel what advanced, now. `isPaid`: from the budget of the space.
    mutating func sendHave(_ place: ChannelPlace, isPaid: Bool = true, at now: Instant) {
        guard let told = spaces[place.space].replication.advertised else { return }
        let hash = links[place.link].handshakeHash
        var channel = links.connections.withdraw(place.channel)
        channel.pacing.tell(through: told.position)
        // Which logs are closed is said before what is held of them.
        var frames = openingForks(on: &channel, place.number, in: place.space)
        let have = channel.sync.nextHave(told.sealed, at: now.monotonic)
        if have != nil { channel.pacing.recordSent(at: now.monotonic) }
        links[place.channel] = channel
        guard let have else { return send(frames, on: place.link) }
        let entries = have.entries.map { entry in
            let gone = spaces[place.space].closings[entry.replica]?.trunkHash
            let chain = told.hashes[entry.replica] ?? gone ?? .zero
            return HaveFrame.Entry(
                replica: entry.replica, last: entry.last,
                fingerprint: HaveFrame.Entry.fingerprint(of: chain, handshakeHash: hash))
        }
        for body in HaveFrame.frames(have.isFull ? .full : .delta, entries) {
            let frame = LinkFrame(body, on: place.number)
            if isPaid { spaces[place.space].replication.budget.spend(frame.body.count + 26) }
            links.counters.haveBytesSent += UInt64(frame.body.count)
            frames.append(frame)
        }
        send(frames, on: place.link)
    }

    /// When `sendHave` has something to tell on a channel.
    func haveDeadline(_ channel: SpaceChannel) -> UInt64? {
        guard let index = spaces.handle(of: channel.space) else { return nil }
        return channel.pacing.deadline(spaces[index].replication.budget)
    }
}
