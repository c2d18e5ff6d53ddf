// Wires the machine of pings: sends them on links that stand, and answers who asked.

import Causality
import Identity
import Mesh
import Roster

extension Node {
    mutating func ping(_ id: RequestID, _ reference: MemberReference, at now: Instant) throws(NodeError) {
        let peer = try member(reference)
        if peer.device == device { throw .ownDevice }
        guard let connection = links.connections.table.links(to: peer.device).first?.connection,
            let link = links.connections.link(of: connection)
        else { throw .notLinked(peer, whyNot: view.whyNotLinked(peer.device, at: now)) }
        guard pings.count < Pings.countMax else { throw .tooMany(what: "pings", limit: Pings.countMax) }
        let token = links[link].liveness.ask(at: now.monotonic)
        pings.begin(
            Pings.Ping(
                request: id, peer: peer, address: links[links[link].connection].remote,
                connection: connection, token: token, sent: now.monotonic))
        send([ping(token, at: now)], on: link)
    }

    /// Answers programs whose ping has ended, after a commit.
    mutating func answerPings(at now: Instant) {
        if pings.isEmpty { return }
        let connections = links.connections
        for outcome in pings.outcomes(isOpen: { connections.link(of: $0) != nil }, at: now.monotonic) {
            switch outcome {
            case .answered(let ping, let milliseconds):
                batch.answer(ping.request, .pinged(rttMilliseconds: milliseconds, address: ping.address))
            case .unanswered(let ping, let milliseconds):
                batch.refuse(
                    ping.request,
                    .noAnswer(ping.peer, address: ping.address, milliseconds: milliseconds))
            }
        }
    }
}
