// Under which keys links are opened: the access secrets of our spaces, and the secrets of the invites we
// issued.

import Bytes
import Causality
import Mesh
import Roster
import SecureLink
import Wire

extension Node {
    /// Every key under which we answer; made again when a space, its roster or its keys changed.
    mutating func responderCandidates(at now: Instant) -> [PSKCandidate] {
        let signature =
            spaces.map {
                CandidateSignature(
                    space: $0.id, rosterCount: $0.roster.count, epochs: $0.membership.accepted.count,
                    current: $0.keys.current.name)
            }
            + left.leaving.map {
                CandidateSignature(
                    space: $0.id, rosterCount: $0.roster.count, epochs: $0.keys.epochs.count,
                    current: $0.keys.current.name)
            }
        if let kept = links.candidates, kept.signature == signature { return kept.list }
        var list = left.leaving.flatMap { meshCandidates(of: $0.id, $0.keys.accessEpochs, $0.roster) }
        for space in spaces {
            list += meshCandidates(of: space.id, space.membership.accepted, space.roster)
            let rosterHash = space.roster.rosterHash
            for secret in space.invites.secrets
            where space.roster.inviteRecords(of: secret.id).contains(where: { $0.issuer == device }) {
                list.append(
                    PSKCandidate(
                        space: space.id, use: .join(invite: secret.id.raw), psk: secret.joinPresharedKey(),
                        rosterHash: rosterHash))
            }
        }
        links.candidates = (signature, list)
        return list
    }

    private func meshCandidates(
        of space: SpaceID, _ epochs: [SpaceKeys.Epoch], _ roster: Roster
    ) -> [PSKCandidate] {
        epochs.map { epoch in
            PSKCandidate(
                space: space, use: .mesh(epoch: UInt64(epoch.number.value)),
                psk: LinkKeys.meshPSK(epoch.access), rosterHash: roster.rosterHash)
        }
    }

    /// Keys for a dial, of spaces that were left too; empty when neither. A member that slept through
    /// rotations has only older ones, so all are tried.
    private func meshCandidates(of space: SpaceID) -> [PSKCandidate] {
        if let index = spaces.handle(of: space) {
            return meshCandidates(of: space, spaces[index].keys.accessEpochs, spaces[index].roster)
        }
        guard let leaving = left[space] else { return [] }
        return meshCandidates(of: space, leaving.keys.accessEpochs, leaving.roster)
    }

    /// The key for a dial.
    func initiatorCandidate(_ dial: PendingDial) -> PSKCandidate? {
        switch dial.purpose {
        case .accepted: return nil
        case .join(_, let request):
            guard let token = joins[request]?.token else { return nil }
            return PSKCandidate(
                space: token.space, use: .join(invite: token.secret.id.raw),
                psk: token.secret.joinPresharedKey(), rosterHash: .zero)
        case .tell(_, let space, _): return meshCandidates(of: space).first
        case .mesh(let address, let space):
            let own = meshCandidates(of: space)
            guard !own.isEmpty else { return nil }
            // Epochs of one space are tried in turn, after its current one.
            let turn = reachability.keys.turn(of: address) / max(1, spaces.count + left.leaving.count)
            return own[turn % own.count]
        }
    }

    /// Keys that a dial may try.
    var dialKeyCount: Int {
        spaces.reduce(0) { $0 + $1.keys.accessEpochs.count }
            + left.leaving.reduce(0) { $0 + $1.keys.accessEpochs.count }
    }
}
