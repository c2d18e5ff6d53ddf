// What the roster says of checkpoints, told to the agreement where operations are added.

import Bytes
import Causality
import Roster
import Wire

extension Node {
    /// The roster of a space has checkpoints more.
    mutating func noteCheckpoints(_ added: [RosterOperation], in index: SpaceHandle) {
        for operation in added {
            guard case .checkpoint = operation.body,
                let proposal = spaces[index].roster.checkpoint(operation.id)
            else { continue }
            spaces[index].checkpoints.add(proposal)
        }
    }
}
