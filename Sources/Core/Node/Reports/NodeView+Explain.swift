// `explain`: why something is not there yet. Everything follows from what the node knows anyway (its log, the
// buffer, closed logs, what peers said they hold); nothing is kept for it. It is answered right after a
// commit, so that store and vectors are one state. What a peer lacks is in `NodeView+ExplainPeers`.

import Bytes
import Causality
import Documents
import Identity
import Mesh
import Replication
import Roster
import Wire

extension NodeView {
    typealias Whereabouts = ExplainReport.Whereabouts

    /// Called after a commit.
    func explain(
        _ subject: ExplainSubject, in index: SpaceHandle, peer: DeviceID?, at now: Instant
    ) throws(StoreFailure) -> ExplainReport {
        var reader = LogReader(space: spaces[index].id)
        let (here, changes): (Whereabouts, [ChangeWhereabouts])
        switch subject {
        case .change(let dot):
            let found = try whereabouts(of: dot, in: index, &reader, at: now)
            (here, changes) = (found.whereabouts, [found])
        case .document(let key): (here, changes) = try whereabouts(of: key, in: index, &reader, at: now)
        }
        // What peers are to hold: what is held here, under the name that it goes by now.
        let wanted = changes.filter(\.whereabouts.reason.isHeldHere).map { $0.issuedAgainAs ?? $0.change }
            .filter(spaces[index].durable.contains)
        let devices =
            peer.map { [$0] }
            ?? spaces[index].roster.members().filter { $0.state == .active }.map(\.device)
        var asked: Dot?
        if case .change(let dot) = subject, wanted.isEmpty { asked = dot }
        var peers: [PeerWhereabouts] = []
        for device in devices.sorted() where device != self.device {
            peers.append(try whereabouts(of: device, on: wanted, asked: asked, in: index, at: now))
        }
        let limit = NodeLimits.explainedChangesMax
        return ExplainReport(
            subject: subject, here: here, changes: Array(changes.prefix(limit)),
            omitted: max(0, changes.count - limit), peers: peers)
    }

    // MARK: A change

    private func whereabouts(
        of dot: Dot, in index: SpaceHandle, _ reader: inout LogReader, at now: Instant
    ) throws(StoreFailure) -> ChangeWhereabouts {
        if dot.sequence > .none, let found = try reader.find(dot, from: store) {
            return try whereabouts(of: found.change, at: found.position, in: index)
        }
        if let early = early(dot, in: index) { return early }
        if spaces[index].known.contains(dot) {
            return ChangeWhereabouts(
                change: dot, author: spaces[index].namedAuthor(of: dot.replica),
                whereabouts: Whereabouts(
                    .collected,
                    "it is held as a part of the documents: a checkpoint holds it, and its log was let go"))
        }
        return ChangeWhereabouts(
            change: dot, author: spaces[index].namedAuthor(of: dot.replica),
            whereabouts: try whyNotHeld(dot, in: index, at: now))
    }

    /// Of a change that is in the log.
    private func whereabouts(
        of change: Change, at position: CommitPosition, in index: SpaceHandle
    ) throws(StoreFailure) -> ChangeWhereabouts {
        let space = spaces[index]
        let before = CommitPosition(position.value - 1)
        let status = try store.commits(space.id, after: before, limit: 1).first?.status ?? .executed
        var again: Dot?
        let whereabouts: Whereabouts
        switch status {
        case .executed: whereabouts = Whereabouts(.executed, "it is held and executed here")
        case .skipped where space.skipped[change.id]?.reason == .quarantined:
            whereabouts = Whereabouts(
                .quarantined, "it is held and not executed: this node crashed twice while it was")
        case .skipped where space.skipped[change.id]?.reason == .unreadable:
            whereabouts = Whereabouts(
                .unreadable, "it is held and not executed: a document that it touches cannot be read here")
        case .skipped:
            whereabouts = Whereabouts(
                .newerVersion, "it is held and not executed: it has operations of a newer version of repld")
        case .void:
            if let closing = space.forks.closed[change.replica], change.last >= closing.first {
                again = try reissue(change.replica, index)?.renamed(change.id)
                whereabouts = Whereabouts(
                    .voidFork,
                    "its log was written in two ways and nothing of it counts from \(closing.first) on"
                        + (again.map { "; its author issues it again as \($0)" } ?? ""))
            } else if !Admission.isStaticallyValid(change) {
                whereabouts = Whereabouts(.voidInvalid, "it has no effect: its operations break the rules")
            } else if space.isLate(change) {
                whereabouts = Whereabouts(
                    .voidLate,
                    "it has no effect: a checkpoint stands that did not wait for it; its author repeats it"
                )
            } else {
                whereabouts = Whereabouts(
                    .voidRight, "it has no effect: its author had been removed, or might not write any more")
            }
        }
        return ChangeWhereabouts(
            change: change.id, author: space.namedAuthor(of: change.replica), whereabouts: whereabouts,
            issuedAgainAs: again)
    }

    /// Of a change in the buffer: its log waits for what the first of it lacks.
    private func early(_ dot: Dot, in index: SpaceHandle) -> ChangeWhereabouts? {
        let log = LogID(spaces[index].id, dot.replica)
        let items = links.buffer.items(of: log)
        guard let first = items.first,
            let place = items.firstIndex(where: {
                $0.change.first <= dot.sequence && dot.sequence <= $0.change.last
            })
        else { return nil }
        let lacking = lacking(first, in: index)
        let heads = first.heads.count { !spaces[index].roster.contains($0) }
        var words = "it arrived and waits"
        if place > 0 { words += " behind \(first.change.id), which waits" }
        let whereabouts: Whereabouts
        if heads > 0 {
            whereabouts = Whereabouts(
                .earlyRoster,
                words + " for \(counted(heads, "operation")) of the roster that its author had seen")
        } else if let dot = lacking.first {
            words +=
                " for \(dot)" + (lacking.count > 1 ? " and \(counted(lacking.count - 1, "more log"))" : "")
            whereabouts = Whereabouts(.early, words + ", which " + holders(of: dot, in: index))
        } else {
            whereabouts = Whereabouts(.early, words + " for its turn")
        }
        return ChangeWhereabouts(
            change: items[place].change.id, author: spaces[index].named(items[place].author),
            whereabouts: whereabouts,
            waitsFor: Array(lacking.prefix(NodeLimits.explainedDotsMax)))
    }

    /// What is not held of what a change was made on: how far each log is needed, ascending by log.
    private func lacking(_ candidate: Candidate, in index: SpaceHandle) -> [Dot] {
        let (change, space) = (candidate.change, spaces[index])
        var dots: [Dot] = []
        if change.first > space.held[change.replica] + 1 {
            dots.append(Dot(change.replica, change.first.previous))
        }
        for entry in change.context.entries(beyond: space.held) {
            let needed = space.closings.needed(entry)
            if needed > space.held[entry.replica] { dots.append(Dot(entry.replica, needed)) }
        }
        return dots
    }

    /// "alpha holds", in a sentence.
    private func holders(of dot: Dot, in index: SpaceHandle) -> String {
        let (linked, others) = knownHolders(of: dot, in: index)
        if !linked.isEmpty { return names(linked, in: index) + (linked.count == 1 ? " holds" : " hold") }
        if others.isEmpty { return "no member said that it holds" }
        return names(others, in: index) + (others.count == 1 ? " holds and is" : " hold and are")
            + " not linked"
    }

    /// Members that said they hold a change, those that are linked apart.
    private func knownHolders(of dot: Dot, in index: SpaceHandle) -> (linked: [DeviceID], others: [DeviceID])
    {
        let holding = spaces[index].peerVectors.filter { $0.value.contains(dot) }.keys.sorted()
            .filter { spaces[index].roster.role(of: $0) != nil }
        return (
            holding.filter { !links.connections.table.links(to: $0).isEmpty },
            holding.filter { links.connections.table.links(to: $0).isEmpty }
        )
    }

    private func names(_ devices: [DeviceID], in index: SpaceHandle) -> String {
        let named = devices.prefix(3).map(spaces[index].nameOf).joined(separator: ", ")
        return devices.count > 3 ? "\(named) and \(devices.count - 3) more" : named
    }

    private func whyNotHeld(_ dot: Dot, in index: SpaceHandle, at now: Instant) throws(StoreFailure)
        -> Whereabouts
    {
        let last = spaces[index].held[dot.replica]
        let log =
            last > .none
            ? "of its log \(last) is the last that is held here" : "nothing of its log is held here"
        if dot.replica == spaces[index].ownReplica {
            return Whereabouts(.notKnown, "\(log), and it is this node's own: no such change was made")
        }
        if let closing = spaces[index].forks.closed[dot.replica], dot.sequence >= closing.first {
            return Whereabouts(
                .voidFork,
                "its log was written in two ways and is closed at \(closing.first): nothing more is asked for"
            )
        }
        let (linked, others) = knownHolders(of: dot, in: index)
        if !linked.isEmpty {
            let holding =
                "\(log); \(names(linked, in: index)), linked, \(linked.count == 1 ? "holds" : "hold") it"
            guard links.pause.isOn(at: now.monotonic) else { return Whereabouts(.onItsWay, holding) }
            let seconds = (links.pause.until - now.monotonic + 999) / 1_000
            return Whereabouts(
                .diskFull, "\(holding), and the disk is full here: it is tried again in \(seconds) s")
        }
        if let one = others.first {
            let why = whyNotLinked(one, at: now)
            return Whereabouts(
                .holderNotLinked,
                "\(log); \(names(others, in: index)) \(others.count == 1 ? "holds" : "hold") it: \(why)")
        }
        let silent = spaces[index].roster.members().count {
            $0.state == .active && $0.device != device && spaces[index].peerVectors[$0.device] == nil
        }
        return Whereabouts(
            .notKnown,
            "\(log), and no member said that it holds it"
                + (silent > 0 ? "; \(silent) said nothing since this node started" : ""))
    }

    // MARK: A document

    private func whereabouts(
        of key: Key, in index: SpaceHandle, _ reader: inout LogReader, at now: Instant
    ) throws(StoreFailure) -> (Whereabouts, [ChangeWhereabouts]) {
        let space = spaces[index]
        let record = try store.document(space.id, key)
        var changes: [ChangeWhereabouts] = []
        for dot in record?.frontier ?? [] {
            changes.append(try whereabouts(of: dot, in: index, &reader, at: now))
        }
        // Of each log that waits the first change that touches it.
        var early = 0
        for log in links.buffer.logs(of: space.id) {
            let touching = links.buffer.items(of: log).filter { $0.change.touched.contains(key) }
            guard let first = touching.first, let found = self.early(first.change.id, in: index) else {
                continue
            }
            changes.append(found)
            early += touching.count
        }
        var skipped = 0
        for record in space.skipped.values.sorted(by: { $0.change.position < $1.change.position }) {
            let change = try reader.change(record.change, from: store)
            guard change.touched.contains(key) else { continue }
            skipped += 1
            guard !changes.contains(where: { $0.change == change.id }) else { continue }
            changes.append(try whereabouts(of: change, at: record.change.position, in: index))
        }
        let waiting =
            early > 0
            ? "; \(counted(early, "change")) of it arrived and \(early == 1 ? "waits" : "wait")" : ""
        let here: Whereabouts =
            if skipped > 0 {
                Whereabouts(
                    .incomplete, "it is shown without \(skipped) changes that are not executed here\(waiting)"
                )
            } else if let record {
                record.isVisible
                    ? Whereabouts(.shown, "it is there\(waiting)")
                    : Whereabouts(.deleted, "it was there and is deleted\(waiting)")
            } else if early > 0 {
                Whereabouts(.early, "\(early) changes of it arrived and wait; none is executed yet")
            } else {
                Whereabouts(.absent, "no change that is held here touched it")
            }
        return (here, changes)
    }
}

extension WhereaboutsReason {
    /// Of a change: this node has it in its log and may pass it on.
    var isHeldHere: Bool {
        switch self {
        case .executed, .voidFork, .voidRight, .voidInvalid, .voidLate, .collected, .quarantined, .unreadable,
            .newerVersion:
            true
        default: false
        }
    }
}
