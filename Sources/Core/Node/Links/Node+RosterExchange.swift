// The roster is exchanged first on every channel: each side says what it holds, the other sends what lacks. A
// roster that grows decides at once who may speak, who is dialled, and which early changes are ready.

import Bytes
import Causality
import Crypto
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    func rosterHave(of index: SpaceHandle, on number: UInt16) -> LinkFrame {
        rosterHave(of: spaces[index].roster, on: number)
    }

    func rosterHave(of roster: Roster, on number: UInt16) -> LinkFrame {
        let heads = Array(roster.heads.prefix(RosterLimits.headsMax))
        let summary = Array(Set(roster.summary()).sorted().prefix(RosterLimits.summaryMax))
        return LinkFrame(RosterHaveFrame(heads: heads, summary: summary), on: number)
    }

    mutating func rosterHaveArrived(_ frame: RosterHaveFrame, _ place: ChannelPlace, at now: Instant) {
        links.connections[place.connection]?.link?.channels[place.number]?.roster.receive(frame)
        answerRosterHave(place, at: now)
    }

    /// Answers what was asked last when it may be answered.
    mutating func answerRosterHave(_ place: ChannelPlace, at now: Instant) {
        let roster = spaces[place.space].roster
        let answer = links.connections[place.connection]?.link?.channels[place.number]?.roster.answer(
            from: roster, at: now.monotonic)
        guard let lacking = answer ?? nil else { return }
        send(Self.operationFrames(lacking, on: place.number), on: place.connection)
        dismissIfGone(place, at: now)
    }

    mutating func rosterOperationsArrived(
        _ frame: RosterOperationsFrame, _ place: ChannelPlace, at now: Instant
    ) {
        var added: [RosterOperation] = []
        var isWaiting = false
        for bytes in frame.operations {
            do {
                let operation = try RosterOperation(decoding: bytes)
                if operation.mayVoid {
                    keepRoster(added, in: place.space, at: now)
                    return fault(place.connection, Self.mayVoidFault, at: now)
                }
                switch try spaces[place.space].roster.add(operation) {
                case .added(let operations): added += operations
                case .known: break
                case .waiting: isWaiting = true
                }
            } catch {
                keepRoster(added, in: place.space, at: now)
                return fault(place.connection, "roster operation: \(error)", at: now)
            }
        }
        // What is lacking in front of them is in nobody's flight: say what is held, and it comes.
        if isWaiting { send([rosterHave(of: place.space, on: place.number)], on: place.connection) }
        keepRoster(added, in: place.space, at: now)
    }

    /// Executed changes are not taken back yet, so what could void them is taken from nobody (decision 0040).
    static var mayVoidFault: String {
        "it removes or demotes a member, which this version cannot carry out"
    }

    /// Stores operations that were just added, and does what follows from them.
    mutating func keepRoster(_ added: [RosterOperation], in index: SpaceHandle, at now: Instant) {
        guard !added.isEmpty else { return }
        let space = spaces[index].id
        do throws(StoreFailure) {
            try batch.write(&store)
            for operation in added { try store.addRosterOperation(space, operation.bytes) }
        } catch {
            return batch.fail(error)
        }
        for operation in added { links.buffer.arrive(operation.id, in: space) }
        drain()
        rosterAdvanced(index, at: now)
    }

    /// The roster of the space grew, here or by a peer.
    mutating func rosterAdvanced(_ index: SpaceHandle, at now: Instant) {
        learnAddresses(of: index)
        links.nextDialCheck = 0
        let space = spaces[index].id
        for (id, number) in links.channels(of: space) {
            sendRoster(of: index, on: number, of: id)
            settle(ChannelPlace(connection: id, number: number, space: index), at: now)
        }
        // A member of this space may be linked under another one.
        for id in links.connectionIDs { openChannels(on: id, at: now) }
    }

    /// Sends what the peer of a channel is not known to have.
    mutating func sendRoster(of index: SpaceHandle, on number: UInt16, of id: ConnectionID) {
        let roster = spaces[index].roster
        let lacking = links.connections[id]?.link?.channels[number]?.roster.advance(to: roster)
        if let lacking = lacking ?? nil { send(Self.operationFrames(lacking, on: number), on: id) }
    }

    /// A provisional peer becomes full on the same link when the roster lists it, and the other way round.
    private mutating func settle(_ place: ChannelPlace, at now: Instant) {
        guard let link = links.connections[place.connection]?.link, let channel = link.channels[place.number]
        else { return }
        let isListed = spaces[place.space].roster.role(of: link.device) != nil
        if isListed, !channel.isFull {
            links.connections[place.connection]?.link?.channels[place.number]?.standing = .full
            if !link.channels.values.contains(where: \.isFull) { noteMember(link, at: now) }
        } else if !isListed, channel.isFull {
            dismissIfGone(place, at: now)
        }
    }

    /// A member that left or was removed gets the roster that says so, then CLOSE.
    private mutating func dismissIfGone(_ place: ChannelPlace, at now: Instant) {
        guard let link = links.connections[place.connection]?.link,
            let member = spaces[place.space].roster.member(link.device), member.state != .active
        else { return }
        if place.number == 0 {
            close(place.connection, .removed, "the device \(member.state.name) the space", at: now)
        } else {
            links.connections[place.connection]?.link?.channels[place.number] = nil
        }
    }

    static func operationFrames(_ operations: [RosterOperation], on number: UInt16) -> [LinkFrame] {
        var frames: [LinkFrame] = []
        var part: [[UInt8]] = []
        var bytes = 0
        for operation in operations {
            if bytes + operation.bytes.count > RosterLimits.joinPartBytesMax
                || part.count == WireLimits.rosterOperationsMax
            {
                frames.append(LinkFrame(RosterOperationsFrame(operations: part), on: number))
                (part, bytes) = ([], 0)
            }
            part.append(operation.bytes)
            bytes += operation.bytes.count
        }
        if !part.isEmpty { frames.append(LinkFrame(RosterOperationsFrame(operations: part), on: number)) }
        return frames
    }
}

extension LinkFrame {
    /// A frame of replication on a channel.
    init(_ body: some FrameBody, on channel: UInt16) {
        self.init(type: Swift.type(of: body).type.rawValue, channel: channel, body: body.encoded())
    }
}
