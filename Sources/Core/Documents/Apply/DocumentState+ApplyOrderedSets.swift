// Operations on the members of ordered sets. Invariant: the order shows exactly the winning position of each
// present member; each function restores it and notes the splices.

import Bytes
import Causality

extension DocumentState {
    /// Adds the members and writes their position registers; one that is elsewhere moves here.
    mutating func insertMembers(
        _ values: [Scalar], _ left: Dot?, _ right: Dot?, in container: ContainerHandle,
        _ stamp: OperationStamp, _ batch: inout Batch
    ) {
        let content = self[container].content
        orderedSets[content].order.insert(
            first: stamp.dot, count: values.count, left: stamp.covered(left), right: stamp.covered(right),
            visible: false)
        for (step, value) in values.enumerated() {
            let own = OperationStamp(
                dot: stamp.dot.advanced(by: step), timestamp: stamp.timestamp, context: stamp.context)
            changing(value, in: container, &batch) { members in
                members.add(value, by: own)
                members.place(value, by: own)
            }
        }
    }

    /// Writes the position register, whether the member is present or not.
    mutating func moveMember(
        _ value: Scalar, _ left: Dot?, _ right: Dot?, in container: ContainerHandle, _ stamp: OperationStamp,
        _ batch: inout Batch
    ) {
        let content = self[container].content
        orderedSets[content].order.insert(
            first: stamp.dot, count: 1, left: stamp.covered(left), right: stamp.covered(right), visible: false
        )
        changing(value, in: container, &batch) { $0.place(value, by: stamp) }
    }

    mutating func removeOrdered(
        _ value: Scalar, in container: ContainerHandle, _ stamp: OperationStamp, _ batch: inout Batch
    ) {
        changing(value, in: container, &batch) { $0.remove(value, by: stamp) }
    }

    /// Changes one member, then hides its old place and shows its new one where they differ.
    private mutating func changing(
        _ value: Scalar, in container: ContainerHandle, _ batch: inout Batch,
        _ change: (inout OrderedMembers) -> Void
    ) {
        let content = self[container].content
        let before = orderedSets[content].members[value]?.shownPosition
        memberCount -= 2 * orderedSets[content].members.count
        change(&orderedSets[content])
        memberCount += 2 * orderedSets[content].members.count
        let after = orderedSets[content].members[value]?.shownPosition
        guard before != after else { return }
        if let before {
            orderedSets[content].order.setVisible(DotRange(before), false) { index, count in
                batch.recorder?.members[container, default: Splices()].delete(count, at: index)
            }
        }
        if let after {
            orderedSets[content].order.setVisible(DotRange(after), true) { index, _ in
                batch.recorder?.members[container, default: Splices()].insert([value], at: index)
            }
        }
    }
}
