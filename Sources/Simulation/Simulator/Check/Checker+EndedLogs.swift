// Logs that ended by a checkpoint, by the definition (LIFECYCLE 2) and from the changes that the world knows:
// what it holds shows that the log's device acknowledged the checkpoint before in another log, after it had
// seen this one to its end.

import Bytes
import Causality
import Documents
import Node
import Wire

extension Checker {
    /// The ends of the logs that ended by the last checkpoint of a chain, or by one before it.
    func ended(by chain: [InspectedCheckpoint], at index: Int) -> [ReplicaID: SequenceNumber] {
        guard chain.count > 1, let newest = chain.last else { return [:] }
        if let known = knownEnded.answers[newest.id] { return known }
        let before = Array(chain.dropLast())
        var ended = ended(by: before, at: index)
        var covered = covered(by: newest, at: index)
        for (replica, last) in ended { covered.lower(replica, to: last) }
        let left = acknowledgements(of: before[before.count - 1], within: covered, at: index)
        for entry in covered.entries where ended[entry.replica] == nil {
            let device = universe.devices[entry.replica]
            let isLeft = left.contains { number in
                let change = universe[number].change
                return change.replica != entry.replica && universe.devices[change.replica] == device
                    && change.context[entry.replica] >= entry.last
            }
            if isLeft { ended[entry.replica] = entry.last }
        }
        knownEnded.answers[newest.id] = ended
        return ended
    }

    /// Numbers of the changes that acknowledge a checkpoint, of those that a later one holds.
    private func acknowledgements(
        of checkpoint: InspectedCheckpoint, within covered: VersionVector, at index: Int
    ) -> [Int] {
        // Nobody acknowledges it in what it holds itself.
        let own = coverages[checkpoint.id] ?? VersionVector()
        return covered.entries.flatMap { entry in
            universe.held(views[index].held[entry.replica], from: own[entry.replica] + 1).filter { number in
                let change = universe[number].change
                guard change.last <= entry.last else { return false }
                return change.operations.contains { operation in
                    guard case .acknowledge(let id?) = operation.body else { return false }
                    return id == checkpoint.id
                }
            }
        }
    }
}

/// Which logs ended by each checkpoint, found once.
final class KnownEnded {
    var answers: [Bytes32: [ReplicaID: SequenceNumber]] = [:]
}
