// Where changes come from. On a channel there is a peer who answers for what it sends and can be asked for
// more; a bundle is a file, and whoever carried it is nobody.

/// The bringer of a segment, for the length of a step.
enum Carrier {
    case channel(ChannelPlace)
    case bundle(SpaceHandle)

    var space: SpaceHandle {
        switch self {
        case .channel(let place): place.space
        case .bundle(let space): space
        }
    }

    var place: ChannelPlace? { if case .channel(let place) = self { place } else { nil } }
}

/// What became of a segment.
enum SegmentOutcome: Equatable {
    /// So many changes of it were verified: they are executed, or wait for what they were made on.
    case verified(changes: Int)
    case known
    /// Something is not here that it goes on from: changes before it, a key, or the branch that it is of.
    case lacking
}
