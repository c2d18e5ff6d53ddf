// Paths of requests: keys, indexes and element ids become slots of shown containers.

import Bytes
import Causality

extension Planner {
    /// The shown root map, or the one to be made.
    var rootPath: ContainerPath {
        guard let root = state.shownRoot else {
            return ContainerPath(generation: state[DocumentState.root].nextGeneration)
        }
        return ContainerPath(generation: state[root].generation)
    }

    /// What a slot shows; a live element always shows something.
    func shown(_ target: Target) -> Shown {
        let shown = target.slot.map { state.shown(in: $0) } ?? .nothing
        guard case .element = target.name, shown == .nothing else { return shown }
        return .register(.null)
    }

    /// The slot that a path names. Nil when something on the way is missing and shall not be made.
    func resolve(_ path: [PathElement], making: Bool) throws(AuthorError) -> Target? {
        var at = rootPath
        var container = state.shownRoot
        for (depth, step) in path.enumerated() {
            if container == nil && !making { return nil }
            let kind = container.map { state[$0].kind } ?? .map
            let target = try kind.content.locate(step, in: container, at: at, making: making, self)
            guard let target else { return nil }
            if depth == path.count - 1 { return target }
            switch shown(target) {
            case .container(let inner):
                container = inner
                at = try self.path(at, target.name, state[inner].kind, state[inner].generation)
            case .register:
                throw .noSuchPlace("step \(depth + 1) of the path is a scalar")
            case .nothing:
                if !making { return nil }
                guard case .key = path[depth + 1] else {
                    throw .noSuchPlace(
                        "step \(depth + 1) of the path is missing, only maps are made on the way")
                }
                container = nil
                at = try self.path(at, target.name, .map, nextGeneration(target.slot))
            }
        }
        return nil
    }

    func nextGeneration(_ slot: SlotHandle?) -> Generation {
        slot.map { state[$0].nextGeneration } ?? .first
    }

    /// The container that a slot shows, when its kind fits, or the one of `kind` that is to be made there.
    func place(
        _ target: Target, making kind: ContainerKind, fits: (ContainerKind) -> Bool
    ) throws(AuthorError) -> (path: ContainerPath, container: ContainerHandle?) {
        switch shown(target) {
        case .container(let container):
            let found = state[container].kind
            guard fits(found) else { throw wrongKind(found.name, kind, at: target) }
            return (try path(target.path, target.name, found, state[container].generation), container)
        case .register:
            throw wrongKind("register", kind, at: target)
        case .nothing:
            return (try path(target.path, target.name, kind, nextGeneration(target.slot)), nil)
        }
    }

    static func nothingAt(_ place: ElementPlace) -> AuthorError {
        switch place {
        case .index(let index): .indexPastEnd(index: index, count: 0)
        case .element(let dot): .noSuchElement(dot)
        }
    }
}
