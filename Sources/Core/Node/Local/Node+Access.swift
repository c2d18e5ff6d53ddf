// What requests need before they do anything: their space, the right to it, and a store that answers.

import Bytes
import Causality
import Documents
import Roster
import Wire

extension Node {
    /// Refuses a request; what a person has to look at is an alarm too.
    mutating func refuse(_ id: RequestID, _ error: NodeError, at now: Instant) {
        if case .documentDamaged(let key, let space, let reason) = error {
            noteUnreadable(key, of: space, reason, at: now)
        }
        batch.refuse(id, error)
    }

    /// Finds a space by local name or by its 64-digit id.
    func handle(of reference: SpaceReference) throws(NodeError) -> SpaceHandle {
        // An id names its space whatever others are called (decision 0110).
        if let id = SpaceID(digits: reference.text), let index = spaces.handle(of: id) { return index }
        // By handle, since a space is large.
        if let index = spaces.indices.first(where: { spaces[$0].name == reference.text }) { return index }
        throw .noSuchSpace(reference.text)
    }

    /// My right in a space, as its roster says now.
    func myRole(in index: SpaceHandle) throws(NodeError) -> Role {
        guard let role = spaces[index].roster.role(of: device) else { throw .noSuchSpace(spaces[index].name) }
        return role
    }

    func need(_ role: Role, in index: SpaceHandle) throws(NodeError) {
        let mine = try myRole(in: index)
        if mine < role { throw .noRight(have: mine, need: role) }
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
}
