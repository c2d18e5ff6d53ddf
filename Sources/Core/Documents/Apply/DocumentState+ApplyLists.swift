// Operations on the elements of lists. Invariant: the order shows exactly the winning positions of the live
// elements; each function restores it and notes the splice.

import Bytes
import Causality

extension DocumentState {
    mutating func insertElements(
        _ contents: [ElementContent], _ left: Dot?, _ right: Dot?, in container: ContainerHandle,
        _ stamp: OperationStamp, _ batch: inout Batch
    ) {
        let content = self[container].content
        let index = lists[content].order.insert(
            first: stamp.dot, count: contents.count, left: stamp.covered(left), right: stamp.covered(right),
            visible: true)
        guard let index else { return }
        var dots: [Dot] = []
        dots.reserveCapacity(contents.count)
        for (step, first) in contents.enumerated() {
            let dot = stamp.dot.advanced(by: step)
            let slot = makeElement(dot, live: true, in: container)
            if case .register(let value) = first {
                let priority = Priority(stamp.timestamp, dot)
                self[slot].registers.add(
                    RegisterWrite(value: value, priority: priority, generation: .first))
            }
            dots.append(dot)
        }
        batch.recorder?.elements[container, default: Splices()].insert(dots, at: index)
    }

    /// An edit of an element, or of anything inside it; it shows again when it was deleted.
    mutating func edit(_ element: Dot, in container: ContainerHandle, _ edit: Dot, _ batch: inout Batch) {
        let content = self[container].content
        let wasLive = lists[content].isVisible(element)
        lists[content].elements[element]?.edits.add(edit, to: element)
        batch.edited(element, of: container)
        if !wasLive { show(element, at: lists[content].position(of: element), in: container, &batch) }
    }

    /// Deletes what the author had seen of each element: its registers at once; the containers in it stay and
    /// follow the element.
    mutating func deleteElements(
        _ ranges: [DotRange], in container: ContainerHandle, _ stamp: OperationStamp, _ batch: inout Batch
    ) {
        var deleted = batch.takeDeletedDots(of: container)
        var lookedAt = 0
        for range in ranges {
            guard let range = stamp.covered(range) else { continue }
            lookedAt += deleted.visit(range) { deleteElements(of: $0, in: container, stamp, &batch) }
        }
        batch.put(deleted, of: container, lookedAt: lookedAt)
    }

    /// A dead element has nothing that a delete could remove: its registers went when its last edit did.
    private mutating func deleteElements(
        of range: DotRange, in container: ContainerHandle, _ stamp: OperationStamp, _ batch: inout Batch
    ) -> DeleteLooks {
        let (live, lookedAt) = lists[self[container].content].liveElements(in: range)
        var looks = DeleteLooks(all: lookedAt, inVain: lookedAt)
        for element in live {
            let died = deleteElement(element, in: container, stamp, &batch)
            if died { looks.inVain -= 1 }
        }
        return looks
    }

    /// Deletes a live element; false when edits that the author had not seen keep it alive.
    private mutating func deleteElement(
        _ element: Dot, in container: ContainerHandle, _ stamp: OperationStamp, _ batch: inout Batch
    ) -> Bool {
        let content = self[container].content
        let slot = lists[content].slot(of: element)
        batch.recorder?.touch(slot, in: self)
        self[slot].registers.removeCovered(by: stamp)
        lists[content].elements[element]?.edits.removeCovered(by: stamp, of: element)
        if lists[content].isVisible(element) { return false }
        batch.emptied.append(slot)
        hide(lists[content].position(of: element), in: container, &batch)
        return true
    }

    mutating func moveElement(
        _ element: Dot, _ left: Dot?, _ right: Dot?, in container: ContainerHandle, _ stamp: OperationStamp,
        _ batch: inout Batch
    ) {
        let content = self[container].content
        lists[content].order.insert(
            first: stamp.dot, count: 1, left: stamp.covered(left), right: stamp.covered(right), visible: false
        )
        lists[content].moved[stamp.dot] = element
        _ = openSlot(ofElement: element, inList: container)
        let before = lists[content].position(of: element)
        lists[content].elements[element]?.moves.removeAll { stamp.covers($0.dot) }
        lists[content].elements[element]?.moves.append(stamp.priority)
        let after = lists[content].position(of: element)
        guard before != after, lists[content].isVisible(element) else { return }
        hide(before, in: container, &batch)
        show(element, at: after, in: container, &batch)
    }

    private mutating func show(
        _ element: Dot, at position: Dot, in container: ContainerHandle, _ batch: inout Batch
    ) {
        lists[self[container].content].order.setVisible(DotRange(position), true) { index, _ in
            batch.recorder?.elements[container, default: Splices()].insert([element], at: index)
        }
    }

    private mutating func hide(_ position: Dot, in container: ContainerHandle, _ batch: inout Batch) {
        lists[self[container].content].order.setVisible(DotRange(position), false) { index, count in
            batch.recorder?.elements[container, default: Splices()].delete(count, at: index)
        }
    }
}
