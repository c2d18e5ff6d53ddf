// Is an operation valid? Judged among its ancestors only: the author's right, and that what it speaks of is
// there. Wall time plays no part: an issuer's clock decides whether its own invite is expired, before it
// makes the `add`.

import Bytes
import Causality
import Crypto
import Wire

/// What was found while an operation was judged, for its entry.
struct Judgement {
    /// What the author had seen, without the operation itself.
    let view: View
    let parents: [Int32]
    let basis: [Int32]
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
        return judgement(of: operation, in: view)
    }

    /// What the operation's entry needs; nothing is checked.
    func judgement(of operation: RosterOperation, in view: View) -> Judgement {
        Judgement(
            view: view, parents: operation.heads.compactMap { indices[$0] },
            basis: counting(about: operation.author, in: view.reachable, view.standing))
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
            guard let present = role(of: change.device, in: view) else { throw .notMember(change.device) }
            if present == change.role { throw .sameRole(change.device) }
        case .deviceUpdate(let update): try Self.checkBoxKey(update.description, of: operation.author)
        case .leave, .deviceSoftware, .keyEpoch, .resolve, .checkpoint, .unknown: break
        }
    }

    /// Whoever is given a key of small order could be read by all: nothing sealed to it is secret.
    static func checkBoxKey(_ description: DeviceDescription, of device: DeviceID) throws(RosterFault) {
        if AgreementKey.isWeak(description.boxKey) { throw .weakBoxKey(device) }
    }

    /// Only the issuing node admits, into the role of its invite, once, and unless it saw a revocation.
    private func check(_ add: RosterBody.Add, by author: DeviceID, in view: View) throws(RosterFault) {
        guard let index = held(invites[add.invite], in: view, by: author),
            entries[Int(index)].effect == .invite(add.role)
        else { throw .inviteUnknown(add.invite) }
        if held(revocations[add.invite], in: view) != nil { throw .inviteRevoked(add.invite) }
        if held(adds[add.invite], in: view, by: author) != nil { throw .inviteSpent(add.invite) }
        if role(of: add.device, in: view) != nil { throw .alreadyMember(add.device) }
        try Self.checkBoxKey(add.description, of: add.device)
    }

    /// The first of the operations that the view holds, of this author if one is named.
    private func held(_ candidates: [Int32]?, in view: View, by author: DeviceID? = nil) -> Int32? {
        candidates?.first { index in
            view.reachable.contains(Int(index)) && (author == nil || entries[Int(index)].author == author)
        }
    }
}
