// Joining: the issuer's half. Only who holds the invite's secret completes the handshake, so a refusal may be
// named.

import Bytes
import Causality
import Crypto
import Identity
import Roster
import SecureLink
import Wire

extension Node {
    mutating func proofArrived(
        _ body: [UInt8], on connection: ConnectionHandle, at now: Instant
    ) throws(DecodeFault) {
        guard case .admitting(let deadline, let hasProved) = links[connection].phase,
            let link = links[connection].secure.established, case .join(let invite) = link.use,
            let index = spaces.handle(of: link.space)
        else { return }
        if hasProved { return close(connection, .protocolFault, "a second proof on one link", at: now) }
        links[connection].phase = .admitting(deadline: deadline, hasProved: true)
        let request = JoinRequest(
            invite: InviteID(raw: invite), device: link.peer.device, proof: try JoinProof(decoding: body),
            handshakeHash: link.handshakeHash)
        let ephemeral = AgreementKey(secret: entropy.secret(32))
        let outcome = spaces[index].membership.admit(
            request, ephemeral: ephemeral, at: now, by: configuration.device)
        switch outcome {
        case .admitted(let operation, let answer):
            // It says it in the roster when it has the answer; who asks before that shall not be told that
            // it is older.
            links.recordLevel(of: connection)
            do throws(StoreFailure) {
                try storeInvites(of: index, operation, at: now)
            } catch {
                return transaction.fail(error)
            }
            batch.log(
                .notice, "member-added",
                "\(named(link.peer.device)) joined space \(spaces[index].name) by an invite")
            reply(answer, of: link.space, on: connection)
        case .repeated(let answer): reply(answer, of: link.space, on: connection)
        case .readmitted(let answer):
            do throws(StoreFailure) {
                try storeInvites(of: index, nil, at: now)
            } catch {
                return transaction.fail(error)
            }
            batch.log(
                .notice, "member-again",
                "\(named(link.peer.device)), which space \(spaces[index].name) still lists, was let in by "
                    + "an invite")
            reply(answer, of: link.space, on: connection)
        case .refused(let refusal, let invitesChanged):
            if invitesChanged {
                do throws(StoreFailure) {
                    try storeInvites(of: index, nil, at: now)
                } catch {
                    return transaction.fail(error)
                }
            }
            refuse(connection, refusal, at: now)
        }
    }

    /// The answer; the joiner closes the link when it is a member.
    private mutating func reply(
        _ answer: [RosterPlace], of space: SpaceID, on connection: ConnectionHandle
    ) {
        links[connection].pour.answer = answer[...]
        links[connection].pour.space = space
        pourAnswer(connection)
    }
}
