// All knobs of a run in one value, drawn from its seed. Each seed switches a random part of the faults on,
// with intensities of its own (swarm testing: Groce et al. 2012): a run with all faults at once hides what
// only shows when, say, disks fill up and nothing else happens. Each kind of fault draws from its own dice,
// so that switching one off leaves the others as they were; that is what makes a failing run easy to reduce.

import Causality
import Node
public import Wire

/// What will be done to one mesh.
public struct FaultPlan: Hashable, Sendable {
    /// What may be asked for; everything else follows from the seed.
    public struct Options: Hashable, Sendable {
        public var nodes: ClosedRange<Int> = 3...7
        /// How long the faults last, milliseconds of simulated time.
        public var milliseconds: UInt64 = 600_000
        public var profile = Profile.standard
        /// Switched off whatever the seed says.
        public var without: Set<FaultKind> = []
        /// Switched on whatever the seed says.
        public var with: Set<FaultKind> = []
        /// Only so many transactions are made; nil: as many as the time allows.
        public var transactionsMax: Int?
        /// Transactions come from a script: every node may write, and none turns against the others unless
        /// `with` says so.
        public var isScripted = false

        public init() {}
    }

    public let seed: UInt64
    public let nodeCount: Int
    public let milliseconds: UInt64
    /// Each kind that is on, with its own measure: one in so many deliveries, or milliseconds between two.
    public let intensities: [FaultKind: UInt64]
    /// By node; the first creates the space.
    public let roles: [Role]
    /// When each node begins to join; never for the first, which makes the space.
    public let joinTimes: [UInt64]
    /// Milliseconds between two transactions of the whole mesh, on average.
    public let pace: UInt64
    public let transactionsMax: Int
    /// How many documents the transactions are about.
    public let documents: Int
    public let batchMilliseconds: UInt64
    /// The node that turns against the others; it is never the first.
    public let traitor: Int?
    /// Members come and go, and the checkers count what each node holds of the roster.
    public let isAboutMembers: Bool
    /// How often checkpoints are proposed, and what nodes keep behind them; nil: as a daemon without
    /// settings.
    public let checkpoints: CheckpointPace?

    /// After the faults everything must be equal within this time: dead links are noticed in 30 s, dials back
    /// off to at most 5 min, and two of them may have to fail.
    public static let settleMilliseconds: UInt64 = 900_000

    public init(seed: UInt64, options: Options = Options()) {
        self.seed = seed
        var dice = SeededGenerator(seed: seed ^ 0x5EED_F00D)
        let count = Int.random(in: options.nodes, using: &dice)
        let share = Double.random(in: 0.1...0.6, using: &dice)
        milliseconds = options.milliseconds
        var intensities: [FaultKind: UInt64] = [:]
        var drawn: Set<FaultKind> = []
        for kind in FaultKind.allCases {
            var own = Self.dice(seed, kind)
            let isDrawn =
                Double.random(in: 0..<1, using: &own) < share || options.profile == .everything
                || (options.profile == .forks && FaultKind.forks.contains(kind) && kind != .forkFloods)
                || (options.profile == .members && Self.isDrawnOften(kind, of: FaultKind.membership, &own))
                || (options.profile == .finite && Self.isDrawnOften(kind, of: FaultKind.finiteness, &own))
            // Dozens of members cost more than all other faults of a seed.
            let isSeldom = kind == .hoarding && Int.random(in: 0..<6, using: &own) > 0
            let isOfProfile = options.profile.kinds.contains(kind) && !isSeldom
            let isOn = (isDrawn && isOfProfile) || options.with.contains(kind)
            if isOn { drawn.insert(kind) }
            let intensity = Self.intensity(of: kind, &own)
            let isSpared = options.isScripted && kind.isByMember && !options.with.contains(kind)
            if isOn, !isSpared, !options.without.contains(kind) { intensities[kind] = intensity }
        }
        let isHostile = !FaultKind.byMember.subtracting(FaultKind.floods).isDisjoint(with: drawn)
        for kind in FaultKind.floods where !isHostile && !options.with.contains(kind) {
            intensities[kind] = nil
        }
        self.intensities = intensities
        nodeCount = count
        isAboutMembers = options.profile == .members
        checkpoints = options.profile == .finite ? CheckpointPace(seed: seed) : nil
        let hasTraitor = count > 2 && !FaultKind.byMember.isDisjoint(with: intensities.keys)
        traitor = hasTraitor ? count - 1 : nil
        roles = Self.roles(of: count, hasTraitor, intensities, options, &dice)
        let joinWindow = max(1, options.milliseconds / 3)
        // Some come while members go.
        let late = options.profile == .members ? 2 : 1 as UInt64
        let hasNewcomers = intensities[.newcomers] != nil
        joinTimes = (0..<count).map {
            let time = UInt64.random(in: 0...joinWindow, using: &dice)
            if hasNewcomers, $0 > 1, $0 % 2 == 0 { return joinWindow + time * 9 / 5 }
            return $0 == 0 ? .max : time * ($0 == count / 2 ? late : 1)
        }
        pace = UInt64.random(in: 500...3_000, using: &dice) / (options.profile == .members ? 2 : 1)
        documents = Int.random(in: 3...24, using: &dice)
        batchMilliseconds = [0, 0, 1, 5, 50].randomElement(using: &dice) ?? 0
        transactionsMax = min(options.transactionsMax ?? .max, Self.transactionsMax)
    }

    private static func roles(
        of count: Int, _ hasTraitor: Bool, _ intensities: [FaultKind: UInt64], _ options: Options,
        _ dice: inout SeededGenerator
    ) -> [Role] {
        let pool: [Role] =
            options.profile == .members
            ? [.admin, .admin, .writer, .writer, .writer, .reader]
            : [.admin, .writer, .writer, .writer, .writer, .reader, .relay]
        var roles: [Role] = (0..<count).map {
            $0 < 2 ? (.admin) : pool.randomElement(using: &dice) ?? .writer
        }
        if hasTraitor {
            roles[count - 1] = Bool.random(using: &dice) ? .writer : .reader
            // What a reader tells in two ways has no effect in either.
            if intensities[.equivocation] != nil { roles[count - 1] = .writer }
            // Who lets members in is an admin.
            if options.profile == .members || intensities[.hoarding] != nil { roles[count - 1] = .admin }
        }
        if options.isScripted { for index in roles.indices.dropFirst(2) { roles[index] = .writer } }
        return roles
    }

    /// More would make the model slow and show nothing new.
    private static let transactionsMax = 1_200

    /// The dice of one kind of fault.
    static func dice(_ seed: UInt64, _ kind: FaultKind) -> SeededGenerator {
        let name = kind.rawValue.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        return SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ name)
    }

    /// What its profile is about: in most seeds.
    private static func isDrawnOften(
        _ kind: FaultKind, of kinds: Set<FaultKind>, _ dice: inout SeededGenerator
    ) -> Bool { kinds.contains(kind) && Int.random(in: 0..<10, using: &dice) < 6 }

    private static func intensity(of kind: FaultKind, _ dice: inout SeededGenerator) -> UInt64 {
        // Evenly over the orders of magnitude.
        func between(_ low: UInt64, _ high: UInt64) -> UInt64 {
            var doublings: [ClosedRange<UInt64>] = []
            var start = low
            while start < high {
                doublings.append(start...min(high, 2 * start))
                start *= 2
            }
            return UInt64.random(in: doublings.randomElement(using: &dice) ?? low...high, using: &dice)
        }
        return switch kind {
        case .breaks, .stalls, .corruption, .truncations: between(100, 5_000)
        case .halfOpens: between(3, 50)
        case .coalescing: between(2, 50)
        case .datagramLoss, .datagramDoubles: between(2, 20)
        case .splitting: between(1, 200)
        case .bandwidth: between(1, 100)
        case .delays: between(200, 8_000)
        case .slowDisks: between(20, 3_000)
        case .skew: between(1, 500)
        case .slowWatchers: between(2, 400)
        case _ where FaultKind.membership.contains(kind): between(2_000, 30_000)
        case _ where FaultKind.finiteness.contains(kind): between(8_000, 60_000)
        default: between(8_000, 120_000)
        }
    }

    public func isOn(_ kind: FaultKind) -> Bool { intensities[kind] != nil }
    /// Kinds that are on, by name.
    public var kinds: [FaultKind] { intensities.keys.sorted() }
    /// Logs may go on in two ways.
    public var hasForks: Bool { !FaultKind.forks.isDisjoint(with: intensities.keys) }
}

/// How often the nodes of a trial propose checkpoints, and what they keep behind them.
public struct CheckpointPace: Hashable, Sendable {
    /// Seconds from the first change after one.
    public let seconds: UInt64
    /// Bytes of log since the last.
    public let logBytes: UInt64
    /// Where nodes draw what they keep; nil: all of them keep `kept`.
    private let seed: UInt64?
    private let kept: Retention

    init(seconds: UInt64, logBytes: UInt64, retention: Retention) {
        (self.seconds, self.logBytes, kept, seed) = (seconds, logBytes, retention, nil)
    }

    init(seed: UInt64) {
        var dice = SeededGenerator(seed: seed ^ 0xF1417E)
        seconds = UInt64.random(in: 15...150, using: &dice)
        logBytes = [64 << 10, 256 << 10, .max].randomElement(using: &dice) ?? .max
        (self.seed, kept) = (seed, .none)
    }

    /// Most nodes keep nothing, some the newest bytes or all.
    func retention(of node: Int) -> Retention {
        guard let seed else { return kept }
        var dice = SeededGenerator(seed: seed &+ UInt64(node) ^ 0x4E7A14)
        return switch Int.random(in: 0..<8, using: &dice) {
        case 0: .all
        case 1: .bytes(UInt64.random(in: 0...200_000, using: &dice))
        default: .none
        }
    }
}
