// What a traitor does too much of, or not at all: operations of the roster beyond its allowance, proofs of
// forks one after the other, the greatest numbers that frames hold, links on which nothing is said; for those
// that hoard links see Trial+Hoarding. Each has a bound that holds however much of it there is.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Mesh
import Node
import Roster
import SecureLink
import Wire

/// Roster operations of the traitor that a node holds.
struct RosterShare {
    var operations = 0
    var bytes = 0
    /// The node knows the traitor as a member.
    var isMemberKnown = false
}

extension Trial {
    /// Floods cost the simulator more than anything else, and one more shows nothing new.
    private static let rosterFloodsMax = 2
    private static let forkFloodsMax = 1
    private static let hoardingsMax = 1
    private static let forkedLogs = 24
    private static let largeBytes = 60_000

    /// False when the traitor would waste its time.
    func isWorthIt(_ kind: FaultKind, _ traitor: Traitor) -> Bool {
        let done = result.faults[kind, default: 0]
        return switch kind {
        case .rosterFloods: done < Self.rosterFloodsMax
        // What a reader tells in two ways has no effect in either.
        case .forkFloods: done < Self.forkFloodsMax && members[traitor.index].role >= .writer
        case .hoarding: done < Self.hoardingsMax && traitor.hasRight
        default: true
        }
    }

    /// Says it on a link that stands.
    mutating func flood(
        _ kind: FaultKind, _ traitor: inout Traitor, _ link: inout HostileLink, to victim: Int,
        _ strike: inout Strike
    ) throws(Violation) {
        switch kind {
        case .rosterFloods: try floodRoster(&traitor, &link, to: victim, &strike)
        case .forkFloods: try floodForks(&traitor, &link, to: victim, &strike)
        case .hoarding: try hoard(&traitor, &link, &strike)
        default: try sayExtremes(&link, to: victim, &strike)
        }
    }

    /// The link stays for a while. All that is ever said on it is the roster, or nothing.
    mutating func fallSilent(
        _ link: inout HostileLink, _ traitor: inout Traitor, to victim: Int, _ strike: inout Strike
    ) {
        if Bool.random(using: &strike.dice) { link.say(opening(traitor)[0], &world) }
        undoings.append(
            Undoing(
                time: world.time + strike.milliseconds(3_000...90_000),
                kind: .endSilence(link.connection, with: victim, since: world.time)))
    }

    /// Nothing was said on a link for so long that its node has ended it, unless it stood still.
    mutating func endSilence(_ stranger: UInt64, with victim: Int, since: UInt64) throws(Violation) {
        let isOver = world.time >= since + Self.silenceMilliseconds
        let hasRun = world.nodes[victim].pausedUntil + Self.tickMilliseconds <= world.time
        guard !isOver || !hasRun || world.isClosed(stranger) else {
            let seconds = (world.time - since) / 1_000
            throw Violation(
                .silence, "node \(victim) keeps a link on which it has heard nothing for \(seconds) s")
        }
        if isOver { result.marks.insert("silence-ended") }
        world.endStranger(stranger)
    }

    /// Twice the time after which a link is dead, for clocks that run wrong.
    private static let silenceMilliseconds = 2 * MeshLimits.deadMilliseconds
    private static let tickMilliseconds: UInt64 = 5_000

    // MARK: The roster

    /// Operations in a chain or all beside each other, small or large: more than the allowance, where the
    /// mesh can carry that.
    private mutating func floodRoster(
        _ traitor: inout Traitor, _ link: inout HostileLink, to victim: Int, _ strike: inout Strike
    ) throws(Violation) {
        let allowance = RosterAllowance.of(members[traitor.index].role)
        let isNarrow = plan.isOn(.bandwidth) || plan.isOn(.splitting)
        let isLarge = !isNarrow && strike.number(0...2) == 0
        let isFan = Bool.random(using: &strike.dice)
        let count =
            if isLarge {
                allowance.bytes / Self.largeBytes + 6
            } else if isNarrow || allowance.operations > 1_000 {
                40
            } else {
                allowance.operations + 40
            }
        var (part, partBytes) = ([[UInt8]](), 0)
        for number in 0..<count {
            let operation = RosterOperation(
                isLarge
                    ? .unknown(kind: 99, [UInt8](repeating: 7, count: Self.largeBytes))
                    : update(number, &strike),
                on: traitor.rosterHeads, at: Timestamp(milliseconds: world.now.wall), by: traitor.key)
            if !isFan { traitor.rosterHeads = [operation.id] }
            part.append(operation.bytes)
            partBytes += operation.bytes.count
            guard partBytes > 400_000 || part.count == 100 || number == count - 1 else { continue }
            link.say(frame(RosterOperationsFrame(operations: part)), &world)
            (part, partBytes) = ([], 0)
            try runEvents(until: world.time + 100)
            link.listen(&world)
        }
        try runEvents(until: world.time + 500)
        try checkRoster(victim)
    }

    private func update(_ number: Int, _ strike: inout Strike) -> RosterBody {
        guard let name = DeviceName("mallory \(number)") else { preconditionFailure("a name") }
        let box = AgreementKey(secret: HostileLink.secret(&strike.dice))
        return .deviceUpdate(.init(DeviceDescription(name: name, boxKey: box.publicKey)))
    }

    /// From now on honest nodes hold at most the traitor's allowance more than they do.
    mutating func watchRosters() {
        for index in members.indices where members[index].isJoined { watchRoster(index) }
    }

    /// The same for one node that joined: with the answer it took what others hold.
    mutating func watchRoster(_ index: Int) {
        guard traitor != nil, plan.isOn(.rosterFloods), rosterShares[index] == nil,
            !members[index].isTraitor, let share = rosterShare(index), share.isMemberKnown
        else { return }
        rosterShares[index] = share
    }

    private func rosterShare(_ index: Int) -> RosterShare? {
        guard let traitor, let space = checker.space else { return nil }
        let device = DeviceID(publicKey: traitor.key.publicKey)
        var share = RosterShare()
        do {
            for bytes in try world.diskCopy(index).rosterOperations(space) {
                let operation = try RosterOperation(decoding: bytes)
                if case .add(let add) = operation.body, add.device == device { share.isMemberKnown = true }
                guard operation.author == device else { continue }
                share.operations += 1
                share.bytes += bytes.count
            }
        } catch {
            return nil
        }
        return share
    }

    /// A node took no more of the traitor's operations than its allowance permits for all the time so far.
    /// Where wall clocks jump it may have paid back anything, and a disk that was put back starts anew.
    func checkRoster(_ index: Int) throws(Violation) {
        guard let first = rosterShares[index], let traitor, let share = rosterShare(index),
            !members[index].wasRestored, !members[index].isForked,
            Set(plan.kinds).isDisjoint(with: [.clockJumps, .stuckClocks, .epochClocks])
        else { return }
        let allowance = RosterAllowance.of(members[traitor.index].role)
        // Clocks may be a little fast.
        let day = 86_400_000
        let time = Int(world.time) * 11 / 10
        let operations = first.operations + allowance.operations + time * allowance.operationsPerDay / day + 2
        let bytes =
            first.bytes + allowance.bytes + time * allowance.bytesPerDay / day
            + RosterLimits.operationBytesMax
        guard share.operations <= operations, share.bytes <= bytes else {
            throw Violation(
                .rosterBudget,
                "node \(index) holds \(share.operations) operations of \(share.bytes) bytes that node "
                    + "\(traitor.index) signed, not at most \(operations) of \(bytes)")
        }
    }

    // MARK: Forks

    /// Changes of one document in many logs, then the proofs that all of these go on in two ways. The
    /// document is made again for the first, and for those that came in the pause together.
    private mutating func floodForks(
        _ traitor: inout Traitor, _ link: inout HostileLink, to victim: Int, _ strike: inout Strike
    ) throws(Violation) {
        guard let space = checker.space else { return }
        let document = Key("note/\(strike.number(0...2))")
        let path = ContainerPath(
            generation: .first, steps: [ContainerStep(.key("count"), .counter, .first)])
        let operation = Operation(document: document, body: .act(in: path, .increment(by: 1)))
        var proofs: [[UInt8]] = []
        for _ in 0..<Self.forkedLogs {
            guard let fork = traitor.fork(operation, wall: world.now.wall, &strike.dice) else { continue }
            link.say(LinkFrame(type: FrameType.segment.rawValue, channel: 0, body: fork.told), &world)
            proofs.append(fork.proof)
        }
        try runEvents(until: world.time + 2_000)
        link.listen(&world)
        let (begin, starts) = (world.time, world.nodes[victim].starts)
        guard let before = world.nodes[victim].node?.replayedChanges(in: space) else { return }
        for proof in proofs {
            link.say(LinkFrame(type: FrameType.forkProof.rawValue, channel: 0, body: proof), &world)
        }
        // Other logs may be closed too, where more than the traitor forks.
        let isAlone = FaultKind.forks.isDisjoint(with: Set(plan.kinds).subtracting([.forkFloods]))
        for _ in 0..<20 where isAlone {
            try runEvents(until: world.time + 10)
            guard world.nodes[victim].starts == starts,
                let replayed = world.nodes[victim].node?.replayedChanges(in: space), replayed >= before
            else { return }
            // A few changes may be known to the victim only.
            let known = checker.universe.touching[Array(document.utf8)]?.count ?? 0
            let most = known + Self.forkedLogs + 8
            let pause = most * 3 / 10 + 5
            let turns = 2 + Int(world.time - begin) / pause
            if replayed > before { result.marks.insert("fork-flood-closed") }
            guard replayed - before <= most * turns else {
                throw Violation(
                    .forkWork,
                    "node \(victim) replayed \(replayed - before) changes for \(proofs.count) proofs in "
                        + "\(world.time - begin) ms, not at most \(turns) times \(most)")
            }
        }
        link.listen(&world)
    }

    // MARK: Numbers

    /// The greatest that frames hold; then a program asks what the node makes of it.
    private mutating func sayExtremes(
        _ link: inout HostileLink, to victim: Int, _ strike: inout Strike
    ) throws(Violation) {
        let nobody = ReplicaID(raw: Bytes16(high: strike.dice.next(), low: 1))
        let logs = ([nobody] + checker.universe.branchesOf.keys.sorted().prefix(3)).sorted()
        let entries = logs.map { HaveFrame.Entry(replica: $0, last: .max, fingerprint: strike.dice.next()) }
        let words = [
            frame(HaveFrame(.full, entries)), frame(BacklogFrame(changes: .max)),
            frame(NeighbourFrame(links: .max, isNeeded: Bool.random(using: &strike.dice))),
        ]
        for word in words { link.say(word, &world) }
        try askForNumbers(of: victim)
        link.say(LinkFrame(type: LinkFrame.ping, body: [UInt8](repeating: 0xFF, count: 16)), &world)
        try askForNumbers(of: victim)
        link.listen(&world)
    }

    private mutating func askForNumbers(of index: Int) throws(Violation) {
        for question in [NodeRequest.peers, .status] {
            try look()
            request(index, question, for: .report)
        }
        try look()
        try runEvents(until: world.time + 100)
    }

    /// Every number of a report is one that every reader of JSON holds.
    func checkNumbers(_ index: Int, _ answer: NodeAnswer) throws(Violation) {
        var numbers: [(name: String, value: UInt64?)] = []
        switch answer {
        case .peers(let peers, _):
            for peer in peers {
                numbers += [
                    ("since", peer.since), ("rtt", peer.rttMilliseconds), ("heard", peer.heardAt),
                    ("last seen", peer.lastSeenAt), ("clock", peer.clockOffsetMilliseconds?.magnitude),
                    ("received", peer.bytesReceived), ("sent", peer.bytesSent),
                ]
                for sync in peer.spaces {
                    numbers += [("behind", sync.behindChanges), ("ahead", sync.aheadChanges)]
                }
            }
        case .status(let status):
            numbers.append(("clock", status.clockOffsetMilliseconds?.magnitude))
            for sync in status.spaces.compactMap(\.sync) + [status.sync] {
                numbers += [("behind", sync.behindChanges), ("seconds left", sync.secondsLeft)]
            }
        default: return
        }
        guard let wrong = numbers.first(where: { $0.value ?? 0 > NodeLimits.toldChangesMax }) else { return }
        throw Violation(.numbers, "node \(index) reports \(wrong.value ?? 0) as \(wrong.name)")
    }
}
