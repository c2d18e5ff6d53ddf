// The answer to a bundle that was taken. Which documents it touched is found at the end, from where the space
// stood before: nothing has to be kept of them meanwhile, however many they are.

import Bytes
import Causality
import Documents
import Wire

/// Yields one line of JSON.
// @unchecked: `any ReadJob` is owned by one reader at a time, who calls `next` in turn; nothing else holds
// it.
final class BundleTallyJob<Reader: StoreReading & Sendable>: ReadJob, @unchecked Sendable {
    private let store: Reader
    private let space: SpaceID
    private let since: CommitPosition
    private let tally: BundleTally
    private var isDone = false

    private static var pageSize: Int { 1_024 }

    init(store: Reader, space: SpaceID, since: CommitPosition, _ tally: BundleTally) {
        (self.store, self.space, self.since, self.tally) = (store, space, since, tally)
    }

    func next() throws(StoreFailure) -> [UInt8]? {
        if isDone { return nil }
        isDone = true
        var documents = tally.baseDocuments
        var after: Key?
        repeat {
            let page = try store.touchedKeys(space, after: after, since: since, limit: Self.pageSize)
            documents += page.keys.count
            after = page.next
        } while after != nil
        let numbers: [(Key, Int)] = [
            ("changes", tally.changes), ("new", tally.new), ("documents", documents),
            ("lacking", max(0, tally.lacking)),
        ]
        let line = PlainValue.object(numbers.map { .init($0.0, .scalar(.integer(Int64($0.1)))) })
        var bytes: [UInt8] = []
        CanonicalJSON.append(line, to: &bytes)
        bytes.append(0x0A)
        return bytes
    }
}
