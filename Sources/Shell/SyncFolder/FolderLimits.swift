// What the sync folder, and whoever may write to it, can grow or wear, with its bound (DESIGN 12, decisions
// 0240 and 0242).

/// Bounds of the sync folder's task; tests take smaller ones, so that they are reached soon.
public struct FolderLimits: Sendable {
    /// Between two looks at the folder.
    var pollMilliseconds: UInt64 = 3_000
    /// A bundle that would only shrink is not written anew before it is so old.
    var shrinkMilliseconds: UInt64 = 20_000
    /// Written on average, at most: flash wears.
    var bytesPerSecond: UInt64 = 512 << 10
    /// A file that vanished is written again, each time later, up to this; a failed write too, up to a
    /// minute.
    var againMillisecondsMax: UInt64 = 3_600_000
    var retryMillisecondsMax: UInt64 = 60_000
    /// Larger files are not read.
    var fileBytesMax: UInt64 = 1 << 30
    /// Names of one listing that are looked at. Over it only files whose names members have are found.
    var entriesMax = 8_192
    /// Files that no member's name is on and that are looked at. Over it the others are not.
    var strangersMax = 256
    /// How often a file is read again because its first part goes on from its second.
    var passesMax = 8
    /// Read from a file at once.
    var pieceBytes = 256 << 10
    /// Between two lines of the log about files that cannot be taken.
    var logMilliseconds: UInt64 = 30_000

    public init() {}

    /// How old the change of a file must be before its time and size are trusted to tell that it changed:
    /// some file systems count in two seconds.
    static let racySeconds = 4
}
