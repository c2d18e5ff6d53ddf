// What the node does for its crash guard: where items come from, how they are executed, and what a person is
// told.

import Bytes
import Causality
import Wire

extension Node {
    /// At the start.
    mutating func openCrashGuard(at now: Instant) throws(StoreFailure) {
        let new = try crashGuard.open(
            hasCrashed: configuration.hasCrashed, at: now.monotonic, in: &transaction)
        guard let new else { return }
        batch.log(
            .error, "quarantined",
            "change \(new.replica):\(new.last) was being executed at two crashes in a row: it is held and "
                + "passed on, and not executed any more")
    }

    /// Each space knows its own quarantined changes.
    mutating func shareQuarantine() {
        for index in spaces.indices {
            spaces[index].exceptions.quarantined = crashGuard.quarantined(in: spaces[index].id)
        }
    }

    /// Shows what is quarantined in spaces of this node.
    mutating func recallQuarantine(at now: Instant) {
        for marker in crashGuard.sortedQuarantine {
            guard let index = spaces.handle(of: marker.space) else { continue }
            raise(
                Alarm(
                    code: "quarantined",
                    message: "change \(marker.replica):\(marker.last) of space \(spaces[index].name) is not "
                        + "executed: this node crashed twice while it did",
                    hint: "report it with the log of the crash; its documents are shown without it and "
                        + "take no local writes until a version executes it",
                    since: now.wall, space: marker.space))
        }
    }

    /// True when a segment has to wait until it is marked.
    mutating func defers(_ body: [UInt8], _ carrier: Carrier, at now: Instant) -> Bool {
        guard crashGuard.isHoldingBack else { return false }
        guard crashGuard.hasRoom(for: body.count) else {
            if case .channel(let place) = carrier { askAgain(place, at: now) }
            return true
        }
        let header: SegmentHeader
        do throws(DecodeFault) {
            var reader = ByteReader(body)
            header = try SegmentHeader(of: spaces[carrier.space].id, from: &reader)
        } catch {
            // The road itself says what is wrong with it.
            return false
        }
        let marker = ExecutionMarker(
            space: header.space, replica: header.replica, first: header.first, last: header.last,
            isSingle: false)
        let name = carrier.place.map {
            ChannelPlace.Name(connection: $0.connection, number: $0.number, space: header.space)
        }
        crashGuard.hold(body, marker, name, in: &transaction)
        return true
    }
}
