// Logs in memory: runs, commit order, boundaries, seals.

public import Bytes
public import Causality
public import Node
public import Wire

extension MemoryReads {
    public func heads(_ space: SpaceID) throws(StoreFailure) -> VersionVector { tables.heads(space) }

    public func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int)
        throws(StoreFailure) -> [StoredRun]
    {
        tables.runs(space, replica, from: from, bytesMax: bytesMax)
    }

    public func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber)
        throws(StoreFailure) -> Int
    {
        tables.changeCount(space, replica, after: sequence)
    }

    public func boundary(_ space: SpaceID, _ replica: ReplicaID, before sequence: SequenceNumber)
        throws(StoreFailure) -> BoundaryRecord?
    {
        tables.spaces[space]?.logs[replica]?.boundaries.last(before: sequence)?.value
    }

    public func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int)
        throws(StoreFailure) -> [Seal]
    {
        tables.seals(space, replica, from: from, limit: limit)
    }

    public func commits(_ space: SpaceID, after position: CommitPosition, limit: Int)
        throws(StoreFailure) -> [CommitRecord]
    {
        tables.commits(in: tables.spaces[space]?.commits ?? [], after: position, limit: limit)
    }
}

extension MemoryStore {
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
            $0.logBytes += run.bytes.count
            for (record, keys) in zip(changes, touched) {
                $0.touched[record.position] = keys
                for key in keys { $0.touching[key, default: []].append(record) }
            }
        } undoing: {
            $0.logs[run.replica]?.runs.removeLast()
            $0.commits.removeLast(changes.count)
            $0.logBytes -= run.bytes.count
            for (record, keys) in zip(changes, touched) {
                $0.touched[record.position] = nil
                for key in keys { $0.touching[key]?.removeLast() }
            }
        }
    }

    public mutating func mark(
        _ space: SpaceID, _ changes: [CommitRecord], touched: [[Key]], as status: ChangeStatus
    ) throws(StoreFailure) {
        precondition(changes.count == touched.count, "\(changes.count) changes, \(touched.count) lists")
        for (record, keys) in zip(changes, touched) {
            let had = Set(
                keys.filter { key in
                    (tables.spaces[space]?.touching[key] ?? []).contains {
                        $0.position == record.position
                    }
                })
            let named = tables.spaces[space]?.touched[record.position] ?? []
            // One that was appended as void named none.
            let more = record.status == .void && status != .void ? keys.filter { !named.contains($0) } : []
            try change(space) {
                MemoryTables.mark(record, touching: keys, as: status, in: &$0)
                $0.touched[record.position] = named + more
            } undoing: {
                MemoryTables.mark(record, touching: keys, as: record.status, in: &$0)
                $0.touched[record.position] = named
                MemoryTables.untouch(record, keys.filter { !had.contains($0) }, in: &$0)
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

extension MemoryTables {
    func heads(_ space: SpaceID) -> VersionVector {
        let logs = spaces[space]?.logs ?? [:]
        return VersionVector(
            logs.map { VersionVector.Entry($0.key, $0.value.head) }.sorted { $0.replica < $1.replica })
    }

    func runs(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, bytesMax: Int) -> [StoredRun] {
        let runs = spaces[space]?.logs[replica]?.runs ?? []
        var (found, bytes) = ([StoredRun](), 0)
        for run in runs[Self.firstIndex(in: runs) { $0.last >= from }...] {
            found.append(run)
            bytes += run.bytes.count
            if bytes > bytesMax { break }
        }
        return found
    }

    func changeCount(_ space: SpaceID, _ replica: ReplicaID, after sequence: SequenceNumber) -> Int {
        let runs = spaces[space]?.logs[replica]?.runs ?? []
        return runs[Self.firstIndex(in: runs) { $0.first > sequence }...].reduce(0) { $0 + $1.changes }
    }

    func seals(_ space: SpaceID, _ replica: ReplicaID, from: SequenceNumber, limit: Int) -> [Seal] {
        var found: [Seal] = []
        spaces[space]?.logs[replica]?.seals.visit(from: from) { entry in
            guard found.count < limit else { return false }
            found.append(entry.value.seal)
            return true
        }
        return found
    }

    func commits(in list: [CommitRecord], after position: CommitPosition, limit: Int) -> [CommitRecord] {
        Array(list[Self.firstIndex(in: list) { $0.position > position }...].prefix(limit))
    }

    /// Takes back what marking added.
    static func untouch(_ record: CommitRecord, _ keys: [Key], in space: inout Space) {
        for key in keys { space.touching[key]?.removeAll { $0.position == record.position } }
    }

    /// Gives a change another status, in commit order and beside each of its documents.
    static func mark(
        _ record: CommitRecord, touching keys: [Key], as status: ChangeStatus, in space: inout Space
    ) {
        let marked = CommitRecord(
            position: record.position, replica: record.replica, first: record.first, last: record.last,
            status: status)
        func change(_ list: inout [CommitRecord]) {
            let index = firstIndex(in: list) { $0.position >= record.position }
            if index < list.count, list[index].position == record.position {
                list[index] = marked
            } else {
                // It was appended as void, which touches nothing.
                list.insert(marked, at: index)
            }
        }
        change(&space.commits)
        for key in keys { change(&space.touching[key, default: []]) }
    }
}
