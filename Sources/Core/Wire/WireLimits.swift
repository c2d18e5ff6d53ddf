// Everything that a peer can make larger has a limit. Decoders check the announced number against it before
// they allocate; senders stay below. What exceeds a limit is refused with `DecodeFault.overLimit`.

import Documents

/// Limits of what is signed, stored and sent. Bytes, unless the name says otherwise.
public enum WireLimits {
    // MARK: Logs

    /// Canonical bytes of a change, without its length.
    public static let changeBytesMax = DocumentLimits.changeBytesMax
    /// Sequences of a change. A known operation pays at least a byte a sequence, so only an unknown one can
    /// get here.
    public static let changeSequencesMax = 1 << 20
    /// Entries of a context: what still fits into a change beside its operations.
    public static let contextEntriesMax = 1 << 15
    /// A boundary lies after the change with which the log since the last one reaches this many sequences …
    public static let boundarySequences = 4_096
    /// … or this many bytes (the full context of the first change is not counted; decision 0020).
    public static let boundaryBytes = 64 * 1_024

    // MARK: Runs, blocks and segments

    /// Canonical bytes of a run. Two consecutive seals are never farther apart than a boundary's bytes and
    /// one change, so a range that was extended to the next seal always fits.
    public static let runBytesMax = 2 * 1_024 * 1_024
    /// How much larger a compressed block may become; beyond it a block is kept plain.
    public static let blockRatioMax = 128
    /// Columns of a block of changes, unpacked. A history that needs more is several blocks.
    public static let blockBytesMax = 64 * 1_024 * 1_024
    /// Operations of a block of changes: a run costs no bytes by its length, so length has its own cap.
    public static let blockOperationsMax = 1 << 22
    /// How much larger a column may become; most of them are run-length coded before.
    public static let columnRatioMax = 4_096
    /// Entries of all contexts of a block together, 16 bytes each in memory.
    public static let blockContextEntriesMax = 1 << 21
    /// Seals of a segment: those of its boundaries, of which a run has about 500 at most, and its last one.
    public static let segmentSealsMax = 1_024
    /// A segment with its header.
    public static let segmentBytesMax = 3 * 1_024 * 1_024

    // MARK: Checkpoints

    /// Logs of a checkpoint: as many as a HAVE lists. At most 27 MB of table.
    public static let tableRowsMax = haveEntriesMax
    public static let tableBytesMax = 27 << 20
    /// A page of a base ends with the document by which it reaches this many bytes, if not before. So it is
    /// longer only where its last document is.
    public static let pageBytesAim = 64 * 1_024
    /// A page ends after a document of whose key's hash so many bits are zero: after 16 documents on average.
    /// More would save little of the manifest; a checkpoint reads all documents of a page in which one
    /// changed.
    public static let pageKeyBits = 4
    /// A page, which may hold one document of any size.
    public static let pageBytesMax = 1 << 30
    /// Pages of a base: 67 million documents, of 16 a page.
    public static let manifestPagesMax = 1 << 22
    /// A manifest: what its pages take with keys of 20 bytes.
    public static let manifestBytesMax = 1 << 28

    // MARK: Bundles

    /// Boxes for which a bundle is sealed.
    public static let bundleBoxesMax = 1 << 16
    /// A record of a bundle, sealed: what a frame holds, and what is around it.
    public static let bundleRecordBytesMax = frameBytesMax + 64

    // MARK: Frames

    /// Body of a frame (DESIGN 8).
    public static let frameBytesMax = 4 * 1_024 * 1_024
    /// Logs listed in one HAVE.
    public static let haveEntriesMax = 1 << 17
    /// And how many a sender lists, so that the frame fits whatever their sequences; the rest goes into
    /// deltas.
    public static let haveEntriesAim = 1 << 16
    /// Closed logs of a space: in one FORKS, which must stay below a frame, and so altogether.
    public static let forksMax = 1 << 16
    /// Boundaries in one FORK_BOUNDARIES.
    public static let forkBoundariesMax = 1_024
    /// Logs named in one GRAFT or PRUNE.
    public static let treeLogsMax = 256
    /// Stops of a random walk.
    public static let walkStopsMax: UInt8 = 6
    /// Roster operations in one frame; each is at most `RosterLimits.operationBytesMax`.
    public static let rosterOperationsMax = 1_024
    /// Hashes in one BASE_ASK.
    public static let baseAsksMax = 256
    /// Bytes of a table, manifest or page in one BASE_PART, unpacked.
    public static let basePartBytesMax = 256 * 1_024
    /// Devices in one PEERS.
    public static let peersMax = 256
    /// The body of JOIN_PROOF and of one JOIN_ANSWER, which the roster codes.
    public static let joinBytesMax = 2 * 1_024 * 1_024
}
