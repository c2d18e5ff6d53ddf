// What was dead when a base began. An author outside the checkpoint C has seen V, the state of the previous
// base, and names what is dead there only if it is hostile, or if somebody brought it back in the meantime:
// that one named it. So what was dead and is named by nothing in W∖V goes (LIFECYCLE 2, "Base"; trap 3 says
// why what died since V stays).
//
// An operation names what is on its path, the slot and the containers that a clear lists, the element that it
// writes, clears or moves; not what only lies in a range of deleted elements, and not its origins.

import Bytes
import Causality

/// The dead parts of a document that no operation has named yet. Their handles last: a dead part holds
/// something, so that it is not freed.
struct DeadParts: Sendable {
    /// No root map lived, and no operation has come.
    private(set) var isWhole: Bool
    /// Without a surviving edit.
    private(set) var containers: Set<ContainerHandle> = []
    /// Slots that show nothing, and those of dead list elements whatever they hold.
    private(set) var slots: Set<SlotHandle> = []
    /// Those of dead list elements only.
    private(set) var elements: Set<SlotHandle> = []

    init(of state: DocumentState) {
        isWhole = state[DocumentState.root].live.isEmpty
        for index in state.containers.indices where !state.containers[index].edits.isLive {
            containers.insert(ContainerHandle(index: index))
        }
        for index in 1..<max(1, state.slots.count) where state.slots[index].holdsOnlyDead {
            slots.insert(SlotHandle(index: index))
        }
        for list in state.contents.lists {
            for element in list.elements.values where !element.edits.isLive { elements.insert(element.slot) }
        }
        slots.formUnion(elements)
    }

    var isEmpty: Bool { containers.isEmpty && slots.isEmpty }

    /// Takes out what an operation names, whether or not it has an effect.
    mutating func name(by operation: Operation, in state: DocumentState) {
        isWhole = false
        if isEmpty { return }
        switch operation.body {
        case .unknown, .acknowledge: break
        case .deleteDocument(let observed):
            for generation in observed { name(.map, generation, in: DocumentState.root, of: state) }
        case .act(let path, let action): name(path, action, in: state)
        }
    }

    private mutating func name(_ path: ContainerPath, _ action: Action, in state: DocumentState) {
        // Where nothing is, nothing dead is inside.
        guard var container = name(.map, path.generation, in: DocumentState.root, of: state) else { return }
        for step in path.steps {
            guard let slot = name(step.slot, in: container, of: state),
                let inner = name(step.kind, step.generation, in: slot, of: state)
            else { return }
            container = inner
        }
        switch action {
        case .write(let slot, _, _): name(slot, in: container, of: state)
        case .clear(let slot, let observed):
            guard let slot = name(slot, in: container, of: state) else { return }
            for one in observed { name(one.kind, one.generation, in: slot, of: state) }
        case .moveElement(let dot, _, _): name(.element(dot), in: container, of: state)
        case .make, .increment, .add, .remove, .insertElements, .deleteElements, .insertMembers, .moveMember,
            .insertText, .deleteText:
            break
        }
    }

    @discardableResult
    private mutating func name(
        _ slot: Slot, in container: ContainerHandle, of state: DocumentState
    ) -> SlotHandle? {
        guard let handle = state.slot(slot, in: container) else { return nil }
        slots.remove(handle)
        elements.remove(handle)
        return handle
    }

    @discardableResult
    private mutating func name(
        _ kind: ContainerKind, _ generation: Generation, in slot: SlotHandle, of state: DocumentState
    ) -> ContainerHandle? {
        guard let handle = state.container(kind, generation, in: slot) else { return nil }
        containers.remove(handle)
        return handle
    }
}

extension SlotState {
    /// It shows nothing, and is kept for dead containers or a generation number.
    fileprivate var holdsOnlyDead: Bool { registers.isEmpty && live.isEmpty && !holdsNothing }
}
