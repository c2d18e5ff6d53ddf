// Requests on lists and ordered sets, with indexes as the API means them: those that the value has
// afterwards.

import Bytes
import Causality

extension Planner {
    // MARK: insert

    mutating func insert(
        _ values: [PlainValue], _ index: InsertPlace, into target: Target
    ) throws(AuthorError) {
        let place = try place(target, of: [.list, .orderedSet], making: .list)
        guard let container = place.container else {
            guard index == .index(0) || index == .after(nil) else { throw Planner.nothingAfter(index) }
            try create(
                PlainValue.array(values), in: target.path, target.name, nextGeneration(target.slot))
            return
        }
        if place.kind == .list {
            let list = state.lists[state[container].content]
            let at = try visibleIndex(index, in: list)
            if values.isEmpty { return }
            try insertElements(
                values, at: place.path, list.order.origins(forInsertionAtVisibleIndex: at))
        } else {
            try insertMembers(values, index, container, at: place.path)
        }
    }

    private mutating func insertMembers(
        _ values: [PlainValue], _ index: InsertPlace, _ container: ContainerHandle, at path: ContainerPath
    ) throws(AuthorError) {
        var members: [Scalar] = []
        for value in values {
            guard case .scalar(let member) = value else {
                throw .invalidValue("an ordered set holds scalars only")
            }
            members.append(meant(member, in: container))
        }
        try Planner.checkDistinct(members)
        let set = state.orderedSets[state[container].content]
        let leaving = members.compactMap { set.members[$0]?.shownPosition }
            .compactMap { set.order.visibleIndex(of: $0) }.sorted()
        let at = try Planner.index(index, count: set.order.visibleCount - leaving.count, leaving: leaving)
        if members.isEmpty { return }
        let origins = set.order.origins(forInsertionAtVisibleIndex: at)
        emit(.insertMembers(left: origins.left, right: origins.right, members), in: path)
    }

    // MARK: move

    mutating func move(_ from: ElementPlace, _ to: InsertPlace, in target: Target) throws(AuthorError) {
        if shown(target) == .nothing { throw Planner.nothingAt(from) }
        let place = try place(target, of: [.list, .orderedSet], making: .list)
        guard let container = place.container else { return }
        if place.kind == .list {
            try moveElement(from, to, container, at: place.path)
        } else {
            try moveMember(from, to, container, at: place.path)
        }
    }

    private mutating func moveElement(
        _ from: ElementPlace, _ to: InsertPlace, _ container: ContainerHandle, at path: ContainerPath
    ) throws(AuthorError) {
        let list = state.lists[state[container].content]
        let count = list.order.visibleCount
        let start: Int
        switch from {
        case .index(let index):
            guard index >= 0, index < count else { throw .indexPastEnd(index: index, count: count) }
            start = index
        case .element(let dot):
            guard let index = list.index(of: dot) else { throw .noSuchElement(dot) }
            start = index
        }
        let element = list.element(atIndex: start)
        let at: Int
        if case .after(let anchor?) = to {
            at = try visibleIndex(.after(anchor), in: list)
        } else {
            at = try Planner.index(to, count: count - 1, leaving: [start])
        }
        // Directly before or after itself is where it stands.
        if at == start || at == start + 1 { return }
        let origins = list.order.origins(forInsertionAtVisibleIndex: at)
        emit(.moveElement(element, left: origins.left, right: origins.right), in: path)
    }

    private mutating func moveMember(
        _ from: ElementPlace, _ to: InsertPlace, _ container: ContainerHandle, at path: ContainerPath
    ) throws(AuthorError) {
        let set = state.orderedSets[state[container].content]
        let count = set.order.visibleCount
        // Members have no ids: they are their values.
        guard case .index(let start) = from else { throw Planner.nothingAt(from) }
        guard start >= 0, start < count else { throw .indexPastEnd(index: start, count: count) }
        let at = try Planner.index(to, count: count - 1, leaving: [start])
        if at == start || at == start + 1 { return }
        let member = set.member(at: set.order.dot(atVisibleIndex: start))
        let origins = set.order.origins(forInsertionAtVisibleIndex: at)
        emit(.moveMember(member, left: origins.left, right: origins.right), in: path)
    }

    // MARK: Indexes

    /// Where an insertion goes in a list as it is.
    private func visibleIndex(_ place: InsertPlace, in list: ListContent) throws(AuthorError) -> Int {
        if case .after(let dot?) = place {
            guard let index = list.index(of: dot) else { throw .noSuchElement(dot) }
            return index + 1
        }
        return try Planner.index(place, count: list.order.visibleCount, leaving: [])
    }

    /// An index among those that stay (`count` of them), as an index among all; `leaving` ascending.
    private static func index(
        _ place: InsertPlace, count: Int, leaving: [Int]
    ) throws(AuthorError) -> Int {
        var index = 0
        switch place {
        case .after(nil): break
        case .after(let dot?): throw .noSuchElement(dot)
        case .index(let wanted):
            guard wanted >= 0, wanted <= count else { throw .indexPastEnd(index: wanted, count: count) }
            index = wanted
        }
        for gone in leaving where gone < index { index += 1 }
        return index
    }

    private static func nothingAfter(_ place: InsertPlace) -> AuthorError {
        switch place {
        case .index(let index): .indexPastEnd(index: index, count: 0)
        case .after(let dot): dot.map { .noSuchElement($0) } ?? .indexPastEnd(index: 0, count: 0)
        }
    }
}
