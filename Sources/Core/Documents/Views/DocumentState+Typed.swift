// Reads a document with kinds, conflicts and element ids.

import Bytes
import Causality

extension DocumentState {
    /// One live candidate of a slot.
    private struct Candidate {
        let generation: Generation
        let priority: Priority
        let shown: Shown
    }

    /// Every live candidate, the winner first.
    private func candidates(in slot: SlotHandle) -> [Candidate] {
        var result: [Candidate] = []
        self[slot].registers.forEach {
            result.append(
                Candidate(generation: $0.generation, priority: $0.priority, shown: .register($0.value)))
        }
        for container in self[slot].live {
            guard let latest = self[container].edits.latest else { continue }
            result.append(
                Candidate(
                    generation: self[container].generation, priority: latest, shown: .container(container)))
        }
        return result.sorted { ($1.generation, $1.priority) < ($0.generation, $0.priority) }
    }

    /// Nil when the slot shows nothing.
    func typed(_ slot: SlotHandle) -> TypedValue? {
        let candidates = candidates(in: slot)
        guard let winner = candidates.first else { return nil }
        let conflicts = candidates.dropFirst().map {
            TypedValue.Conflict(
                typed($0.shown, conflicts: []), dot: $0.priority.dot, timestamp: $0.priority.timestamp)
        }
        return typed(winner.shown, conflicts: conflicts)
    }

    private func typed(_ shown: Shown, conflicts: [TypedValue.Conflict]) -> TypedValue {
        switch shown {
        case .nothing: return .register(.null, conflicts: conflicts)
        case .register(let value): return .register(value, conflicts: conflicts)
        case .container(let container): return typed(container, conflicts: conflicts)
        }
    }

    private func typed(_ container: ContainerHandle, conflicts: [TypedValue.Conflict]) -> TypedValue {
        let content = self[container].content
        switch self[container].kind {
        case .map:
            let members = shownSlots(ofMap: container).compactMap { key, slot in
                typed(slot).map { TypedValue.Member(key, $0) }
            }
            return .map(members, conflicts: conflicts)
        case .list:
            let list = lists[content]
            let elements = list.visibleElements.map {
                TypedValue.Element(id: $0, typed(list.slot(of: $0)) ?? .register(.null, conflicts: []))
            }
            return .list(elements, conflicts: conflicts)
        case .orderedSet: return .orderedSet(orderedSets[content].present, conflicts: conflicts)
        case .set: return .set(sets[content].present, kind: .set, conflicts: conflicts)
        case .removeWinsSet:
            return .set(removeWinsSets[content].present, kind: .removeWinsSet, conflicts: conflicts)
        case .text: return .text(Key(texts[content].string), conflicts: conflicts)
        case .counter: return .counter(counterValue(container), conflicts: conflicts)
        }
    }
}
