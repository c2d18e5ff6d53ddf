// Indexes of a space as programs declare, list and drop them.

import Causality

extension Space {
    /// Ascending by name.
    var indexReports: [IndexReport] { documents.indexes.declared.map(IndexReport.init) }

    func index(named name: String) throws(NodeError) -> IndexReport {
        guard let found = documents.indexes.named(name) else { throw .index(.absent(name)) }
        return IndexReport(found)
    }

    /// `isNew` false: the same one is declared already.
    mutating func declareIndex(
        _ name: String, _ definition: IndexDefinition,
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> (report: IndexReport, isNew: Bool) {
        guard IndexReport.isName(name) else { throw .index(.invalidName(name)) }
        if let known = documents.indexes.named(name) {
            guard known.definition == definition else { throw .index(.exists(name)) }
            return (IndexReport(known), false)
        }
        guard documents.indexes.list.count < NodeLimits.indexesMax else {
            throw .tooMany(what: "indexes of the space", limit: NodeLimits.indexesMax)
        }
        documents.indexes.declare(name, definition)
        try writeIndexes(to: &transaction)
        return (try index(named: name), true)
    }

    mutating func dropIndex(_ name: String, in transaction: inout StoreTransaction<some ChangeStore>)
        throws(NodeError)
    {
        guard let known = documents.indexes.named(name) else { throw .index(.absent(name)) }
        documents.indexes.drop(known.record.number)
        try writeIndexes(to: &transaction)
    }

    private mutating func writeIndexes(to transaction: inout StoreTransaction<some ChangeStore>)
        throws(NodeError)
    {
        try transaction.writing { transaction throws(StoreFailure) in
            try transaction.beginWriting()
            try documents.indexes.writeRecords(of: id, to: &transaction.store)
        }
    }

    /// The next step of building or dropping one; false when there is nothing to do.
    mutating func advanceIndexes(in transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure) -> Bool
    {
        guard documents.indexes.isAtWork else { return false }
        try writeDocuments(to: &transaction)
        try documents.advanceIndexes(in: &transaction)
        return true
    }
}

extension IndexReport {
    init(_ index: SpaceIndexes.Declared) {
        self.init(
            name: index.record.name, definition: index.definition, isReady: index.record.stage == .ready,
            documents: index.record.documents)
    }

    /// 1 to 64 bytes of letters, digits, `.`, `_` and `-`.
    fileprivate static func isName(_ name: String) -> Bool {
        (1...NodeLimits.indexNameBytesMax).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
