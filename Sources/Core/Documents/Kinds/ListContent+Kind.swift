// The list as a kind of container: what operations do to its elements, and what is shown of them. Invariant:
// the order shows exactly the winning positions of the live elements; each function restores it and records
// the splice. Requests stand in `ListContent+Requests`, snapshots in `ListContent+Snapshot`.

import Bytes
import Causality

extension ListContent: ContainerContent {
    static func make(in contents: inout ContainerContents) -> Int {
        contents.lists.append(ListContent())
        return contents.lists.count - 1
    }

    // MARK: Operations

    /// An element must have been seen.
    static func canHold(_ slot: Slot, _ stamp: OperationStamp) -> Bool {
        if case .element(let dot) = slot { stamp.hasSeen(dot) } else { false }
    }

    static func allows(_ action: Action, _ stamp: OperationStamp) -> Bool {
        switch action {
        case .insertElements(let left, let right, let contents):
            stamp.hasSeen(left, right) && contents.allSatisfy(\.isValid)
        case .deleteElements(let ranges): stamp.hasSeen(all: ranges)
        case .moveElement(let element, let left, let right):
            stamp.hasSeen(element) && stamp.hasSeen(left, right)
        default: action.isValidInSlot { canHold($0, stamp) }
        }
    }

    static func perform(
        _ action: Action, in container: ContainerHandle, of state: inout DocumentState,
        by stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        switch action {
        case .write(let name, let value, let generation):
            state.write(value, generation, to: name, in: container, by: stamp, &batch)
        case .clear(let name, let observed):
            state.clear(name, observed, in: container, by: stamp, &batch)
        case .insertElements(let left, let right, let contents):
            state.insertElements(contents, left, right, in: container, stamp, &batch)
        case .deleteElements(let ranges):
            state.deleteElements(ranges, in: container, stamp, &batch)
        case .moveElement(let element, let left, let right):
            state.moveElement(element, left, right, in: container, stamp, &batch)
        default: preconditionFailure("no \(action) in a list")
        }
    }

    /// First the splices, with values as they are now; then what changed inside elements that stood here all
    /// along.
    static func appendPatches(
        of container: ContainerHandle, in state: DocumentState, at path: [PathElement],
        _ notes: borrowing PatchRecorder, to patches: inout [Patch]
    ) {
        let list = state.contents.lists[state[container].content]
        var inserted: Set<Dot> = []
        for step in notes.elements[container]?.steps ?? [] {
            inserted.formUnion(step.insert)
            let values = step.insert.map { list.elements[$0].map { state.plain($0.slot) } ?? .scalar(.null) }
            let splice = Patch.Change.spliceList(index: step.index, delete: step.delete, insert: values)
            patches.append(Patch(path: path, change: splice))
        }
        for slot in notes.touched[container] ?? [] {
            guard case .element(let dot) = state[slot].name, !inserted.contains(dot),
                let index = list.index(of: dot)
            else { continue }
            state.appendPatches(of: slot, at: path + [.index(index)], notes, to: &patches)
        }
    }

    // MARK: Slots

    static func slot(_ name: Slot, in container: ContainerHandle, of state: DocumentState) -> SlotHandle? {
        guard case .element(let dot) = name else { return nil }
        return state.contents.lists[state[container].content].elements[dot]?.slot
    }

    static func slot(
        at step: PathElement, in container: ContainerHandle, of state: DocumentState
    ) -> SlotHandle? {
        let content = state[container].content
        switch step {
        case .key: return nil
        case .index(let index):
            let list = state.contents.lists[content]
            guard index >= 0, index < list.order.visibleCount else { return nil }
            return list.slot(of: list.element(atIndex: index))
        case .element(let dot):
            let list = state.contents.lists[content]
            return list.isVisible(dot) ? list.slot(of: dot) : nil
        }
    }

    /// A live element keeps its slot, and a dead one while it has a move.
    static func removeSlot(
        _ name: Slot, _ slot: SlotHandle, from container: ContainerHandle, of state: inout DocumentState
    ) -> Bool {
        guard case .element(let dot) = name else { preconditionFailure("\(name) in a list") }
        let content = state[container].content
        guard let element = state.contents.lists[content].elements[dot], element.slot == slot,
            !element.edits.isLive, element.moves.isEmpty
        else { return false }
        state.contents.lists[content].elements[dot] = nil
        state.contentBytes -= elementBytes
        return true
    }

    // MARK: Views

    static var typedForm: TypedForm { .list }

    static func plain(_ container: ContainerHandle, in state: DocumentState) -> PlainValue {
        let list = state.contents.lists[state[container].content]
        return .array(list.visibleElements.map { state.plain(list.slot(of: $0)) })
    }

    static func typed(
        _ container: ContainerHandle, in state: DocumentState, conflicts: [TypedValue.Conflict]
    ) -> TypedValue {
        let list = state.contents.lists[state[container].content]
        let elements = list.visibleElements.map {
            TypedValue.Element(id: $0, state.typed(list.slot(of: $0)) ?? .register(.null, conflicts: []))
        }
        return .list(elements, conflicts: conflicts)
    }

    // MARK: Checks

    static func slotCount(of container: ContainerHandle, in state: DocumentState) -> Int {
        state.contents.lists[state[container].content].elements.count
    }

    static func contentBytes(of container: ContainerHandle, in state: DocumentState) -> Int {
        state.contents.lists[state[container].content].elements.count * elementBytes
    }

    static func checkInvariants(of container: ContainerHandle, in state: DocumentState) {
        let list = state.contents.lists[state[container].content]
        list.order.checkInvariants()
        var live = 0
        for (dot, element) in list.elements {
            precondition(list.hasElement(dot), "element \(dot) was inserted")
            precondition(state[element.slot].name == .element(dot), "slot of \(dot)")
            precondition(
                list.order.isVisible(list.position(of: dot)) == element.edits.isLive,
                "\(dot) shows as it lives")
            precondition(element.moves.allSatisfy { list.moved[$0.dot] == dot }, "moves of \(dot)")
            if !element.edits.isLive {
                precondition(state[element.slot].registers.isEmpty, "\(dot) is dead and has registers")
                precondition(
                    !state[element.slot].holdsNothing || !element.moves.isEmpty,
                    "\(dot) is dead and not freed")
            }
            live += element.edits.isLive ? 1 : 0
        }
        precondition(live == list.order.visibleCount, "\(live) live of \(list.order.visibleCount) shown")
    }
}
