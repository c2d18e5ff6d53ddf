// A store for the simulator and the tests of the node: the whole contract as one deterministic value, without
// a disk. Writes go straight into the tables, each beside a step that takes it back; `commit` forgets those
// steps. So a transaction costs what it writes, and a crash is a rollback: what was not committed is gone,
// what was is there.

public import Bytes
public import Causality
public import Node
public import Wire

/// The contract in memory. A copy is an independent store with the same data: also how a disk is cloned.
public struct MemoryStore: ChangeStore, Sendable {
    /// What the disk does wrong, and when.
    public struct Fault: Sendable {
        /// Commits that still succeed before the one that fails.
        public var commitsBefore: Int
        /// Thrown by that commit. After a failed sync, every later commit fails the same way.
        public var failure: StoreFailure
        /// Set: not a commit fails but the write after so many, in the middle of a transaction.
        public var writesBefore: Int?
        /// What a failed commit wrote is found after a restart all the same: a failed sync says nothing about
        /// what reached the disk.
        public var isKept = false
        /// It fails the same way until somebody repairs it; a failed sync does so in any case.
        public var isLasting = false

        public init(
            commitsBefore: Int = 0, failure: StoreFailure, writesBefore: Int? = nil, isKept: Bool = false,
            isLasting: Bool = false
        ) {
            self.isLasting = isLasting
            self.commitsBefore = commitsBefore
            self.failure = failure
            self.writesBefore = writesBefore
            self.isKept = isKept
        }
    }

    /// Injected from outside; cleared when it has struck, but for a failed sync and one that lasts.
    public var fault: Fault?
    /// Appending this change as executed stands for a process that dies of it: `imageOfTrap` is then what is
    /// on the disk.
    public var poison: Dot?
    private var trapTables: MemoryTables?
    /// Rows of logs that do not decode any more, as they were.
    private var bent: [(space: SpaceID, index: Int, run: StoredRun)] = []
    private var tables = MemoryTables()
    /// Takes back what was written since `begin`, last first; nil outside a transaction.
    private var undo: [@Sendable (inout MemoryTables) -> Void]?

    public init() {}

    /// The disk at the moment at which the process died; nil: it lives.
    public var imageOfTrap: MemoryStore? {
        guard let trapTables else { return nil }
        var image = MemoryStore()
        image.tables = trapTables
        image.poison = poison
        return image
    }

    /// What is kept of the node's starts (decision 0091), in its own form.
    var startsKept: [UInt8]? { tables.meta["store"] }

    /// What a bad disk does to a row of the log: nothing in it decodes any more.
    public mutating func bend(_ space: SpaceID, _ dot: Dot) {
        let runs = tables.spaces[space]?.logs[dot.replica]?.runs ?? []
        guard let index = runs.firstIndex(where: { $0.first <= dot.sequence && dot.sequence <= $0.last })
        else { preconditionFailure("\(dot) is not held") }
        let run = runs[index]
        bent.append((space, index, run))
        tables.spaces[space]?.logs[dot.replica]?.runs[index] = StoredRun(
            replica: run.replica, first: run.first, last: run.last, position: run.position,
            changes: run.changes, bytes: [UInt8](repeating: 0, count: run.bytes.count))
    }

    /// Somebody repaired it.
    public mutating func unbend() {
        for (space, index, run) in bent { tables.spaces[space]?.logs[run.replica]?.runs[index] = run }
        bent = []
    }

    /// What the next process finds: everything committed, nothing else. Faults stay with the disk.
    public func afterCrash() -> MemoryStore {
        var store = self
        store.rollback()
        return store
    }

    public mutating func begin() throws(StoreFailure) {
        precondition(undo == nil, "begin inside a transaction")
        undo = []
    }

    public mutating func commit() throws(StoreFailure) {
        precondition(undo != nil, "commit outside a transaction")
        if var fault, fault.writesBefore == nil {
            fault.commitsBefore -= 1
            self.fault = fault
            if fault.commitsBefore < 0 {
                if case .syncFailed = fault.failure {
                    self.fault?.commitsBefore = 0
                    self.fault?.isKept = false
                } else if !fault.isLasting {
                    self.fault = nil
                }
                if fault.isKept { undo = nil } else { rollback() }
                throw fault.failure
            }
        }
        undo = nil
    }

    /// Before each write: the one that a fault has chosen fails.
    private mutating func strike() throws(StoreFailure) {
        guard let left = fault?.writesBefore, let failure = fault?.failure else { return }
        fault?.writesBefore = left - 1
        guard left <= 0 else { return }
        if fault?.isLasting != true { fault = nil }
        throw failure
    }

    public mutating func rollback() {
        for step in (undo ?? []).reversed() { step(&tables) }
        undo = nil
    }

    public func reader() throws(StoreFailure) -> MemoryReader {
        MemoryReader(tables: afterCrash().tables)
    }

    // MARK: Writes

    public mutating func setMeta(_ name: String, _ value: [UInt8]?) throws(StoreFailure) {
        try strike()
        let old = tables.meta[name]
        tables.meta[name] = value
        onRollback { $0.meta[name] = old }
    }

    public mutating func put(_ space: SpaceRecord) throws(StoreFailure) {
        try strike()
        let id = space.id
        guard let old = tables.spaces[id]?.record else {
            tables.spaces[id] = MemoryTables.Space(record: space)
            onRollback { $0.spaces[id] = nil }
            return
        }
        tables.spaces[id]?.record = space
        onRollback { $0.spaces[id]?.record = old }
    }

    public mutating func remove(_ space: SpaceID) throws(StoreFailure) {
        try strike()
        let old = tables.spaces.removeValue(forKey: space)
        onRollback { $0.spaces[space] = old }
    }

    public mutating func addRosterOperation(_ space: SpaceID, _ bytes: [UInt8]) throws(StoreFailure) {
        try change(space) {
            $0.roster.append(bytes)
        } undoing: {
            $0.roster.removeLast()
        }
    }

    public mutating func append(
        _ space: SpaceID, _ run: StoredRun, changes: [CommitRecord], touched: [[Key]]
    ) throws(StoreFailure) {
        run.checkLayout(of: changes, touched: touched)
        let head = tables.spaces[space]?.logs[run.replica]?.head ?? .none
        precondition(
            run.first > head, "\(run.replica) is held up to \(head), a run from \(run.first) is appended")
        if let poison, trapTables == nil,
            changes.contains(where: {
                $0.replica == poison.replica && $0.last == poison.sequence && $0.status == .executed
            })
        {
            trapTables = afterCrash().tables
        }
        try change(space) {
            $0.logs[run.replica, default: MemoryTables.Log()].runs.append(run)
            $0.commits.append(contentsOf: changes)
            for (record, keys) in zip(changes, touched) {
                for key in keys { $0.touching[key, default: []].append(record) }
            }
        } undoing: {
            $0.logs[run.replica]?.runs.removeLast()
            $0.commits.removeLast(changes.count)
            for keys in touched {
                for key in keys { $0.touching[key]?.removeLast() }
            }
        }
    }

    public mutating func addBoundary(_ space: SpaceID, _ replica: ReplicaID, _ boundary: BoundaryRecord)
        throws(StoreFailure)
    {
        try changeLog(space, replica) { $0.boundaries[boundary.last] = boundary }
    }

    public mutating func addSeal(_ space: SpaceID, _ seal: Seal, isBoundary: Bool) throws(StoreFailure) {
        try changeLog(space, seal.replica) { log in
            let latest = log.seals.last
            if let latest, latest.name > seal.last, !isBoundary { return }
            if let latest, latest.name < seal.last, !latest.value.isBoundary { log.seals[latest.name] = nil }
            let isForEver = isBoundary || log.seals[seal.last]?.isBoundary == true
            log.seals[seal.last] = MemoryTables.KeptSeal(seal: seal, isBoundary: isForEver)
        }
    }

    public mutating func put(_ space: SpaceID, _ document: DocumentRecord, wasVisible: Bool)
        throws(StoreFailure)
    {
        let old = tables.spaces[space]?.documents[document.key]
        precondition(wasVisible == (old?.isVisible ?? false), "\(document.key) was visible: \(!wasVisible)")
        let delta = (document.isVisible ? 1 : 0) - (old?.isVisible == true ? 1 : 0)
        try change(space) {
            $0.documents[document.key] = document
            $0.visibleCount += delta
        } undoing: {
            $0.documents[document.key] = old
            $0.visibleCount -= delta
        }
    }

    public mutating func put(_ space: SpaceID, _ key: Key, _ snapshot: SnapshotRecord) throws(StoreFailure) {
        let old = tables.spaces[space]?.snapshots[key]
        try change(space) {
            $0.snapshots[key] = snapshot
        } undoing: {
            $0.snapshots[key] = old
        }
    }

    public mutating func put(_ space: SpaceID, _ key: Key, _ record: IdempotencyRecord) throws(StoreFailure) {
        let old = tables.spaces[space]?.idempotency[key]
        try change(space) {
            $0.idempotency[key] = record
        } undoing: {
            $0.idempotency[key] = old
        }
    }

    public mutating func put(_ space: SpaceID, _ fork: ForkRecord) throws(StoreFailure) {
        let old = tables.spaces[space]?.forks[fork.replica]
        try change(space) {
            $0.forks[fork.replica] = fork
        } undoing: {
            $0.forks[fork.replica] = old
        }
    }

    public mutating func put(_ space: SpaceID, _ skipped: SkippedRecord) throws(StoreFailure) {
        try setSkipped(space, skipped.change.position, skipped)
    }

    public mutating func removeSkipped(_ space: SpaceID, at position: CommitPosition) throws(StoreFailure) {
        try setSkipped(space, position, nil)
    }

    private mutating func setSkipped(
        _ space: SpaceID, _ position: CommitPosition, _ record: SkippedRecord?
    ) throws(StoreFailure) {
        let old = tables.spaces[space]?.skipped[position]
        try change(space) {
            $0.skipped[position] = record
        } undoing: {
            $0.skipped[position] = old
        }
    }

    public mutating func mark(
        _ space: SpaceID, _ changes: [CommitRecord], touched: [[Key]], as status: ChangeStatus
    ) throws(StoreFailure) {
        precondition(changes.count == touched.count, "\(changes.count) changes, \(touched.count) lists")
        for (record, keys) in zip(changes, touched) {
            try change(space) {
                MemoryTables.mark(record, touching: keys, as: status, in: &$0)
            } undoing: {
                MemoryTables.mark(record, touching: keys, as: record.status, in: &$0)
            }
        }
    }

    public mutating func expireIdempotency(before wall: UInt64, moved: Int64) throws(StoreFailure) {
        for space in tables.spaces.keys {
            let old = tables.spaces[space]?.idempotency ?? [:]
            let kept = old.mapValues { $0.expiring(later: moved) }.filter { $0.value.expires >= wall }
            if kept != old {
                try change(space) {
                    $0.idempotency = kept
                } undoing: {
                    $0.idempotency = old
                }
            }
        }
    }

    // MARK: Inside a transaction

    private mutating func onRollback(_ step: @escaping @Sendable (inout MemoryTables) -> Void) {
        precondition(undo != nil, "a write outside a transaction")
        undo?.append(step)
    }

    private mutating func change(
        _ space: SpaceID, _ body: (inout MemoryTables.Space) -> Void,
        undoing step: @escaping @Sendable (inout MemoryTables.Space) -> Void
    ) throws(StoreFailure) {
        try strike()
        guard tables.spaces[space] != nil else {
            preconditionFailure("a write to the unknown space \(space)")
        }
        Self.apply(body, to: &tables.spaces[space])
        onRollback { Self.apply(step, to: &$0.spaces[space]) }
    }

    /// In place: taken out and put back, so that no table is copied for the change.
    private static func apply(
        _ body: (inout MemoryTables.Space) -> Void, to space: inout MemoryTables.Space?
    ) {
        guard var held = space.take() else { return }
        body(&held)
        space = held
    }

    /// Boundaries and seals are few: the step back puts their old tables back whole.
    private mutating func changeLog(
        _ space: SpaceID, _ replica: ReplicaID, _ body: (inout MemoryTables.Log) -> Void
    ) throws(StoreFailure) {
        let old = tables.spaces[space]?.logs[replica] ?? MemoryTables.Log()
        let (boundaries, seals) = (old.boundaries, old.seals)
        try change(space) {
            body(&$0.logs[replica, default: MemoryTables.Log()])
        } undoing: {
            $0.logs[replica]?.boundaries = boundaries
            $0.logs[replica]?.seals = seals
        }
    }
}

extension MemoryStore {
    /// The last position committed in a space; nil when it has none of that name.
    public func position(of space: SpaceID) -> CommitPosition? { tables.spaces[space]?.current.position }

    public func meta(_ name: String) throws(StoreFailure) -> [UInt8]? { try view.meta(name) }
    public func spaces() throws(StoreFailure) -> [SpaceRecord] { try view.spaces() }
    public func rosterOperations(_ space: SpaceID) throws(StoreFailure) -> [[UInt8]] {
        try view.rosterOperations(space)
    }
    public func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector { try view.heads(space) }
    public func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber)
        throws(StoreFailure) -> Int
    {
        try view.changeCount(space, replica, after: sequence)
    }

    public func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int)
        throws(StoreFailure) -> [StoredRun]
    {
        try view.runs(space, replica, from: from, bytesMax: bytesMax)
    }
    public func boundary(_ space: SpaceID, _ replica: ReplicaID, before sequence: SequenceNumber)
        throws(StoreFailure) -> BoundaryRecord?
    {
        try view.boundary(space, replica, before: sequence)
    }
    public func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int)
        throws(StoreFailure) -> [Seal]
    {
        try view.seals(space, replica, from: from, limit: limit)
    }
    public func commits(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        try view.commits(space, after: position, limit: limit)
    }
    public func commits(_ space: SpaceID, touching document: Key, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        try view.commits(space, touching: document, after: position, limit: limit)
    }
    public func document(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> DocumentRecord? {
        try view.document(space, key)
    }
    public func documents(_ space: SpaceID, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> [DocumentRecord]
    {
        try view.documents(space, prefix: prefix, after: after, limit: limit)
    }
    public func documentCount(_ space: SpaceID) throws(StoreFailure) -> Int { try view.documentCount(space) }
    public func snapshot(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> SnapshotRecord? {
        try view.snapshot(space, key)
    }
    public func idempotency(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> IdempotencyRecord? {
        try view.idempotency(space, key)
    }
    public func forks(_ space: SpaceID) throws(StoreFailure) -> [ForkRecord] { try view.forks(space) }
    public func skipped(_ space: SpaceID) throws(StoreFailure) -> [SkippedRecord] { try view.skipped(space) }

    private var view: MemoryReader { MemoryReader(tables: tables) }
}
