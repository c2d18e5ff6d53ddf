// What time does to links: PINGs, dead links, clocks that are compared, a machine that slept, and the moment
// at which the address book goes to disk.

import Bytes
import Causality
import Identity
import Mesh
import Replication
import SecureLink

extension Node {
    /// What is due on links, joins and the address book.
    mutating func tickLinks(at now: Instant) {
        for connection in links.connections.handles where links.connections.isOpen(connection) {
            if links[connection].secure.deadline != nil {
                perform(links[connection].secure.tick(at: now), of: connection, at: now)
                continue
            }
            switch links[connection].phase {
            case .handshaking, .joining: break
            case .admitting(let deadline, _):
                guard now.monotonic >= deadline else { continue }
                close(connection, .silent, "no proof of the invite came", at: now)
            case .linked(let link): tickLink(link, at: now)
            }
        }
        tickRosters(at: now)
        tickKeys(at: now)
        tickViews(at: now)
        if let due = joins.deadline, now.monotonic >= due {
            perform(joins.tick(neighbourhood(at: now), at: now), at: now)
        }
        writeBook(at: now)
    }

    private mutating func tickLink(_ link: LinkHandle, at now: Instant) {
        switch links[link].liveness.check(at: now.monotonic) {
        case .dead where isPlanted("silent-links-stay"): break
        case .dead:
            let heard = links[link].liveness.heard
            let seconds = (now.monotonic - min(heard, now.monotonic)) / 1_000
            // Its box may be elsewhere by now; so may we.
            announceByBeacon(at: now)
            return close(link, .silent, "nothing was heard for \(seconds) s", at: now)
        case .doubtful:
            // Another link is dialled beside it; the one that answers stays.
            reachability.checkDials()
            batch.log(
                .info, "link-doubtful",
                "\(named(links[link].device)) did not answer for \(MeshLimits.answerMilliseconds / 1_000) s; "
                    + "it is dialled again")
        case .ping(let token): send([ping(token, at: now)], on: link)
        case .fine: break
        }
        for channel in links[link].channels.map(\.handle) where links.connections.isOpen(channel) {
            if let index = spaces.handle(of: links[channel].space) {
                answerRosterHave(links.place(channel, in: index), at: now)
                hearHeld(on: channel, at: now)
            }
            guard links.connections.isOpen(channel),
                let deadline = links[channel].standing.deadline, now.monotonic >= deadline
            else { continue }
            if links[channel].isFarewell {
                endFarewell(of: channel, at: now)
                continue
            }
            if links[channel].number == 0 {
                return close(link, .notMember, "the roster does not list this device", at: now)
            }
            links.connections.close(channel)
        }
    }

    /// What the peer said behind the roster that lists it, which was looked at meanwhile.
    private mutating func hearHeld(on channel: ChannelHandle, at now: Instant) {
        guard links.connections.isOpen(channel), !links[channel].roster.hasIncoming else { return }
        let connection = links[links[channel].link].connection
        for frame in links[channel].roster.takeHeld() where links.connections.isOpen(channel) {
            if links[channel].isFull { dispatch(frame, on: connection, at: now) }
        }
    }

    // MARK: Sleep

    /// Called with every input. Links make a tick due at least once a PING interval, dials once in half a
    /// minute; when much more went by, the machine slept or the process was stopped.
    mutating func recordTime(at now: Instant) {
        let last = links.clock
        links.clock = max(last, now.monotonic)
        let longest = links.connections.table.count > 0 ? links.connections.times.pingMilliseconds : 30_000
        guard now.monotonic > last + longest + 10_000, isDialling || links.connections.table.count > 0 else {
            return
        }
        batch.log(
            .info, "resumed",
            "\((now.monotonic - last) / 1_000) s went by unseen (the machine slept?); peers are dialled and "
                + "links asked at once")
        askAll(at: now)
    }

    /// When `tickLinks`, `dialDue` or `pump` have something to do.
    var linksDeadline: UInt64? {
        var next = reachability.deadline
        func take(_ moment: UInt64?) {
            if let moment { next = min(next ?? .max, moment) }
        }
        take(links.connections.deadline)
        for link in links.connections.linkHandles {
            for channel in links[link].channels.map({ links[$0.handle] }) {
                take(channel.sync.resendAt)
                take(channel.backlog.due)
                take(digestDeadline(channel))
                take(channel.roster.deadline)
                take(haveDeadline(channel))
                take(rateDeadline(channel, links[link]))
            }
        }
        for index in spaces.indices {
            take(repairDeadline(of: index))
            take(spaces[index].membership.deadline)
            take(spaces[index].membership.keyWork.deadline)
        }
        take(viewsDeadline)
        take(joins.deadline)
        return next
    }
}
