// Reads a document with kinds, conflicts and element ids.

import Bytes
import Causality

extension DocumentState {
    /// One live candidate of a slot.
    struct Candidate {
        let generation: Generation
        let priority: Priority
        let shown: Shown
    }

    /// Every live candidate, the winner first.
    func candidates(in slot: SlotHandle) -> [Candidate] {
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
        case .container(let container):
            return self[container].kind.content.typed(container, in: self, conflicts: conflicts)
        }
    }
}
