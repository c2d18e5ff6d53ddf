// What the traitor says: edits as an honest program could make them, operations that are none, changes that
// can never be executed, forged seals, and frames that are well formed and not true.

import Bytes
import Causality
import Documents
import Node
import SecureLink
import Wire

extension Trial {
    /// What it says on a link, by kind of fault.
    mutating func frames(
        _ kind: FaultKind, _ traitor: inout Traitor, _ held: VersionVector, _ strike: inout Strike
    ) -> [LinkFrame] {
        let wall = world.now.wall
        var bodies: [[UInt8]?] = []
        switch kind {
        case .farFuture:
            let context = context(held, traitor, &strike)
            let (edit, future) = (edit(&strike), wall + (1 << 41))
            bodies = [traitor.change(&traitor.log, edit, context: context, wall: future, &strike.dice)]
        case .missingContexts:
            var log = traitor.freshLog(&strike.dice)
            let nobody = ReplicaID(raw: Bytes16(high: strike.dice.next(), low: 1))
            let context = VersionVector([.init(nobody, SequenceNumber(7))])
            for _ in 0..<strike.number(1...20) {
                bodies.append(
                    traitor.change(&log, edit(&strike), context: context, wall: wall, &strike.dice))
            }
            // One in eight is more than a node keeps for a peer.
            guard result.faults[.missingContexts, default: 0] % 8 == 3 else { break }
            for _ in 0..<40 {
                bodies.append(traitor.change(&log, Self.heavy, context: context, wall: wall, &strike.dice))
            }
        case .newerVersions:
            let context = context(held, traitor, &strike)
            let body = Operation.Body.unknown(tag: 900, sequenceCount: 1, payload: [1, 2, 3])
            // A document that honest programs write is nobody's to write any more after it.
            let name = strike.number(0...3) == 0 ? "note/0" : "hostile/\(strike.number(0...2))"
            let operation = Operation(document: Key(name), body: body)
            bodies = [traitor.change(&traitor.log, operation, context: context, wall: wall, &strike.dice)]
        case .invalidOperations:
            let context = context(held, traitor, &strike)
            for _ in 0..<strike.number(1...4) {
                let operation = invalid(&strike)
                bodies.append(
                    traitor.change(&traitor.log, operation, context: context, wall: wall, &strike.dice))
            }
        case .equivocation: bodies = traitor.tellEither(edit(&strike), wall: wall, &strike.dice)
        case .forgeries:
            bodies = (0..<strike.number(1...3)).map { _ in
                traitor.forged(beyond: held, &strike.dice) ?? traitor.altered(&strike.dice)
            }
        default: return lies(&strike)
        }
        return bodies.compactMap { body in
            body.map { LinkFrame(type: FrameType.segment.rawValue, channel: 0, body: $0) }
        }
    }

    private static let heavy = Operation(
        document: "hostile/0",
        body: .act(
            in: ContainerPath(generation: .first),
            .write(
                slot: .key("x"), value: .string(Key(String(repeating: "waits for ever ", count: 16_000))),
                generation: .first)))

    /// Half of the time in a document that honest programs write too.
    private func place(_ strike: inout Strike) -> Key {
        let number = strike.number(0...2)
        return Bool.random(using: &strike.dice) ? Key("note/\(number)") : Key("hostile/\(number)")
    }

    /// An edit as an honest program could make it.
    private func edit(_ strike: inout Strike) -> Operation {
        func path(_ key: Key, _ kind: ContainerKind) -> ContainerPath {
            ContainerPath(generation: .first, steps: [ContainerStep(.key(key), kind, .first)])
        }
        let value = Int64(strike.number(0...99))
        let body: Operation.Body =
            switch strike.number(0...4) {
            case 0: .act(in: path("text", .text), .insertText(left: nil, right: nil, "other \(value)"))
            case 1:
                .act(
                    in: path("list", .list),
                    .insertElements(left: nil, right: nil, [.register(.integer(value))]))
            case 2: .act(in: path("count", .counter), .increment(by: value))
            default:
                .act(
                    in: ContainerPath(generation: .first),
                    .write(slot: .key("x"), value: .integer(value), generation: .first))
            }
        return Operation(document: place(&strike), body: body)
    }

    /// One that decodes and is none: of what it says it acts on nothing was seen, or it is of another kind.
    private func invalid(_ strike: inout Strike) -> Operation {
        let unseen = Dot(ReplicaID(raw: Bytes16(high: 1, low: 1)), SequenceNumber(9))
        func path(_ key: Key, _ kind: ContainerKind) -> ContainerPath {
            ContainerPath(generation: .first, steps: [ContainerStep(.key(key), kind, .first)])
        }
        let body: Operation.Body =
            switch strike.number(0...3) {
            case 0:
                .act(
                    in: path("list", .list),
                    .insertElements(left: unseen, right: nil, [.register(.null)]))
            case 1: .act(in: path("text", .text), .deleteText([DotRange(unseen)]))
            case 2: .act(in: path("text", .text), .increment(by: 1))
            default: .act(in: path("list", .list), .moveElement(unseen, left: unseen, right: unseen))
            }
        return Operation(document: place(&strike), body: body)
    }

    /// What the victim holds, half of the time: then the change competes with nothing that it saw. Where
    /// disks go back a victim may lose what only it had, and the change would wait for ever.
    private func context(_ held: VersionVector, _ traitor: Traitor, _ strike: inout Strike) -> VersionVector {
        let isWanted = Bool.random(using: &strike.dice)
        guard isWanted, !plan.isOn(.restores), !plan.hasForks else { return VersionVector() }
        let device = world.nodes[traitor.index].device
        return VersionVector(held.entries.filter { checker.universe.devices[$0.replica] ?? device != device })
    }

    /// Holds what the victim holds, and says that its documents are others: the victim raises an alarm, if it
    /// got so far and nothing was written meanwhile.
    mutating func lieAboutDigest(
        _ link: inout HostileLink, to victim: Int, _ strike: inout Strike
    ) throws(Violation) {
        // On one link equal chains have equal fingerprints: its own HAVE is one that fits.
        link.say(frame(HaveFrame(.full, link.entries)), &world)
        let end = world.time + 6_000
        while link.last(.digest) == nil, world.time < end {
            try runEvents(until: world.time + 250)
            link.listen(&world)
        }
        guard let said = link.last(.digest) else { return }
        let digest: DigestFrame
        do throws(DecodeFault) {
            digest = try DigestFrame(decoding: said.body)
        } catch {
            throw Violation(.stored, "node \(victim) sent a digest that does not decode: \(error)")
        }
        let (position, starts) = (checker.views[victim].position, world.nodes[victim].starts)
        let lie = Bytes32((0..<32).map { _ in UInt8.random(in: 0...255, using: &strike.dice) })
        link.say(
            frame(
                DigestFrame(
                    vectorHash: digest.vectorHash, rosterHash: digest.rosterHash,
                    exceptionsHash: digest.exceptionsHash, documentsDigest: lie)), &world)
        let line = DigestDocumentsFrame.Line(key: "lie", digest: .zero)
        link.say(frame(DigestDocumentsFrame(of: lie, part: 0, lines: [line])), &world)
        try runEvents(until: world.time + 100)
        link.listen(&world)
        guard link.last(.digestParts) != nil, world.nodes[victim].starts == starts,
            checker.views[victim].position == position, let node = world.nodes[victim].node
        else { return }
        let device = plan.traitor.map { world.nodes[$0].device }
        guard node.raisedAlarms.contains(where: { $0.code == "digest-differs" && $0.device == device }) else {
            throw Violation(.sameDocuments, "node \(victim) heard of other documents and raises no alarm")
        }
        result.marks.insert("lying-digest-told")
    }

    /// Frames that are well formed and not true.
    private func lies(_ strike: inout Strike) -> [LinkFrame] {
        let known = checker.universe.branchesOf.keys.sorted()
        let entries = known.map {
            HaveFrame.Entry(
                replica: $0, last: SequenceNumber(UInt64(strike.number(1...5_000))),
                fingerprint: strike.dice.next())
        }
        switch strike.number(0...2) {
        case 0: return [frame(HaveFrame(.full, entries))]
        case 1: return [frame(ReceivedFrame(bytes: strike.dice.next() >> 1))]
        default:
            let body = (0..<strike.number(0...300)).map { _ in UInt8.random(in: 0...255, using: &strike.dice)
            }
            return [LinkFrame(type: UInt8(strike.number(4...20)), channel: 0, body: body)]
        }
    }

    func frame(_ body: some FrameBody) -> LinkFrame {
        LinkFrame(type: type(of: body).type.rawValue, channel: 0, body: body.encoded())
    }
}
