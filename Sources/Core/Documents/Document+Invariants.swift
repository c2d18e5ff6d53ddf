// What must hold between the parts of a document after every step. Tests and the simulator call it; it costs
// the size of the document.

import Bytes
import Causality

extension Document {
    /// Stops with the broken invariant.
    public func checkInvariants() {
        state.checkSlots()
        for (index, container) in state.containers.enumerated() {
            container.kind.content.checkInvariants(of: ContainerHandle(index: index), in: state)
        }
        let bytes = state.countContentBytes()
        precondition(state.contentBytes == bytes, "\(state.contentBytes) of \(bytes) bytes of contents")
    }
}

extension DocumentState {
    /// Containers hang in their slots and are listed there as they live; every slot is used or free.
    fileprivate func checkSlots() {
        var used = 1
        for (index, container) in containers.enumerated() {
            let handle = ContainerHandle(index: index)
            precondition(self[container.slot].containers.contains(handle), "a container hangs in its slot")
            let found = self.container(container.kind, container.generation, in: container.slot)
            precondition(found == handle, "container \(index) is found by its name")
            let place = self[container.slot].live.firstIndex(of: handle)
            precondition(
                place == (container.edits.isLive ? container.livePlace : nil),
                "container \(index) is listed as it lives")
            if !container.edits.isLive {
                let deleted = self[container.slot].deletedGeneration
                precondition(
                    container.edits.sorted.isEmpty && container.edits.latest == nil,
                    "container \(index) is dead and has edits, generation \(deleted) is deleted")
            }
            used += container.kind.content.slotCount(of: handle, in: self)
        }
        precondition(used + freeSlots.count == slots.count, "\(used) slots used, \(freeSlots.count) free")
    }
}
