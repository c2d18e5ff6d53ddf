// Requests on lists: indexes as the API means them, those that the value has afterwards. `set` of an array
// stands in `ListContent+Difference`.

import Bytes
import Causality

extension ListContent {
    static func locate(
        _ step: PathElement, in container: ContainerHandle?, at path: ContainerPath, making: Bool,
        _ planner: Planner
    ) throws(AuthorError) -> Target? {
        guard let container else { return nil }
        let list = planner.state.contents.lists[planner.state[container].content]
        let element: Dot
        switch step {
        case .key: throw .leadsNowhere(step, in: .list)
        case .index(let index):
            let count = list.order.visibleCount
            guard index >= 0, index < count else { throw .indexPastEnd(index: index, count: count) }
            element = list.element(atIndex: index)
        case .element(let dot):
            guard list.isVisible(dot) else {
                if !making && list.hasElement(dot) { return nil }
                throw .noSuchElement(dot)
            }
            element = dot
        }
        return Target(path: path, container: container, name: .element(element), slot: list.slot(of: element))
    }

    static func takes(_ verb: OperationRequest.Verb) -> Bool {
        switch verb {
        case .insert, .move: true
        default: false
        }
    }

    static func act(
        _ verb: OperationRequest.Verb, in container: ContainerHandle?, at path: ContainerPath,
        _ planner: inout Planner
    ) throws(AuthorError) {
        guard let container else {
            guard case .insert(let place, let values) = verb else { return }
            let isStart = place == .index(0) || place == .index(-1) || place == .after(nil)
            guard isStart else { throw nothingAfter(place) }
            if values.isEmpty { planner.emit(.make, in: path) }
            return try insert(values, at: path, (nil, nil), &planner)
        }
        let list = planner.state.contents.lists[planner.state[container].content]
        switch verb {
        case .insert(let place, let values):
            let at = try list.visibleIndex(place)
            if values.isEmpty { return }
            try insert(values, at: path, list.order.origins(forInsertionAtVisibleIndex: at), &planner)
        case .move(let from, let to):
            if let action = try list.move(from, to) { planner.emit(action, in: path) }
        default: preconditionFailure("no \(verb) of a list")
        }
    }

    /// Plans an insertion of elements, then what is nested in them.
    static func insert(
        _ values: [some SlotValue], at path: ContainerPath, _ origins: (left: Dot?, right: Dot?),
        _ planner: inout Planner
    ) throws(AuthorError) {
        if values.isEmpty { return }
        var contents: [ElementContent] = []
        contents.reserveCapacity(values.count)
        for value in values {
            if let scalar = value.register {
                try Planner.check(scalar)
                contents.append(.register(scalar))
            } else {
                contents.append(.container)
            }
        }
        let first = planner.next
        planner.emit(.insertElements(left: origins.left, right: origins.right, contents), in: path)
        for (step, value) in values.enumerated() where value.register == nil {
            try planner.create(value, in: path, .element(first.advanced(by: step)))
        }
    }

    static func create(
        _ value: TypedValue, at path: ContainerPath, _ planner: inout Planner
    ) throws(AuthorError) {
        guard case .list(let elements, _) = value else { throw value.misfit }
        if elements.isEmpty { return planner.emit(.make, in: path) }
        try insert(elements.map(\.value), at: path, (nil, nil), &planner)
    }

    // MARK: Indexes

    /// Nil when the element stands there already.
    private func move(_ from: ElementPlace, _ to: InsertPlace) throws(AuthorError) -> Action? {
        let count = order.visibleCount
        let start: Int
        switch from {
        case .index(let index): start = try Planner.start(index, count: count)
        case .element(let dot):
            guard let index = index(of: dot) else { throw .noSuchElement(dot) }
            start = index
        }
        let at: Int
        if case .after(.some) = to {
            at = try visibleIndex(to)
        } else {
            at = try Planner.index(to, count: count - 1, leaving: [start])
        }
        // Directly before or after itself is where it stands.
        if at == start || at == start + 1 { return nil }
        let origins = order.origins(forInsertionAtVisibleIndex: at)
        return .moveElement(element(atIndex: start), left: origins.left, right: origins.right)
    }

    /// Where an insertion goes in the list as it is.
    private func visibleIndex(_ place: InsertPlace) throws(AuthorError) -> Int {
        if case .after(let dot?) = place {
            guard let index = index(of: dot) else { throw .noSuchElement(dot) }
            return index + 1
        }
        return try Planner.index(place, count: order.visibleCount, leaving: [])
    }

    private static func nothingAfter(_ place: InsertPlace) -> AuthorError {
        switch place {
        case .index(let index): .indexPastEnd(index: index, count: 0)
        case .after(let dot): dot.map { .noSuchElement($0) } ?? .indexPastEnd(index: 0, count: 0)
        }
    }
}

extension Planner {
    /// An index among those that stay (`count` of them), as an index among all; `leaving` ascending.
    static func index(_ place: InsertPlace, count: Int, leaving: [Int]) throws(AuthorError) -> Int {
        var index = 0
        switch place {
        case .after(nil): break
        case .after(let dot?): throw .noSuchElement(dot)
        case .index(let wanted):
            index = wanted < 0 ? count + 1 + wanted : wanted
            guard index >= 0, index <= count else { throw .indexPastEnd(index: wanted, count: count) }
        }
        for gone in leaving where gone < index { index += 1 }
        return index
    }

    /// Which of `count` elements an index means; below 0 it counts from the end.
    static func start(_ wanted: Int, count: Int) throws(AuthorError) -> Int {
        let index = wanted < 0 ? count + wanted : wanted
        guard index >= 0, index < count else { throw .indexPastEnd(index: wanted, count: count) }
        return index
    }
}
