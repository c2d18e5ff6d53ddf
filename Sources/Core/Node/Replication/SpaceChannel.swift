// One shared space on a link. Its parts each own one exchange with the peer and die with the channel; what is
// known over all channels of a space stands in `Replication`.

import Causality
import Replication

/// A channel, reached by its `ChannelHandle`. Boxed: what is asked of all channels after each commit copies a
/// reference of each.
@dynamicMemberLookup
struct SpaceChannel: Sendable {
    /// What the peer may say here.
    enum PeerStanding: Equatable, Sendable {
        /// My roster does not list it yet: roster frames only, so many more bytes, until this moment.
        case provisional(bytesLeft: Int, deadline: UInt64)
        /// It was removed: it hears that, and hands over what it wrote, so many more bytes, until this
        /// moment.
        case farewell(bytesLeft: Int, deadline: UInt64)
        case full

        /// Monotonic milliseconds when the peer has had its time.
        var deadline: UInt64? {
            switch self {
            case .full: nil
            case .provisional(_, let deadline), .farewell(_, let deadline): deadline
            }
        }
    }

    let space: SpaceID
    let number: UInt16
    /// The link it is on.
    let link: LinkHandle
    private var parts: Boxed<ChannelParts>

    init(space: SpaceID, standing: PeerStanding, number: UInt16, on link: LinkHandle) {
        (self.space, self.number, self.link) = (space, number, link)
        parts = Boxed(ChannelParts(standing: standing))
    }

    /// Gives what was said here to the caller, who changes it in place and puts it back. Until then nothing
    /// was said on this channel; where it is stays known.
    mutating func withdraw() -> SpaceChannel {
        let full = self
        parts = Self.nothing
        return full
    }

    private static let nothing = Boxed(ChannelParts(standing: .provisional(bytesLeft: 0, deadline: .max)))

    subscript<Value>(dynamicMember part: KeyPath<ChannelParts, Value>) -> Value {
        @inline(__always) _read { yield parts.value[keyPath: part] }
    }
    subscript<Value>(dynamicMember part: WritableKeyPath<ChannelParts, Value>) -> Value {
        @inline(__always) _read { yield parts.value[keyPath: part] }
        @inline(__always) _modify { yield &parts.value[keyPath: part] }
    }
}

/// What a channel consists of.
struct ChannelParts: Sendable {
    var standing: SpaceChannel.PeerStanding
    /// Vectors and the window: what each side holds, was told and was sent.
    var sync = SpaceSync()
    var roster = RosterExchange()
    var pacing = HavePacing()
    var supply = Supply()
    /// Large spaces only.
    var view = ViewExchange()
    var addresses = AddressExchange()
    /// By how many changes each side is behind, as far as it was told.
    var backlog = Backlog()
    var digest = DigestExchange()
    var forks = ForkExchange()
    var base = BaseExchange()
    /// Which cap changes wait for.
    var heldBackBy: RateCap?

    var isFull: Bool { standing == .full }
    var isFarewell: Bool { if case .farewell = standing { true } else { false } }
    /// Something that only a member may say was dropped.
    var isUnheard = false
    /// What a removed peer named after it knew.
    var claims: VersionVector?
    /// Where one of the two was removed: logs of others that the member asked it for.
    var asked: Set<ReplicaID> = []
    /// Not before the peer has the roster that lists us: it would drop what it hears. It says what it holds,
    /// gets what it lacks, and what is sent after that on the same stream finds it ready.
    var isReady: Bool { isFull && roster.peerHeads != nil }

    init(standing: SpaceChannel.PeerStanding) {
        self.standing = standing
    }
}

extension SpaceChannel {
    /// A log was closed: what both sides said of it counts up to `last` only, and again up to there. How much
    /// of it the peer holds.
    mutating func move(_ replica: ReplicaID, to last: SequenceNumber) -> SequenceNumber {
        self.sync.lower(replica, to: last)
        let have = self.sync.raise(replica, to: last)
        self.pacing.tellAgain()
        self.digest.reset()
        return have
    }
}
