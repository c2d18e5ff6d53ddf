// PING and its answer: a sign of life, the round trip, and the peer's clock.

import Bytes
import Causality
import Mesh
import SecureLink

extension Node {
    /// The token, then our wall clock: the peer compares it with its own.
    func ping(_ token: UInt64, at now: Instant) -> LinkFrame {
        var writer = ByteWriter()
        writer.u64(token)
        writer.u64(now.wall)
        return LinkFrame(type: LinkFrame.ping, body: writer.bytes)
    }

    /// The peer asked for a sign of life, and got it. Its clock is as old as half a round trip.
    mutating func pinged(_ body: [UInt8], on connection: ConnectionHandle, at now: Instant) {
        guard let link = links.connections.linked(connection), body.count == 16 else { return }
        let wall = body[8...].reduce(0) { $0 << 8 | UInt64($1) }
        let theirs = wall.addingReportingOverflow((links[link].liveness.roundTripMilliseconds ?? 0) / 2)
        let offset = ClockOffset.milliseconds(
            of: theirs.overflow ? .max : theirs.partialValue, from: now.wall)
        links[link].clockOffset = offset
        checkClock(links[link].device, offset, at: now)
    }

    /// What was known of the network may be wrong: links have a few seconds to answer, and all that waits is
    /// dialled.
    mutating func askAll(at now: Instant) {
        for link in links.connections.linkHandles {
            let token = links[link].liveness.resume(at: now.monotonic)
            send([ping(token, at: now)], on: link)
        }
        reachability.resetBackOff()
    }
}
