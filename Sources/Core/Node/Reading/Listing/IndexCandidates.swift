// Documents of a listing by a declared index, walked in its order or against it. Strings that are cut stand
// for several values: where the order matters, those that are cut alike are put in order by their documents.

import Bytes
import Causality
import Documents

/// Candidates from one range of an index, and those that cannot be read.
struct IndexCandidates: CandidateSource {
    private let space: SpaceID
    private let plan: IndexPlan
    private let order: DocumentOrder
    private var reader: LogReader
    /// What is left to be read, each in turn.
    private var places: [Range<IndexPlace>] = []
    /// Of strings that are cut alike: in order, and not given out yet.
    private var waiting: ArraySlice<Key> = []
    /// Those that are cut alike with this place and stand before it were given out.
    private var place: ListingPlace?

    var index: String? { plan.record.name }
    let isInOrder: Bool

    /// `isInOrder`: also where documents that cannot be read are given out; they come last, or first.
    init(_ plan: IndexPlan, for query: ListingQuery, in space: SpaceID, from store: some StoreReading)
        throws(StoreFailure)
    {
        (self.plan, self.space, order) = (plan, space, query.order)
        reader = LogReader(space: space)
        if order.subject == .key, plan.isInOrder {
            // By key they would stand among the others.
            let unreadable = try store.entries(
                space, of: plan.record.number, in: IndexRange.unreadable.places(), descending: false, limit: 1
            )
            isInOrder = unreadable.isEmpty
        } else {
            isInOrder = plan.isInOrder
        }
        begin(after: nil)
    }

    mutating func begin(after place: ListingPlace?) {
        (waiting, self.place) = ([], nil)
        places = [plan.places, IndexRange.unreadable.places()]
        if plan.isDescending { places.reverse() }
        guard let place else { return }
        precondition(isInOrder, "a place in an index that is in another order")
        let key = Array(place.key.utf8)
        var value = plan.range.lower
        if order.subject != .key {
            let (bytes, isCut) = place.value.encoded()
            value = bytes
            if isCut { self.place = place }
        }
        let isDescending = plan.isDescending
        // With strings that are cut alike the walk begins before all of them.
        let start =
            switch (self.place == nil, isDescending) {
            case (true, false): IndexPlace(value: value, key: key + [0x00])
            case (true, true): IndexPlace(value: value, key: key)
            case (false, false): IndexPlace(value: value, key: [])
            case (false, true): IndexPlace(value: value + [0x00], key: [])
            }
        places = places.compactMap { range in
            if isDescending {
                return start <= range.lowerBound
                    ? nil : range.lowerBound..<min(start, range.upperBound)
            }
            return range.upperBound <= start ? nil : max(start, range.lowerBound)..<range.upperBound
        }
    }

    mutating func next(limit: Int, from store: some StoreReading) throws(StoreFailure) -> [ListingCandidate] {
        while true {
            if !waiting.isEmpty {
                let given = waiting.prefix(limit)
                waiting = waiting.dropFirst(limit)
                return given.map { ListingCandidate($0) }
            }
            guard let range = places.first else { return [] }
            let entries = try store.entries(
                space, of: plan.record.number, in: range, descending: plan.isDescending, limit: limit)
            guard !entries.isEmpty else {
                places.removeFirst()
                continue
            }
            let whole = entries.prefix { !sorts($0) }
            if let last = whole.last {
                leave(IndexPlace(value: last.value, key: Array(last.key.utf8)))
                return whole.map { ListingCandidate($0.key) }
            }
            try sortCut(entries[0].value, from: store)
        }
    }

    /// True when what an entry stands for has to be asked of its document.
    private func sorts(_ entry: IndexEntry) -> Bool {
        isInOrder && order.subject != .key && IndexValue.isCut(entry.value)
    }

    /// Goes on behind an entry.
    private mutating func leave(_ entry: IndexPlace) {
        let range = places[0]
        places[0] =
            plan.isDescending
            ? range.lowerBound..<entry
            : IndexPlace(value: entry.value, key: entry.key + [0x00])..<range.upperBound
    }

    /// Takes all strings that are cut alike, in the order of what they are, from behind `place`.
    private mutating func sortCut(_ value: [UInt8], from store: some StoreReading) throws(StoreFailure) {
        let (start, end) = (IndexPlace(value: value, key: []), IndexPlace(value: value + [0x00], key: []))
        let entries = try store.entries(
            space, of: plan.record.number, in: start..<end, descending: false, limit: .max)
        var found: [ListingPlace] = []
        for entry in entries {
            let document = try SpaceDocuments.load(entry.key, of: space, from: store, with: &reader).document
            found.append(ListingPlace(value: order.value(of: document), key: entry.key))
        }
        reader.trim(to: 0)
        found.sort { order.isBefore($0, $1) }
        if let place, place.value.encoded().bytes == value {
            found.removeAll { !order.isBefore(place, $0) }
        }
        place = nil
        waiting = found.map(\.key)[...]
        let range = places[0]
        places[0] =
            plan.isDescending
            ? range.lowerBound..<max(start, range.lowerBound) : min(end, range.upperBound)..<range.upperBound
    }
}
