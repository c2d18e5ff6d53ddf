// One switch over what programs ask. Requests that must see exactly one committed state (streams, exports)
// are kept until after the commit; all others are answered within the batch.

import Bytes
import Causality
import Documents
import Identity
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

    private mutating func answer(_ id: RequestID, _ request: NodeRequest, at now: Instant) throws(NodeError) {
        switch request {
        case .restricted(let grants, let request): try answer(id, request, to: grants, at: now)
        case .status: answerStatus(id, at: now)
        case .peers: answerPeers(id, at: now)
        case .ping(let reference): try ping(id, reference, at: now)
        case .spaces: batch.answer(id, .spaces(spaces.map(report)))
        case .createSpace(let name): try createSpace(id, name: name, at: now)
        case .space(let reference): batch.answer(id, .space(report(spaces[try handle(of: reference)])))
        case .leaveSpace(let reference, let isForced):
            try leaveSpace(id, reference, isForced: isForced, at: now)
        case .members(let reference):
            batch.answer(id, .members(members(of: try handle(of: reference), at: now)))
        case .removeMember(let reference, let member, let isDryRun, let isForced):
            try removeMember(id, member, of: reference, isDryRun: isDryRun, isForced: isForced, at: now)
        case .changeRole(let reference, let member, let role, let isForced):
            try changeRole(
                id, of: member, to: role, in: try handle(of: reference), isForced: isForced, at: now)
        case .keyEpochs(let reference): answerKeyEpochs(id, of: try handle(of: reference), at: now)
        case .rotateKeys(let reference, let isForced):
            try rotateKeys(id, in: try handle(of: reference), isForced: isForced, at: now)
        case .checkpoints, .proposeCheckpoint, .collect: try answerCheckpoints(id, request, at: now)
        case .invite, .invites, .revokeInvite: try answerInvites(id, request, at: now)
        case .forks(let reference):
            batch.answer(id, .forks(try forks(of: try handle(of: reference))))
        case .skipped(let reference):
            batch.answer(id, .skipped(try skipped(of: try handle(of: reference))))
        case .indexes, .index, .declareIndex, .dropIndex: try answerIndexes(id, request, at: now)
        case .join(let token, let name): try join(id, token: token, name: name, at: now)
        case .listDocuments, .readDocument: try read(id, request, at: now)
        case .transact(let reference, let transaction):
            try transact(id, in: try handle(of: reference), transaction, at: now)
        case .watch(let reference, _, _, _, _):
            let index = try handle(of: reference)
            try needShown(index)
            try watch(id, in: index, request)
        case .export(let reference, _, _), .conflicts(let reference, _), .list(let reference, _):
            try needShown(try handle(of: reference))
            batch.later(id, request)
        case .log(let reference, _, _), .void(let reference, _):
            _ = try handle(of: reference)
            batch.later(id, request)
        case .writeBundle, .openBundle, .takeBundle, .endBundle, .syncFolder:
            try answerBundle(id, request, at: now)
        case .adopt(let space, let choice): try adopt(id, choice, in: try handle(of: space), at: now)
        case .wait(let reference, let change, let devices, let timeout):
            try wait(
                id, in: try handle(of: reference), change: change, on: devices, timeoutSeconds: timeout,
                at: now)
        case .explain(let reference, _, let peer):
            try prepareToExplain(reference, peer: peer)
            batch.later(id, request)
        case .backup: batch.emit(.backup(id))
        case .reload(let isCheck): batch.emit(.reload(id, isCheck: isCheck))
        case .metrics:
            let text = metrics(at: now)
            batch.answer(id, .metrics(text))
        }
    }

    private mutating func answerBundle(_ id: RequestID, _ request: NodeRequest, at now: Instant)
        throws(NodeError)
    {
        switch request {
        case .writeBundle(let space, _):
            _ = try handle(of: space)
            batch.later(id, request)
        case .openBundle(let space, let head): try openBundle(id, head, of: space, at: now)
        case .takeBundle(let space, let pieces):
            takeBundle(id, pieces, in: try handle(of: space), at: now)
        case .endBundle(let space, _, _):
            endBundle(in: try handle(of: space), at: now)
            batch.later(id, request)
        case .syncFolder(let report):
            record(report, at: now)
            batch.later(id, request)
        default: preconditionFailure("\(request) is about no bundle")
        }
    }

    private mutating func answerKeyEpochs(_ id: RequestID, of index: SpaceHandle, at now: Instant) {
        let since = spaces[index].membership.keyWork.noneGoodSince.map(now.wall(of:))
        batch.answer(id, .keyEpochs(keyEpochs(of: index), noneGoodSince: since))
    }

    /// To a caller who may not see or do everything.
    private mutating func answer(
        _ id: RequestID, _ request: NodeRequest, to grants: AccessGrants, at now: Instant
    ) throws(NodeError) {
        switch request {
        case .status: answerStatus(id, to: grants, at: now)
        case .spaces:
            batch.answer(id, .spaces(spaces.filter(grants.show).map(report)))
        default: try answer(id, try granted(request, to: grants), at: now)
        }
    }

    private mutating func answerInvites(_ id: RequestID, _ request: NodeRequest, at now: Instant)
        throws(NodeError)
    {
        switch request {
        case .invite(let space, let role, let expires):
            try invite(id, in: try handle(of: space), role: role, expiresSeconds: expires, at: now)
        case .invites(let space):
            batch.answer(id, .invites(invites(of: try handle(of: space), at: now)))
        case .revokeInvite(let space, let invite):
            try revokeInvite(id, in: try handle(of: space), invite: invite, at: now)
        default: preconditionFailure("\(request) is about no invite")
        }
    }

    private mutating func answerCheckpoints(_ id: RequestID, _ request: NodeRequest, at now: Instant)
        throws(NodeError)
    {
        switch request {
        case .checkpoints(let space):
            batch.answer(id, .checkpoints(try checkpoints(of: try handle(of: space), at: now)))
        case .proposeCheckpoint(let space, let absent):
            try proposeCheckpoint(id, in: try handle(of: space), without: absent, at: now)
        case .collect(let space): try collect(id, in: try handle(of: space), at: now)
        default: preconditionFailure("\(request) is about no checkpoint")
        }
    }

    /// The program went away.
    mutating func cancel(_ id: RequestID, at now: Instant) {
        perform(readers.cancel(id), at: now)
        batch.forget(id)
        cancelJoin(id)
        pings.cancel(id)
        adoptions.cancel(id)
    }

    /// Reading is all that an index of this node takes.
    private mutating func answerIndexes(_ id: RequestID, _ request: NodeRequest, at now: Instant)
        throws(NodeError)
    {
        func readable(_ reference: SpaceReference) throws(NodeError) -> SpaceHandle {
            let index = try handle(of: reference)
            try need(.reader, in: index)
            return index
        }
        switch request {
        case .indexes(let space): batch.answer(id, .indexes(spaces[try readable(space)].indexReports))
        case .index(let space, let name):
            batch.answer(id, .index(try spaces[try readable(space)].index(named: name), isNew: false))
        case .declareIndex(let space, let name, let definition):
            let declared = try spaces[try readable(space)].declareIndex(name, definition, in: &transaction)
            indexPace.begin(at: now.monotonic)
            batch.answer(id, .index(declared.report, isNew: declared.isNew))
        case .dropIndex(let space, let name):
            try spaces[try readable(space)].dropIndex(name, in: &transaction)
            indexPace.begin(at: now.monotonic)
            batch.answer(id, .done)
        default: preconditionFailure("\(request) is about no index")
        }
    }

    /// Whether `explain` can be asked; the answer comes after the commit.
    private func prepareToExplain(_ reference: SpaceReference, peer: MemberReference?)
        throws(NodeError)
    {
        let index = try handle(of: reference)
        try need(.reader, in: index)
        if let peer { _ = try member(peer, in: index, isActive: false) }
    }

    private mutating func answerStatus(
        _ id: RequestID, to grants: AccessGrants? = nil, at now: Instant
    ) {
        let (report, failures) = statusReport(to: grants, at: now)
        for failure in failures {
            batch.log(.error, "store-read", "counting changes for status failed (\(failure))")
        }
        batch.answer(id, .status(report))
    }

    private mutating func answerPeers(_ id: RequestID, at now: Instant) {
        updateActivity()
        let (reports, failures) = view.peerReports(at: now)
        for report in reports { links.recordState(of: report.device, report.state, at: now) }
        for failure in failures {
            batch.log(.error, "store-read", "counting changes for peers failed (\(failure))")
        }
        batch.answer(id, .peers(reports, unassigned: view.unassignedReports(at: now)))
    }
}
