// One switch over what programs ask. Requests that must see exactly one committed state (streams, exports)
// are kept until after the commit; all others are answered within the batch.

import Bytes
import Causality
import Documents
import Roster
import Wire

extension Node {
    mutating func handle(_ id: RequestID, _ request: NodeRequest, at now: Instant) {
        if request.isTransaction || request.isRead { batch.keep(id, request) }
        if request.isTransaction, transaction.isOvertaken { return }
        if let failure = transaction.failure { return batch.refuse(id, NodeError(lost: failure)) }
        do throws(NodeError) {
            try answer(id, request, at: now)
        } catch {
            refuse(id, error, at: now)
        }
    }

    /// Refuses a request; what a person has to look at is an alarm too.
    mutating func refuse(_ id: RequestID, _ error: NodeError, at now: Instant) {
        if case .documentDamaged(let key, let space, let reason) = error {
            noteUnreadable(key, of: space, reason, at: now)
        }
        batch.refuse(id, error)
    }

    private mutating func answer(_ id: RequestID, _ request: NodeRequest, at now: Instant) throws(NodeError) {
        switch request {
        case .status: batch.answer(id, .status(statusReport(at: now)))
        case .peers:
            batch.answer(id, .peers(peerReports(at: now), unassigned: unassignedReports(at: now)))
        case .spaces: batch.answer(id, .spaces(spaces.map(report)))
        case .createSpace(let name): try createSpace(id, name: name, at: now)
        case .space(let reference): batch.answer(id, .space(report(spaces[try handle(of: reference)])))
        case .leaveSpace(let reference): try leaveSpace(id, reference, at: now)
        case .members(let reference): batch.answer(id, .members(members(of: try handle(of: reference))))
        case .invite(let reference, let role, let expires):
            try invite(id, in: try handle(of: reference), role: role, expiresSeconds: expires, at: now)
        case .invites(let reference):
            batch.answer(id, .invites(invites(of: try handle(of: reference), at: now)))
        case .revokeInvite(let reference, let invite):
            try revokeInvite(id, in: try handle(of: reference), invite: invite, at: now)
        case .forks(let reference):
            batch.answer(id, .forks(try forks(of: try handle(of: reference))))
        case .skipped(let reference):
            batch.answer(id, .skipped(try skipped(of: try handle(of: reference))))
        case .join(let token, let name): try join(id, token: token, name: name, at: now)
        case .listDocuments, .readDocument: try read(id, request, at: now)
        case .transact(let reference, let transaction):
            try transact(id, in: try handle(of: reference), transaction, at: now)
        case .watch(let reference, let start, let prefix, let follow):
            try watch(id, in: try handle(of: reference), start: start, prefix: prefix, follow: follow)
        case .export(let reference, _), .log(let reference, _, _):
            _ = try handle(of: reference)
            batch.later(id, request)
        case .wait(let reference, let change, let devices, let timeout):
            try wait(
                id, in: try handle(of: reference), change: change, on: devices, timeoutSeconds: timeout,
                at: now)
        case .explain(let reference, _, let peer):
            try prepareToExplain(reference, peer: peer)
            batch.later(id, request)
        case .backup: batch.emit(.backup(id))
        case .reload(let isCheck): batch.emit(.reload(id, isCheck: isCheck))
        case .metrics: batch.answer(id, .metrics(metrics(at: now)))
        }
    }

    /// The program went away.
    mutating func cancel(_ id: RequestID) {
        if let index = watchers.firstIndex(where: { $0.request == id }) { removeWatcher(at: index) }
        waitingReads.removeAll { $0.request == id }
        waitingHolds.removeAll { $0.request == id }
        batch.forget(id)
        cancelJoin(id)
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
