// A segment under a content key that this node does not have: it says so, and asks for the roster, which
// brings keys.

import Causality
import Roster
import Wire

extension Node {
    static var keyLacking: String { "key-lacking" }

    /// Nothing of the segment can be read. It is asked for again whenever this node compares what both hold.
    mutating func lacksKey(of header: SegmentHeader, _ place: ChannelPlace, at now: Instant) {
        links.counters.unknownKeys += 1
        // A relay has no content key by its role, and takes in nothing.
        guard spaces[place.space].keys.opensPayloads else { return }
        let device = links[place.link].device
        // Once: whoever sends many of them is not answered many times.
        let isKnown = spaces[place.space].findings.alarms.list.contains {
            $0.code == Self.keyLacking && $0.device == device
        }
        if isKnown { return }
        raise(
            Alarm(
                code: "key-lacking",
                message:
                    "\(named(device)) sends changes of space \(spaces[place.space].name) under a key that "
                    + "this node does not have",
                hint:
                    "the roster is asked for, which brings keys; if this stays, give the space new ones: "
                    + "replctl space keys \(spaces[place.space].name) --rotate, by an admin",
                since: now.wall, space: spaces[place.space].id, device: device))
        send([rosterHave(of: place.space, on: place.number)], on: place.link)
    }
}
