// Is an operation valid? Judged among its ancestors only: the author's right, and that what it speaks of is
// there. Wall time plays no part: an issuer's clock decides whether its own invite is expired, before it
// makes the `add`.

import Bytes
import Causality
import Wire

/// What was found while an operation was judged, for its entry.
struct Judgement {
    /// What the author had seen, without the operation itself.
    let view: View
    let parents: [Int]
    let basis: [Int]
}

extension Roster {
    /// All heads are known and the signature holds; throws what else is wrong.
    mutating func judge(_ operation: RosterOperation) throws(RosterFault) -> Judgement {
        guard let view = view(heads: operation.heads) else {
            preconditionFailure("operation \(operation.id) was judged before its heads were known")
        }
        let have = role(of: operation.author, in: view)
        let need = operation.body.right
        guard let have, have.allows(need) else {
            throw .noRight(author: operation.author, need: need, have: have)
        }
        try checkContent(of: operation, in: view)
        return Judgement(
            view: view, parents: operation.heads.compactMap { indices[$0] },
            basis: latest(about: operation.author, in: view.reachable))
    }

    private func checkContent(of operation: RosterOperation, in view: View) throws(RosterFault) {
        switch operation.body {
        case .genesis: throw .otherSpace
        case .invite(let invite):
            if held(invites[invite.id], in: view, by: operation.author) != nil {
                throw .inviteRepeated(invite.id)
            }
        case .revokeInvite(let id):
            if held(invites[id], in: view) == nil { throw .inviteUnknown(id) }
        case .add(let add): try check(add, by: operation.author, in: view)
        case .remove(let remove):
            if role(of: remove.device, in: view) == nil { throw .notMember(remove.device) }
        case .role(let change):
            if role(of: change.device, in: view) == nil { throw .notMember(change.device) }
        case .leave, .deviceUpdate, .keyEpoch, .resolve, .checkpoint, .unknown: break
        }
    }

    /// Only the issuing node admits, into the role of its invite, once, and unless it saw a revocation.
    private func check(_ add: RosterBody.Add, by author: DeviceID, in view: View) throws(RosterFault) {
        guard let index = held(invites[add.invite], in: view, by: author),
            case .invite(let invite) = entries[index].operation.body, invite.role == add.role
        else { throw .inviteUnknown(add.invite) }
        if held(revocations[add.invite], in: view) != nil { throw .inviteRevoked(add.invite) }
        if held(adds[add.invite], in: view, by: author) != nil { throw .inviteSpent(add.invite) }
        if role(of: add.device, in: view) != nil { throw .alreadyMember(add.device) }
    }

    /// The first of the operations that the view holds, of this author if one is named.
    private func held(_ candidates: [Int]?, in view: View, by author: DeviceID? = nil) -> Int? {
        candidates?.first { index in
            view.reachable.contains(index) && (author == nil || entries[index].operation.author == author)
        }
    }
}
