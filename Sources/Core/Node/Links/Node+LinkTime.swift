// What time does to links: PINGs, dead links, clocks that are compared, a machine that slept, and the moment
// at which the address book goes to disk.

import Bytes
import Causality
import Crypto
import Identity
import Mesh
import Replication
import SecureLink
import Wire

extension Node {
    /// What is due on links, joins and the address book.
    mutating func tickLinks(at now: Instant) {
        for id in links.connectionIDs {
            guard let connection = links.connections[id] else { continue }
            if connection.secure.deadline != nil {
                take(links.connections[id]?.secure.tick(at: now) ?? [], of: id, at: now)
            } else if let deadline = connection.proofDeadline, now.monotonic >= deadline {
                close(id, .silent, "no proof of the invite came", at: now)
            } else if connection.link != nil {
                tickLink(id, at: now)
            }
        }
        tickViews(at: now)
        tickJoins(at: now)
        writeBook(at: now)
    }

    private mutating func tickLink(_ id: ConnectionID, at now: Instant) {
        switch links.connections[id]?.link?.liveness.check(at: now.monotonic) {
        case .dead:
            let heard = links.connections[id]?.link?.liveness.heard ?? now.monotonic
            let seconds = (now.monotonic - min(heard, now.monotonic)) / 1_000
            // Its box may be elsewhere by now; so may we.
            announceByBeacon(at: now)
            return close(id, .silent, "nothing was heard for \(seconds) s", at: now)
        case .doubtful:
            // Another link is dialled beside it; the one that answers stays.
            links.nextDialCheck = 0
            if let device = links.connections[id]?.link?.device {
                batch.log(
                    .info, "link-doubtful",
                    "\(device.text) did not answer for \(MeshLimits.answerMilliseconds / 1_000) s; "
                        + "it is dialled again")
            }
        case .ping(let token): send([ping(token, at: now)], on: id)
        case .fine, nil: break
        }
        for number in links.connections[id]?.link?.channelNumbers ?? [] {
            if let space = links.connections[id]?.link?.channels[number]?.space,
                let index = spaces.handle(of: space)
            {
                answerRosterHave(ChannelPlace(connection: id, number: number, space: index), at: now)
            }
            guard
                case .provisional(_, let deadline)? = links.connections[id]?.link?.channels[number]?.standing,
                now.monotonic >= deadline
            else { continue }
            if number == 0 { return close(id, .notMember, "the roster does not list this device", at: now) }
            links.connections[id]?.link?.channels[number] = nil
        }
    }

    // MARK: PING

    /// The token, then our wall clock: the peer compares it with its own.
    func ping(_ token: UInt64, at now: Instant) -> LinkFrame {
        var writer = ByteWriter()
        writer.u64(token)
        writer.u64(now.wall)
        return LinkFrame(type: LinkFrame.ping, body: writer.bytes)
    }

    /// The peer asked for a sign of life, and got it. Its clock is as old as half a round trip.
    mutating func pinged(_ body: [UInt8], on id: ConnectionID, at now: Instant) {
        guard let link = links.connections[id]?.link, body.count == 16 else { return }
        let wall = body[8...].reduce(0) { $0 << 8 | UInt64($1) }
        let theirs = wall.addingReportingOverflow((link.liveness.roundTripMilliseconds ?? 0) / 2)
        let offset =
            Int64(clamping: theirs.overflow ? .max : theirs.partialValue) &- Int64(clamping: now.wall)
        links.connections[id]?.link?.clockOffset = offset
        checkClock(link.device, offset, at: now)
    }

    // MARK: Sleep

    /// Called with every input. Links make a tick due at least once a PING interval, dials once in half a
    /// minute; when much more went by, the machine slept or the process was stopped.
    mutating func noteTime(at now: Instant) {
        let last = links.clock
        links.clock = max(last, now.monotonic)
        let longest = links.table.count > 0 ? links.times.pingMilliseconds : 30_000
        guard now.monotonic > last + longest + 10_000, isDialling || links.table.count > 0 else { return }
        batch.log(
            .info, "resumed",
            "\((now.monotonic - last) / 1_000) s went by unseen (the machine slept?); peers are dialled and "
                + "links asked at once")
        askAll(at: now)
    }

    /// What was known of the network may be wrong: links have a few seconds to answer, and all that waits is
    /// dialled.
    mutating func askAll(at now: Instant) {
        for id in links.connectionIDs where links.connections[id]?.link != nil {
            guard let token = links.connections[id]?.link?.liveness.resume(at: now.monotonic) else {
                continue
            }
            send([ping(token, at: now)], on: id)
        }
        links.dialer.reset()
        links.nextDialCheck = 0
    }

    // MARK: The address book on disk

    private mutating func writeBook(at now: Instant) {
        let isDue =
            links.book.isChanged && now.monotonic >= links.nextBookWrite
            || links.book.hasOutcomes && now.monotonic >= links.nextOutcomesWrite
        guard isDue else { return }
        do throws(StoreFailure) {
            try batch.write(&store)
            try store.setMeta(NodeMeta.addresses, links.book.encode())
            links.book.markStored()
            links.nextBookWrite = now.monotonic + MeshLimits.bookWriteMilliseconds
            links.nextOutcomesWrite = now.monotonic + MeshLimits.outcomesWriteMilliseconds
        } catch {
            batch.fail(error)
        }
        let book = links.book
        links.dialer.retain { book[$0] != nil }
        links.names.retain { book[$0] != nil }
        links.keyTurns = links.keyTurns.filter { book[$0.key] != nil }
        links.keyOfAddress = links.keyOfAddress.filter { book[$0.key] != nil }
    }

    /// When `tickLinks`, `dialDue` or `pump` have something to do.
    var linksDeadline: UInt64? {
        var next: UInt64? = isDialling && links.nextDialCheck != .max ? links.nextDialCheck : nil
        func take(_ moment: UInt64?) {
            if let moment { next = min(next ?? .max, moment) }
        }
        for connection in links.connections.values {
            take(connection.secure.deadline)
            take(connection.proofDeadline)
            guard let link = connection.link else { continue }
            take(link.liveness.deadline)
            for channel in link.channels.values {
                take(channel.sync.resendAt)
                take(channel.backlog.due)
                take(digestDeadline(channel))
                take(channel.roster.deadline)
                take(haveDeadline(channel))
                take(rateDeadline(channel, link))
                if case .provisional(_, let deadline) = channel.standing { take(deadline) }
            }
        }
        for index in spaces.indices { take(gossipDeadline(of: index)) }
        take(viewsDeadline)
        for join in links.joins.values { take(join.deadline) }
        if links.book.isChanged { take(links.nextBookWrite) }
        if links.book.hasOutcomes { take(links.nextOutcomesWrite) }
        take(discoveryDeadline)
        return next
    }
}
