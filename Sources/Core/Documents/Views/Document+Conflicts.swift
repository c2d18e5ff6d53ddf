// What lost to concurrent writes and can still be read, place by place: for listings, beside the typed view
// that shows the same within the whole document.

import Bytes
public import Causality

/// A slot that holds more than what it shows.
public struct DocumentConflict: Hashable, Sendable {
    /// Keys, and indexes of list elements; empty: the document itself.
    public let path: [PathElement]
    /// At least two, in descending priority: the first is the one that shows.
    public let candidates: [Candidate]

    public struct Candidate: Hashable, Sendable {
        /// Nil for a register.
        public let kind: ContainerKind?
        public let value: PlainValue
        /// Author (its replica) and time of the latest surviving edit.
        public let dot: Dot
        public let timestamp: Timestamp
    }
}

extension Document {
    /// False when no slot holds more than it shows. O(slots), without looking at values.
    public var mayHoldConflicts: Bool {
        var found = false
        state.slots.forEach { slot in
            if slot.registers.count + slot.live.count > 1 { found = true }
        }
        return found
    }

    /// The conflicts that show, a slot before what is in it, keys in their order: at most `limit` of them,
    /// after the first `skipped`. Inside a value that lost nothing is looked at.
    public func conflicts(after skipped: Int = 0, limit: Int) -> [DocumentConflict] {
        precondition(skipped >= 0 && limit >= 0, "\(limit) conflicts after \(skipped)")
        guard mayHoldConflicts else { return [] }
        var found: [DocumentConflict] = []
        var passed = 0
        var left: [(path: [PathElement], slot: SlotHandle)] = [([], DocumentState.root)]
        while found.count < limit, let (path, slot) = left.popLast() {
            if state[slot].registers.count + state[slot].live.count > 1 {
                if passed >= skipped { found.append(state.conflict(in: slot, at: path)) }
                passed += 1
            }
            guard case .container(let container) = state.shown(in: slot) else { continue }
            let inside = state[container].kind.content.shownSlots(of: container, in: state)
            left += inside.reversed().map { (path + [$0.step], $0.slot) }
        }
        return found
    }
}

extension DocumentState {
    fileprivate func conflict(in slot: SlotHandle, at path: [PathElement]) -> DocumentConflict {
        let candidates = candidates(in: slot).map { candidate in
            let (kind, value): (ContainerKind?, PlainValue) =
                switch candidate.shown {
                case .nothing: (nil, .scalar(.null))
                case .register(let value): (nil, .scalar(value))
                case .container(let container): (self[container].kind, plain(container))
                }
            return DocumentConflict.Candidate(
                kind: kind, value: value, dot: candidate.priority.dot,
                timestamp: candidate.priority.timestamp)
        }
        precondition(candidates.count > 1, "\(candidates.count) values in a conflict")
        return DocumentConflict(path: path, candidates: candidates)
    }
}
