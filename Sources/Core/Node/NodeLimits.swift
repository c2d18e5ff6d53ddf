// What programs can make the node grow, and where it ends (DESIGN 12). Each refusal names its limit.

/// Limits of the local side of a node.
public enum NodeLimits {
    /// Changes by which a peer can say that this node is behind; more counts as this. 2^53 - 1: every reader
    /// of JSON holds it exactly.
    public static let toldChangesMax: UInt64 = (1 << 53) - 1
    /// Open change streams, all spaces together; one more is 429.
    public static let watchersMax = 256
    /// Lines under way to one watcher that it has not taken. It may be behind by those and by what the ring
    /// holds for all; then it must read again (decision 0077).
    public static let watchEventsMax = 1_000
    /// Bytes, roughly, of lines that a watcher has not taken, after which it gets no more: they wait as JSON.
    public static let watchBytesMax = 1 << 20
    /// Events of a space kept in memory for its watchers.
    public static let ringEventsMax = 8_192
    /// Plain bytes of those events, roughly.
    public static let ringBytesMax = 32 << 20
    /// Changes that a resumed watcher may replay from the log; beyond, it is told to read again.
    public static let replayChangesMax = 20_000
    /// Estimated bytes of documents and log that resumed watchers keep for their next lines, all of them
    /// together; what is dropped is made again.
    public static let replayBytesMax = 64 << 20
    /// Waits and reads that wait for a version; one more is 429.
    public static let waitsMax = 4_096
    /// Documents kept decoded, all spaces together.
    public static let cachedDocumentsMax = 4_096
    /// Their estimated bytes.
    public static let cachedBytesMax = 64 << 20
    /// Documents that one batch may have changed and not written: over it they go into the open
    /// transaction, so that a newcomer that takes in a million documents at once holds few of them.
    public static let dirtyDocumentsMax = 4_096
    /// Local writes stop below this much free disk, or 5 % of it, unless `disk-floor` says otherwise.
    public static let diskFloorBytes: UInt64 = 256 << 20
    /// After a batch was lost, what an older version skipped is not executed again before this.
    public static let upgradeRetryMilliseconds: UInt64 = 300_000
    /// How long after a crash what comes from peers is marked before it is executed: 10 minutes.
    public static let crashGuardMilliseconds: UInt64 = 600_000
    /// Bytes that wait for their marker; what comes beyond is asked for again.
    public static let crashQueueBytesMax = 8 << 20
    /// Changes that are not executed any more; beyond, a node that crashes goes on crashing.
    public static let quarantinedMax = 1_024
    /// How long an Idempotency-Key is remembered.
    public static let idempotencyMilliseconds: UInt64 = 24 * 3_600 * 1_000
    /// A wall clock that moved by so much more or less than the time that passed was put on or back.
    public static let wallJumpMilliseconds: UInt64 = 60_000
    /// Length of an Idempotency-Key.
    public static let idempotencyKeyBytesMax = 256
    /// Documents of a listing's page.
    public static let listingMax = 1_000
    /// Estimated bytes of the values of a listing's page; it ends after the document that reaches them.
    public static let pageBytesMax = 8 << 20
    /// Estimated bytes of places that a listing in an order of its own keeps sorted; what comes behind them
    /// is looked for again when they are used up.
    public static let heldPlacesBytesMax = 4 << 20
    /// Changes that one answer of `explain` lists, here and for each peer, and dots that a change waits for.
    public static let explainedChangesMax = 64
    public static let explainedDotsMax = 64
    /// Documents of one rebuild that watchers are told the differences of; beyond, they read again.
    public static let rebuildToldMax = 1_000
    /// Proofs of forks that wait in a space, and that are acted upon in one go; the longest pause between.
    public static let forksQueuedMax = 4_096
    public static let forksClosedTogetherMax = 64
    /// Bytes of a run of a proof that says which branch a checkpoint holds: two of them fit a frame.
    public static let proofRunBytesMax = 5 << 18
    public static let forkPauseMilliseconds: UInt64 = 30_000
    /// Changes that turn in one step of judging a log again; the longest pause between two steps.
    static let rejudgedMax = 64
    static let rejudgePauseMilliseconds: UInt64 = 1_000
    /// Documents of one step of computing or moving to a base, and bytes of snapshots after which it ends.
    static let baseStepDocuments = 32
    static let baseStepBytes = 64 << 10
    /// Pages of a base, and bytes of them, that wait to be written together. A page of small documents has
    /// 16, so a commit for each few of them would wait for the disk longer than all else takes.
    static let basePagesUnwritten = 256
    static let baseBytesUnwritten = 256 << 10
    /// Documents that a newcomer's store moves to their base in one go.
    static let basePromotedMax = 2_048
    /// What a slice of that may cost, in about a hundredth of a millisecond: reading a document, making it
    /// from its changes or moving it, and 1 KiB.
    static let baseStepCost = 200
    static let baseReadCost = 0.25
    static let baseMadeCost = 1.0
    /// One of many that the store moves, unread.
    static let basePromotedCost = 0.02
    /// Reading the record of a change, and applying an operation.
    static let baseRecordCost = 0.05
    static let baseAppliedCost = 0.2
    static func baseStepCost(of documents: Int, _ bytes: Int, each: Double) -> Int {
        1 + Int(Double(documents) * each) + bytes * baseStepCost / baseStepBytes
    }
    /// A box that takes a base does so much more at a time.
    static let seedingSteps = 8
    /// Stored bytes of log sections that are kept from slice to slice; decoded they are some times as many.
    static let baseReaderBytes = 2 << 20
    /// Records of a document's changes that are read at a time, and bytes in memory of documents that are
    /// made side by side, as they are guessed.
    static let baseRecordsPage = 256
    static let baseMakingBytes = 16 << 20
    /// After a batch was lost, or while the disk is full, bases and collections rest for so long.
    static let baseRestMilliseconds: UInt64 = 1_000
    /// Before a proposal names anybody absent by itself this node ran so long without a step of its clock, or
    /// for `absent-after` if that is less: who comes back from a drawer itself sees nobody for a while.
    static let absentWatchMilliseconds: UInt64 = 86_400_000
    /// Own late changes wait so long for the next look whether they may be made again, and for another try.
    static let ownLateRestMilliseconds: UInt64 = 500
    static let ownLateAgainMilliseconds: UInt64 = 60_000
    /// Free pages of 4 KiB that one step gives back to the file system, and how long it then rests; longer
    /// while there are writes.
    static let shrinkStepPages = 256
    static let shrinkStepMilliseconds: UInt64 = 10
    static let shrinkRestMilliseconds: UInt64 = 200
    /// Rows of logs that one step of collecting removes.
    static let collectStepRows = 256
    /// Log since the last checkpoint after which there is a new one, unless settings say otherwise.
    static let checkpointLogBytesMin = 16 << 20
    /// How often a node looks whether it proposes one, and how long admins wait for each other.
    static let proposalCheckMilliseconds: UInt64 = 10_000
    static let proposalTurnMilliseconds: UInt64 = 60_000
    /// Tables of checkpoints that stand are kept so many, the newest.
    static let checkpointTablesMax = 8
    /// A required member that did not acknowledge a checkpoint for so long is named.
    static let checkpointPatienceMilliseconds: UInt64 = 30_000
    /// Hashes that are asked for at a time on one link: as many as are so many bytes by the average page,
    /// within these bounds. With fewer each side would wait for the other's turn; with more the last ones of
    /// a base would be waited for on a slow link while others have nothing to do.
    static let baseAskedBytes = 512 << 10
    static let baseAskedMin = 32
    static let baseAskedMax = 256
    /// How long a peer has for the next piece of what it was asked for.
    static let baseAskMilliseconds: UInt64 = 15_000
    /// Contents of a base of which the first part is kept when a link ends, for the same device to go on.
    static let baseBegunMax = 64
    /// How long a base that was begun waits for somebody who is linked to offer it again.
    static let baseUnofferedMilliseconds: UInt64 = 60_000
    /// A base is taken once what waits needed for so long what no peer has.
    static let baseStuckMilliseconds: UInt64 = 5_000
    /// Where the pages of a base lie is forgotten when nobody has asked for one for so long.
    static let baseGivenMilliseconds: UInt64 = 60_000
    /// Members that a proposed checkpoint may name absent.
    public static let absentMax = 4_096
    /// Void changes that one request may name; changes that it adopts, and looks at, in a step.
    public static let adoptedTogetherMax = 4_096
    static let adoptedStepMax = 32
    static let adoptionLooksMax = 1_024
    /// Changes that the answer to an adoption names as skipped, and as adopted elsewhere.
    public static let adoptionSkipsMax = 10_000
    /// Forks that the author of a checkpoint is tried not to have known, the newest first.
    static let unknownForksMax = 16
    /// Logs of one member that are remembered for being suspected to be forked.
    public static let suspectedLogsMax = 64
    /// How long an invite may stay open: 30 days.
    public static let inviteSecondsMax: UInt64 = 30 * 24 * 3_600
    /// How long the alarm of a new incarnation is shown again after a restart: a day.
    public static let continuityShownMilliseconds: UInt64 = 24 * 3_600 * 1_000
    /// How long members are looked for to be told that this device left a space: 30 days.
    public static let leavingMilliseconds: UInt64 = 30 * 24 * 3_600 * 1_000
    /// Spaces that were left and of which no member was told; the one left first is given up for another.
    public static let leavingMax = 64
    /// Own logs of spaces that were left, to be known again; the oldest is forgotten first.
    public static let formerLogsMax = 1_024
    /// Changes that are read to say how many documents leaving a space would lose; beyond, all are named.
    public static let leavingChangesMax = 16_384
    /// Spaces of a node.
    public static let spacesMax = 1_024
    /// A document's tail is folded into a new snapshot when it exceeds the snapshot and this.
    public static let tailBytesMin = 16 << 10
    public static let tailChangesMin = 64
    /// Indexes of a space, those included whose entries are still being removed; one more is 429.
    public static let indexesMax = 16
    /// An index's name.
    public static let indexNameBytesMax = 64
    /// Entries with values that were cut off (`FilterLimits`), up to which an index gives an order.
    public static let indexCutValuesMax = 4_096
    /// Documents that one step of building an index reads, and their bytes on disk, roughly.
    public static let indexStepDocumentsMax = 256
    public static let indexStepBytesMax = 1 << 20
    /// Entries that one step of dropping an index removes.
    public static let indexStepEntriesMax = 1_024
    /// After a batch was lost, or while the disk is nearly full, indexes are not built for so long.
    public static let indexPauseMilliseconds: UInt64 = 60_000
}
