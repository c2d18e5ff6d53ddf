// What peers hold and nobody brings: a gap. It waits for the eager links, then one peer is asked by GRAFT,
// and another one when that one brings nothing: what the first one named is then no gap any more that
// anybody waits for (`Node+Doubts`). Where nothing lacks, links are made eager until enough are.

import Causality
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    // MARK: What lacks

    /// A peer's HAVE: what of it is lacking starts the clock of a gap.
    mutating func noteAhead(_ entries: [VersionVector.Entry], _ place: ChannelPlace, at now: Instant) {
        var lacking: [VersionVector.Entry] = []
        for entry in entries where entry.last > head(of: entry.replica, in: place.space) {
            lacking.append(entry)
            if lacking.count > ReplicationLimits.graftLogsMax { break }
        }
        guard !lacking.isEmpty else { return }
        links[place.channel].supply.isAhead = true
        let gossip = spaces[place.space].replication.gossip
        if gossip.gap == nil, !isDoubted(place.link, gossip) {
            let wait = graftDelay(of: lacking, in: place.space, from: place.link)
            spaces[place.space].replication.gossip.gap = SpaceGossip.Gap(
                since: now.monotonic, graftAt: now.monotonic + wait, dots: lacking)
        }
    }

    /// The last sequence of a log that is verified here: held, or waiting in the buffer for its context.
    private func head(of replica: ReplicaID, in index: SpaceHandle) -> SequenceNumber {
        max(spaces[index].held[replica], spaces[index].logs[replica]?.last ?? .none)
    }

    /// How long eager links get to bring what a lazy one names; nothing when there are none.
    private mutating func graftDelay(
        of dots: [VersionVector.Entry], in index: SpaceHandle, from link: LinkHandle
    ) -> UInt64 {
        let isAwaited = links.channels(of: spaces[index].id).contains { links[$0].sync.tree.pushesSome }
        guard isAwaited else { return 0 }
        let roundTrip = links[link].liveness.roundTripMilliseconds ?? 0
        let wait = min(
            max(ReplicationLimits.graftRoundTrips * roundTrip, ReplicationLimits.graftMillisecondsMin),
            ReplicationLimits.graftMillisecondsMax)
        // Not all who lack it at the same moment.
        return wait + UInt64.random(in: 0..<wait, using: &links.dice)
    }

    // MARK: Asking

    /// Looks at what is lacking and asks for it when its time has come; makes links eager when few are.
    mutating func mendGap(_ index: SpaceHandle, at now: Instant) {
        let space = spaces[index].id
        let channels = links.readyChannels(of: space)
        // Taken out while it is worked on: what is said of this by HAVE is not paid from its budget.
        var gossip = SpaceGossip()
        swap(&gossip, &spaces[index].replication.gossip)
        defer { spaces[index].replication.gossip = gossip }
        gossip.due = nil
        // A relay reads no changes and asks for none.
        if channels.isEmpty || spaces[index].keys.current.content == nil { return }
        // Nobody is asked, or blamed, for what would not be taken in.
        if links.pause.isOn(at: now.monotonic) {
            (gossip.gap, gossip.ask, gossip.due) = (nil, nil, links.pause.until)
            return
        }
        askDoubted(index, channels, &gossip, at: now)
        mendGap(index, believed(channels, gossip), &gossip, at: now)
        gossip.due = [gossip.gap?.graftAt, gossip.due].compactMap { $0 }.min()
    }

    /// The same, among the peers that are waited for.
    private mutating func mendGap(
        _ index: SpaceHandle, _ channels: [ChannelHandle], _ gossip: inout SpaceGossip,
        at now: Instant
    ) {
        if !isOpen(gossip.gap, in: index) {
            gossip.ask = nil
            gossip.gap = nextGap(index, channels, at: now)
        }
        guard let gap = gossip.gap else { return widen(index, channels, at: now) }
        guard now.monotonic >= gap.graftAt else { return }
        let (until, vain) = awaited(gap, gossip, channels, at: now)
        if let until {
            gossip.gap?.graftAt = until
            return
        }
        if !vain.isEmpty {
            for channel in vain { doubt(links[channel].link, &gossip, at: now) }
            return mendAnew(index, channels.filter { !vain.contains($0) }, &gossip, at: now)
        }
        guard let channel = whomToAsk(gap, index, channels) else {
            // Nobody who is linked and waited for holds it any more: what others hold is the next one.
            return mendAnew(index, channels, &gossip, at: now)
        }
        let place = links.place(channel, in: index)
        graft(logsToAsk(of: place), place, at: now)
        gossip.ask = SpaceGossip.Ask(connection: place.connection, at: now.monotonic)
        // A long catch-up is not asked for anew each second once it has lasted a minute.
        gossip.gap?.since = now.monotonic
        gossip.gap?.graftAt = now.monotonic + patience(with: place.link)
    }

    /// The channels whose peers' words are waited for.
    private func believed(_ channels: [ChannelHandle], _ gossip: SpaceGossip) -> [ChannelHandle] {
        gossip.doubts.isEmpty ? channels : channels.filter { !isDoubted(links[$0].link, gossip) }
    }

    /// True while something of the gap is lacking.
    private func isOpen(_ gap: SpaceGossip.Gap?, in index: SpaceHandle) -> Bool {
        for dot in gap?.dots ?? [] where head(of: dot.replica, in: index) < dot.last { return true }
        return false
    }

    /// The gap was given up: what these peers hold is the next one.
    private mutating func mendAnew(
        _ index: SpaceHandle, _ channels: [ChannelHandle], _ gossip: inout SpaceGossip,
        at now: Instant
    ) {
        gossip.ask = nil
        gossip.gap = nextGap(index, channels, at: now)
        if gossip.gap == nil { widen(index, channels, at: now) }
    }

    /// What peers hold and I lack at this moment, as they told it.
    private mutating func nextGap(
        _ index: SpaceHandle, _ channels: [ChannelHandle], at now: Instant
    ) -> SpaceGossip.Gap? {
        for channel in channels {
            guard links[channel].supply.isAhead else { continue }
            let place = links.place(channel, in: index)
            let dots = lacking(at: place)
            if dots.isEmpty {
                links[channel].supply.isAhead = false
                continue
            }
            let wait = graftDelay(of: dots, in: index, from: place.link)
            return SpaceGossip.Gap(since: now.monotonic, graftAt: now.monotonic + max(wait, 1), dots: dots)
        }
        return nil
    }

    /// What the peer of a channel holds and I lack; at most one more than are named in a GRAFT.
    func lacking(at place: ChannelPlace) -> [VersionVector.Entry] {
        guard let theirs = links[place.channel].sync.peerHave else { return [] }
        var dots: [VersionVector.Entry] = []
        for entry in theirs.entries(beyond: spaces[place.space].held)
        where entry.last > head(of: entry.replica, in: place.space) {
            dots.append(entry)
            if dots.count > ReplicationLimits.graftLogsMax { break }
        }
        return dots
    }

    /// Until when the gap waits for a link that is bringing something; nil: it waits for nobody. `vain` are
    /// those whose turn ended in vain.
    private func awaited(
        _ gap: SpaceGossip.Gap, _ gossip: SpaceGossip, _ channels: [ChannelHandle], at now: Instant
    ) -> (until: UInt64?, vain: [ChannelHandle]) {
        var until: UInt64?
        var vain: [ChannelHandle] = []
        for handle in channels {
            let channel = links[handle]
            let link = channel.link
            let ask = gossip.ask.flatMap { $0.connection == links.connectionID(of: link) ? $0 : nil }
            // An eager link that is known to hold it, and brings other things meanwhile, will come to it.
            guard ask != nil || brings(gap, channel) else { continue }
            let patience = patience(with: link)
            var last = max(channel.supply.usefulAt ?? 0, ask?.at ?? 0)
            // A large segment on a slow line arrives in parts.
            if links[links[link].connection].secure.heldBytes > 0,
                !links[link].liveness.isSilent(at: now.monotonic)
            {
                last = now.monotonic
            }
            let isSilent = last + patience <= now.monotonic
            let turn = max(
                patience,
                ReplicationLimits.patienceMillisecondsMax
                    >> UInt64(gossip.doubts[links[link].device]?.count ?? 0))
            if !isSilent, now.monotonic < gap.since + turn {
                until = max(until ?? 0, last + patience)
            } else if ask != nil || !isSilent {
                vain.append(handle)
            }
        }
        return (until, vain)
    }

    private func brings(_ gap: SpaceGossip.Gap, _ channel: SpaceChannel) -> Bool {
        gap.dots.contains { dot in
            channel.sync.tree.pushes(dot.replica)
                && (channel.sync.peerHave?[dot.replica] ?? .none) >= dot.last
        }
    }

    func patience(with link: LinkHandle) -> UInt64 {
        let roundTrip = links[link].liveness.roundTripMilliseconds ?? 0
        return max(
            ReplicationLimits.patienceRoundTrips * roundTrip, ReplicationLimits.patienceMillisecondsMin)
    }

    /// The nearest peer that holds some of the gap.
    private func whomToAsk(
        _ gap: SpaceGossip.Gap, _ index: SpaceHandle, _ channels: [ChannelHandle]
    ) -> ChannelHandle? {
        let lacked = gap.dots.filter { head(of: $0.replica, in: index) < $0.last }
        let holders = channels.filter { channel in
            guard let have = links[channel].sync.peerHave else { return false }
            return lacked.contains { have[$0.replica] > head(of: $0.replica, in: index) }
        }
        return holders.min { proximity($0) < proximity($1) }
    }

    /// Less is nearer.
    private func proximity(_ channel: ChannelHandle) -> (roundTrip: UInt64, connection: ConnectionID) {
        let link = links[channel].link
        let roundTrip = links[link].liveness.roundTripMilliseconds
        return (roundTrip ?? ReplicationLimits.graftMillisecondsMin, links.connectionID(of: link))
    }

    /// All logs when much is lacking or nothing is pushed here yet, else those that are.
    func logsToAsk(of place: ChannelPlace) -> [ReplicaID] {
        let dots = lacking(at: place)
        let isAnyEager = links.channels(of: spaces[place.space].id).contains { links[$0].sync.tree.isEager }
        return dots.count > ReplicationLimits.graftLogsMax || !isAnyEager ? [] : dots.map(\.replica)
    }

    /// Says what I hold, so that only what I lack comes, and GRAFT.
    mutating func graft(
        _ logs: [ReplicaID], _ place: ChannelPlace, isAgain: Bool = false, at now: Instant
    ) {
        var channel = links.connections.withdraw(place.channel)
        // It pushes these already, or was asked before: what it sent was dropped here, which only a full
        // HAVE can tell it.
        let isPushed =
            logs.isEmpty ? channel.sync.tree.isEager : logs.contains(where: channel.sync.tree.pushes)
        if isAgain || isPushed { channel.sync.askAgain(at: now.monotonic) }
        channel.sync.graft(logs)
        channel.supply.graft(logs)
        links[place.channel] = channel
        tellHave(place, at: now)
        send([LinkFrame(GraftFrame(logs), on: place.number)], on: place.link)
        links.counters.grafts += 1
    }

    /// Makes another link eager while few are. Chance decides which, so that the whole is one piece.
    private mutating func widen(_ index: SpaceHandle, _ channels: [ChannelHandle], at now: Instant) {
        var lazy: [ChannelHandle] = []
        for channel in channels {
            guard links[channel].sync.peerHave != nil, links[channel].sync.told != nil else { continue }
            if !links[channel].sync.tree.isEager { lazy.append(channel) }
        }
        guard !lazy.isEmpty, channels.count - lazy.count < ReplicationLimits.eagerLinks else { return }
        let channel = lazy[Int.random(in: 0..<lazy.count, using: &links.dice)]
        graft([], links.place(channel, in: index), at: now)
    }

    /// A link is gone: what it brought is asked for from another one at once, without waiting for a gap.
    mutating func supplierLost(_ lost: ConnectionID, of peer: DeviceID, at now: Instant) {
        if links.isStopping { return }
        for index in spaces.indices {
            let space = spaces[index].id
            // On its next link it is asked at once.
            spaces[index].replication.gossip.doubts[peer]?.lookAt = 0
            spaces[index].replication.gossip.doubts[peer]?.askAt = 0
            let gossip = spaces[index].replication.gossip
            if gossip.ask?.connection == lost {
                spaces[index].replication.gossip.ask = nil
                spaces[index].replication.gossip.gap?.graftAt = now.monotonic
            }
            let orphans = gossip.suppliers.filter { $0.value == lost }.map(\.key).sorted()
            for log in orphans { spaces[index].replication.gossip.suppliers[log] = nil }
            let channels = links.channels(of: space).filter { channel in
                links[channel].isReady && links[channel].sync.peerHave != nil
                    && !isDoubted(links[channel].link, gossip)
            }
            guard !orphans.isEmpty, !channels.isEmpty else { continue }
            // Where the log is pruned, the peer has it from elsewhere and not from here.
            let best = channels.max { a, b in
                let (foreignA, foreignB) = (foreign(orphans, a), foreign(orphans, b))
                return foreignA != foreignB ? foreignA < foreignB : proximity(b) < proximity(a)
            }
            guard let best else { continue }
            let place = links.place(best, in: index)
            let logs = orphans.filter { !links[best].sync.tree.pushes($0) }
            if logs.isEmpty { continue }
            graft(logs.count > ReplicationLimits.graftLogsMax ? [] : logs, place, at: now)
        }
    }

    private func foreign(_ logs: [ReplicaID], _ channel: ChannelHandle) -> Int {
        logs.reduce(0) { $0 + (links[channel].sync.tree.pushes($1) ? 0 : 1) }
    }

    /// When `mendGap` has something to do. It is not called while nobody is connected.
    func gossipDeadline(of index: SpaceHandle) -> UInt64? {
        links.connections.isEmpty ? nil : spaces[index].replication.gossip.due
    }
}
