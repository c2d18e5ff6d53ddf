// A member that was removed is told so, and what it wrote and nobody else had is not lost (LIFECYCLE):
//
//     removed  --ROSTER_HAVE-->
//     member   --ROSTER_OPERATIONS-->     the removal, what fells a later admission, and what these were
//                                         made on; nothing beyond
//     removed  --ROSTER_HAVE-->           it knows
//     member   --HAVE-->                  of the removed one's logs
//     removed  --HAVE, segments-->        of its own logs; HAVE names all
//     member   --HAVE, GRAFT-->           of others' logs when it lacks something of them
//     removed  --segments-->
//     member   --CLOSE removed-->         it holds all that was named, or a minute is over
//
// Its changes are stored as those of anybody; that they are void follows from the roster. It gets no
// segment, address or later operation.

import Bytes
import Causality
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// A frame of a peer that was removed. What it has no right to say is dropped.
    mutating func farewellArrived(
        _ frame: LinkFrame, _ type: FrameType, _ place: ChannelPlace, at now: Instant
    ) throws(DecodeFault) {
        switch type {
        case .have:
            guard spendFarewell(frame, on: place.channel, at: now) else { return }
            let have = try HaveFrame(decoding: frame.body)
            let named = spaces[place.space].closings.clamped(
                VersionVector(have.entries.map { VersionVector.Entry($0.replica, $0.last) }))
            if have.extent == .full {
                links[place.channel].claims = named
                if !logsLacking(on: links[place.channel], in: place.space).isEmpty {
                    links[place.channel].sync.askAgain(at: now.monotonic)
                }
            } else {
                links[place.channel].claims?.join(named)
            }
        case .segment:
            guard spendFarewell(frame, on: place.channel, at: now) else { return }
            var reader = ByteReader(frame.body)
            let header = try SegmentHeader(of: spaces[place.space].id, from: &reader)
            let author = header.declaration.device
            guard author == links[place.link].device || links[place.channel].asked.contains(header.replica)
            else { return }
            segmentArrived(frame.body, place, at: now)
        default: return
        }
    }

    private mutating func spendFarewell(_ frame: LinkFrame, on channel: ChannelHandle, at now: Instant)
        -> Bool
    {
        if links.connections.spend(frame.body.count, on: channel) { return true }
        endFarewell(of: channel, at: now)
        return false
    }

    /// What a removed peer is told after a commit: how much of its logs is held here.
    mutating func farewellFrames(
        _ channel: inout SpaceChannel, _ number: UInt16, on link: LinkHandle, in index: SpaceHandle,
        at now: Instant
    ) -> [LinkFrame] {
        var frames: [LinkFrame] = []
        guard let told = spaces[index].replication.advertised,
            channel.roster.peerHeads == spaces[index].roster.exclusion(of: links[link].device).map(\.id),
            !channel.roster.isPouring
        else { return [] }
        if let total = channel.sync.acknowledgement() {
            frames.append(LinkFrame(ReceivedFrame(bytes: total), on: number))
        }
        if channel.sync.mustTell(at: now.monotonic) {
            frames += farewellHave(&channel, number, told, on: link, in: index, at: now)
        }
        return frames
    }

    /// What is held of a removed peer's logs, and of those of others that it is asked for.
    private func farewellHave(
        _ channel: inout SpaceChannel, _ number: UInt16, _ told: AdvertisedLogs, on link: LinkHandle,
        in index: SpaceHandle, at now: Instant
    ) -> [LinkFrame] {
        let own = spaces[index].logs.written(by: links[link].device)
        let lacking = logsLacking(on: channel, in: index)
        channel.asked.formUnion(lacking)
        // Of others' logs nothing that the peer does not have itself.
        let sealed = told.sealed.restricted(to: Set(own + lacking))
        guard let have = channel.sync.nextHave(sealed, at: now.monotonic) else { return [] }
        let hash = links[link].handshakeHash
        let entries = have.entries.map { entry in
            let chain = told.hashes[entry.replica] ?? .zero
            return HaveFrame.Entry(
                replica: entry.replica, last: entry.last,
                fingerprint: HaveFrame.Entry.fingerprint(of: chain, handshakeHash: hash))
        }
        let frames = HaveFrame.frames(.full, entries).map { LinkFrame($0, on: number) }
        return lacking.isEmpty ? frames : frames + [LinkFrame(GraftFrame(lacking), on: number)]
    }

    /// Logs of others that a removed peer named more of than is held: what its own changes were made on may
    /// be nowhere else.
    private func logsLacking(on channel: SpaceChannel, in index: SpaceHandle) -> [ReplicaID] {
        guard let claims = channel.claims else { return [] }
        let peer = links[channel.link].device
        let lacking = claims.entries(beyond: spaces[index].held).map(\.replica).filter { log in
            spaces[index].logs[log]?.declaration.device != peer
        }
        return Array(lacking.prefix(WireLimits.treeLogsMax))
    }

    /// Ends what is said to removed peers that have handed over all they named.
    mutating func endFarewells(at now: Instant) {
        for index in spaces.indices where spaces[index].roster.hasRestrictions {
            let durable = spaces[index].durable
            for channel in links.channels(of: spaces[index].id) where links[channel].isFarewell {
                guard let claims = links[channel].claims, claims.entries(beyond: durable).isEmpty else {
                    continue
                }
                endFarewell(of: channel, at: now)
            }
        }
    }

    mutating func endFarewell(of channel: ChannelHandle, at now: Instant) {
        guard links.connections.isOpen(channel) else { return }
        if links[channel].number == 0 {
            close(links[channel].link, .removed, "the device removed the space", at: now)
        } else {
            links.connections.close(channel)
        }
    }
}
