// Executes operations. Nothing here looks at a clock or at the order of arrival: what an operation does
// depends on what it names, what it covers and what is known, and by causal order everything that it covers
// is known.
//
// An operation that names a list element which was never inserted in that list (its insertion is void, or a
// hostile author made it up) has no effect at all. By causal order that is decided once and for all: what it
// names is in its context, so if it were ever to be inserted, it would be here.

import Bytes
import Causality

extension DocumentState {
    mutating func apply(_ operation: Operation, _ stamp: OperationStamp, _ batch: inout PatchBatch) {
        switch operation.body {
        case .unknown:
            preconditionFailure("a change with unknown operations is skipped whole")
        case .acknowledge:
            preconditionFailure("an acknowledgement is no operation of a document")
        case .deleteDocument(let observed):
            batch.recorder?.touch(Self.root, in: self)
            for generation in observed { delete(.map, generation, in: Self.root, by: stamp) }
        case .act(let path, let action):
            if recentPath == path, action.namedElement == nil {
                perform(action, in: reopen(action.isEdit, stamp, &batch), stamp, &batch)
                return
            }
            let steps = path.steps
            guard hasElements(namedBy: path.generation, steps, action) else { return }
            let container = open(path.generation, steps, action.isEdit, stamp, &batch)
            remember(path, container)
            perform(action, in: container, stamp, &batch)
        }
    }

    // MARK: The path

    /// False when an element on the path, or the one acted on, was never inserted in its list.
    private func hasElements(
        namedBy generation: Generation, _ steps: [ContainerStep], _ action: Action
    ) -> Bool {
        let target = action.namedElement
        var next = container(.map, generation, in: Self.root)
        for step in steps {
            if case .element(let dot) = step.slot, !hasElement(dot, in: next) { return false }
            next = next.flatMap { slot(step.slot, in: $0) }
                .flatMap { container(step.kind, step.generation, in: $0) }
        }
        guard let target else { return true }
        return hasElement(target, in: next)
    }

    /// The named container; it and its ancestors are made where they are missing. An edit counts for all of
    /// them.
    private mutating func open(
        _ generation: Generation, _ steps: [ContainerStep], _ isEdit: Bool, _ stamp: OperationStamp,
        _ batch: inout PatchBatch
    ) -> ContainerHandle {
        batch.recorder?.touch(Self.root, in: self)
        var container = openContainer(.map, generation, in: Self.root)
        if isEdit { addEdit(stamp.priority, to: container) }
        for step in steps {
            let slot = open(step.slot, in: container, isEdit, stamp, &batch)
            container = openContainer(step.kind, step.generation, in: slot)
            if isEdit { addEdit(stamp.priority, to: container) }
        }
        return container
    }

    /// What `open` does, for the path that is remembered.
    @discardableResult
    mutating func reopen(
        _ isEdit: Bool, _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) -> ContainerHandle {
        for index in recentChain.indices {
            let link = recentChain[index]
            batch.recorder?.touch(link.slot, in: self)
            if isEdit { addEdit(stamp.priority, to: link.container) }
        }
        return recentChain[recentChain.count - 1].container
    }

    /// A path through a list is not kept: an edit there is one of the element too.
    private mutating func remember(_ path: ContainerPath, _ container: ContainerHandle) {
        var chain: ContiguousArray<PathLink> = []
        var next: ContainerHandle? = container
        while let container = next {
            let slot = self[container].slot
            if case .element = self[slot].name { return }
            chain.append(PathLink(slot: slot, container: container))
            next = self[slot].parent
        }
        chain.reverse()
        (recentPath, recentChain, recentRequest) = (path, chain, nil)
    }

    /// The named slot, noted by the recorder as it was before; an edit counts for a list element.
    private mutating func open(
        _ name: Slot, in container: ContainerHandle, _ isEdit: Bool, _ stamp: OperationStamp,
        _ batch: inout PatchBatch
    ) -> SlotHandle {
        let slot: SlotHandle
        switch name {
        case .key(let key): slot = openSlot(key, inMap: container)
        case .element(let dot): slot = openSlot(ofElement: dot, inList: container)
        }
        batch.recorder?.touch(slot, in: self)
        if isEdit, case .element(let dot) = name { edit(dot, in: container, stamp.dot, &batch) }
        return slot
    }

    /// A delete of a container: it stays, with its content; the edits that the author had seen are gone.
    private mutating func delete(
        _ kind: ContainerKind, _ generation: Generation, in slot: SlotHandle, by stamp: OperationStamp
    ) {
        self[slot].deletedGeneration = max(self[slot].deletedGeneration, generation)
        guard let container = container(kind, generation, in: slot) else { return }
        removeEdits(coveredBy: stamp, of: container)
    }

    // MARK: Actions

    private mutating func perform(
        _ action: Action, in container: ContainerHandle, _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        // The container is there: that is all.
        if case .make = action { return }
        self[container].kind.content.perform(action, in: container, of: &self, by: stamp, &batch)
    }

    /// Writes the register of a slot; an edit of the container, and of the element that the slot is.
    mutating func write(
        _ value: Scalar, _ generation: Generation, to name: Slot, in container: ContainerHandle,
        by stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        let slot = open(name, in: container, true, stamp, &batch)
        self[slot].registers.write(
            RegisterWrite(value: value, priority: stamp.priority, generation: generation), by: stamp)
    }

    /// Deletes what its author had seen in a slot: registers, and the containers that it observed.
    mutating func clear(
        _ name: Slot, _ observed: [ObservedContainer], in container: ContainerHandle,
        by stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        let slot = open(name, in: container, false, stamp, &batch)
        self[slot].registers.removeCovered(by: stamp)
        for one in observed { delete(one.kind, one.generation, in: slot, by: stamp) }
        batch.emptied.append(slot)
    }
}

extension Action {
    /// The list element that the action itself names.
    fileprivate var namedElement: Dot? {
        switch self {
        case .write(.element(let dot), _, _), .clear(.element(let dot), _), .moveElement(let dot, _, _): dot
        default: nil
        }
    }
}
