// The indexes that are declared for a space on this node. A document moves in them when its record is
// written, in the same transaction: one look at where it stands now, and a write for each index in which its
// value changed. Without indexes nothing is read or written.
//
//     declared ── building ──────────▶ ready
//                   │ documents up to `after`          a step a tick (SpaceIndexes+Steps)
//                   └────────┬──────────┘
//                         dropping ──▶ gone            entries go a step a tick

import Bytes
import Causality
import Documents
import Wire

/// The indexes of a space.
struct SpaceIndexes: Sendable {
    /// One of them.
    struct Declared: Sendable {
        var record: IndexRecord
        let definition: IndexDefinition

        /// It has an entry of this document, if the document is there.
        func covers(_ key: Key) -> Bool {
            guard key.hasPrefix(definition.prefix) else { return false }
            switch record.stage {
            case .building(let after): return after.map { key <= $0 } ?? false
            case .ready: return true
            case .dropping: return false
            }
        }
    }

    /// Ascending by number.
    var list: [Declared] = []
    /// Whose records are not written.
    private var changed: Set<IndexNumber> = []

    init() {}

    init(of space: SpaceID, from store: some StoreReading) throws(StoreFailure) {
        for record in try store.indexes(space) {
            do throws(DecodeFault) {
                list.append(
                    Declared(record: record, definition: try IndexDefinition(decoding: record.definition)))
            } catch {
                throw .unreadable(.index(name: record.name, of: space), error)
            }
        }
    }

    var isEmpty: Bool { list.isEmpty }

    /// One of them is to be built or dropped.
    var isAtWork: Bool { list.contains { $0.record.stage != .ready } }

    /// Those that were not dropped, ascending by name.
    var declared: [Declared] {
        list.filter { $0.record.stage != .dropping }.sorted { Key($0.record.name) < Key($1.record.name) }
    }

    func named(_ name: String) -> Declared? {
        list.first { Key($0.record.name) == Key(name) && $0.record.stage != .dropping }
    }

    // MARK: Declaring

    /// Adds an index without entries. There is room, and the name is free.
    mutating func declare(_ name: String, _ definition: IndexDefinition) {
        precondition(named(name) == nil && list.count < NodeLimits.indexesMax, "index \(name) is declared")
        let number = IndexNumber((list.last?.record.number.value ?? 0) + 1)
        let record = IndexRecord(
            number: number, name: name, definition: definition.encoded(), stage: .building(after: nil),
            documents: 0, cutValues: 0)
        list.append(Declared(record: record, definition: definition))
        changed.insert(number)
    }

    /// No find uses it any more; its entries go step by step.
    mutating func drop(_ number: IndexNumber) { set(number) { $0.stage = .dropping } }

    // MARK: Keeping up with documents

    /// Brings the entries of a document up to what it shows now; its record is written in this transaction.
    mutating func update(
        _ document: Document, in space: SpaceID, to store: inout some ChangeStore
    ) throws(StoreFailure) {
        guard list.contains(where: { $0.covers(document.key) }) else { return }
        let known = try store.indexed(space, document.key)
        for index in list where index.covers(document.key) {
            let value = IndexValue(of: document, at: index.definition.path)
            try move(
                document.key, in: index.record.number, from: known[index.record.number], to: value?.bytes,
                of: space, in: &store)
        }
    }

    /// Moves a document in one index.
    mutating func move(
        _ key: Key, in number: IndexNumber, from old: [UInt8]?, to new: [UInt8]?, of space: SpaceID,
        in store: inout some ChangeStore
    ) throws(StoreFailure) {
        guard old != new else { return }
        try store.index(space, key, in: number, from: old, to: new)
        let documents = (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        let cutValues = [new, old].map { $0.map(IndexValue.isCut) == true ? 1 : 0 }
        guard documents != 0 || cutValues[0] != cutValues[1] else { return }
        set(number) {
            $0.documents += documents
            $0.cutValues += cutValues[0] - cutValues[1]
        }
    }

    // MARK: Records

    mutating func set(_ number: IndexNumber, _ body: (inout IndexRecord) -> Void) {
        guard let place = list.firstIndex(where: { $0.record.number == number }) else {
            preconditionFailure("index \(number.value) is not declared")
        }
        body(&list[place].record)
        changed.insert(number)
    }

    /// Forgets an index that has no entries any more.
    mutating func remove(_ number: IndexNumber, of space: SpaceID, in store: inout some ChangeStore)
        throws(StoreFailure)
    {
        try store.removeIndex(space, number)
        list.removeAll { $0.record.number == number }
        changed.remove(number)
    }

    /// Writes the records that changed.
    mutating func writeRecords(of space: SpaceID, to store: inout some ChangeStore) throws(StoreFailure) {
        guard !changed.isEmpty else { return }
        for index in list where changed.contains(index.record.number) { try store.put(space, index.record) }
        changed = []
    }

    // MARK: Invariants

    func checkInvariants() {
        precondition(list.count <= NodeLimits.indexesMax, "\(list.count) indexes")
        for (left, right) in zip(list, list.dropFirst()) {
            precondition(left.record.number < right.record.number, "indexes out of order")
        }
        for index in list {
            precondition(
                index.record.cutValues >= 0 && index.record.cutValues <= index.record.documents,
                "index \(index.record.name) has \(index.record.documents) documents")
        }
    }
}
