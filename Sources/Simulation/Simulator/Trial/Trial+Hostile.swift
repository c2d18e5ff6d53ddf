// Strangers who have no key of the space, and the member that turned against the others. Whatever they say,
// no honest node may trap, believe what is not signed, or differ from another.

import Bytes
import Causality
import Documents
import Node
import SecureLink
import Wire

extension Trial {
    // MARK: Outsiders

    /// Garbage, and the first bytes of what somebody else once said to the same node or another. Neither is
    /// answered: whoever answers a first message for the second time says that it is a node of this mesh.
    mutating func strikeFromOutside(_ kind: FaultKind, _ strike: inout Strike) throws(Violation) -> Bool {
        guard var index = running().randomElement(using: &strike.dice) else { return false }
        var bytes: [UInt8] = []
        var isPromised = true
        if kind == .garbage {
            let count = [1, 24, 75, 300, 5_000].randomElement(using: &strike.dice) ?? 1
            bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &strike.dice) }
            if Bool.random(using: &strike.dice) { bytes = Array("RPLD".utf8) + bytes }
        } else {
            let recordings = world.recordings.sorted { $0.key < $1.key }.map(\.value)
            guard let recording = recordings.randomElement(using: &strike.dice) else { return false }
            bytes = recording.bytes
            if strike.number(0...3) > 0, running().contains(recording.listener) { index = recording.listener }
            isPromised = index == recording.listener && isRemembered(recording)
        }
        let stranger = world.connectStranger(to: index)
        world.sendAsStranger(stranger, bytes)
        try runEvents(until: world.time + 500)
        if isPromised {
            result.marks.insert("silence-kept")
            guard world.heard(stranger).isEmpty else {
                throw Violation(
                    .noPlaintext, "node \(index) answered \(world.heard(stranger).count) bytes to \(kind)")
            }
        }
        world.endStranger(stranger)
        return true
    }

    /// The listener took the recorded first message, less than ten minutes ago, and runs since.
    private func isRemembered(_ recording: Recording) -> Bool {
        guard let answered = recording.answered else { return false }
        return answered.starts == world.nodes[recording.listener].starts
            && world.time < answered.time + SecureLinkLimits.replayMilliseconds - 1_000
    }

    // MARK: The traitor

    /// Turns the last node, once it is in the space; then speaks with its keys to one honest node.
    mutating func strikeFromInside(_ kind: FaultKind, _ strike: inout Strike) throws(Violation) -> Bool {
        guard let index = plan.traitor, try turn(index, &strike.dice), var traitor,
            let victim = running().randomElement(using: &strike.dice), isWorthIt(kind, traitor)
        else { return false }
        defer { self.traitor = traitor }
        if kind == .forgeries {
            try standBetween(victim, &strike)
            try overhear(&traitor, besides: victim, &strike)
        }
        var link = HostileLink(
            &world, as: traitor.key, to: victim, traitor.keys, &strike.dice,
            wall: kind == .extremes ? .max : nil)
        for _ in 0..<8 where !link.isEstablished {
            try runEvents(until: world.time + 100)
            link.listen(&world)
        }
        guard link.isEstablished else {
            world.endStranger(link.connection)
            return false
        }
        tell("\(kind.rawValue): node \(index) speaks to node \(victim)")
        if kind == .silences {
            fallSilent(&link, &traitor, to: victim, &strike)
            return true
        }
        for frame in opening(traitor) { link.say(frame, &world) }
        try runEvents(until: world.time + 300)
        link.listen(&world)
        if FaultKind.floods.contains(kind) {
            try flood(kind, &traitor, &link, to: victim, &strike)
        } else if kind == .lies, strike.number(0...2) == 0 {
            try lieAboutDigest(&link, to: victim, &strike)
        } else if kind == .lies, plan.isOn(.newcomers), strike.number(0...1) == 0 {
            try forgePages(&link, to: victim, &strike)
        } else {
            for frame in frames(kind, &traitor, link.held, &strike) {
                link.say(frame, &world)
                try runEvents(until: world.time + 20)
                link.listen(&world)
            }
        }
        try runEvents(until: world.time + 500)
        link.listen(&world)
        try traitor.study(link.takeFrames(), for: world.secret)
        world.endStranger(link.connection)
        return true
    }

    /// The node stops to be honest; false while it is not in the space.
    mutating func turn(_ index: Int, _ dice: inout SeededGenerator) throws(Violation) -> Bool {
        if traitor != nil { return true }
        guard members[index].isJoined, let space = checker.space else { return false }
        traitor = Traitor(index, world.nodes[index].deviceKey, world.diskCopy(index), in: space, &dice)
        guard traitor != nil else { return false }
        members[index].isTraitor = true
        checker.traitors.insert(index)
        checker.excused.insert(world.nodes[index].device)
        checker.exposed.insert(world.nodes[index].device)
        checker.forgetLost()
        world.crash(index)
        try look()
        checker.roster?.forget(index)
        if plan.isOn(.equivocation) || plan.isOn(.forkFloods) {
            checker.universe.forking.insert(world.nodes[index].device)
        }
        watchRosters()
        tell("node \(index) turns against the others")
        return true
    }

    /// What every link begins with: its roster, and that it holds nothing.
    func opening(_ traitor: Traitor) -> [LinkFrame] {
        [
            frame(RosterHaveFrame(heads: traitor.heads, summary: [])),
            frame(HaveFrame(.full, [])),
        ]
    }

    /// For a while the victim hears of the others by the traitor only, and they write: what a member passes
    /// on is all that the victim has of it, and nothing but seals says that it is what was written.
    private mutating func standBetween(_ victim: Int, _ strike: inout Strike) throws(Violation) {
        let others = members.indices.filter { $0 != victim }
        let blocked = others.flatMap { [Direction(from: $0, to: victim), Direction(from: victim, to: $0)] }
        for direction in blocked { world.block(direction) }
        undoings.append(
            Undoing(time: world.time + strike.milliseconds(5_000...30_000), kind: .unblock(blocked)))
        for _ in 0..<strike.number(2...5) where script == nil {
            write()
            try look()
            try runEvents(until: world.time + strike.milliseconds(50...500))
        }
    }

    /// Lets another node tell everything that it holds.
    private mutating func overhear(
        _ traitor: inout Traitor, besides victim: Int, _ strike: inout Strike
    ) throws(Violation) {
        guard let index = running(where: { $0 != victim }).randomElement(using: &strike.dice) else { return }
        var link = HostileLink(&world, as: traitor.key, to: index, traitor.keys, &strike.dice)
        for step in 0..<16 {
            try runEvents(until: world.time + 100)
            let wasEstablished = link.isEstablished
            link.listen(&world)
            guard link.isEstablished, !wasEstablished || step == 0 else { continue }
            for frame in opening(traitor) { link.say(frame, &world) }
        }
        let frames = link.takeFrames()
        world.endStranger(link.connection)
        try traitor.study(frames, for: world.secret)
        traitor.keep(frames)
    }
}
