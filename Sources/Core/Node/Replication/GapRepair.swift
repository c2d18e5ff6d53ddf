// What peers hold and nobody brings: a gap. It waits for the eager links, then one peer is asked by GRAFT,
// and another one when that one brings nothing: what the first one named is then no gap any more that anybody
// waits for. Where nothing is missing, links are made eager until enough are (Plumtree; `PushTree` says why
// one tree an author). All of it can be lost or wrong: it costs time, since HAVE goes on and need is computed
// from vectors.
//
//     first full HAVE names what is missing, nobody brings it   GRAFT at once, from one peer: how a newcomer
//                                                               catches up, whatever the number of its links
//     a later HAVE does                                         wait for the eager links, then GRAFT
//     nothing is missing, and few links are eager               GRAFT another one
//
// A peer that names what it does not bring is doubted: it lies, or what it sends is dropped here. Nobody
// waits for it, others are asked for what it names, and links are made eager as if it said nothing. It is
// asked beside the others, ever less often, until what it names is here: an honest one loses nothing
// (decision 0105). Doubts outlive links, or a new one would begin each lie afresh.
//
//     asked, and brings nothing in its turn   -> doubted: asked at once, after 2, 4 … patiences, 60 s at most
//     nothing that it names is missing        -> waited for again, but its next turn is half as long

import Causality
import Replication

/// The repair of gaps in one space. Times are monotonic milliseconds.
struct GapRepair: StateMachine {
    /// What to do on a channel, in this order.
    enum Action: Equatable, Sendable {
        /// Say what is held, so that only what is missing comes, and GRAFT these logs (none named: all).
        /// `isAgain`: it was asked before, so it is told all that is held.
        case graft(ChannelHandle, [ReplicaID], isAgain: Bool)
        /// Remember whether the peer names something that is missing.
        case setAhead(ChannelHandle, Bool)
    }

    /// Something that a peer holds and that is missing here.
    private struct Gap {
        /// When the first of it was named, or a peer was asked for it.
        var since: UInt64
        /// When a peer may be asked for it.
        var graftAt: UInt64
        /// The logs and how far; at most `graftLogsMax` and one, which then stands for more.
        var dots: [VersionVector.Entry]
    }

    /// A member that was asked for what it names and did not bring it in its turn.
    private struct Doubt {
        /// How often; each time halves its next turn.
        var count = 0
        /// Something that it names is missing still: nobody waits for it, it is asked beside the others.
        var stands = true
        /// When what it names is looked at again, and when it is asked again.
        var lookAt: UInt64 = 0
        var askAt: UInt64 = 0
    }

    private var gap: Gap?
    /// The connection that was asked for the gap, and when; nil without a gap.
    private var ask: (connection: ConnectionID, at: UInt64)?
    /// Members only, so there are as many at most.
    private var doubts: [DeviceID: Doubt] = [:]
    /// When `step` has something to do.
    private(set) var deadline: UInt64?

    init() {}

    /// Something is missing that a peer who is waited for named.
    var hasGap: Bool { gap != nil }
    /// The connection that was asked for what is missing.
    var asked: ConnectionID? { ask?.connection }

    // MARK: Inputs

    /// True when what a peer names beyond what is held here opens a gap: there is none, and the peer is
    /// believed.
    func opensGap(for peer: DeviceID) -> Bool { gap == nil && !isDoubted(peer) }

    /// A peer named what is missing here; `opensGap` is true.
    mutating func open(
        _ missing: [VersionVector.Entry], namedBy peer: GapPeer, among peers: [GapPeer],
        dice: inout SeededGenerator, at now: UInt64
    ) {
        precondition(
            !missing.isEmpty && opensGap(for: peer.device), "a gap is open, or \(peer.device) is doubted")
        let wait = GapRound(peers: peers, at: now).delay(for: peer, dice: &dice)
        gap = Gap(since: now, graftAt: now + wait, dots: missing)
    }

    /// Nobody is asked: no peer is there, or what comes would not be read.
    mutating func rest() { deadline = nil }

    /// Nobody is asked, or blamed, for what would not be taken in before `until`.
    mutating func pause(until: UInt64) { (gap, ask, deadline) = (nil, nil, until) }

    /// After each commit, and when the deadline has come: asks for what is missing when its time has come,
    /// and makes links eager when few are.
    mutating func step(
        _ peers: [GapPeer], _ heads: LogHeads, dice: inout SeededGenerator, at now: UInt64
    ) -> [Action] {
        deadline = nil
        var round = GapRound(peers: peers, heads: heads, at: now)
        askDoubted(&round)
        repair(round.ready.filter { !isDoubted(peers[$0].device) }, &round, dice: &dice)
        if let gap { deadline = min(gap.graftAt, deadline ?? .max) }
        return round.actions
    }

    /// A link is gone, and with it whoever brought the logs `orphans`: one of the others is asked for them at
    /// once, without waiting for a gap.
    mutating func lose(
        _ connection: ConnectionID, of peer: DeviceID, orphans: [ReplicaID], _ peers: [GapPeer],
        at now: UInt64
    ) -> [Action] {
        // On its next link it is asked at once.
        doubts[peer]?.lookAt = 0
        doubts[peer]?.askAt = 0
        if ask?.connection == connection {
            ask = nil
            gap?.graftAt = now
        }
        if orphans.isEmpty { return [] }
        var round = GapRound(peers: peers, at: now)
        // Where the log is pruned, the peer has it from elsewhere and not from here.
        func foreign(_ place: Int) -> Int { orphans.count { !peers[place].tree.pushes($0) } }
        let best = round.ready.filter { peers[$0].have != nil && !isDoubted(peers[$0].device) }.max { a, b in
            let (left, right) = (foreign(a), foreign(b))
            return left == right ? peers[b].distance < peers[a].distance : left < right
        }
        guard let best else { return [] }
        let logs = orphans.filter { !peers[best].tree.pushes($0) }
        if logs.isEmpty { return [] }
        round.graft(logs.count > ReplicationLimits.graftLogsMax ? [] : logs, best)
        return round.actions
    }

    // MARK: The gap

    /// Asks one of the peers that are waited for.
    private mutating func repair(
        _ believed: [Int], _ round: inout GapRound, dice: inout SeededGenerator
    ) {
        if !round.isMissing(gap?.dots ?? []) { return openNext(believed, &round, dice: &dice) }
        guard let gap, round.now >= gap.graftAt else { return }
        let (until, vain) = awaited(gap, believed, round)
        if let until {
            self.gap?.graftAt = until
            return
        }
        if !vain.isEmpty {
            for place in vain { doubt(round.peers[place].device, at: round.now) }
            return openNext(believed.filter { !vain.contains($0) }, &round, dice: &dice)
        }
        guard let place = round.nearest(believed, holding: gap.dots) else {
            // Nobody who is linked and waited for holds it any more: what others hold is the next one.
            return openNext(believed, &round, dice: &dice)
        }
        round.ask(place)
        ask = (round.peers[place].connection, round.now)
        // A long catch-up is not asked for anew each second once it has lasted a minute.
        self.gap?.since = round.now
        self.gap?.graftAt = round.now + round.peers[place].patience
    }

    /// There is no gap, or it was given up: what these peers hold is the next one.
    private mutating func openNext(
        _ believed: [Int], _ round: inout GapRound, dice: inout SeededGenerator
    ) {
        (gap, ask) = (nil, nil)
        for place in believed where round.peers[place].isAhead {
            let dots = round.missing(place)
            if dots.isEmpty {
                round.setAhead(place, false)
                continue
            }
            let wait = round.delay(for: round.peers[place], dice: &dice)
            gap = Gap(since: round.now, graftAt: round.now + max(wait, 1), dots: dots)
            return
        }
        round.widen(believed, dice: &dice)
    }

    /// Until when the gap waits for a link that is bringing something; nil: it waits for nobody. `vain` are
    /// those whose turn ended in vain.
    private func awaited(_ gap: Gap, _ believed: [Int], _ round: GapRound) -> (until: UInt64?, vain: [Int]) {
        var until: UInt64?
        var vain: [Int] = []
        for place in believed {
            let peer = round.peers[place]
            let askedAt = ask.flatMap { $0.connection == peer.connection ? $0.at : nil }
            // An eager link that is known to hold it, and brings other things meanwhile, will come to it.
            guard askedAt != nil || brings(gap, peer) else { continue }
            let last = peer.isReceiving ? round.now : max(peer.usefulAt ?? 0, askedAt ?? 0)
            let isSilent = last + peer.patience <= round.now
            let turn = max(
                peer.patience,
                ReplicationLimits.patienceMillisecondsMax >> UInt64(doubts[peer.device]?.count ?? 0))
            if !isSilent, round.now < gap.since + turn {
                until = max(until ?? 0, last + peer.patience)
            } else if askedAt != nil || !isSilent {
                vain.append(place)
            }
        }
        return (until, vain)
    }

    private func brings(_ gap: Gap, _ peer: GapPeer) -> Bool {
        gap.dots.contains { dot in
            peer.tree.pushes(dot.replica) && (peer.have?[dot.replica] ?? .none) >= dot.last
        }
    }

    // MARK: Doubts

    /// True when what a peer names is waited for by nobody.
    private func isDoubted(_ peer: DeviceID) -> Bool { !doubts.isEmpty && doubts[peer]?.stands == true }

    /// The peer had its turn and what it names is not here.
    private mutating func doubt(_ peer: DeviceID, at now: UInt64) {
        var doubt = doubts[peer] ?? Doubt()
        doubt.count = min(doubt.count + 1, 16)
        (doubt.stands, doubt.lookAt, doubt.askAt) = (true, now, now)
        doubts[peer] = doubt
        deadline = min(deadline ?? .max, now + 1)
    }

    /// Checks what doubted peers advertise; asks again when due.
    private mutating func askDoubted(_ round: inout GapRound) {
        if doubts.isEmpty { return }
        // Copies of a device have a link each.
        var places: [DeviceID: [Int]] = [:]
        for place in round.ready where isDoubted(round.peers[place].device) {
            places[round.peers[place].device, default: []].append(place)
        }
        for device in places.keys.sorted() {
            guard var doubt = doubts[device] else { continue }
            if round.now >= doubt.lookAt {
                ask(places[device] ?? [], &doubt, &round)
                doubts[device] = doubt
            }
            if doubt.stands { deadline = min(deadline ?? .max, doubt.lookAt) }
        }
    }

    private func ask(_ places: [Int], _ doubt: inout Doubt, _ round: inout GapRound) {
        // Not at each commit: what they name may be long.
        doubt.lookAt = round.now + ReplicationLimits.doubtMilliseconds
        var ahead: [Int] = []
        for place in places {
            // Before its first HAVE nothing is known.
            let isAhead = round.peers[place].have == nil || !round.missing(place).isEmpty
            round.setAhead(place, isAhead)
            if isAhead { ahead.append(place) }
        }
        doubt.stands = !ahead.isEmpty
        guard doubt.stands, round.now >= doubt.askAt else { return }
        var longest: UInt64 = 0
        for place in ahead where round.peers[place].have != nil {
            let patience = round.peers[place].patience
            // What is bringing something need not be asked.
            guard round.now >= (round.peers[place].usefulAt ?? 0) + patience else { continue }
            longest = max(longest, patience)
            round.ask(place, isAgain: true)
        }
        if longest == 0 { return }
        doubt.askAt =
            round.now + min(longest << UInt64(doubt.count), ReplicationLimits.doubtAskMillisecondsMax)
        doubt.count = min(doubt.count + 1, 16)
    }

    // MARK: Invariants

    /// An asked connection belongs to a gap; no gap is empty; doubts are counted within their bounds.
    func checkInvariants(whole: Bool) {
        precondition(ask == nil || gap != nil, "connection \(ask?.connection as Any) was asked for no gap")
        precondition(gap?.dots.isEmpty != true, "a gap of nothing")
        for (device, doubt) in whole ? doubts : [:] {
            precondition((1...16).contains(doubt.count), "\(device) is doubted \(doubt.count) times")
        }
    }
}
