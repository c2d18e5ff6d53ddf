// The one place that chooses where the documents of a listing come from.

import Causality

enum ListingCandidates {
    /// The source that has to look at the fewest documents, as far as is known without looking.
    static func choose(
        for query: ListingQuery, in space: SpaceID, from store: some StoreReading
    ) throws(StoreFailure) -> any CandidateSource {
        if let plan = try IndexPlan.choose(for: query, in: space, from: store) {
            return try IndexCandidates(plan, for: query, in: space, from: store)
        }
        return KeyRangeCandidates(of: query, in: space)
    }
}
