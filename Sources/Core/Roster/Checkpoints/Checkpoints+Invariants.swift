// What always holds of the checkpoints of a space; called by tests and the simulator after every step.

import Bytes
import Causality
import Wire

extension Checkpoints {
    /// Traps when something is broken. O(checkpoints × members).
    public func checkInvariants() {
        for (id, proposal) in proposals {
            precondition(proposal.id == id && followers[proposal.previous]?.contains(id) == true)
            precondition(faults[id] == rosterFault(of: proposal), "what speaks against \(id) changed")
            if let previous = proposal.previous.flatMap({ proposals[$0] }), faults[id] == nil {
                precondition(previous.depth < proposal.depth, "\(id) is not above what it follows")
            }
        }
        precondition(followers.values.reduce(0) { $0 + $1.count } == proposals.count)
        for (id, devices) in acknowledgements {
            precondition(proposals[id] != nil && faults[id] == nil, "\(id) was acknowledged and is none")
            for (device, known) in devices {
                precondition(
                    !known.isEmpty && known.allSatisfy { $0.device == device && $0.checkpoint == id })
                precondition(Set(known.map(\.dot.replica)).count == known.count, "two of one log")
            }
            precondition(!unacknowledged(id).isEmpty || agreed.contains(id), "\(id) was agreed on")
        }
        precondition(agreed.allSatisfy { proposals[$0] != nil && faults[$0] == nil })
        precondition((newest == nil) == agreed.isEmpty)
        guard let newest else { return }
        precondition(agreed.contains(newest))
        precondition(isParted == (standingRival(of: newest) != nil), "rivals are not noted")
    }
}
