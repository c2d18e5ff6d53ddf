// Logs that begin at a cut, in memory: how they are collected, and forgotten.

public import Bytes
public import Causality
public import Node
public import Wire

extension MemoryReads {
    public func cut(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure) -> SequenceNumber {
        tables.spaces[space]?.logs[replica]?.cut ?? .none
    }

    public func cuts(_ space: SpaceID) throws(StoreFailure) -> VersionVector {
        let logs = (tables.spaces[space]?.logs ?? [:]).filter { $0.value.cut > .none }
        return VersionVector(
            logs.map { VersionVector.Entry($0.key, $0.value.cut) }.sorted { $0.replica < $1.replica })
    }

    public func logBytes(_ space: SpaceID) throws(StoreFailure) -> Int {
        tables.spaces[space]?.logBytes ?? 0
    }

    public func touched(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [(position: CommitPosition, keys: [Key])]
    {
        guard let tables = tables.spaces[space] else { return [] }
        return self.tables.commits(in: tables.commits, after: position, limit: limit).map {
            ($0.position, tables.touched[$0.position] ?? [])
        }
    }
}

extension MemoryStore {
    public mutating func startLog(
        _ space: SpaceID, _ replica: ReplicaID, at boundary: BoundaryRecord, seal: Seal?
    ) throws(StoreFailure) {
        let old = tables.spaces[space]?.logs[replica]
        boundary.checkStart(of: replica, heldThrough: old?.head ?? .none, seal: seal)
        try change(space) {
            var log = $0.logs[replica] ?? MemoryTables.Log()
            log.cut = boundary.last
            log.boundaries[boundary.last] = boundary
            if let seal { log.seals[seal.last] = MemoryTables.KeptSeal(seal: seal, isBoundary: true) }
            $0.logs[replica] = log
        } undoing: {
            $0.logs[replica] = old
        }
    }

    public mutating func collect(
        _ space: SpaceID, _ replica: ReplicaID, through last: SequenceNumber, keeping: [DotRange],
        rowsMax: Int
    ) throws(StoreFailure) -> (rows: Int, bytes: Int, isDone: Bool) {
        guard let old = tables.spaces[space], let log = old.logs[replica] else {
            preconditionFailure("\(replica) is collected, and not held")
        }
        let plan = CollectionPlan(of: replica, through: last, keeping: keeping)
        plan.check(cut: log.cut, head: log.head, hasBoundary: log.boundaries[last] != nil)
        // A row of documents at least goes with each change.
        let going = log.runs.filter { run in plan.runs.contains { $0.holds(run.first, run.last) } }
        var (part, looked) = ([StoredRun](), 0)
        for run in going where looked < rowsMax {
            part.append(run)
            looked += 1 + run.changes
        }
        let isDone = part.count == going.count && looked < rowsMax
        var rows = 0
        try change(space) { space in
            space.logs[replica]?.cut = last
            rows += space.remove(part, of: replica)
            if isDone { rows += space.logs[replica]?.remove(plan) ?? 0 }
        } undoing: {
            // What else the transaction wrote before is in `old`, what it wrote after is taken back already.
            $0 = old
        }
        return (rows, part.reduce(0) { $0 + $1.bytes.count }, isDone)
    }

    public mutating func forgetLog(_ space: SpaceID, _ replica: ReplicaID) throws(StoreFailure) {
        guard let old = tables.spaces[space], let log = old.logs[replica] else { return }
        try change(space) { space in
            _ = space.remove(log.runs, of: replica)
            space.logs[replica] = nil
        } undoing: {
            $0 = old
        }
    }
}

extension MemoryTables.Space {
    /// Removes runs with what names their changes; how many rows that were.
    fileprivate mutating func remove(_ runs: [StoredRun], of replica: ReplicaID) -> Int {
        guard !runs.isEmpty else { return 0 }
        floor = max(floor, commits.last?.position ?? .start)
        let positions = Set(
            runs.flatMap { run in
                (0..<UInt64(run.changes)).map { CommitPosition(run.position.value + $0) }
            })
        var (rows, keys) = (runs.count, Set<Key>())
        for position in positions {
            keys.formUnion(touched.removeValue(forKey: position) ?? [])
            if skipped[position] != nil { rows += 1 }
            skipped[position] = nil
        }
        for key in keys {
            guard let list = touching[key] else { continue }
            let left = list.filter { !positions.contains($0.position) }
            rows += list.count - left.count
            touching[key] = left.isEmpty ? nil : left
        }
        commits.removeAll { positions.contains($0.position) }
        let firsts = Set(runs.map(\.first))
        logs[replica]?.runs.removeAll { firsts.contains($0.first) }
        logBytes -= runs.reduce(0) { $0 + $1.bytes.count }
        return rows
    }
}

extension MemoryTables.Log {
    /// Removes boundaries and seals that nothing is read or verified with any more.
    fileprivate mutating func remove(_ plan: CollectionPlan) -> Int {
        var rows = 0
        for boundary in boundaries.values
        where plan.boundaries.contains(where: { $0.holds(boundary.last, boundary.last) }) {
            boundaries[boundary.last] = nil
            rows += 1
        }
        for kept in seals.values
        where plan.seals.contains(where: { $0.holds(kept.seal.last, kept.seal.last) }) {
            seals[kept.seal.last] = nil
            rows += 1
        }
        return rows
    }
}
