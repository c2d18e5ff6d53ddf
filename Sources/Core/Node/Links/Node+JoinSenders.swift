// A joiner whose token leads nowhere: the inviter may have moved, or be on the network that this box is on
// too and nothing else. The joiner cannot read beacons yet, but it can see who sends datagrams of their size,
// and tries them at the standard port (DESIGN 7). Who does not know the invite is silent.

import Causality
import Mesh
import Wire

extension Node {
    /// Adds who was heard lately to what is tried, after everything else.
    mutating func takeSenders(into attempt: inout JoinAttempt, at now: Instant) {
        guard attempt.remaining.isEmpty else { return }
        for host in links.discovery.senders.hosts(at: now.monotonic) {
            guard attempt.senders.count < JoinAttempt.sendersMax, attempt.senders.insert(host).inserted,
                let address = PeerAddress("\(host):\(JoinAttempt.senderPort)"),
                !attempt.tried.contains(address)
            else { continue }
            attempt.remaining.append(address)
        }
    }

    /// True when the attempt waits for a datagram now; false when there is nothing to wait for.
    mutating func waitForSenders(_ id: RequestID, _ attempt: JoinAttempt, at now: Instant) -> Bool {
        guard links.discovery.networks.isListening, attempt.senders.count < JoinAttempt.sendersMax else {
            return false
        }
        var attempt = attempt
        let isFirst = attempt.listeningUntil == nil
        let until = attempt.listeningUntil ?? now.monotonic + JoinAttempt.listenMilliseconds
        guard now.monotonic < until else { return false }
        attempt.listeningUntil = until
        attempt.deadline = until
        attempt.current = nil
        links.joins[id] = attempt
        if isFirst { batch.answer(id, .joinStage("listening for boxes on the local network")) }
        return true
    }

    /// Somebody sent a datagram of a beacon's size: whoever waits for one tries it.
    mutating func senderHeard(_ host: String, at now: Instant) {
        for request in links.joins.keys.sorted() {
            guard let attempt = links.joins[request], attempt.current == nil,
                attempt.listeningUntil != nil, !attempt.senders.contains(host)
            else { continue }
            joinNext(request, at: now)
        }
    }
}
