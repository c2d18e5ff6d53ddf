// What `peers` tells: devices, their addresses, and how far each is behind and ahead.

public import Causality

/// Another member of a space of this node.
public struct PeerReport: Hashable, Sendable {
    public let device: DeviceID
    public let name: String
    /// "host:port", the likely ones first.
    public let addresses: [String]
    /// "connected", "dialling", "waiting", "refused".
    public let state: String
    /// Milliseconds since 1970 of the last change of `state`.
    public let since: UInt64
    public let rttMilliseconds: UInt64?
    /// Why there is no link or no sync; nil when all is well.
    public let whyNot: String?
    public let spaces: [Sync]
    /// What came of each address, in their order.
    public let dials: [AddressReport]
    /// When anything was heard of it last on a link, milliseconds since 1970; nil: not since this node
    /// started.
    public let heardAt: UInt64?
    /// The same, or when it was reached last by one of its addresses, also before this node started.
    public let lastSeenAt: UInt64?
    /// Its wall clock minus ours; nil without a link.
    public let clockOffsetMilliseconds: Int64?
    /// Since this node started.
    public let bytesReceived: UInt64
    public let bytesSent: UInt64

    /// One space that it shares with this node.
    public struct Sync: Hashable, Sendable {
        public let space: SpaceID
        /// Changes that it holds and I lack, as it said last; nil without a link.
        public let behindChanges: UInt64?
        /// Changes that I hold and it lacks, as of its last HAVE; nil: none since this node started.
        public let aheadChanges: UInt64?
        /// How changes go to it: "eager", "lazy", "eager for some logs"; nil without a link.
        public let treeRole: String?

        public init(space: SpaceID, behindChanges: UInt64?, aheadChanges: UInt64?, treeRole: String?) {
            self.space = space
            self.behindChanges = behindChanges
            self.aheadChanges = aheadChanges
            self.treeRole = treeRole
        }
    }

    public init(
        device: DeviceID, name: String, addresses: [String], state: String, since: UInt64,
        rttMilliseconds: UInt64?, whyNot: String?, spaces: [Sync], dials: [AddressReport], heardAt: UInt64?,
        lastSeenAt: UInt64?, clockOffsetMilliseconds: Int64?, bytesReceived: UInt64, bytesSent: UInt64
    ) {
        self.device = device
        self.name = name
        self.addresses = addresses
        self.state = state
        self.since = since
        self.rttMilliseconds = rttMilliseconds
        self.whyNot = whyNot
        self.spaces = spaces
        self.dials = dials
        self.heardAt = heardAt
        self.lastSeenAt = lastSeenAt
        self.clockOffsetMilliseconds = clockOffsetMilliseconds
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
    }
}

/// An address and what came of it. Times are milliseconds since 1970.
public struct AddressReport: Hashable, Sendable {
    /// Raw values are the API's words.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// A link that this node dialled stands there.
        case linked
        case connecting
        /// A name whose lookup is under way, and one that was looked up.
        case lookingUp = "looking-up"
        case lookedUp = "looked-up"
        /// The last attempt failed; `reason` says why.
        case failed
        /// It led to the device when it was dialled last.
        case worked
        case notTried = "not-tried"
        /// It is not dialled; `reason` says why.
        case notDialled = "not-dialled"
    }

    /// "host:port".
    public let address: String
    /// Where it came from: "configured", "beacon", "announced" …
    public let source: String
    public let outcome: Outcome
    public let reason: String?
    public let triedAt: UInt64?
    public let workedAt: UInt64?
    /// In a row.
    public let failures: Int
    /// When it is tried next; nil when nothing waits for it.
    public let nextAt: UInt64?
    /// What a name means.
    public let means: [String]

    public init(
        address: String, source: String, outcome: Outcome, reason: String?, triedAt: UInt64?,
        workedAt: UInt64?, failures: Int, nextAt: UInt64?, means: [String]
    ) {
        self.address = address
        self.source = source
        self.outcome = outcome
        self.reason = reason
        self.triedAt = triedAt
        self.workedAt = workedAt
        self.failures = failures
        self.nextAt = nextAt
        self.means = means
    }
}
