// What a roster says of its checkpoints, for `Checkpoints`: read where they are added and when a space is
// opened.

public import Bytes
import Causality
import Wire

extension Roster {
    /// A checkpoint with who belonged in its author's view; nil: the operation is not held or says nothing.
    /// O(operations + members).
    public func checkpoint(_ id: Bytes32) -> CheckpointProposal? {
        guard let index = indices[id], case .checkpoint(let body) = operation(at: index).body else {
            return nil
        }
        let entry = entries[Int(index)]
        let view = reachable(from: entry.parents)
        let standing = standing(in: view)
        var members: Set<DeviceID> = []
        var admins: [(key: Int32, device: DeviceID)] = []
        for device in membership.keys {
            guard let role = state(of: device, in: view, standing).role, role >= .reader else { continue }
            members.insert(device)
            guard role == .admin, let key = newest(counting(about: device, in: view, standing)) else {
                continue
            }
            admins.append((key, device))
        }
        return CheckpointProposal(
            id: id, depth: Int(entry.depth), author: entry.author, body: body, members: members,
            senior: admins.min { precedes($0.key, $1.key) }?.device,
            seesPrevious: body.previous.map { indices[$0].map { view.contains(Int($0)) } ?? false } ?? true)
    }

    /// All checkpoints, by arrival: each after those in its view.
    public func checkpoints() -> [CheckpointProposal] {
        entries.filter { $0.effect == .checkpoint }.compactMap { checkpoint($0.id) }
    }

    /// True when the view holds this operation. An acknowledgement counts if the view of its change holds
    /// what it names.
    public func holds(_ id: Bytes32, in view: View) -> Bool {
        indices[id].map { view.reachable.contains(Int($0)) } ?? false
    }
}
