// What changes acknowledge, told to the agreement where they are appended.

import Bytes
import Causality
import Documents
import Identity
import Replication
import Roster
import Wire

extension Space {
    /// Remembers what a change that was just appended acknowledges. It counts where its view holds what it
    /// names, whatever becomes of the change.
    mutating func noteAcknowledgements(of ready: ReadyChange) {
        let change = ready.change
        guard change.operations.contains(where: { !$0.touchesDocument }),
            let author = author(of: change.replica)
        else { return }
        let others = Set(logs.written(by: author)).subtracting([change.replica])
        var dot = Dot(change.replica, change.first)
        for operation in change.operations {
            defer { dot = dot.advanced(by: operation.sequenceCount) }
            guard case .acknowledge(let checkpoint?) = operation.body,
                let view = membership.roster.view(heads: ready.heads), roster.holds(checkpoint, in: view)
            else { continue }
            checkpoints.add(
                Acknowledgement(
                    of: checkpoint, by: author, at: dot, ends: change.context.restricted(to: others)))
        }
    }
}
