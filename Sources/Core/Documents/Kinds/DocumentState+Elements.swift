// Operations on the elements of lists, which are slots of the document. Invariant: the order shows exactly
// the winning positions of the live elements; each function restores it and records the splice.

import Bytes
import Causality

extension DocumentState {
    /// True when this dot inserted an element into the container, live or not.
    func hasElement(_ dot: Dot, in container: ContainerHandle?) -> Bool {
        guard let container, self[container].kind == .list else { return false }
        return contents.lists[self[container].content].hasElement(dot)
    }

    /// The slot of a list's element; the list must have inserted it. Makes the record of a dead one anew.
    mutating func openSlot(ofElement dot: Dot, inList container: ContainerHandle) -> SlotHandle {
        let content = self[container].content
        if let known = contents.lists[content].elements[dot] { return known.slot }
        precondition(contents.lists[content].hasElement(dot), "element \(dot) was never inserted here")
        return makeElement(dot, live: false, in: container)
    }

    /// The record of an element that has none, and its slot.
    mutating func makeElement(_ dot: Dot, live: Bool, in container: ContainerHandle) -> SlotHandle {
        let slot = makeSlot(.element(dot), in: container)
        contents.lists[self[container].content].elements[dot] = ListContent.Element(
            edits: ElementEdits(ownsInsertion: live), slot: slot)
        contentBytes += ListContent.elementBytes
        return slot
    }

    /// New elements, each with the value that its insertion wrote.
    mutating func insertElements(
        _ elements: [ElementContent], _ left: Dot?, _ right: Dot?, in container: ContainerHandle,
        _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        let content = self[container].content
        let index = contents.lists[content].order.insert(
            first: stamp.dot, count: elements.count, left: stamp.covered(left), right: stamp.covered(right),
            visible: true)
        guard let index else { return }
        var dots: [Dot] = []
        dots.reserveCapacity(elements.count)
        for (step, first) in elements.enumerated() {
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
    mutating func edit(_ element: Dot, in container: ContainerHandle, _ edit: Dot, _ batch: inout PatchBatch)
    {
        let content = self[container].content
        let wasLive = contents.lists[content].isVisible(element)
        contents.lists[content].elements[element]?.edits.add(edit, to: element)
        batch.edited(element, of: container)
        if !wasLive {
            show(element, at: contents.lists[content].position(of: element), in: container, &batch)
        }
    }

    /// Deletes what the author had seen of each element: its registers at once; the containers in it stay and
    /// follow the element.
    mutating func deleteElements(
        _ ranges: [DotRange], in container: ContainerHandle, _ stamp: OperationStamp,
        _ batch: inout PatchBatch
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
        of range: DotRange, in container: ContainerHandle, _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) -> DeleteLooks {
        let (live, lookedAt) = contents.lists[self[container].content].liveElements(in: range)
        var looks = DeleteLooks(all: lookedAt, inVain: lookedAt)
        for element in live {
            let died = deleteElement(element, in: container, stamp, &batch)
            if died { looks.inVain -= 1 }
        }
        return looks
    }

    /// Deletes a live element; false when edits that the author had not seen keep it alive.
    private mutating func deleteElement(
        _ element: Dot, in container: ContainerHandle, _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) -> Bool {
        let content = self[container].content
        let slot = contents.lists[content].slot(of: element)
        batch.recorder?.touch(slot, in: self)
        self[slot].registers.removeCovered(by: stamp)
        contents.lists[content].elements[element]?.edits.removeCovered(by: stamp, of: element)
        if contents.lists[content].isVisible(element) { return false }
        batch.emptied.append(slot)
        hide(contents.lists[content].position(of: element), in: container, &batch)
        return true
    }

    /// Writes the position register of an element, whether it lives or not.
    mutating func moveElement(
        _ element: Dot, _ left: Dot?, _ right: Dot?, in container: ContainerHandle, _ stamp: OperationStamp,
        _ batch: inout PatchBatch
    ) {
        let content = self[container].content
        contents.lists[content].order.insert(
            first: stamp.dot, count: 1, left: stamp.covered(left), right: stamp.covered(right), visible: false
        )
        contents.lists[content].moved[stamp.dot] = element
        _ = openSlot(ofElement: element, inList: container)
        let before = contents.lists[content].position(of: element)
        contents.lists[content].elements[element]?.moves.removeAll { stamp.covers($0.dot) }
        contents.lists[content].elements[element]?.moves.append(stamp.priority)
        let after = contents.lists[content].position(of: element)
        guard before != after, contents.lists[content].isVisible(element) else { return }
        hide(before, in: container, &batch)
        show(element, at: after, in: container, &batch)
    }

    private mutating func show(
        _ element: Dot, at position: Dot, in container: ContainerHandle, _ batch: inout PatchBatch
    ) {
        contents.lists[self[container].content].order.setVisible(DotRange(position), true) { index, _ in
            batch.recorder?.elements[container, default: Splices()].insert([element], at: index)
        }
    }

    private mutating func hide(_ position: Dot, in container: ContainerHandle, _ batch: inout PatchBatch) {
        contents.lists[self[container].content].order.setVisible(DotRange(position), false) { index, count in
            batch.recorder?.elements[container, default: Splices()].delete(count, at: index)
        }
    }
}
