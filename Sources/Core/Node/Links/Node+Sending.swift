// After each commit: every channel gets what its peer lacks. One function computes it for catching up and for
// live push alike, so there is no second path to get wrong. Only what is durable is named or sent.

import Bytes
import Causality
import Crypto
import Identity
import Mesh
import Replication
import Roster
import SecureLink
import Wire

extension Node {
    /// Sends on every channel what is due. Called after the store's commit returned.
    mutating func pump(at now: Instant) {
        guard !links.connections.isEmpty else { return }
        endFarewells(at: now)
        var round = SegmentRound()
        do throws(StoreFailure) {
            for index in spaces.indices {
                try updateAdvertised(index)
                try advanceDigest(index, at: now)
                requestMissing(index, at: now)
            }
            for index in spaces.indices {
                sendHave(index, at: now)
                sendNeighbours(index, again: false, at: now)
            }
            for link in linksInTurn {
                for channel in links[link].channels { try pump(channel.handle, &round, at: now) }
            }
        } catch {
            // Nothing was changed in the store; what was not sent is computed again after the next commit.
            batch.log(.error, "store-read", "reading for peers failed (\(error)); it is tried again")
        }
    }

    private mutating func pump(
        _ handle: ChannelHandle, _ round: inout SegmentRound, at now: Instant
    ) throws(StoreFailure) {
        guard let index = spaces.handle(of: links[handle].space),
            let told = spaces[index].replication.advertised
        else { return }
        let (link, number) = (links[handle].link, links[handle].number)
        let peer = links[link].device
        var channel = links.connections.withdraw(handle)
        defer {
            links[handle] = channel
            if isPlanted("need-remembered") {
                spaces[index].peerVectors[peer, default: VersionVector()].join(channel.sync.sent)
            }
        }
        if channel.isFarewell {
            return send(farewellFrames(&channel, number, on: link, in: index, at: now), on: link)
        }
        guard channel.isReady else { return }
        // Of a device that was removed only what others cannot have is of use to them.
        channel.sync.only = logsHandedOver(on: channel, from: index)
        var frames = openingForks(on: &channel, number, in: index)
        // 1. What I took in, and what others bring me. What I hold was told by `sendHave`.
        if !links.pause.isOn(at: now.monotonic), let total = channel.sync.acknowledgement() {
            frames.append(LinkFrame(ReceivedFrame(bytes: total), on: number))
        }
        if let frame = channel.supply.nextPrune(at: now.monotonic) {
            frames.append(LinkFrame(frame, on: number))
        }
        // 2. Addresses of others, when they changed.
        if channel.addresses.advances(to: reachability.addressesVersion) {
            if let peers = channel.addresses.news(among: peersToAdvertise(peer, in: index)) {
                frames.append(LinkFrame(peers, on: number))
            }
        }
        // 3. The base, where changes are gone that the peer lacks; changes.
        if let offer = try baseOffer(on: &channel, in: index) { frames.append(LinkFrame(offer, on: number)) }
        let isTaking =
            channel.base.askedAt.map { $0 + NodeLimits.baseAskMilliseconds > now.monotonic } ?? false
        if isTaking, !channel.base.asked.isEmpty { return send(frames, on: link) }
        frames += try segments(for: &channel, number, on: link, in: index, told, &round, at: now)
        if let backlog = try nextBacklog(on: &channel, in: index, told, at: now) {
            frames.append(LinkFrame(backlog, on: number))
        }
        if let digest = nextDigest(on: &channel, in: index, told, at: now) {
            frames.append(LinkFrame(digest, on: number))
        }
        send(frames, on: link)
    }

    /// The segments that the peer of a channel lacks, as far as the window and the caps allow.
    private mutating func segments(
        for channel: inout SpaceChannel, _ number: UInt16, on link: LinkHandle, in index: SpaceHandle,
        _ told: AdvertisedLogs, _ round: inout SegmentRound, at now: Instant
    ) throws(StoreFailure) -> [LinkFrame] {
        var frames: [LinkFrame] = []
        channel.heldBackBy = nil
        while channel.sync.hasRoom, channel.sync.isBehind(told.position.value) {
            channel.heldBackBy = cap(on: link, at: now)
            guard channel.heldBackBy == nil, let source = segmentSource(index, told, on: link),
                let segment = try round.next(for: &channel.sync, of: source, from: store, entropy: &entropy)
            else { break }
            if segment.isNew, segment.replica == spaces[index].ownReplica {
                spaces[index].replication.budget.earn(segment.bytes.count)
            }
            spend(segment.bytes.count, on: link, at: now)
            frames.append(
                LinkFrame(type: FrameType.segment.rawValue, channel: number, body: segment.bytes))
        }
        return frames
    }

    /// What the space has to send; nil for a relay, which reads no changes.
    private func segmentSource(_ index: SpaceHandle, _ told: AdvertisedLogs, on link: LinkHandle)
        -> SegmentRound.Source?
    {
        let epoch = spaces[index].membership.sealing(to: links[link].device)
        guard let content = epoch.content else { return nil }
        return SegmentRound.Source(
            space: spaces[index].id, epoch: epoch.name, content: content, advertised: told,
            logs: spaces[index].logs.heads, cuts: cutsOfSegments(of: index), bytesAim: segmentBytesAim,
            derivesNonce: isPlanted("nonce-from-sequence"))
    }

    /// Where the logs begin that can be sent: before it there is only the base.
    func cutsOfSegments(of index: SpaceHandle) -> VersionVector {
        var cuts = spaces[index].logs.cuts
        cuts.join(spaces[index].elsewhere)
        return cuts
    }
}
