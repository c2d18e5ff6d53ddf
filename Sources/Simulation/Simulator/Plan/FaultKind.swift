// Everything that a simulated mesh can suffer (THREATS.md, "Faults"), by name: names switch faults on and off
// on the command line, and count them in the report.

/// One kind of fault.
public enum FaultKind: String, Hashable, Comparable, Sendable, CaseIterable {
    // The network, all the time: one delivery in so many.
    case breaks, stalls, corruption, truncations, coalescing, splitting
    /// One connection in so many.
    case halfOpens = "half-opens"
    /// A few bytes a millisecond in some directions.
    case bandwidth
    /// Delays up to seconds, and other ones each way.
    case delays
    // The network, every so often.
    case walls
    case asymmetricWalls = "asymmetric-walls"
    case rings
    case clogs
    /// Walls hold bytes back instead of losing them.
    case patience
    /// The node is told that its routes changed.
    case routes
    /// Nodes hear each other's beacons, and move from one local network to another.
    case lans
    /// One datagram in so many; they bring local networks with them.
    case datagramLoss = "datagram-loss"
    case datagramDoubles = "datagram-doubles"
    // Processes.
    case crashes
    case silentCrashes = "silent-crashes"
    case crashesBeforeCommit = "crashes-before-commit"
    case crashesAfterCommit = "crashes-after-commit"
    case pauses
    case restartStorms = "restart-storms"
    // Disks.
    case slowDisks = "slow-disks"
    case syncFailures = "sync-failures"
    /// It fails again after every restart, until the disk is replaced.
    case deadDisks = "dead-disks"
    case fullDisks = "full-disks"
    /// Until somebody makes room.
    case fullForLong = "full-for-long"
    case restores
    // Clocks.
    case skew
    case clockJumps = "clock-jumps"
    case stuckClocks = "stuck-clocks"
    case epochClocks = "epoch-clocks"
    // Programs.
    case slowWatchers = "slow-watchers"
    // Outsiders.
    case garbage
    case replays
    // A member whose keys are in wrong hands.
    case forgeries
    case farFuture = "far-future"
    case missingContexts = "missing-contexts"
    case lies
    case newerVersions = "newer-versions"
    case invalidOperations = "invalid-operations"
    /// More roster operations than its allowance.
    case rosterFloods = "roster-floods"
    /// Links on which nothing is said.
    case silences
    /// The greatest numbers that frames hold.
    case extremes
    /// Members of its own, more than a full mesh has, that keep links to everybody and pass nothing on.
    case hoarding
    // Forks: one log that goes on in two ways.
    case clones
    case blindRestores = "blind-restores"
    case equivocation
    /// Many logs of its own, and a proof of each at once.
    case forkFloods = "fork-floods"
    // Members come and go. An admin removes somebody, two or three remove each other in a cut mesh, …
    case removals
    case crossedRemovals = "crossed-removals"
    case roleChanges = "role-changes"
    case leaves
    /// Who is out comes back by a new invite.
    case returns
    /// An admin in wrong hands restricts others on the view that it had when it turned.
    case backdating
    /// Void changes are made again by somebody who may write.
    case adoptions
    // Checkpoints follow one another, and logs are collected behind them. Somebody collects now, …
    case collections
    /// An admin proposes a checkpoint by hand,
    case proposals
    /// two or three propose at once, and cannot reach each other,
    case rivals
    /// a box is away and writes, and a checkpoint does not wait for it,
    case absences
    /// who proposed one crashes.
    case proposerCrashes = "proposer-crashes"
    /// Somebody comes when logs were collected already.
    case newcomers

    public static func < (left: FaultKind, right: FaultKind) -> Bool { left.rawValue < right.rawValue }

    /// What makes one log go on in two ways.
    public static let forks: Set<FaultKind> = [.clones, .blindRestores, .equivocation, .forkFloods]
    static let network: Set<FaultKind> = [
        .breaks, .stalls, .corruption, .truncations, .coalescing, .splitting, .halfOpens, .bandwidth, .delays,
        .walls, .asymmetricWalls, .rings, .clogs, .patience, .routes, .lans, .datagramLoss, .datagramDoubles,
    ]
    /// What only happens where nodes hear beacons.
    static let beacons: Set<FaultKind> = [.lans, .datagramLoss, .datagramDoubles]
    static let processes: Set<FaultKind> = [
        .crashes, .silentCrashes, .crashesBeforeCommit, .crashesAfterCommit, .pauses, .restartStorms,
    ]
    static let disks: Set<FaultKind> = [
        .slowDisks, .syncFailures, .deadDisks, .fullDisks, .fullForLong, .restores,
    ]
    static let clocks: Set<FaultKind> = [.skew, .clockJumps, .stuckClocks, .epochClocks]
    static let hostile: Set<FaultKind> = [
        .garbage, .replays, .forgeries, .farFuture, .missingContexts, .lies, .newerVersions,
        .invalidOperations, .rosterFloods, .silences, .extremes, .hoarding,
    ]
    /// Only drawn where a member is hostile anyway: what it does too much of, or not at all.
    static let floods: Set<FaultKind> = [
        .rosterFloods, .forkFloods, .silences, .extremes, .hoarding,
    ]
    /// Only drawn in the profile of that name: where they strike, other things are checked of a node.
    public static let membership: Set<FaultKind> = [
        .removals, .crossedRemovals, .roleChanges, .leaves, .returns, .backdating, .adoptions,
    ]
    /// Only drawn in the profile of that name, where checkpoints follow one another.
    public static let finiteness: Set<FaultKind> = [
        .collections, .proposals, .rivals, .absences, .proposerCrashes, .newcomers,
    ]
    /// Done by a node of the mesh that turned against it.
    static let byMember: Set<FaultKind> = [
        .forgeries, .farFuture, .missingContexts, .lies, .newerVersions, .invalidOperations, .equivocation,
        .rosterFloods, .forkFloods, .silences, .extremes, .hoarding, .backdating,
    ]

    /// True for what a member does whose keys are in wrong hands.
    public var isByMember: Bool { Self.byMember.contains(self) }

    /// True for what the weather does; false for what strikes every so often.
    var isWeather: Bool {
        switch self {
        case .breaks, .stalls, .corruption, .truncations, .coalescing, .splitting, .halfOpens, .bandwidth,
            .delays, .patience, .slowDisks, .skew, .slowWatchers, .datagramLoss, .datagramDoubles,
            .newcomers:
            true
        default: false
        }
    }
}

/// Which faults a plan may draw from.
public enum Profile: String, Sendable, CaseIterable {
    /// All of them.
    case standard = "default"
    /// None: a network with delays only.
    case calm
    case network, processes, disks, clocks, hostile
    /// Logs that go on in two ways, among walls and crashes.
    case forks
    /// Members come and go, among walls, crashes and copies.
    case members
    /// Checkpoints follow one another, and logs end behind them.
    case finite
    /// All at once, in every seed.
    case everything

    var kinds: Set<FaultKind> {
        switch self {
        case .standard, .everything:
            Set(FaultKind.allCases).subtracting(FaultKind.membership).subtracting(FaultKind.finiteness)
        case .calm: []
        case .network: FaultKind.network
        case .processes: FaultKind.processes
        case .disks: FaultKind.disks.union([.crashes, .breaks])
        case .clocks: FaultKind.clocks.union([.crashes, .walls])
        case .hostile: FaultKind.hostile.union([.breaks, .crashes])
        case .forks: FaultKind.forks.union([.restores, .crashes, .walls, .rings, .breaks, .delays])
        case .members:
            FaultKind.membership.union([
                .walls, .rings, .asymmetricWalls, .breaks, .delays, .halfOpens, .crashes, .silentCrashes,
                .crashesBeforeCommit, .crashesAfterCommit, .pauses, .slowDisks, .restores, .clones,
                .blindRestores, .slowWatchers,
            ])
        case .finite:
            FaultKind.finiteness.union([
                .walls, .rings, .asymmetricWalls, .breaks, .delays, .halfOpens, .crashes, .silentCrashes,
                .crashesBeforeCommit, .crashesAfterCommit, .pauses, .slowDisks, .fullDisks, .restores,
                .clones, .blindRestores, .slowWatchers, .skew, .clockJumps, .newerVersions,
                .invalidOperations, .equivocation, .lies,
            ])
        }
    }
}
