// What a store can fail with, by what follows from it: a full disk is waited for, a failed sync ends the
// process (the kernel may have dropped the pages: after it, nobody knows what is on disk), what does not
// decode concerns its own document or log only, and everything else fails the batch. Each case carries what
// explains it; `description` says it to an operator.

public import Bytes
public import Causality

/// A failure of the store: the environment's, not a peer's and not ours.
public enum StoreFailure: Error, Equatable, Sendable {
    /// No space left, or the floor of free space is reached.
    case full(Shortage)
    /// The first failed sync: stop acknowledging, say so, exit.
    case syncFailed(FailedStep)
    /// The database is damaged or of a newer version; nothing was changed.
    case unusable(StoreDefect)
    /// Not the disk's: the log that this batch writes to goes on elsewhere, so its dots are taken. Its
    /// transactions are made again in another log.
    case overtaken
    /// A reader stayed so long that its snapshot was ended to bound the log: start again with a new one.
    case readerExpired
    /// Any other failure of reading or writing.
    case failed(FailedStep)

    /// What stands in the store under this name does not decode.
    static func unreadable(_ item: StoredItem, _ fault: any Error) -> StoreFailure {
        .unusable(.unreadable(item, StoredFault(fault)))
    }
}

/// A call of the system or of the database that did not do what it was asked for.
public struct FailedStep: Equatable, Sendable {
    public enum Answer: Equatable, Sendable {
        /// `errno`, and the system's words for it.
        case system(code: Int32, words: String)
        /// SQLite's extended result code, the `errno` behind it (0: none), and SQLite's words.
        case sqlite(code: Int32, errno: Int32, words: String)
        /// The database ended the transaction by itself after an earlier failure: a write now would commit
        /// on its own.
        case outsideTransaction
        /// A statement that always gives a row gave none.
        case noRow
        /// A simulated disk said so.
        case simulated(words: String)
    }

    /// What was tried, as a verb's -ing form: "opening", or a statement in quotes.
    public let doing: String
    /// The file that it was tried on.
    public let path: String
    public let answer: Answer

    public init(doing: String, path: String, answer: Answer) {
        (self.doing, self.path, self.answer) = (doing, path, answer)
    }
}

/// Why there is no room.
public enum Shortage: Equatable, Sendable {
    /// The disk took no more.
    case step(FailedStep)
    /// Less is free than stays so for the system. Bytes.
    case floor(freeBytes: UInt64, floorBytes: UInt64)
    /// A backup would go below the floor of free disk, at which local writes stop. Bytes.
    case backup(bytes: UInt64, freeBytes: UInt64, floorBytes: UInt64)
}

/// Why what is stored cannot be used.
public enum StoreDefect: Equatable, Sendable {
    /// `fault` is the decoder's, nil where it says only that it failed.
    case unreadable(StoredItem, StoredFault?)
    /// Commit order names a change that its log does not hold.
    case notInLog(Dot)
    /// The next run of a log begins elsewhere than the one before it ends.
    case misplaced(ReplicaID, first: SequenceNumber, expected: SequenceNumber)
    /// A snapshot that a newer release wrote.
    case newerSnapshot(Key, version: UInt64)
    /// A file is damaged, of a newer release or of another program.
    case file(path: String, FileDefect)
}

/// The decoder's error, as it was thrown.
public struct StoredFault: Equatable, Sendable {
    public let fault: any Error

    init(_ fault: any Error) { self.fault = fault }

    public static func == (left: StoredFault, right: StoredFault) -> Bool {
        "\(left.fault)" == "\(right.fault)"
    }
}

/// What a node keeps and reads back whole.
public enum StoredItem: Equatable, Sendable {
    /// `CursorEpochs`
    case starts
    /// `LeftSpaces`
    case leftSpaces
    /// Notes of changes under execution or in quarantine; their name among the meta values.
    case executionNotes(name: String)
    case keys(of: SpaceID)
    case roster(of: SpaceID)
    case invites(of: SpaceID)
    /// `Rejudging`
    case rejudging(of: SpaceID)
    /// `SpaceBases`
    case bases(of: SpaceID)
    /// `SpaceCheckpoints`
    case acknowledgements(of: SpaceID)
    /// `BaseWork`
    case baseWork(of: SpaceID)
    /// A document as the standing checkpoint holds it.
    case base(of: Key)
    case log(ReplicaID)
    /// The part of a log that starts there.
    case section(ReplicaID, from: SequenceNumber)
    case boundary(ReplicaID, last: SequenceNumber)
    /// A branch of a forked log, after this sequence.
    case branch(ReplicaID, after: SequenceNumber)
    /// The proof that a log forked.
    case proof(ReplicaID)
    /// `BundleStatement`
    case bundleStatement(of: DeviceID)
    /// `IndexDefinition`
    case index(name: String, of: SpaceID)
}

/// What is wrong with one of the state directory's files.
public enum FileDefect: Equatable, Sendable {
    /// A value that a column cannot hold: damage of the file, not a fault of a peer.
    public enum Column: Equatable, Sendable {
        case dots, layout, runKeys, key, hash, signature, replica, block
        case status(Int64)
        case skipReason(Int64)
        case indexStage(Int64)
    }

    case column(Column)
    /// No change is at this position, although others name it.
    case noChange(at: CommitPosition)
    /// The row that says whose database it is, is gone.
    case noIdentity
    /// What SQLite's own check answered.
    case failedCheck(answer: String)
    /// SQLite cannot read it.
    case notReadable(FailedStep)
    /// Another program's database, by the id in its header.
    case foreign(applicationID: Int64)
    /// A later release's database.
    case newerSchema(Int64, known: Int)
    /// The device's key file has another length.
    case keyLength(bytes: Int64, expected: Int)
    /// There is no key for the device that the database belongs to.
    case noKey(credential: String)
    /// The key is not that of the device that the database belongs to.
    case otherKey(database: String)
    /// The key and the credential of the service manager are of two devices.
    case twoKeys(credential: String)
    /// A new identity was asked for, and the key is a credential, which is not ours to replace.
    case keyIsCredential(credential: String)
}
