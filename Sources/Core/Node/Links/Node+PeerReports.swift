// What a person sees of peers: each with its addresses and what came of dialling them, how far it is behind
// and ahead, and in one sentence why there is no link or no sync.

import Causality
import Identity
import Mesh
import Replication
import Roster
import Wire

extension Node {
    /// What `GET /v1/peers` shows: every active member of our spaces but ourselves, ascending by device.
    mutating func peerReports(at now: Instant) -> [PeerReport] {
        var devices: Set<DeviceID> = []
        for space in spaces {
            for member in space.roster.members() where member.state == .active && member.device != device {
                devices.insert(member.device)
            }
        }
        return devices.sorted().map { peerReport($0, at: now) }
    }

    /// Addresses behind which nobody is known yet: of the configuration and of tokens, ascending.
    func unassignedReports(at now: Instant) -> [AddressReport] {
        links.book.unassigned.filter { (links.book[$0]?.source ?? .relayed) >= .hint }
            .map { addressReport($0, isLinked: false, at: now) }
    }

    private mutating func peerReport(_ peer: DeviceID, at now: Instant) -> PeerReport {
        let addresses = links.book.addresses(of: peer)
        let connection = links.connections.table.links(to: peer).first?.connection
        let link = connection.flatMap { links.connections.link(of: $0) }
        let state: String =
            if link != nil {
                "connected"
            } else if links.faults.refusal(of: peer, at: now.monotonic) != nil {
                "refused"
            } else if addresses.contains(where: links.dialer.isUnderWay) {
                "dialling"
            } else {
                "waiting"
            }
        noteState(of: peer, state, at: now)
        let traffic = links.connections.traffic(with: peer)
        let shared = spaces.filter { $0.roster.role(of: peer) != nil }
        let syncs = shared.map { sync(of: peer, in: $0, link) }
        let heard = link.map { links[$0].liveness.heard } ?? links.linkedAt[peer]
        let dials = addresses.map { addressReport($0, isLinked: link != nil, at: now) }
        return PeerReport(
            device: peer,
            name: shared.lazy.compactMap { $0.roster.description(of: peer)?.name.string }.first ?? "",
            addresses: addresses.map(\.string), state: state,
            since: links.peerStates[peer]?.since ?? now.wall,
            rttMilliseconds: link.flatMap { links[$0].liveness.roundTripMilliseconds },
            whyNot: link.map { whyNotInSync($0, syncs, at: now) }
                ?? whyNotWanted(peer) ?? whyNotLinked(peer, dials, at: now),
            spaces: syncs, dials: dials, heardAt: heard.map { Self.wall(of: $0, at: now) },
            clockOffsetMilliseconds: link.map { links[$0].clockOffset }, bytesReceived: traffic.received,
            bytesSent: traffic.sent)
    }

    private static func wall(of moment: UInt64, at now: Instant) -> UInt64 {
        moment <= now.monotonic
            ? now.wall - min(now.wall, now.monotonic - moment) : now.wall &+ (moment - now.monotonic)
    }

    // MARK: Addresses

    private func addressReport(_ address: PeerAddress, isLinked: Bool, at now: Instant) -> AddressReport {
        let entry = links.book[address]
        let name = links.names[address]
        let isUnderWay = links.dialer.isUnderWay(address) || name?.isUnderWay == true
        let isOpen = links.connections.linkHandles.contains {
            links[links[$0].connection].purpose.address == address
        }
        let isOwn = links.ownAddresses.contains(address) || listening.contains(address.string)
        let outcome: AddressReport.Outcome
        var reason: String?
        if isOpen {
            outcome = .linked
        } else if let why = address.whyNotDialled {
            (outcome, reason) = (.notDialled, why)
        } else if isOwn {
            (outcome, reason) = (.notDialled, "it leads to this node itself")
        } else if isUnderWay {
            outcome = address.isName ? .lookingUp : .connecting
            reason = entry?.lastFailure?.reason
        } else if let failure = name?.failure {
            (outcome, reason) = (.failed, failure)
        } else if let failure = entry?.lastFailure {
            (outcome, reason) = (.failed, failure.reason)
        } else {
            outcome = entry?.lastSuccess != nil ? .worked : name?.answeredAt != nil ? .lookedUp : .notTried
        }
        let isWaiting = !isOpen && !isOwn && !isLinked && !isUnderWay && address.whyNotDialled == nil
        let due = max(links.dialer.notBefore(address), now.monotonic)
        let failedLookups = name?.failure != nil ? links.dialer.failureCount(address) : 0
        return AddressReport(
            address: address.string, source: (entry?.source ?? .relayed).name, outcome: outcome,
            reason: reason, triedAt: address.isName ? name?.answeredAt : entry?.lastTried,
            workedAt: entry?.lastSuccess, failures: max(failedLookups, entry?.failures ?? 0),
            nextAt: isWaiting && isDialling ? Self.wall(of: due, at: now) : nil,
            means: (name?.addresses ?? []).map(\.string))
    }

    // MARK: Why not

    private func whyNotInSync(_ link: LinkHandle, _ syncs: [PeerReport.Sync], at now: Instant) -> String? {
        if let silence = whySilent(links[link], at: now) { return silence }
        for channel in links[link].channels.map({ links[$0.handle] }) {
            guard let index = spaces.handle(of: channel.space) else { continue }
            if !channel.isFull { return "the roster of \(spaces[index].name) does not list it yet" }
            if let cap = whyHeldBack(channel) { return cap }
            for log in links.buffer.logs(of: channel.space) {
                switch links.buffer.lack(of: log) {
                case .dot(let dot, _): return "changes of \(log.replica) wait for \(dot)"
                case .rosterHead: return "changes of \(log.replica) wait for the roster"
                case nil: break
                }
            }
        }
        for sync in syncs where sync.behindChanges ?? 0 > 0 {
            let name = spaces.handle(of: sync.space).map { spaces[$0].name } ?? ""
            return "it holds \(sync.behindChanges ?? 0) changes of \(name) that are on their way"
        }
        return nil
    }

    /// Of a link on which nothing is heard; nil for one that lives.
    func whySilent(_ link: PeerLink, at now: Instant) -> String? {
        guard link.liveness.isDoubtful(at: now.monotonic) else { return nil }
        let silence = Self.span(now.monotonic - min(now.monotonic, link.liveness.heard))
        return "nothing was heard on its link for \(silence); it is dialled beside it, and the link ends "
            + "after \(Self.span(links.connections.times.deadMilliseconds))"
    }

    /// Why a device without a link has none.
    func whyNotLinked(_ peer: DeviceID, at now: Instant) -> String {
        let dials = links.book.addresses(of: peer).map { addressReport($0, isLinked: false, at: now) }
        return whyNotWanted(peer) ?? whyNotLinked(peer, dials, at: now)
    }

    /// What is known, since when, what is tried next and when.
    private func whyNotLinked(_ peer: DeviceID, _ dials: [AddressReport], at now: Instant) -> String {
        let worked = dials.compactMap(\.workedAt).max()
        let since: String =
            if let last = links.linkedAt[peer] {
                "not linked for \(Self.span(now.monotonic - min(last, now.monotonic)))"
            } else if let worked, worked <= now.wall {
                "not linked since this node started; it was reached \(Self.span(now.wall - worked)) ago"
            } else {
                "never linked"
            }
        if let refusal = links.faults.refusal(of: peer, at: now.monotonic) {
            return
                "\(since): it is refused for \(Self.span(refusal.until - now.monotonic)), because it broke "
                + "the protocol: \(refusal.reason)"
        }
        if dials.isEmpty {
            return
                "\(since): no address of it is known; another member, a beacon or its own dial can tell one"
        }
        var sentence = since
        if let last = dials.filter({ $0.outcome == .failed }).max(by: {
            ($0.triedAt ?? 0) < ($1.triedAt ?? 0)
        }),
            let reason = last.reason
        {
            let ago = last.triedAt.map { $0 <= now.wall ? " \(Self.span(now.wall - $0)) ago" : "" } ?? ""
            sentence += "; \(last.address) failed\(ago): \(reason)"
        }
        if let under = dials.first(where: { $0.outcome == .connecting || $0.outcome == .lookingUp }) {
            return sentence + "; \(under.address) is being tried"
        }
        if let next = dials.filter({ $0.nextAt != nil }).min(by: { $0.nextAt ?? 0 < $1.nextAt ?? 0 }) {
            let wait = (next.nextAt ?? now.wall) - min(next.nextAt ?? now.wall, now.wall)
            return sentence + "; \(next.address) is tried " + (wait == 0 ? "next" : "in \(Self.span(wait))")
        }
        if let never = dials.first(where: { $0.outcome == .notDialled }), let reason = never.reason {
            return sentence + "; \(never.address) is not dialled: \(reason)"
        }
        return sentence
    }

    /// A time in a person's words: "40 s", "3 min", "5 h", "2 days".
    static func span(_ milliseconds: UInt64) -> String {
        let seconds = (milliseconds + 999) / 1_000
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7_200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3_600) h" }
        return "\(seconds / 86_400) days"
    }

    // MARK: Changes

    private mutating func sync(of peer: DeviceID, in space: Space, _ link: LinkHandle?)
        -> PeerReport.Sync
    {
        let channel = link.flatMap { links.connections.channel(of: space.id, on: $0) }.map { links[$0] }
        let known = channel?.sync.peerHave ?? space.peerVectors[peer]
        var ahead: UInt64?
        do throws(StoreFailure) {
            if let known { ahead = try changes(of: space, beyond: known) }
        } catch {
            batch.log(.error, "store-read", "counting changes for peers failed (\(error))")
        }
        return PeerReport.Sync(
            space: space.id, behindChanges: channel?.backlog.told, aheadChanges: ahead,
            treeRole: channel.map { Self.role(of: $0.sync.tree) })
    }

    private static func role(of tree: PushTree) -> String {
        if !tree.pushesSome { return "lazy" }
        return tree.exceptionCount == 0 ? "eager" : "eager for some logs"
    }

    /// How many durable changes of a space these vectors lack.
    func changes(of space: Space, beyond known: VersionVector) throws(StoreFailure) -> UInt64 {
        // Each position is a change.
        if known.entries.isEmpty, space.held == space.durable { return space.position.value }
        var count: UInt64 = 0
        for entry in space.durable.entries(beyond: known) {
            count += UInt64(try store.changes(of: space.id, entry.replica, after: known[entry.replica]))
        }
        return count
    }

    mutating func noteState(of peer: DeviceID, _ state: String, at now: Instant) {
        if links.peerStates[peer]?.state == state { return }
        links.peerStates[peer] = PeerStateSince(state: state, since: now.wall)
    }
}

extension StoreReading {
    /// Changes of a log that end after this sequence.
    func changes(
        of space: SpaceID, _ replica: ReplicaID, after last: SequenceNumber
    ) throws(StoreFailure) -> Int {
        var count = try changeCount(space, replica, after: last)
        // The run that begins before it may reach beyond.
        if last > .none, let run = try runs(space, replica, from: last + 1, bytesMax: 1).first,
            run.first <= last
        {
            count += try commits(space, after: CommitPosition(run.position.value - 1), limit: run.changes)
                .count { $0.last > last }
        }
        return count
    }
}
