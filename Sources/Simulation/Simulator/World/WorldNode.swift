// One box of the world: its disk, its keys, and the node value while it runs.

import Bytes
public import Causality
public import Crypto
public import Node
public import Wire

/// A wall clock that is wrong. The monotonic clock of a node is always right.
public struct WorldClock: Hashable, Sendable {
    /// Milliseconds that it is ahead of the world's.
    public var offset: Int64 = 0
    /// Parts of a thousand that it goes too fast.
    public var driftPerMille: Int64 = 0
    /// It shows this and does not move.
    public var stuckAt: UInt64?

    public init() {}

    /// What it shows when the world's clock shows `wall`, `time` after the start.
    public func wall(_ wall: UInt64, at time: UInt64) -> UInt64 {
        if let stuckAt { return stuckAt }
        return UInt64(max(0, Int64(wall) + offset + Int64(time) * driftPerMille / 1_000))
    }
}

/// A moment inside the end of a batch.
public enum CrashPoint: Hashable, Sendable {
    /// Nothing of the batch is on the disk.
    case beforeCommit
    /// All of it is, and so many of its effects left.
    case afterEffects(Int)
}

/// A node of a `World`.
public struct WorldNode {
    public let index: Int
    /// The disk while the node is down.
    var disk = MemoryStore()
    /// Nil while it is down.
    public internal(set) var node: Node<MemoryStore>?
    /// All answers by request, in order.
    public internal(set) var answers: [RequestID: [NodeAnswer]] = [:]
    /// What it told the operator.
    public internal(set) var log: [String] = []
    public internal(set) var starts: UInt64 = 0
    /// Batches that it ended.
    var commits = 0
    var nextRequest: UInt64 = 1
    /// Its process died of a trap before this start.
    var hasCrashed = false
    /// Its wall clock.
    public var clock = WorldClock()
    /// It does nothing before this moment, as under SIGSTOP; what comes for it waits.
    public internal(set) var pausedUntil: UInt64 = 0
    /// What came for it since, in order: a pause that is made longer must not turn it round.
    private var waiting: [Input] = []
    private var taken = 0
    /// How long it collects inputs before it commits; nil: as long as the world says. A slow disk.
    public var batchMilliseconds: UInt64?
    /// Where the next batch that has effects ends in a crash.
    public var crashPoint: CrashPoint?
    /// What is known about its state directory at the next start: why its logs may have gone on elsewhere.
    public var discontinuity: String?
    /// What its disk knew of its starts when it was started last, in the node's own form.
    var startsFound: [UInt8]?
    /// When its next tick is scheduled.
    var tickAt: UInt64?
    /// When the open batch is committed; nil: none is open.
    var commitAt: UInt64?
    /// It has taken inputs that it has not committed.
    var isInBatch: Bool { commitAt != nil }
    static let version = "simulated"
    /// What its program understands, from its next start on.
    public internal(set) var level = FeatureLevel.current
    /// How often it proposes checkpoints; nil: as a daemon without settings.
    var checkpoints: CheckpointPace?
    let seed: UInt64
    /// The device's key, and its identity, which is asked for all the time.
    public let deviceKey: SigningKey
    public let device: DeviceID
    let staticPeers: [String]
    let address: String

    init(index: Int, seed: UInt64, staticPeers: [String], address: String) {
        self.index = index
        self.seed = seed
        deviceKey = SigningKey(seed: Self.secret(1, of: index, seed))
        device = DeviceID(publicKey: deviceKey.publicKey)
        self.staticPeers = staticPeers
        self.address = address
    }

    var isAnythingWaiting: Bool { taken < waiting.count }

    /// Keeps an input for later; true when nothing waited before it.
    mutating func wait(_ input: Input) -> Bool {
        waiting.append(input)
        return waiting.count - taken == 1
    }

    mutating func takeWaiting() -> Input? {
        guard taken < waiting.count else { return nil }
        taken += 1
        defer { if taken == waiting.count { forgetWaiting() } }
        return waiting[taken - 1]
    }

    /// Answers that were given, and what was logged.
    mutating func forgetTold() { (answers, log) = ([:], []) }

    mutating func forgetWaiting() { (waiting, taken) = ([], 0) }

    /// The node on its disk, with chance that follows from the world's seed and the number of the start.
    /// `other` runs on a disk with the same spaces, which are then not read again.
    /// Nil: it has to write at this start, since its directory was put back, and there is no room.
    func boot(like other: Node<MemoryStore>? = nil, at now: Instant) -> Node<MemoryStore>? {
        var settings = NodeSettings(deviceName: deviceName, staticPeers: staticPeers, advertise: [])
        if let checkpoints {
            settings.checkpointSeconds = checkpoints.seconds
            settings.checkpointLogBytes = checkpoints.logBytes
            settings.retainHistory = checkpoints.retention(of: index)
        }
        var configuration = NodeConfiguration(
            device: deviceKey, box: box, version: Self.version,
            entropySeed: Self.secret(100 + starts, of: index, seed), discontinuity: discontinuity,
            settings: settings)
        configuration.hasCrashed = hasCrashed
        configuration.level = level
        do throws(StoreFailure) {
            guard let other else { return try Node(store: disk, configuration: configuration, at: now) }
            return try Node(store: disk, like: other, configuration: configuration, at: now)
        } catch {
            if case .full = error, discontinuity != nil { return nil }
            preconditionFailure("node \(index) does not start: \(error)")
        }
    }

    /// What a state directory does before the node is there, in one transaction with its new token: were it
    /// the node's first batch, a crash before it would leave the old incarnations to a start that notices
    /// nothing.
    mutating func retireLogs() {
        if isPlanted("sequence-reused-after-restore") { return }
        let fault = disk.fault
        disk.fault = nil
        do throws(StoreFailure) {
            try disk.begin()
            for var record in try disk.spaces() {
                record.incarnation = nil
                try disk.put(record)
            }
            try disk.commit()
        } catch {
            preconditionFailure("the disk of node \(index) cannot be written: \(error)")
        }
        disk.fault = fault
    }

    var deviceName: String { "box-\(index)" }
    var box: AgreementKey { AgreementKey(secret: Self.secret(2, of: index, seed)) }

    /// The device's key, for tests that act as a compromised member.
    private static func secret(_ use: UInt64, of index: Int, _ seed: UInt64) -> Secret {
        // The number of starts is in `use`, and a dead disk is started on a thousand times: another node's
        // chance must not come of it.
        var dice = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(index) << 40 &+ use)
        return Secret(copying: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
    }
}
