// Where what belongs to a channel stands, for the length of a step and for later.

import Causality

/// A channel on which something came or goes, and where what belongs to it stands; good for this step.
struct ChannelPlace: Sendable {
    let channel: ChannelHandle
    let link: LinkHandle
    /// What the channel is called in what outlives the step, and on the wire.
    let connection: ConnectionID
    let number: UInt16
    let space: SpaceHandle

    /// The same for later, when spaces may stand elsewhere.
    struct Name: Hashable, Sendable {
        let connection: ConnectionID
        let number: UInt16
        let space: SpaceID
    }
}

extension LinksState {
    /// A channel of a space that this node is in.
    func place(_ channel: ChannelHandle, in space: SpaceHandle) -> ChannelPlace {
        let link = self[channel].link
        return ChannelPlace(
            channel: channel, link: link, connection: connectionID(of: link), number: self[channel].number,
            space: space)
    }
}
