// Whether this node is in sync, of each space and over all. Everything follows from what linked peers said
// they hold (HAVE) and by how much they are ahead (BACKLOG); relays hold nothing, so they lack nothing.

import Causality
import Identity
import Mesh
import Replication
import Roster
import Wire

extension NodeView {
    /// By space, over all that are shown, and what could not be counted.
    func syncReports(
        to grants: AccessGrants? = nil, at now: Instant
    ) -> (spaces: [SpaceID: SyncReport], overall: SyncReport, failures: [StoreFailure]) {
        var (reports, failures): ([SpaceID: SyncReport], [StoreFailure]) = ([:], [])
        var all = SpaceSyncState()
        for space in spaces where grants?.show(space) ?? true {
            let state = syncState(of: space, &failures, at: now)
            reports[space.id] = state.report
            all.join(state)
        }
        return (reports, all.report, failures)
    }

    /// When a device was seen last, wall milliseconds: heard on a link, reached by one of its addresses, or
    /// when it signed what came in a bundle.
    func lastSeen(_ peer: DeviceID, at now: Instant) -> UInt64? {
        let link = links.connections.table.links(to: peer).first
            .flatMap { links.connections.link(of: $0.connection) }
        let heard = (link.map { links[$0].liveness.heard } ?? reachability.linkedAt[peer]).map(now.wall(of:))
        let reached = reachability.book.addresses(of: peer).compactMap { reachability.book[$0]?.lastSuccess }
        let stated = spaces.compactMap { $0.findings.statedAt[peer] }
        return (reached + stated + [heard].compactMap { $0 }).max()
    }

    private func syncState(
        of space: Space, _ failures: inout [StoreFailure], at now: Instant
    ) -> SpaceSyncState {
        var state = SpaceSyncState()
        let held = space.position.value
        (state.active, state.held) = ([device], held)
        // Who is out is level with nobody, and misses nobody: there is an alarm.
        if space.roster.role(of: device) == nil { return state }
        for peer in space.roster.activeDevices() where peer != device {
            state.active.insert(peer)
            guard links.connections.table.isLinked(to: peer) else {
                // Who was never seen is missed from when it was let in.
                let since = space.roster.member(peer)?.since ?? .zero
                let seen = lastSeen(peer, at: now) ?? since.milliseconds
                if now.wall > seen, now.wall - seen > Self.unseenMilliseconds { state.unseen.insert(peer) }
                continue
            }
            state.linked.insert(peer)
        }
        // Who is no member any more may have deleted it, and gives nothing to others.
        var holders: [VersionVector] = space.peerVectors.filter { peer, _ in
            peer != device && (space.roster.role(of: peer) ?? .relay) > .relay
        }.map(\.value)
        // A relay takes nothing in, however much others have.
        let isRelay = space.roster.role(of: device) == .relay
        for channel in links.channels(of: space.id).map({ links[$0] }) where !isRelay {
            guard let role = space.roster.role(of: links[channel.link].device), role > .relay else {
                continue
            }
            guard let known = channel.sync.peerHave else {
                state.unheard += 1
                continue
            }
            state.heard += 1
            holders.append(known)
            if !known.entries(beyond: space.durable).isEmpty {
                state.behind = max(state.behind, channel.backlog.told, 1)
            }
            guard !space.durable.entries(beyond: known).isEmpty else { continue }
            do throws(StoreFailure) {
                state.lacking = max(state.lacking, try store.changes(of: space, beyond: known), 1)
            } catch {
                failures.append(error)
            }
        }
        if state.behind > 0, let catchUp = catchUps[space.id] {
            state.behind = catchUp.left(held: held)
            state.done = catchUp.done(held: held)
            state.secondsLeft = catchUp.secondsLeft(held: held, at: now.monotonic)
        }
        state.isHeldByNobody = space.durable.entries.contains { entry in
            space.author(of: entry.replica) == device
                && !holders.contains { $0[entry.replica] >= entry.last }
        }
        return state
    }

    /// An hour.
    private static var unseenMilliseconds: UInt64 { 3_600_000 }
}

/// What a report is made of; of several spaces it adds up.
private struct SpaceSyncState {
    /// With this device.
    var active: Set<DeviceID> = []
    var linked: Set<DeviceID> = []
    var unseen: Set<DeviceID> = []
    /// Linked members that said what they hold, and those that did not yet.
    var heard = 0
    var unheard = 0
    /// Changes that are held here.
    var held: UInt64 = 0
    /// Changes that this node lacks, and those it took in since it fell behind.
    var behind: UInt64 = 0
    var done: UInt64?
    /// Changes that the linked member that is furthest behind lacks.
    var lacking: UInt64 = 0
    var secondsLeft: UInt64?
    var isHeldByNobody = false
    /// A space in which members are linked and none has said what it holds.
    private var isAnyUnheard = false

    private var isUnheard: Bool { isAnyUnheard || heard == 0 && unheard > 0 }

    mutating func join(_ other: SpaceSyncState) {
        active.formUnion(other.active)
        linked.formUnion(other.linked)
        unseen.formUnion(other.unseen)
        isAnyUnheard = isUnheard || other.isUnheard
        (heard, unheard) = (heard + other.heard, unheard + other.unheard)
        // A space without a catch-up of its own counts by all that it holds only where none has one.
        if other.behind > 0 || other.done != nil { done = (done ?? 0) + (other.done ?? other.held) }
        held += other.held
        behind += other.behind
        lacking += other.lacking
        secondsLeft = [secondsLeft, other.secondsLeft].compactMap { $0 }.max()
        isHeldByNobody = isHeldByNobody || other.isHeldByNobody
    }

    var report: SyncReport {
        let others = active.count - 1
        let state: SyncReport.State =
            if others > 0, linked.isEmpty {
                .alone
            } else if behind > 0 || lacking > 0 || isUnheard {
                .catchingUp
            } else if others > 0, isHeldByNobody {
                .waiting
            } else {
                .upToDate
            }
        return SyncReport(
            state: state, percent: percent, behindChanges: behind, secondsLeft: secondsLeft,
            members: SyncReport.Members(
                active: max(1, active.count), linked: linked.count, unseen: unseen.count))
    }

    /// Of what this node is to take in or, when that is all here, of what others are; rounded down, so that
    /// 100 means all.
    private var percent: Int {
        if behind > 0 { return Self.share(done ?? held, lacking: behind) }
        if lacking > 0 { return Self.share(held - min(held, lacking), lacking: lacking) }
        guard isUnheard else { return 100 }
        return held > 0 ? 99 : 0
    }

    private static func share(_ done: UInt64, lacking: UInt64) -> Int {
        min(99, Int(Double(done) / (Double(done) + Double(lacking)) * 100))
    }
}
