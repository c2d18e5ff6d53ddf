// Bugs on purpose, to prove that the simulator would find them (TESTING.md, "Planted bugs"). They are
// compiled in only with -D PLANTED_BUGS, for a test build that is never shipped, and one is chosen at run
// time. In every other build `isOn` is the constant false: what it guards is compiled to nothing, and no name
// of a bug is left.

/// One planted bug.
public struct Planted: Equatable, Sendable {
    @usableFromInline let number: UInt8

    @_alwaysEmitIntoClient @inline(__always)
    init(number: UInt8) { self.number = number }

    @_alwaysEmitIntoClient public static var contextCheckSkipped: Planted { Planted(number: 1) }
    @_alwaysEmitIntoClient public static var repeatedTransactionWritten: Planted { Planted(number: 2) }
    @_alwaysEmitIntoClient public static var acknowledgedBeforeCommit: Planted { Planted(number: 3) }
    @_alwaysEmitIntoClient public static var sequenceReusedAfterRestore: Planted { Planted(number: 4) }
    @_alwaysEmitIntoClient public static var nonceFromSequence: Planted { Planted(number: 5) }
    @_alwaysEmitIntoClient public static var timeGoesBack: Planted { Planted(number: 6) }
    @_alwaysEmitIntoClient public static var sealLeavesOutHash: Planted { Planted(number: 7) }
    @_alwaysEmitIntoClient public static var keysByCharacter: Planted { Planted(number: 8) }
    @_alwaysEmitIntoClient public static var bufferForgets: Planted { Planted(number: 9) }
    @_alwaysEmitIntoClient public static var watcherSkips: Planted { Planted(number: 10) }
    @_alwaysEmitIntoClient public static var halfTransaction: Planted { Planted(number: 11) }
    @_alwaysEmitIntoClient public static var vectorByMaximum: Planted { Planted(number: 12) }
    @_alwaysEmitIntoClient public static var digestIgnoresCounters: Planted { Planted(number: 13) }
    @_alwaysEmitIntoClient public static var needRemembered: Planted { Planted(number: 14) }
    @_alwaysEmitIntoClient public static var winnerByArrival: Planted { Planted(number: 15) }
    @_alwaysEmitIntoClient public static var deleteWinsOverEdit: Planted { Planted(number: 16) }
    @_alwaysEmitIntoClient public static var lostBatchKept: Planted { Planted(number: 17) }
    @_alwaysEmitIntoClient public static var tailForgotten: Planted { Planted(number: 18) }

    #if PLANTED_BUGS
    /// All, by the names that `replsim --bug` takes, with the sentence of TESTING.md.
    public static let all: [(name: String, bug: Planted)] = [
        ("context-check-skipped", .contextCheckSkipped),
        ("repeated-transaction-written", .repeatedTransactionWritten),
        ("acknowledged-before-commit", .acknowledgedBeforeCommit),
        ("sequence-reused-after-restore", .sequenceReusedAfterRestore),
        ("nonce-from-sequence", .nonceFromSequence),
        ("time-goes-back", .timeGoesBack),
        ("seal-leaves-out-hash", .sealLeavesOutHash),
        ("keys-by-character", .keysByCharacter),
        ("buffer-forgets", .bufferForgets),
        ("watcher-skips", .watcherSkips),
        ("half-transaction", .halfTransaction),
        ("vector-by-maximum", .vectorByMaximum),
        ("digest-ignores-counters", .digestIgnoresCounters),
        ("need-remembered", .needRemembered),
        ("winner-by-arrival", .winnerByArrival),
        ("delete-wins-over-edit", .deleteWinsOverEdit),
        ("lost-batch-kept", .lostBatchKept),
        ("tail-forgotten", .tailForgotten),
    ]
    // Set once, before anything else runs, in a process of one thread.
    nonisolated(unsafe) public static var chosen = Planted(number: 0)

    public static func isOn(_ bug: Planted) -> Bool { chosen == bug }
    #else
    @_alwaysEmitIntoClient @inline(__always)
    public static func isOn(_ bug: Planted) -> Bool { false }
    #endif
}
