// Bases, candidates and manifests in memory.

public import Bytes
public import Causality
public import Node
import Wire

extension MemoryReads {
    public func base(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> BaseRecord? {
        tables.spaces[space]?.bases[key]
    }

    public func bases(_ space: SpaceID, after: Key?, limit: Int) throws(StoreFailure) -> [BaseRecord] {
        tables.spaces[space]?.bases.values(after: after, limit: limit) ?? []
    }

    public func encodedPages(_ space: SpaceID, after: Key?, counts: [Int]) throws(StoreFailure)
        -> [[UInt8]]
    {
        var rest = try bases(space, after: after, limit: counts.reduce(0, +))[...]
        var pages: [[UInt8]] = []
        for count in counts where !rest.isEmpty {
            let documents = rest.prefix(count).map {
                BasePage.Document(key: $0.key, frontier: $0.frontier, snapshot: $0.bytes)
            }
            pages.append(BasePage(documents: documents).encoded())
            rest.removeFirst(documents.count)
        }
        return pages
    }

    public func baseBytes(_ space: SpaceID) throws(StoreFailure) -> (bytes: Int, documents: Int) {
        (tables.spaces[space]?.baseBytes ?? 0, tables.spaces[space]?.bases.count ?? 0)
    }

    public func candidate(_ space: SpaceID, _ key: Key) throws(StoreFailure) -> CandidateRecord? {
        tables.spaces[space]?.candidates[key]
    }

    public func candidates(_ space: SpaceID, after: Key?, limit: Int) throws(StoreFailure)
        -> [CandidateRecord]
    {
        tables.spaces[space]?.candidates.values(after: after, limit: limit) ?? []
    }

    public func pages(_ space: SpaceID, of set: PageSet, after: Key?, limit: Int) throws(StoreFailure)
        -> [PageRecord]
    {
        tables.spaces[space]?.pages[set]?.values(after: after, limit: limit) ?? []
    }
}

extension MemoryStore {
    public mutating func put(_ space: SpaceID, _ base: BaseRecord) throws(StoreFailure) {
        try setBase(space, base.key, base)
    }

    public mutating func removeBase(_ space: SpaceID, _ key: Key) throws(StoreFailure) {
        try setBase(space, key, nil)
    }

    private mutating func setBase(_ space: SpaceID, _ key: Key, _ base: BaseRecord?) throws(StoreFailure) {
        let old = tables.spaces[space]?.bases[key]
        try change(space) {
            $0.countingVisible(key) { $0.setBase(key, base) }
        } undoing: {
            $0.countingVisible(key) { $0.setBase(key, old) }
        }
    }

    public mutating func put(_ space: SpaceID, _ candidate: CandidateRecord) throws(StoreFailure) {
        try setCandidates(space, [candidate.key], to: candidate)
    }

    public mutating func putCandidates(_ space: SpaceID, after: Key?, _ pages: [CandidatePage])
        throws(StoreFailure)
    {
        guard let last = pages.last?.lastKey else { return }
        while let old = try self.candidates(space, after: after, limit: 1).first, old.key <= last {
            try setCandidates(space, [old.key], to: nil)
        }
        for candidate in pages.flatMap(\.records) { try put(space, candidate) }
    }

    public mutating func removeCandidates(_ space: SpaceID, limit: Int) throws(StoreFailure) -> Bool {
        let first = try candidates(space, after: nil, limit: limit)
        try setCandidates(space, first.map(\.key), to: nil)
        return try !candidates(space, after: nil, limit: 1).isEmpty
    }

    private mutating func setCandidates(_ space: SpaceID, _ keys: [Key], to candidate: CandidateRecord?)
        throws(StoreFailure)
    {
        let old = keys.map { tables.spaces[space]?.candidates[$0] }
        try change(space) {
            for key in keys { $0.candidates[key] = candidate }
        } undoing: {
            for (key, record) in zip(keys, old) { $0.candidates[key] = record }
        }
    }

    public mutating func promoteCandidates(_ space: SpaceID, limit: Int, at position: CommitPosition)
        throws(StoreFailure) -> PromotedCandidates?
    {
        var (bases, visible, bytes) = ([BaseRecord](), 0, 0)
        for candidate in try candidates(space, after: nil, limit: limit) {
            guard let held = candidate.bytes else { break }
            let key = candidate.key
            let (base, own) = (try base(space, key), try snapshot(space, key))
            guard base == nil, own == nil, try document(space, key) == nil else { return nil }
            let new = BaseRecord(
                key: key, isVisible: candidate.isVisible, frontier: candidate.frontier, position: position,
                bytes: held)
            if new.isVisible { visible += 1 }
            bytes += new.size
            bases.append(new)
        }
        guard let last = bases.last?.key else { return nil }
        for base in bases { try put(space, base) }
        try setCandidates(space, bases.map(\.key), to: nil)
        return PromotedCandidates(documents: bases.count, visible: visible, bytes: bytes, lastKey: last)
    }

    public mutating func putPages(_ space: SpaceID, of set: PageSet, _ pages: [PageRecord])
        throws(StoreFailure)
    {
        try changePages(space) { sets in
            for page in pages { sets[set, default: SortedTable()][page.last] = page }
        }
    }

    public mutating func removePages(_ space: SpaceID, of set: PageSet) throws(StoreFailure) {
        try changePages(space) { $0[set] = nil }
    }

    public mutating func promotePages(_ space: SpaceID) throws(StoreFailure) {
        try changePages(space) { ($0[.standing], $0[.candidate]) = ($0[.candidate], nil) }
    }

    /// Pages are few: the step back puts the old manifests back whole.
    private mutating func changePages(
        _ space: SpaceID, _ body: (inout [PageSet: SortedTable<Key, PageRecord>]) -> Void
    ) throws(StoreFailure) {
        let old = tables.spaces[space]?.pages ?? [:]
        try change(space) {
            body(&$0.pages)
        } undoing: {
            $0.pages = old
        }
    }
}

extension SortedTable {
    /// The first values after a name.
    fileprivate func values(after name: Name?, limit: Int) -> [Value] {
        guard limit > 0 else { return [] }
        guard let name else {
            var all: [Value] = []
            if let first { visit(from: first.name) { entry in Self.collect(entry, limit, &all) } }
            return all
        }
        var found: [Value] = []
        visit(from: name) { entry in entry.name == name || Self.collect(entry, limit, &found) }
        return found
    }

    private static func collect(_ entry: Entry, _ limit: Int, _ found: inout [Value]) -> Bool {
        found.append(entry.value)
        return found.count < limit
    }
}
