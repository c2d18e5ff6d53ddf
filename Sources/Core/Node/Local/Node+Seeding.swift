// What a newcomer shows: nothing of its documents as long as the base that it takes is not known to stand.

import Bytes
import Causality
import Roster

extension Node {
    /// Documents are not shown while a base is taken, and not before it is known to stand.
    func needShown(_ index: SpaceHandle) throws(NodeError) {
        let space = spaces[index]
        if !space.isSeeding || isPlanted("half-base-shown") { return }
        if let taken = space.checkpoints.taken { throw .seeding(percent: taken.percent) }
        let isHidden =
            space.documents.bases.applying != nil
            || space.documents.bases.standing.map { !space.checkpoints.agreement.stands($0.id) } ?? false
        if isHidden { throw .seeding(percent: 100) }
    }
}
