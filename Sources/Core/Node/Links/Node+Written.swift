// A connection wrote what it was given: what waits for it goes on. Rosters first, since what else is said is
// judged by them.

import Causality
import Mesh
import Replication
import SecureLink

extension Node {
    /// A connection wrote what was poured on it: more follows.
    mutating func written(_ id: ConnectionID, at now: Instant) {
        guard let connection = links.connections.handle(of: id) else { return }
        links[connection].pour.reopen()
        switch links[connection].phase {
        case .handshaking, .joining: return
        case .admitting(_, let hasProved):
            // Whoever takes its answer is not silent.
            links[connection].phase = .admitting(
                deadline: now.monotonic + MeshLimits.provisionalMilliseconds, hasProved: hasProved)
            pourAnswer(connection)
        case .linked(let link):
            links[link].liveness.write(at: now.monotonic)
            for entry in links[link].channels where links.connections.isOpen(entry.handle) {
                guard let index = spaces.handle(of: entry.space) else { continue }
                let place = links.place(entry.handle, in: index)
                pourRoster(place, at: now)
                if links.connections.isOpen(place.channel) { pourForks(place) }
                if links.connections.isOpen(place.channel) { pourBase(place) }
            }
        }
    }

    private mutating func pourRoster(_ place: ChannelPlace, at now: Instant) {
        guard links[place.channel].roster.isPouring else { return }
        pour(place, at: now)
        guard links.connections.isOpen(place.channel), !links[place.channel].roster.isPouring else { return }
        // What grew or was asked meanwhile.
        advanceRoster(place, at: now)
        if links.connections.isOpen(place.channel) { answerRosterHave(place, at: now) }
    }

    private mutating func pourForks(_ place: ChannelPlace) {
        do throws(StoreFailure) {
            try pourProofs(place)
        } catch {
            return transaction.fail(error)
        }
        let connection = links[place.link].connection
        while links[connection].pour.isOpen, let ask = links[place.channel].forks.nextAsk() {
            forkAskArrived(ask, place)
        }
    }
}
