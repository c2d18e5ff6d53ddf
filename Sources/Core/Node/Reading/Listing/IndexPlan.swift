// Whether a listing reads an index, and which. What can be known without looking at documents is how many
// entries a range has, up to a bound; the rest is these rules, in this order:
//
//     1  a range of few entries                       it costs next to nothing, in whatever order
//     2  a range in the listing's order               a page ends when it is full
//     3  a range of not too many entries              all of them are looked at, and sorted
//     4  the whole index, in the listing's order      no sorting, and memory for a page only
//     5  any range, if the listing must be sorted     a scan would look at more
//
// Otherwise all documents with the prefix are looked at; also where they are few, and few of what the index
// has.

import Bytes
import Causality
import Documents
import Wire

/// How one index would serve a listing.
struct IndexPlan: Sendable {
    let record: IndexRecord
    let path: [PathElement]
    let range: IndexRange
    /// True when the filter bounds it.
    let isRange: Bool
    let isInOrder: Bool
    let isDescending: Bool
    /// The places of what it reads.
    let places: Range<IndexPlace>
    /// It reads entries of other documents than those with the prefix.
    private let isWider: Bool

    /// Entries that are counted, at most; a range with as many is not taken to be sorted unless it must be.
    static let countMax = 2_048
    static let fewMax = 200

    /// Nil when the index is not ready, does not have all documents with the prefix, or does not help.
    init?(_ record: IndexRecord, _ definition: IndexDefinition, for query: ListingQuery) {
        guard record.stage == .ready, query.prefix.hasPrefix(definition.prefix) else { return nil }
        self.record = record
        path = definition.path
        let range = IndexRange(of: query.filter, at: path)
        self.range = range ?? .all
        isRange = range != nil
        switch query.order.subject {
        case .key: isInOrder = range.map { $0.isEmpty || $0.soleValue != nil } ?? false
        case .path(let path):
            isInOrder = path == self.path && record.cutValues <= NodeLimits.indexCutValuesMax
        }
        isDescending = isInOrder && query.order.isDescending
        places = self.range.places(prefix: query.prefix)
        isWider = query.prefix != definition.prefix && self.range.soleValue == nil
        guard isRange || isInOrder else { return nil }
    }

    /// The one that a listing reads; nil: none.
    static func choose(for query: ListingQuery, in space: SpaceID, from store: some StoreReading)
        throws(StoreFailure) -> IndexPlan?
    {
        var plans: [IndexPlan] = []
        for record in try store.indexes(space) {
            do throws(DecodeFault) {
                let definition = try IndexDefinition(decoding: record.definition)
                if let plan = IndexPlan(record, definition, for: query) { plans.append(plan) }
            } catch {
                throw .unreadable(.index(name: record.name, of: space), error)
            }
        }
        var ranges: [(plan: IndexPlan, count: Int)] = []
        for plan in plans where plan.isRange {
            ranges.append((plan, try plan.count(in: space, from: store)))
        }
        ranges.sort { $0.count < $1.count }
        if let best = ranges.first, best.count <= fewMax { return best.plan }
        if plans.contains(where: \.isWider) {
            let listed = try store.documents(space, prefix: query.prefix, after: nil, limit: fewMax + 1)
            if listed.count <= fewMax {
                plans.removeAll(where: \.isWider)
                ranges.removeAll(where: \.plan.isWider)
            }
        }
        if let inOrder = ranges.first(where: { $0.plan.isInOrder }) { return inOrder.plan }
        if let best = ranges.first, best.count < countMax { return best.plan }
        if let whole = plans.first(where: \.isInOrder) { return whole }
        return query.order.subject == .key ? nil : ranges.first?.plan
    }

    /// Entries of the range, at most `countMax`.
    private func count(in space: SpaceID, from store: some StoreReading) throws(StoreFailure) -> Int {
        try store.entries(space, of: record.number, in: places, descending: false, limit: Self.countMax).count
    }
}
