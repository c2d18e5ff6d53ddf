// Channels on which others are told that this device left a space.

import Causality
import Crypto
import Mesh
import Roster
import SecureLink
import Wire

extension Node {
    /// False when the store failed.
    @discardableResult
    mutating func forgetLeaving(_ space: SpaceID) -> Bool {
        left.forget(space)
        reachability.keys.forget(space)
        do throws(StoreFailure) {
            try transaction.beginWriting()
            try store.setMeta(NodeMeta.left, left.encoded())
            return true
        } catch {
            transaction.fail(error)
            return false
        }
    }

    /// A member of a space that was left is heard for so long.
    func leavingStanding(at now: Instant) -> SpaceChannel.PeerStanding {
        .provisional(
            bytesLeft: MeshLimits.provisionalBytes,
            deadline: now.monotonic + MeshLimits.provisionalMilliseconds)
    }

    /// Asks the peer of a link what it knows of the spaces that were left.
    mutating func openLeavingChannels(on link: LinkHandle, at now: Instant) {
        let standing = leavingStanding(at: now)
        for space in left.leaving {
            let number = links[link].nextChannel
            guard links.connections.channel(of: space.id, on: link) == nil,
                space.roster.role(of: links[link].device) != nil, number < .max - 2
            else { continue }
            links[link].nextChannel = number + 2
            links.connections.open(number, for: space.id, standing, on: link)
            let tag = LinkKeys.openTag(
                accessSecret: space.keys.current.access, handshakeHash: links[link].handshakeHash,
                role: links[link].role)
            let body = OpenFrame(tag: tag).encoded()
            send([LinkFrame(type: OpenFrame.type, channel: number, body: body)], on: link)
        }
    }
}
