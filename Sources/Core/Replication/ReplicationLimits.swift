// What peers can make replication hold, and how long it waits (DESIGN 9, 12). Times are milliseconds of the
// monotonic clock.

/// Limits and times of admission and anti-entropy.
public enum ReplicationLimits {
    /// Early changes that one peer may have waiting here; over it, those farthest from ready are dropped.
    public static let bufferBytesOfPeerMax = 8 << 20
    /// Early changes of all peers together.
    public static let bufferBytesMax = 64 << 20
    /// What an early change costs beside what it holds: its entry, and the room that arrays keep in reserve.
    public static let bufferOverheadBytes = 320
    /// Logs that a peer may say it holds: as many as fit into one full HAVE. 3 MiB of memory a channel.
    public static let haveLogsMax = 1 << 17
    /// Segment bytes that may be under way to one peer in one space before it acknowledged them.
    public static let windowBytes = 1 << 20
    /// Segment bytes taken in before RECEIVED says so: a part of the window, so that it never closes for it.
    public static let receivedBytesMin = windowBytes / 8
    /// Canonical bytes aimed at in one segment; extending it to the next seal may add a boundary's worth.
    public static let segmentBytesAim = 256 << 10
    /// Commit records read in one page, to find what a peer lacks.
    public static let commitsPerPage = 256
    /// Pages that links of one round share; beyond, they are read again.
    public static let commitPagesMax = 64
    /// Bytes of segments that links of one round share: beyond, they are made again.
    public static let roundBytesMax = 8 << 20
    /// Logs of one device in a space after which somebody should look.
    public static let logsOfDeviceMany = 1_024
    /// Up to so many logs a context names everything held; beyond, so many of each device, and what the
    /// documents at hand are made of.
    public static let contextLogsAim = 8_192
    public static let logsOfDeviceNamed = 64
    /// Time between two requests to send again what was dropped, so that a full buffer is not filled in a
    /// loop.
    public static let resendMilliseconds: UInt64 = 1_000
    /// For how long no segment is taken in after a batch was lost to a full disk: at first, and at most,
    /// after doubling with each further one.
    public static let fullPauseFirst: UInt64 = 1_000
    public static let fullPauseMax: UInt64 = 60_000
    /// When a document could not be read, all of them are hashed again not before this.
    public static let digestAgainMilliseconds: UInt64 = 60_000
    /// Time between two searches for the place where a log forked, on one link.
    public static let forkSearchMilliseconds: UInt64 = 10_000
    /// Steps of searches that are answered on one channel in that time.
    public static let forkSearchesMax = 64
    /// Bytes a second that ROSTER_HAVE may draw on one channel, after a whole roster at first. An answer
    /// counts for a quarter of a second at least; a question that comes earlier waits, and the last one
    /// counts.
    public static let rosterAnswerBytesPerSecond = 256 << 10
    /// What came on one channel of a roster and was not looked at; more is dropped, and asked for again.
    public static let rosterIncomingBytesMax = 2 << 20
    /// Roster operations whose signatures are checked in one turn of the node, so that nobody waits for more.
    public static let rosterChecksPerTurn = 32
    /// Of those that cost no signature, so many count as one.
    public static let rosterLooksPerCheck = 16
    /// Frames that are kept behind operations which may list their sender.
    public static let framesHeldMax = 64
    /// Time between two questions for operations that may have been put off.
    public static let rosterAskMilliseconds: UInt64 = 60_000
    /// Bytes of rosters and bases that are handed to a connection before it says that it wrote them.
    public static let pourBytesMax = 262_144
    /// A byte of a base counts as so many: the node makes a page before it sends it, and serves nobody else
    /// meanwhile. So it makes 64 KiB in a batch, some two milliseconds of small documents.
    public static let pourBaseWeight = 4
    /// Bytes of pages that are read with one that a peer asked for: as many as go out in a batch.
    public static let pagesAheadBytesMax = pourBytesMax / pourBaseWeight
    /// Bytes of one content of a base that are kept for a peer: it is made again for what lies beyond them.
    public static let baseAheadBytesMax = 4 << 20
    /// Time between two tries to re-issue a branch whose contexts are not held yet.
    public static let reissueMilliseconds: UInt64 = 1_000
    /// Sections of a branch that are re-issued in one batch.
    public static let reissueSectionsPerStep = 32
    /// Logs that the stretches of one branch go into; what is left of one that needs more stays void.
    public static let reissuePartsMax = 64
    /// A space with so few links tells HAVE on each at once; with more, the budget decides.
    public static let promptLinksMax = 3
    /// Time that an advance waits for others before it is told, and after which it is told whatever it
    /// costs.
    public static let haveDelayMilliseconds: UInt64 = 50
    public static let haveDelayMax: UInt64 = 20_000
    /// The budget of HAVE in a space: one byte for so many bytes of changes, so many a second for nothing,
    /// and what may be saved up.
    public static let haveShare = 12
    public static let haveBytesPerSecond = 64
    public static let haveCreditBytesMax = 16 << 10
    /// Links of a space that are made eager; the others stay lazy until a gap shows.
    public static let eagerLinks = 4
    /// What a peer has and I lack is waited for so long, in round trips and at least, before it is asked for.
    public static let graftRoundTrips: UInt64 = 2
    public static let graftMillisecondsMin: UInt64 = 150
    public static let graftMillisecondsMax: UInt64 = 2_000
    /// Who was asked may be silent for so long before another one is: round trips, and at least.
    public static let patienceRoundTrips: UInt64 = 4
    public static let patienceMillisecondsMin: UInt64 = 1_000
    /// After this long another one is asked in any case; half as long the next time, down to the least.
    public static let patienceMillisecondsMax: UInt64 = 60_000
    /// How often what a peer names and does not bring is looked at, and the longest time between two requests
    /// to it.
    public static let doubtMilliseconds: UInt64 = 1_000
    public static let doubtAskMillisecondsMax: UInt64 = 60_000
    /// Logs named in one GRAFT or PRUNE; a gap in more of them is a catch-up and grafts all.
    public static let graftLogsMax = 64
    /// Time after which PRUNE is repeated to a peer that still pushes.
    public static let pruneMilliseconds: UInt64 = 1_000
    /// Vectors must have been equal for this long before documents are compared.
    public static let digestDelayMilliseconds: UInt64 = 1_000
    /// More delay for each document of the space, so that hashing stays below a hundredth of the time.
    public static let digestMillisecondsPerDocument: UInt64 = 4
    /// Documents hashed in one step of a digest, and the pause between two steps.
    public static let digestDocumentsPerStep = 512
    /// Documents of a space whose digest is remembered until they change. 1 MiB of memory.
    public static let digestKnownMax = 8_192
    public static let digestPauseMilliseconds: UInt64 = 20
    /// Parts of a digest that are compared to find the first document that differs.
    public static let digestBuckets = 256
    /// Documents of one bucket whose digests are listed.
    public static let digestListMax = 1_024
}
