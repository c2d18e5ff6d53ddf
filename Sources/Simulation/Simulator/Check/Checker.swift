// The judge of a trial. It looks at what nodes made durable and at what they told, never at how they came to
// it, and keeps its own account of both: version vectors, logs, streams. Cheap checks come with each event;
// documents are compared with the model now and then, and all of them at the end.

import Bytes
import Causality
import Documents
import Node
import Roster
import Wire

/// The account of one space over all nodes of a world.
struct Checker {
    var universe = Universe()
    var views: [NodeView]
    /// Set when the space is made.
    var space: SpaceID?
    /// Devices by node, and the roles that they got.
    let roles: [DeviceID: Role]
    /// In trials about members: what nodes hold of the roster.
    var roster: RosterAccount?
    /// All keys that devices ever had on their disks; in such trials.
    var keysHeld: [DeviceID: SpaceKeys] = [:]
    /// When somebody who knew of a removal of the device last found out that it stands: until then it was
    /// served, and what was under way arrives later.
    var doubts: [DeviceID: UInt64] = [:]
    /// Changes acknowledged by nodes that left the space.
    var parted: [Int] = []
    /// Devices that left, and are not back.
    var departed: Set<DeviceID> = []
    /// Devices whose disks were put back, or whose keys are in wrong hands: they may be late.
    var excused: Set<DeviceID> = []
    /// Devices whose keys are in wrong hands, which tell what they signed to whom they want.
    var exposed: Set<DeviceID> = []
    /// The checkpoints that stand, from the first on, as far as any node knew.
    var standing: [InspectedCheckpoint] = []
    /// Nodes that turned against the others: what they do is not judged.
    var traitors: Set<Int> = []
    /// The one document state that a digest stands for, as a hash of its typed form.
    var digests: [DigestName: UInt64] = [:]
    /// Transactions that count themselves, by number; with the change of those that were acknowledged.
    var ledger: [UInt64: Int?] = [:]
    /// Acknowledged changes that no honest disk holds any more.
    var lost: Set<Int> = []
    /// What checkpoints forgot of documents.
    let knownForgotten = KnownForgotten()
    /// Which logs ended by them.
    let knownEnded = KnownEnded()
    /// What checkpoints hold of each log, as the first node holds it that came to them.
    var finals: [Bytes32: [ReplicaID: HeldBranch]] = [:]
    /// What each that anybody acknowledged follows, and itself.
    var followed: [Bytes32: Set<Bytes32>] = [:]
    /// What they name, by the witness that this node holds.
    var coverages: [Bytes32: VersionVector] = [:]
    /// Rare things that were reached.
    var marks: Set<String> = []
    /// How often documents were compared with the model.
    var comparisons = 0
    /// How often what a program was shown was.
    var reads = 0
    /// At the end: what all nodes must show, and how many exports showed it.
    var settled: Settled?
    var exports = 0

    init(nodes: Int, roles: [DeviceID: Role], countsRosters: Bool = false) {
        views = [NodeView](repeating: NodeView(), count: nodes)
        self.roles = roles
        if countsRosters { roster = RosterAccount(nodes: nodes) }
    }

    // MARK: What became durable

    /// After a batch of a node: everything new on its disk.
    mutating func takeCommitted(_ index: Int, _ world: borrowing World) throws(Violation) {
        // What a batch has written so far may still be taken back.
        guard let space, !traitors.contains(index), !world.nodes[index].isInBatch else { return }
        views[index].wasHiding = views[index].isHiding
        views[index].isHiding = world.nodes[index].node?.hidesDocuments(in: space) ?? false
        try takeDisk(index, in: space, world)
    }

    private mutating func takeDisk(_ index: Int, in space: SpaceID, _ world: borrowing World)
        throws(Violation)
    {
        let after = views[index].position
        // A node may have crashed right after its commit.
        let store = world.nodes[index].node?.store ?? world.nodes[index].disk
        let found = store.position(of: space)
        views[index].isGone = found == nil
        guard let position = found, position >= after else { return }
        let wasRejudging = views[index].isRejudging
        let device = world.nodes[index].device
        try takeRejudging(index, store, in: space)
        let isNews = try takeRoster(index, store, in: space, device, at: world.time)
        try takeKeys(index, store, in: space, device, isNews: isNews)
        let isMoved = try takeChains(index, store, in: space, world)
        // A log of which nothing is void here is closed without a position of its own.
        let isClosedLater = try takeForks(index, store, in: space)
        defer { views[index].position = position }
        let isJudged = isNews || wasRejudging || views[index].isRejudging || isClosedLater
        defer { if isMoved { takeFinals(index) } }
        if position == after { return isJudged ? try takeStatuses(index, store, in: space) : () }
        var made: [Int] = []
        for (run, records) in try Self.rows(of: index, after: after, in: space, world) {
            let known = universe.changes.count
            let taken = try at(index) { checker throws(Violation) in
                try checker.universe.take(run, records, checker.views[index].held[run.replica])
            }
            for (step, record) in zip(taken, records) {
                learnAcknowledged(in: step.number, at: index, world)
                try at(index) { checker throws(Violation) in
                    let isInBase = try checker.cameWithBase(step.number, record, in: space, store, at: index)
                    if isInBase { checker.views[index].inBase.insert(step.number) }
                    try checker.execute(
                        step.number, step.held, record, isInBase: isInBase, isJudged: isJudged, at: index)
                    try checker.checkNew(
                        step.number, as: record.status, at: index, device, world.time)
                    // What nobody had before was made there.
                    if step.number >= known { made.append(step.number) }
                }
            }
        }
        if isJudged { try takeStatuses(index, store, in: space) }
        for number in made { try checkAdoption(number, by: device, at: index) }
        // A rebuild has a position of its own.
        let isCrashed = world.nodes[index].node == nil
        guard views[index].takesPosition(position, after: views[index].position, isCrashed: isCrashed) else {
            throw Violation(
                .stored, "node \(index) is at \(position), its last row at \(views[index].position)")
        }
    }

    /// Rows of a node's store from a position on, each with the records of its changes.
    static func rows(
        of index: Int, after position: CommitPosition, in space: SpaceID, _ world: borrowing World
    )
        throws(Violation) -> [(StoredRun, [CommitRecord])]
    {
        // A node may have crashed right after its commit: then its disk is looked at.
        let store = world.nodes[index].node?.store ?? world.nodes[index].disk
        var rows: [(StoredRun, [CommitRecord])] = []
        do throws(StoreFailure) {
            let records = try store.commits(space, after: position, limit: .max)
            var next = 0
            while next < records.count {
                let record = records[next]
                let runs = try store.runs(space, record.replica, from: record.first, bytesMax: 1)
                guard let run = runs.first, run.position == record.position,
                    next + run.changes <= records.count
                else { throw .unusable(.notInLog(Dot(record.replica, record.last))) }
                rows.append((run, Array(records[next..<next + run.changes])))
                next += run.changes
            }
        } catch {
            throw Violation(.stored, "node \(index): \(error)")
        }
        return rows
    }

    /// True for a change that came when its documents had it already, from a base: it is no news.
    private func cameWithBase(
        _ number: Int, _ record: CommitRecord, in space: SpaceID, _ store: MemoryStore, at index: Int
    ) throws(Violation) -> Bool {
        guard isFinal(number, by: views[index].chains.last) else { return false }
        do throws(StoreFailure) {
            let after = CommitPosition(record.position.value - 1)
            return try store.touched(space, after: after, limit: 1).first?.keys.isEmpty ?? true
        } catch {
            throw Violation(.stored, "node \(index): \(error)")
        }
    }

    /// One change more in a node's account.
    private mutating func execute(
        _ number: Int, _ held: HeldBranch, _ record: CommitRecord, isInBase: Bool, isJudged: Bool,
        at index: Int
    ) throws(Violation) {
        let known = universe[number]
        let change = known.change
        let position = views[index].position
        guard views[index].takesPosition(record.position, after: position.next, isCrashed: false) else {
            throw Violation(.exactlyOnce, "position \(record.position) after \(position)")
        }
        let isClosed = isForked(number, at: index)
        if isClosed {
            guard record.status == .void else {
                throw Violation(.sameValidity, "\(change.id) is \(record.status) in a log that is closed")
            }
        } else if roster == nil {
            try judge(number, as: record.status, at: index)
        }
        views[index].statuses[number] = record.status
        let base = views[index].chains.last?.last.flatMap { coverages[$0.id] } ?? VersionVector()
        let missing = change.context.entries(beyond: views[index].vector).filter { entry in
            let needed = min(entry.last, views[index].end(of: entry.replica))
            return needed > views[index].vector[entry.replica] && needed > base[entry.replica]
        }
        // What is void by its log is kept for the seal behind it, whatever it was made on.
        guard missing.isEmpty || isClosed else {
            let names = missing.map { "\($0.replica):\($0.last)" }
            throw Violation(.contextFirst, "\(change.id) is committed before \(names)")
        }
        if roster == nil, let device = universe.devices[change.replica], record.status == .executed,
            roles[device] ?? .relay < (change.isAcknowledgement ? .reader : .writer)
        {
            throw Violation(.noEffectWithoutRight, "\(change.id) of \(device) is executed")
        }
        views[index].held[change.replica] = held
        views[index].vector.advance(to: change.id)
        views[index].position = record.position
        if record.status != .executed {
            marks.insert(record.status == .void ? "change-void" : "change-skipped")
        }
        let line = NodeView.Line(position: record.position, change: change.id, mayBeRebuilt: isJudged)
        if record.status == .skipped { views[index].skips.append(line) }
        guard record.status == .executed, !known.documents.isEmpty, !isInBase else { return }
        views[index].lines.append(line)
        views[index].recordChanged(known.documents)
    }

    /// Names the node in what a step found.
    mutating func at<Result>(_ index: Int, _ step: (inout Checker) throws(Violation) -> Result)
        throws(Violation) -> Result
    {
        do throws(Violation) {
            return try step(&self)
        } catch {
            throw Violation(error.invariant, "node \(index): \(error.message)")
        }
    }

    // MARK: Restarts

    /// A node begins to run: what it had made durable is there. After a restored backup its account is that
    /// of the backup, and what only its lost state held is not asked for any more.
    mutating func takeStarted(_ index: Int, _ world: borrowing World, restored: NodeView?) throws(Violation) {
        guard let space, !traitors.contains(index) else { return }
        let starts = world.nodes[index].startsFound
        // The run before kept nothing at all: its cursors are foreign (decision 0091).
        if starts == views[index].starts { views[index].watch.mayResync = true }
        views[index].watch.startsSinceCursor += 1
        let known = views[index]
        if let restored {
            roster?.forget(index)
            views[index] = restored
            (views[index].acknowledged, views[index].watch) = (known.acknowledged, WatchView())
            // What programs were shown before the disk went back is not asked of it.
            views[index].shown = .start
            views[index].recordChanged(sortedKeys.map { Key(String(decoding: $0, as: UTF8.self)) })
        } else if known.position > .start {
            // It may have halted again, on a disk that is still dead.
            let store = world.nodes[index].node?.store ?? world.nodes[index].disk
            let position = store.position(of: space)
            guard let position, position >= known.position else {
                throw Violation(
                    .acknowledgedStays,
                    "node \(index) starts at \(String(describing: position)), not at \(known.position)")
            }
        }
        try takeDisk(index, in: space, world)
        views[index].starts = starts
        guard restored != nil else { return }
        views[index].watch = resumed(known, on: views[index])
        forgetLost()
    }

    /// A disk is gone, or its node is not trusted any more: what only it held is not asked for.
    mutating func forgetLost() {
        let honest = views.indices.filter { !traitors.contains($0) }
        let acknowledged = views.reduce(into: parted) { $0 += $1.acknowledged }
        lost.formUnion(acknowledged.filter { number in !honest.contains { holds(number, at: $0) } })
        parted.removeAll { lost.contains($0) }
        for index in views.indices { views[index].acknowledged.removeAll { lost.contains($0) } }
        forgetStanding()
    }

    /// True when a change is on a node's disk, on whatever branch of its log.
    func holds(_ number: Int, at index: Int) -> Bool {
        universe.contains(number, views[index].held[universe[number].change.replica])
    }

    /// For a message: which nodes hold a change.
    func heldBy(_ number: Int) -> String {
        let holders = views.indices.filter { holds(number, at: $0) }.map { " \($0)" }
        return holders.isEmpty ? "; nobody holds it" : "; held by\(holders.joined())"
    }

    /// A relay was sent no change: this version passes them on between those who can read them only.
    func checkRelay(_ index: Int, _ world: borrowing World) throws(Violation) {
        guard let space, !traitors.contains(index) else { return }
        let store = world.nodes[index].node?.store ?? world.nodes[index].disk
        let heads: VersionVector
        do throws(StoreFailure) {
            heads = try store.heads(space)
        } catch {
            throw Violation(.noPlaintext, "the relay at node \(index): \(error)")
        }
        if !heads.isEmpty {
            throw Violation(.noPlaintext, "the relay at node \(index) holds \(heads.entries)")
        }
    }

    // MARK: What was told

    /// A transaction was acknowledged: it is on the disk, whole. The number of its change.
    @discardableResult
    mutating func takeAcknowledged(_ dot: Dot, at index: Int) throws(Violation) -> Int? {
        guard !traitors.contains(index) else { return nil }
        guard let number = universe.number(of: dot, views[index].held[dot.replica]) else {
            throw Violation(
                .acknowledgedStays, "node \(index) acknowledged \(dot), which is not on its disk")
        }
        views[index].acknowledged.append(number)
        return number
    }

    /// Of two devices, one said of the other that it holds a change on its disk.
    func takeHeld(_ dot: Dot, by holder: Int, _ device: DeviceID, toldBy index: Int) throws(Violation) {
        guard !traitors.contains(holder), !traitors.contains(index) else { return }
        // A copy may be meant, or another branch.
        if universe.forking.contains(where: { $0 == universe.devices[dot.replica] || $0 == device }) {
            return
        }
        guard views[holder].vector.contains(dot) else {
            throw Violation(
                .acknowledgedStays, "node \(index) says that node \(holder) holds \(dot), which it does not")
        }
    }
}
