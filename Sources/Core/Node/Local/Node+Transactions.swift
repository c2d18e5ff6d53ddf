// What a node asks before a transaction, and what it answers; `Space+Transact` is the road itself.

import Causality
import Wire

extension Node {
    mutating func transact(
        _ id: RequestID, in index: SpaceHandle, _ request: Transaction, at now: Instant
    ) throws(NodeError) {
        precondition(!request.operations.isEmpty, "the control API refuses an empty transaction")
        do throws(NodeError) {
            try need(.writer, in: index)
            // A repeat writes nothing, so the floor of free disk does not concern it.
            let space = spaces[index].id
            if let known = try Space.outcomeOfRepeat(of: request, in: space, from: &transaction) {
                return answer(id, known, in: index)
            }
            if spaces[index].isSeeding { throw NodeError.seeding(percent: nil) }
            if isDiskLow {
                throw .storeFull(.floor(freeBytes: diskFree, floorBytes: diskFloorBytes))
            }
            let outcome = try spaces[index].transact(
                request, by: device, &entropy, at: now, cursors: epochs.current, in: &transaction)
            counters.transactions += 1
            answer(id, outcome, in: index)
        } catch {
            counters.transactionsRefused += 1
            throw error
        }
    }

    private mutating func answer(_ id: RequestID, _ outcome: TransactionOutcome, in index: SpaceHandle) {
        batch.answer(
            id, .transaction(change: outcome.change, version: outcome.version, cursor: cursor(of: index)))
    }
}
