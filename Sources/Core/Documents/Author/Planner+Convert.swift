// `convert` gives what a slot shows another kind (decision 0149). Containers are named by place, so two boxes
// that convert one slot apart would fill one container, and a text or a counter would hold the value twice.
// Hence:
//
//     set, ordered set        one container, the next generation: equal members are one
//     text, counter, list     a container of its own, by a generation that hardly anybody else draws;
//                             the greater one shows, the other is a conflict, whole
//
// The new generation is above all that the slot holds, so what others write at the same time does not hide
// the conversion: it is listed as a conflict.

import Bytes
import Causality

extension Planner {
    /// Makes what the slot shows a container of a kind, with its value. Nothing when it is of that kind.
    mutating func convert(_ target: Target, to kind: ContainerKind) throws(AuthorError) {
        guard let slot = target.slot else { throw .doesNotFit("nothing stands there") }
        let shown = shown(target)
        if shown == .nothing { throw .doesNotFit("nothing stands there") }
        if case .container(let container) = shown, state[container].kind == kind { return }
        guard let value = kind.content.converted(from: state.plain(slot)) else {
            throw .doesNotFit(misfit(of: shown, kind))
        }
        let generation = try generation(above: slot, of: kind)
        clearConverted(target, slot, shown)
        try value.create(with: &self, in: target.path, target.name, generation)
    }

    private func misfit(of shown: Shown, _ kind: ContainerKind) -> String {
        let found =
            if case .container(let container) = shown { state[container].kind.name } else { "register" }
        return "the \(found) that is shown does not become a \(kind.name)"
    }

    /// Takes away what was converted, and nothing else that the slot holds: a clear covers all registers that
    /// its author has seen, so registers in conflict stay beside the one that was converted.
    private mutating func clearConverted(_ target: Target, _ slot: SlotHandle, _ shown: Shown) {
        let registers = state[slot].registers.count
        switch shown {
        case .nothing: break
        case .register:
            if registers == 1 { emit(.clear(slot: target.name, observed: []), in: target.path) }
        case .container(let container):
            let content = state[container].kind.content
            let hasConflicts = content.typed(container, in: state, conflicts: []).holdsConflicts
            if registers > 0 || hasConflicts { return }
            emit(.clear(slot: target.name, observed: [state.name(of: container)]), in: target.path)
        }
    }

    /// A generation above all that the slot holds or held. Of a kind that would double what two boxes convert
    /// apart, one of a million above that, drawn by the dot of the conversion.
    private func generation(above slot: SlotHandle, of kind: ContainerKind) throws(AuthorError) -> Generation
    {
        var greatest = state[slot].deletedGeneration
        state[slot].registers.forEach { greatest = max(greatest, $0.generation) }
        for container in state[slot].containers { greatest = max(greatest, state[container].generation) }
        let step = kind.content.joinsEqualValues ? 1 : 1 + Self.draw(next)
        let (generation, isOver) = greatest.value.addingReportingOverflow(step)
        guard !isOver, generation <= Generation.max.value else {
            throw .doesNotFit("this place was converted too often; write it to a new one")
        }
        return Generation(generation)
    }

    /// 20 bits. Replica ids are hashes, and each conversion of a replica has a sequence of its own.
    private static func draw(_ dot: Dot) -> UInt32 {
        var mixed = (dot.replica.raw.high ^ dot.replica.raw.low) &+ dot.sequence.value
        // The finisher of SplitMix64.
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt32(truncatingIfNeeded: (mixed ^ (mixed >> 31)) >> 44)
    }

    /// A request met another kind.
    func wrongKind(_ found: String, _ wanted: ContainerKind, at target: Target) -> AuthorError {
        let value = target.slot.map { state.plain($0) }
        let place = KindPlace(
            document: document, path: target.path.elements + [PathElement(target.name)],
            isConvertible: value.flatMap { wanted.content.converted(from: $0) } != nil)
        return .wrongKind(found: found, wanted: wanted.name, at: place)
    }
}

extension TypedValue {
    /// Something in it, or it itself, has conflicts. O(size).
    var holdsConflicts: Bool {
        if !conflicts.isEmpty { return true }
        return switch self {
        case .register, .scalar, .members: false
        case .map(let members, _): members.contains { $0.value.holdsConflicts }
        case .list(let elements, _): elements.contains { $0.value.holdsConflicts }
        }
    }
}

extension PathElement {
    init(_ slot: Slot) {
        switch slot {
        case .key(let key): self = .key(key)
        case .element(let dot): self = .element(dot)
        }
    }
}

extension ContainerPath {
    /// As requests write it.
    var elements: [PathElement] { steps.map { PathElement($0.slot) } }
}
