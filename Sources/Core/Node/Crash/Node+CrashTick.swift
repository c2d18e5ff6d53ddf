// What was marked before a crash could come of it is executed in a batch of its own.

import Causality
import Replication
import Wire

extension Node {
    /// Executes what was marked in an earlier batch.
    mutating func tickCrashGuard(at now: Instant) {
        guard transaction.failure == nil,
            let item = crashGuard.next(at: now.monotonic, in: &transaction)
        else { return }
        switch item {
        case .segment(let body, let marker, nil): takeHeldSegment(body, of: marker.space, at: now)
        case .segment(let body, _, let name?):
            if let place = place(named: name) { segmentArrived(body, place, at: now) }
        case .change(let candidate, let marker):
            do throws(StoreFailure) {
                try execute(candidate, in: marker.space)
                drain()
            } catch {
                transaction.fail(error)
            }
        }
        crashGuard.finish(in: &transaction)
    }

    private mutating func execute(_ candidate: Candidate, in space: SpaceID) throws(StoreFailure) {
        guard let index = spaces.handle(of: space) else { return }
        let log = LogID(space, candidate.change.replica)
        switch spaces[index].admit(candidate) {
        case .ready(let ready): try execute(ready, in: index)
        case .duplicate: break
        case .early(let lack):
            let held = candidate.heldBytes(after: links.buffer.lastItem(of: log))
            links.buffer.add(candidate, of: log, byteCount: held, from: candidate.author, lack: lack)
        case .refused: try reopen(log, in: index)
        }
    }

    private func place(named name: ChannelPlace.Name) -> ChannelPlace? {
        guard let link = links.connections.link(of: name.connection),
            let channel = links.connections.channel(name.number, on: link),
            links[channel].space == name.space,
            let index = spaces.handle(of: name.space)
        else { return nil }
        return links.place(channel, in: index)
    }
}
