// What follows from a removal where it is known: what the peer of a channel may still hear, and what a box
// that was removed itself says and shows.

import Bytes
import Causality
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    func farewell(at now: Instant) -> SpaceChannel.PeerStanding {
        .farewell(
            bytesLeft: MeshLimits.farewellBytes, deadline: now.monotonic + MeshLimits.farewellMilliseconds)
    }

    /// The last operations that the peer of a channel is shown; nil: whatever comes.
    func lastShown(_ place: ChannelPlace) -> [RosterHead]? {
        guard links[place.channel].isFarewell else { return nil }
        return spaces[place.space].roster.exclusion(of: links[place.link].device).map(\.id)
    }

    /// From now on the peer of a channel hears nothing but that it was removed.
    mutating func beginFarewellIfRemoved(_ place: ChannelPlace, at now: Instant) {
        guard !links[place.channel].isFarewell, !isPlanted("removed-served-on"),
            spaces[place.space].roster.isRemoved(links[place.link].device)
        else { return }
        links[place.channel].standing = farewell(at: now)
        links[place.channel].claims = nil
    }

    /// Logs that this device sends on a channel where it was removed: its own, and those of others that the
    /// peer asked for, on which it may have built and which may be nowhere else (decision 0174); else nil.
    func logsHandedOver(on channel: SpaceChannel, from index: SpaceHandle) -> Set<ReplicaID>? {
        guard spaces[index].roster.isRemoved(device) else { return nil }
        return channel.asked.union(spaces[index].logs.written(by: device))
    }

    /// Shows that this device was removed, or let in by somebody who might not, for as long as it is so.
    mutating func noteOwnRemoval(in index: SpaceHandle, at now: Instant) {
        let (space, name) = (spaces[index].id, spaces[index].name)
        let hint =
            "what is here stays readable: replctl export \(name). An admin's invite lets it in "
            + "again; replctl space leave \(name) deletes it here"
        if let removal = spaces[index].roster.removal(of: device) {
            raise(
                Alarm(
                    code: "removed",
                    message:
                        "this device was removed from space \(name) by "
                        + "\(spaces[index].named(removal.author))",
                    hint: hint, since: removal.timestamp.milliseconds, space: space, device: device))
        } else {
            resolveAlarm(code: "removed", space: space, device: device)
        }
        // A space that it left by itself is not here.
        let hasLeft = spaces[index].roster.hasLeft(device)
        if hasLeft || spaces[index].roster.isUnadmitted(device) {
            let why =
                hasLeft
                ? "it had left, and whoever let it in again did not know that yet, or might not"
                : "whoever let it in had been removed, or had lost the right to"
            raise(
                Alarm(
                    code: "not-admitted",
                    message: "this device is no member of space \(name): \(why)", hint: hint, since: now.wall,
                    space: space, device: device))
        } else {
            resolveAlarm(code: "not-admitted", space: space, device: device)
        }
    }
}
