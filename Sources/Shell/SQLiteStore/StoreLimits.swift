// Every bound of the store, with its reason and what happens at it.

/// Bounds of the SQLite store.
public enum StoreLimits {
    /// WAL frames (pages of 4 KiB) after which the writer moves what it can into the database: 8 MiB.
    static let checkpointFrames: Int32 = 2_048
    /// A reader pins the WAL. When it has grown to this many frames (256 MiB), the oldest reader is closed:
    /// its next read fails with `StoreFailure.readerExpired`, and its owner starts again.
    static let walFramesMax: Int32 = 65_536
    /// Bytes that the WAL file keeps after a checkpoint.
    static let walFileBytesKept = 16 << 20
    /// Bytes of documents in a row of a base, so that it fills one page of the database. A document is found
    /// by passing over those before it, and written with all of them.
    static let blockBytesAim = 3_840
    /// A snapshot up to so many bytes lies beside its document in a block; a longer one in a row of its own.
    static let baseBytesInline = 512
    /// A database of before schema 6 cannot shrink until it is written anew as a whole. One up to so many
    /// bytes is, when it is opened; a larger one is when a person asks for it (`SQLiteStore.compact`).
    static let compactedAtOpenBytesMax: Int64 = 64 << 20
    /// Read connections kept open between reads; more are opened as needed and closed after use.
    static let idleReadersMax = 4
    /// SQLite's own page cache, KiB a connection.
    static let writerCacheKiB = 8_192
    static let readerCacheKiB = 1_024
    /// How long a lock of another process (a person's `sqlite3`) is waited for.
    static let busyMilliseconds: Int32 = 5_000
}
