// What a failing or damaged store means for a request: one answer to it, and an alarm that stays.

import Bytes
import Causality

extension Node {
    /// A document that cannot be made from what is stored.
    mutating func recordUnreadable(_ key: Key, of space: SpaceID, _ reason: String, at now: Instant) {
        let name = spaces.handle(of: space).map { spaces[$0].name } ?? space.description
        raise(
            Alarm(
                code: "document-damaged",
                message: "document \(key) of space \(name) cannot be read: \(reason)",
                hint: "the disk or the memory may be failing: restore a backup; other documents are served",
                since: now.wall, space: space))
    }

    /// Runs a step that may fail in the store: the batch is then lost as a whole.
    mutating func stored<Result>(_ body: (inout Node) throws(StoreFailure) -> Result) throws(NodeError)
        -> Result
    {
        do throws(StoreFailure) {
            return try body(&self)
        } catch {
            transaction.fail(error)
            throw NodeError(error)
        }
    }

    /// Runs a step that only reads: what cannot be read fails this request and no other. `document`: the one
    /// that is read, when it is one.
    mutating func reading<Result>(
        _ document: Key? = nil, in index: SpaceHandle, _ body: (inout Node) throws(StoreFailure) -> Result
    ) throws(NodeError) -> Result {
        do throws(StoreFailure) {
            return try body(&self)
        } catch {
            transaction.readFailed(error)
            guard let document else { throw NodeError(error) }
            throw NodeError(error, reading: document, of: spaces[index].id)
        }
    }

    /// Refuses a request; what a person has to look at is an alarm too.
    mutating func refuse(_ id: RequestID, _ error: NodeError, at now: Instant) {
        if case .documentDamaged(let key, let space, let reason) = error {
            recordUnreadable(key, of: space, "\(reason)", at: now)
        }
        batch.refuse(id, error)
    }
}
