// A store for the simulator and the tests of the node: the whole contract as one deterministic value, without
// a disk. Writes go straight into the tables, each beside a step that takes it back; `commit` forgets those
// steps. So a transaction costs what it writes, and a crash is a rollback: what was not committed is gone,
// what was is there.

public import Causality
public import Node

/// The contract in memory. A copy is an independent store with the same data: also how a disk is cloned.
public struct MemoryStore: ChangeStore, MemoryReads, Sendable {
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
    var trapTables: MemoryTables?
    /// Rows of logs that do not decode any more, as they were.
    private var bent: [(space: SpaceID, index: Int, run: StoredRun)] = []
    public internal(set) var tables = MemoryTables()
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
    mutating func strike() throws(StoreFailure) {
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

    /// Memory has no file: nothing is given back, and nothing is left.
    public mutating func shrink(pagesMax: Int) throws(StoreFailure) -> Bool {
        precondition(undo == nil, "shrinking inside a transaction")
        return false
    }

    public func reader() throws(StoreFailure) -> MemoryReader {
        MemoryReader(tables: afterCrash().tables)
    }

    // MARK: Inside a transaction

    mutating func onRollback(_ step: @escaping @Sendable (inout MemoryTables) -> Void) {
        precondition(undo != nil, "a write outside a transaction")
        undo?.append(step)
    }

    mutating func change(
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
}

extension MemoryStore {
    /// The last position committed in a space; nil when it has none of that name.
    public func position(of space: SpaceID) -> CommitPosition? { tables.spaces[space]?.current.position }
}
