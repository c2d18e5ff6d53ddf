// `resolve` ends the conflicts of a slot: one of its values stays, or another is written. A container that
// stays keeps its identity, so what others write into it meanwhile goes on merging.

import Bytes
import Causality

extension Planner {
    mutating func resolve(_ target: Target, _ resolution: Resolution) throws(AuthorError) {
        let candidates = target.slot.map { state.candidates(in: $0) } ?? []
        switch resolution {
        case .take(let number):
            let chosen = try Self.choose(number, of: candidates)
            if candidates.count == 1 { return }
            switch chosen.shown {
            case .nothing: preconditionFailure("a candidate shows something")
            case .register(let value): try replace(target, by: PlainValue.scalar(value))
            case .container(let container): keep(container, in: target)
            }
        case .value(let value):
            if candidates.count > 1, case .container(let shown) = candidates[0].shown {
                keep(shown, in: target)
            }
            try set(target, to: value, isRequested: true)
        }
    }

    /// The same for the document itself, whose candidates are root maps of several generations.
    mutating func resolveDocument(_ resolution: Resolution) throws(AuthorError) {
        let candidates = state.candidates(in: DocumentState.root)
        let chosen: DocumentState.Candidate
        switch resolution {
        case .take(let number): chosen = try Self.choose(number, of: candidates)
        case .value(let value):
            guard case .object = value else { throw .notForDocument("path [] takes an object") }
            guard let shown = candidates.first else { throw .noSuchPlace("there is no such document") }
            chosen = shown
        }
        let others = candidates.map(\.generation).filter { $0 != chosen.generation }.sorted()
        if !others.isEmpty { emit(.deleteDocument(observed: others)) }
        if case .value(let value) = resolution { try planDocument(.set(value)) }
    }

    private static func choose(
        _ number: Int, of candidates: [DocumentState.Candidate]
    ) throws(AuthorError) -> DocumentState.Candidate {
        guard candidates.indices.contains(number) else {
            throw .noSuchCandidate(take: number, count: candidates.count)
        }
        return candidates[number]
    }

    /// Deletes everything in the slot but one container.
    private mutating func keep(_ container: ContainerHandle, in target: Target) {
        let name = state.name(of: container)
        let others = target.slot.map { state.observed(in: $0) } ?? []
        emit(.clear(slot: target.name, observed: others.filter { $0 != name }), in: target.path)
    }
}
