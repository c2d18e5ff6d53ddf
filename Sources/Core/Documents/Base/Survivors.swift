// A document without its dead parts, in arrays of its own. Containers and slots are indices, and an operation
// may remember some: parts are left out only here, by moving what stays, and only when a base is made.

import Bytes
import Causality

/// Moves what stays of a document into a new state.
struct Survivors {
    let old: DocumentState
    private let dead: DeadParts
    var state = DocumentState()

    /// What is left of a document. O(size).
    static func state(of old: DocumentState, without dead: DeadParts) -> DocumentState {
        var survivors = Survivors(old: old, dead: dead)
        survivors.move(DocumentState.root, to: DocumentState.root)
        survivors.state.hasBrokenText = old.hasBrokenText
        survivors.state.contentBytes = survivors.state.countContentBytes()
        return survivors.state
    }

    private init(old: DocumentState, dead: DeadParts) { (self.old, self.dead) = (old, dead) }

    /// True when something of a slot stays; of a list element, more than the element itself.
    func keeps(_ slot: SlotHandle) -> Bool {
        if dead.slots.contains(slot) { return false }
        return !old[slot].registers.isEmpty || old[slot].deletedGeneration != .none
            || old[slot].containers.contains { !dead.containers.contains($0) }
    }

    /// True for an element that was dead when the base began and that nothing has named.
    func isForgotten(_ element: ListContent.Element) -> Bool { dead.elements.contains(element.slot) }

    /// Moves what stays of a slot into an empty one. Recursion ends at `nestingMax`.
    mutating func move(_ slot: SlotHandle, to new: SlotHandle) {
        if dead.slots.contains(slot) { return }
        state[new].registers = old[slot].registers
        state[new].deletedGeneration = old[slot].deletedGeneration
        for container in old[slot].containers where !dead.containers.contains(container) {
            let (kind, generation) = (old[container].kind, old[container].generation)
            let moved = state.openContainer(kind, generation, in: new)
            for edit in old[container].edits.sorted { state.addEdit(edit, to: moved) }
            kind.content.move(container, to: moved, &self)
        }
    }
}
