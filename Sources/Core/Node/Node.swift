// The whole node is one value: inputs in, effects out, no clock, no dice, no I/O but the store it was given.
// The daemon and the simulator drive it the same way:
//
//     node.handle(input, at: now)      any number of times
//     effects = node.commit(at: now)   one durable store transaction; only now anything may be seen
//
// `handle` never fails and never blocks. What it changes before a commit that fails is forgotten: the value
// is made again from the store, and every request of the batch is answered with the failure (DESIGN 3).

public import Causality
import Crypto
import Mesh
import SecureLink
import Wire

/// A node of the mesh, over a store.
public struct Node<Store: ChangeStore> {
    /// The store and what this batch writes to it.
    var transaction: StoreTransaction<Store>
    var configuration: NodeConfiguration
    let device: DeviceID
    /// Keys, nonces, incarnations.
    var entropy: Entropy
    /// Names this process among restarts of the device.
    let instance: UInt64
    /// Which cursors this store can go on from.
    var epochs = CursorEpochs(name: 0)
    /// Ascending by id.
    var spaces = Spaces()
    var batch = Batch()
    /// Change streams and requests that wait.
    var readers = Readers()
    /// Spaces that this device left, as far as they still matter.
    var left = LeftSpaces()
    /// Of no space; each stays until it is resolved. Those of a space are its own.
    var alarms = AlarmList()
    var diskFree: UInt64 = .max
    var diskTotal: UInt64 = .max
    var isDiskLow = false
    /// Monotonic milliseconds of the next sweep of expired idempotency keys.
    var nextSweep: UInt64 = 0
    /// When it was swept last; the start of the node before that.
    var swept = Instant(monotonic: 0, wall: 0)
    var counters = NodeCounters()
    /// As the shell's task told it last; nil: there is no sync folder.
    var syncFolder: SyncFolderReport?
    /// After a crash: what is marked before it is executed, and what is not executed any more.
    var crashGuard = CrashGuard()
    /// Of changes that an older version skipped.
    var upgrade = Upgrade.due
    /// When indexes are built on.
    var indexPace = IndexPace()
    /// Requests to join spaces.
    var joins = JoinAttempts()
    /// Signs of life that programs asked for.
    var pings = Pings()
    /// Void changes that programs asked to be made again.
    var adoptions = Adoptions()
    /// Programs that wait for a checkpoint to be signed, or for logs to be collected.
    var checkpointRequests = CheckpointRequests()
    /// Devices that were seen to run twice.
    var copies = CopySightings()
    /// Since when it can be said who is away.
    var steady: SteadyTime
    /// When free pages of the database are given back.
    var shrinking = Shrinking()
    /// How fast this node catches up.
    var catchUps = CatchUps()
    /// Connections, and what waits.
    var links: LinksState
    /// Where other devices are, and when they are dialled.
    var reachability: Reachability

    /// Opens the node over what the store holds. Roster operations and keys are read now, logs and documents
    /// when they are needed.
    public init(store: Store, configuration: NodeConfiguration, at now: Instant) throws(StoreFailure) {
        transaction = StoreTransaction(store)
        steady = SteadyTime(from: now)
        self.configuration = configuration
        device = DeviceID(publicKey: configuration.device.publicKey)
        entropy = Entropy(seed: configuration.entropySeed)
        instance = entropy.u64()
        let identity = LinkIdentity(
            key: configuration.device, instance: instance, features: configuration.level.features,
            staticKey: AgreementKey(secret: entropy.secret(32)))
        let seed = entropy.u64()
        links = LinksState(
            identity: identity, seed: seed, times: configuration.settings.liveness, at: now.monotonic)
        reachability = Reachability(
            device: device, instance: instance, advertise: configuration.settings.advertise, seed: seed,
            at: now.monotonic)
        try openStore(at: now)
        try openLinks(at: now)
        updateDeviceName(at: now)
    }

    /// A node over a store that holds the same spaces as another's, which are then shared and not read again:
    /// how a simulation starts a thousand members of one roster.
    package init(
        store: Store, like other: Node, configuration: NodeConfiguration, at now: Instant
    ) throws(StoreFailure) {
        transaction = StoreTransaction(store)
        steady = SteadyTime(from: now)
        self.configuration = configuration
        device = DeviceID(publicKey: configuration.device.publicKey)
        entropy = Entropy(seed: configuration.entropySeed)
        instance = entropy.u64()
        let identity = LinkIdentity(
            key: configuration.device, instance: instance, features: configuration.level.features,
            staticKey: AgreementKey(secret: entropy.secret(32)))
        let seed = entropy.u64()
        links = LinksState(
            identity: identity, seed: seed, times: configuration.settings.liveness, at: now.monotonic)
        reachability = Reachability(
            device: device, instance: instance, advertise: configuration.settings.advertise, seed: seed,
            at: now.monotonic)
        spaces = other.spaces
        spaces.forgetFindings()
        for index in spaces.indices {
            spaces[index].replication = Replication()
            spaces[index].membership.forgetKeyWork(of: device)
        }
        try openStore(reading: false, at: now)
        try openLinks(at: now)
    }

    /// Takes one input. Effects come with the next `commit`.
    public mutating func handle(_ input: Input, at now: Instant) {
        defer { links.connections.sweep() }
        recordTime(at: now)
        steady.record(now)
        switch input {
        case .request(let id, let request): handle(id, request, at: now)
        case .cancel(let id): cancel(id, at: now)
        case .watchCredit(let id, let lines): readers.credit(id, lines: lines)
        case .accepted(let id, let remote): accepted(id, from: remote, at: now)
        case .connected(let id, let remote): connected(id, remote: remote, at: now)
        case .dialFailed(let id, let reason): dialFailed(id, reason: reason, at: now)
        case .received(let id, let bytes): received(id, bytes, at: now)
        case .disconnected(let id, let reason): disconnected(id, reason: reason, at: now)
        case .resolved(let host, let addresses, let failure):
            reachability.resolved(host, addresses, failure: failure, at: now)
        case .datagram(let bytes, let sender): heard(bytes, from: sender, at: now)
        case .network(let news): networkChanged(news, at: now)
        case .tick:
            // What waits is answered by the commit that ends the batch of this tick, late or not.
            sweep(at: now)
            tickCrashGuard(at: now)
            tickIndexes(at: now)
            tickForks(at: now)
            tickProofs(at: now)
            tickRejudging(at: now)
            tickCheckpoints(at: now)
            tickAdoptions(at: now)
            tickLinks(at: now)
            tickCopies(at: now)
        case .diskFree(let bytes, let total): recordDiskFree(bytes, of: total, at: now)
        case .settings(let settings): apply(settings, at: now)
        case .stopping: stopLinks(at: now)
        }
    }

    /// Seals, commits, and releases the effects of everything handled since the last commit. Call it when the
    /// queue is drained; a batch in which nothing was written costs nothing.
    public mutating func commit(at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        commit(at: now) { effects += $0 }
        return effects
    }

    /// The same, handing effects over as soon as they may leave: answers and lines of watchers first, then
    /// what peers get of it, which takes as long again to make.
    public mutating func commit(at now: Instant, _ release: ([Effect]) -> Void) {
        defer { links.connections.sweep() }
        links.clock = max(links.clock, now.monotonic)
        links.rosterLooksLeft = LinksState.rosterLooksPerTurn
        let hasWritten: Bool
        do throws(StoreFailure) {
            tellSoftware(at: now)
            advanceCheckpoints(at: now)
            try finishSpaces(at: now)
            if let failure = transaction.failure { throw failure }
            if transaction.isWriting { try epochs.write(to: &transaction) }
            hasWritten = try transaction.commit()
        } catch {
            let requests = batch.repeated(after: transaction.failure)
            release(recover(from: error, repeating: requests, at: now))
            guard !requests.isEmpty else { return }
            batch.repeatLost()
            // Transactions go to the logs that are open now. Nobody is linked, so they cannot be overtaken
            // again before the commit.
            for (id, request) in requests { handle(.request(id, request), at: now) }
            return commit(at: now, release)
        }
        let done = batch.finish()
        if hasWritten {
            links.pause.end()
        }
        epochs.batchCommitted(hasWritten: hasWritten)
        if upgrade == .written { upgrade = .done }
        crashGuard.markDurable()
        reachability.batchCommitted()
        for index in spaces.indices {
            spaces[index].markDurable()
        }
        for (request, work) in done.afterCommit { openReading(request, work, at: now) }
        answerWaiting(at: now)
        answerPings(at: now)
        feedWatchers(at: now)
        release(done.effects + batch.finish().effects)
        transaction.beginBatch()
        pump(at: now)
        dialDue(at: now)
        sendDueBeacons(at: now)
        release(batch.finish().effects)
        shrinkDue(isIdle: !hasWritten, at: now)
        transaction.beginBatch()
    }

    /// Monotonic milliseconds at which a `tick` is due; nil when nothing waits for time.
    public var deadline: UInt64? {
        var next: UInt64? = nextSweep
        if let moment = readers.deadline { next = min(next ?? .max, moment) }
        if let moment = copies.deadline { next = min(next ?? .max, moment) }
        if let moment = shrinking.deadline { next = min(next ?? .max, moment) }
        if let moment = adoptions.deadline { next = min(next ?? .max, moment) }
        if let moment = pings.deadline { next = min(next ?? .max, moment) }
        if let moment = crashGuard.deadline { next = min(next ?? .max, moment) }
        if let moment = indexPace.deadline { next = min(next ?? .max, moment) }
        for index in spaces.indices {
            if let due = spaces[index].deadline { next = min(next ?? .max, due) }
        }
        if let moment = linksDeadline { next = min(next ?? .max, moment) }
        return next
    }
}
