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
            guard let target = try locate(step, in: container, at, making: making) else { return nil }
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

    /// One step in a map, in a list, or in a map that is to be made (`container` nil).
    private func locate(
        _ step: PathElement, in container: ContainerHandle?, _ path: ContainerPath, making: Bool
    ) throws(AuthorError) -> Target? {
        let kind = container.map { state[$0].kind } ?? .map
        switch (step, kind) {
        case (.key(let key), .map):
            try Planner.check(key)
            let slot = container.flatMap { state.slot(.key(key), in: $0) }
            return Target(path: path, container: container, name: .key(key), slot: slot)
        case (.index(let index), .list):
            guard let container else { return nil }
            let list = state.lists[state[container].content]
            let count = list.order.visibleCount
            guard index >= 0, index < count else { throw .indexPastEnd(index: index, count: count) }
            let element = list.element(atIndex: index)
            return Target(
                path: path, container: container, name: .element(element), slot: list.slot(of: element))
        case (.element(let dot), .list):
            guard let container else { return nil }
            let list = state.lists[state[container].content]
            if list.isVisible(dot) {
                return Target(
                    path: path, container: container, name: .element(dot), slot: list.slot(of: dot))
            }
            if !making && list.hasElement(dot) { return nil }
            throw .noSuchElement(dot)
        default:
            throw .noSuchPlace("a \(step.form) leads nowhere in a \(kind.name)")
        }
    }

    func nextGeneration(_ slot: SlotHandle?) -> Generation {
        slot.map { state[$0].nextGeneration } ?? .first
    }

    /// The container that a slot shows, which must be of one of these kinds, or the one to be made there.
    func place(
        _ target: Target, of kinds: [ContainerKind], making kind: ContainerKind
    ) throws(AuthorError) -> (path: ContainerPath, container: ContainerHandle?, kind: ContainerKind) {
        switch shown(target) {
        case .container(let container):
            let found = state[container].kind
            guard kinds.contains(found) else { throw .wrongKind(found: found.name, wanted: kind.name) }
            let path = try path(target.path, target.name, found, state[container].generation)
            return (path, container, found)
        case .register:
            throw .wrongKind(found: "register", wanted: kind.name)
        case .nothing:
            let path = try path(target.path, target.name, kind, nextGeneration(target.slot))
            return (path, nil, kind)
        }
    }

    static func nothingAt(_ place: ElementPlace) -> AuthorError {
        switch place {
        case .index(let index): .indexPastEnd(index: index, count: 0)
        case .element(let dot): .noSuchElement(dot)
        }
    }
}

extension PathElement {
    fileprivate var form: String {
        switch self {
        case .key: "key"
        case .index: "number"
        case .element: "element id"
        }
    }
}
