// Everything about links and addresses that a peer or a network could grow, and every delay of the mesh, in
// one place (DESIGN 9, 12). Times are milliseconds of the monotonic clock.

/// Limits and times of links, dials and addresses.
public enum MeshLimits {
    /// Live links of listed devices; the one over it is closed at once.
    public static let linksMax = 256
    /// Live links of devices that no roster lists, beside those: who holds a space's key can make any number
    /// of devices. Of one more the oldest makes room, since a newcomer needs a moment only.
    public static let unlistedLinksMax = 16
    /// Links to copies of one device, all of them alive: each has something to say that no other one has. One
    /// more copy is refused and dials again after its back-off.
    public static let instancesLinkedMax = 8
    /// Connections whose handshake is not complete; the one over it gets silence.
    public static let halfOpenMax = 64
    /// Handshakes that one IP may begin a second, and how many at once.
    public static let handshakesPerSecond: UInt64 = 20
    public static let handshakeBurst: UInt64 = 5
    /// IPs remembered for that; a full one is forgotten first.
    public static let handshakeSourcesMax = 4_096
    /// Time a handshake may take before the connection is closed without a byte.
    public static let handshakeMilliseconds: UInt64 = 5_000
    /// Silence after which a link is asked for a sign of life.
    public static let pingMilliseconds: UInt64 = 15_000
    /// Silence after which a link is dead.
    public static let deadMilliseconds: UInt64 = 30_000
    /// Time and bytes that a peer the roster does not list may use to show why it should be.
    public static let provisionalMilliseconds: UInt64 = 30_000
    public static let provisionalBytes = 1_024 * 1_024
    /// Time and bytes that a removed member may use to hand over what it wrote.
    public static let farewellMilliseconds: UInt64 = 60_000
    public static let farewellBytes = 8 * 1_024 * 1_024
    /// So long after its removal a former admin is dialled by those that removed it.
    public static let outcastMilliseconds: UInt64 = 30 * 86_400_000
    /// No answer to a PING for so long makes a link doubtful, and kills one that slept.
    public static let answerMilliseconds: UInt64 = 5_000
    /// How often the round trip is measured and clocks are compared, on links that are not silent too.
    public static let measureMilliseconds: UInt64 = 60_000
    /// First and greatest upper bound of the back-off's dice.
    public static let backOffFirst: UInt64 = 1_000
    public static let backOffMax: UInt64 = 300_000
    /// The greatest bound for a device that was linked so long ago at most: a healed partition is a link
    /// again in seconds, and a box that went away costs six dials a minute for ten.
    public static let backOffRecentMax: UInt64 = 10_000
    public static let recentMilliseconds: UInt64 = 600_000
    /// A link that lasted this long was of use: the back-off of its address starts afresh.
    public static let usefulMilliseconds: UInt64 = 10_000
    public static let dialsPerSecond = 4
    /// Dials to one device under way at once, and how far apart they begin.
    public static let dialsOfDeviceMax = 3
    public static let dialApart: UInt64 = 300
    /// Addresses kept in all, and of one device; what is least likely to lead anywhere goes first.
    public static let addressesMax = 4_096
    public static let addressesOfDeviceMax = 8
    /// Devices that may be said to be at an address beside the one that the book has there; the oldest word
    /// goes.
    public static let claimsMax = 8
    /// Addresses of others that one peer may add to the book; more are not taken from it.
    public static let relayedMax = 256
    /// Addresses of a device that are passed on when only others spoke of it.
    public static let hearsayMax = 2
    /// Addresses that a name may mean; more are left out.
    public static let addressesOfNameMax = 8
    /// Of the reason of a failed dial.
    public static let reasonCharactersMax = 200
    /// Dials of which the book on disk may know nothing yet: after a change of addresses, and of outcomes
    /// only.
    public static let bookWriteMilliseconds: UInt64 = 10_000
    public static let outcomesWriteMilliseconds: UInt64 = 300_000
    /// How long the book waits after any batch was lost: the disk may stay full for hours, and each batch
    /// that fails ends all links.
    public static let bookRetryMilliseconds: UInt64 = 300_000
    /// Faults after which a device is refused, and for how long at first and at most.
    public static let faultsMax = 3
    public static let refusalFirst: UInt64 = 60_000
    public static let refusalMax: UInt64 = 3_600_000
    /// Devices remembered for faults; the one that was quiet longest is forgotten first.
    public static let faultyDevicesMax = 1_024
    /// Up to so many members a space is a full mesh; beyond, each node keeps a few
    /// (`NodeSettings.activeLinks`).
    public static let fullMeshMembersMax = 24
    /// Devices that a `wait` may name and have dialled for it in a large space.
    public static let awaitedMax = 6
    /// Devices of a large space that are remembered for having been alive lately.
    public static let passiveMax = 30
    /// Time between two random walks of a node, and stops of one.
    public static let walkMilliseconds: UInt64 = 30_000
    public static let walkStops: UInt8 = 6
    /// Walks that a peer may send at once, and how long each of them counts.
    public static let walksOfPeerMax = 8
    public static let walkSpendMilliseconds: UInt64 = 500
    /// Time to reach a device that was chosen, before another one is.
    public static let targetMilliseconds: UInt64 = 10_000
    /// A device that was not reached, or has enough links, is left alone for so long; so many are remembered.
    public static let avoidMilliseconds: UInt64 = 60_000
    public static let avoidedMax = 128
    /// Time between two links that are closed for being too many.
    public static let trimMilliseconds: UInt64 = 1_000
    /// The same of links that say nothing, and how long a link may before it is one.
    public static let muteTrimMilliseconds: UInt64 = 50
    public static let muteMilliseconds: UInt64 = 3_000
    /// A link this young is never one too many: what its ends lack travels first, and a visit ends by itself.
    public static let graceMilliseconds: UInt64 = 8_000
    /// How long a visit lasts that brings nothing, and how many there are at once.
    public static let visitMilliseconds: UInt64 = 4_000
    public static let visitsMax = 8
    /// Visits are so far apart while a node is pressed, and it is for so long after the last reason.
    public static let visitPauseMillisecondsMin: UInt64 = 2_000
    public static let pressedMilliseconds: UInt64 = 60_000
    /// So many links closed for being too many within one walk are a reason.
    public static let pressedTrims = 4
    /// Devices remembered for what they brought on young links, while links so much older were silent on it.
    public static let helpersMax = 8
    public static let helpedOverMilliseconds: UInt64 = 10_000
    /// Links that stay whatever else: the oldest, and those that brought something last.
    public static let oldestKept = 2
    public static let usefulKept = 4
    /// Devices named to a peer at once in a large space.
    public static let sampleMax = 12
}

/// Limits and times of beacons and of what arrives by UDP.
extension MeshLimits {
    /// Between beacons, and of a fast series; each a fifth more or less.
    public static let beaconInterval: UInt64 = 30_000
    public static let beaconFastInterval: UInt64 = 1_000
    public static let beaconsFast = 3
    /// A fast series begins at a moment within this.
    public static let beaconStartSpread: UInt64 = 250
    /// Fast series are at least so far apart.
    public static let beaconSeriesMilliseconds: UInt64 = 10_000
    /// Datagrams looked at in a second, and keys tried for them; what comes beyond is dropped and counted.
    public static let datagramsPerSecond = 50
    public static let datagramTrialsPerSecond = 12_800
    /// Devices whose counters are remembered, and instances of each; who was heard longest ago is forgotten.
    public static let beaconDevicesMax = 4_096
    public static let instancesOfDeviceMax = 8
    /// Addresses that a device has only because beacons came from there; the oldest goes.
    public static let heardAddressesOfDeviceMax = 4
    /// Hints of one device that may lead to dials at once, and how long one more takes.
    public static let hintsBurst: UInt64 = 4
    public static let hintMilliseconds: UInt64 = 5_000
    /// Who sent datagrams of a beacon's size lately, for a joiner that nobody else can help.
    public static let sendersMax = 16
    public static let senderMilliseconds: UInt64 = 40_000
}
