// Requests on sets and texts.

import Bytes
import Causality

extension Planner {
    private static let sets: [ContainerKind] = [.set, .removeWinsSet, .orderedSet]

    /// An add of a present value is an add all the same: it wins over a concurrent remove.
    mutating func add(_ value: Scalar, to target: Target) throws(AuthorError) {
        try Planner.check(value)
        let place = try place(target, of: Planner.sets, making: .set)
        guard place.kind == .orderedSet, let container = place.container else {
            emit(.add(place.container.map { meant(value, in: $0) } ?? value), in: place.path)
            return
        }
        // A present member stays where it is, a new one goes to the end.
        let value = meant(value, in: container)
        let set = state.orderedSets[state[container].content]
        let position = set.members[value]?.shownPosition
        let last = set.order.visibleCount
        let index = position.flatMap { set.order.visibleIndex(of: $0) } ?? last
        let origins = set.order.origins(forInsertionAtVisibleIndex: index)
        emit(.insertMembers(left: origins.left, right: origins.right, [value]), in: place.path)
    }

    mutating func remove(_ value: Scalar, from target: Target) throws(AuthorError) {
        if shown(target) == .nothing { return }
        let place = try place(target, of: Planner.sets, making: .set)
        guard let container = place.container else { return }
        let value = meant(value, in: container)
        if isPresent(value, in: container) { emit(.remove(value), in: place.path) }
    }

    /// The member that a program means that has read the set: the value itself, unless only one is present
    /// that reads the same.
    func meant(_ value: Scalar, in container: ContainerHandle) -> Scalar {
        guard let twin = value.twin, !isPresent(value, in: container), isPresent(twin, in: container) else {
            return value
        }
        return twin
    }

    private func isPresent(_ value: Scalar, in container: ContainerHandle) -> Bool {
        let content = state[container].content
        return switch state[container].kind {
        case .orderedSet: state.orderedSets[content].contains(value)
        case .set: state.sets[content].contains(value)
        default: state.removeWinsSets[content].contains(value)
        }
    }

    mutating func splice(
        _ target: Target, _ index: Int, _ delete: Int, _ insert: String
    ) throws(AuthorError) {
        try Planner.check(insert.utf8.count, DocumentLimits.stringBytesMax, "string bytes")
        let place = try place(target, of: [.text], making: .text)
        let text = place.container.map { state.texts[state[$0].content] }
        let count = text?.scalarCount ?? 0
        guard index >= 0, index <= count else { throw .indexPastEnd(index: index, count: count) }
        guard delete >= 0 else { throw .invalidValue("delete counts scalars, it is not negative") }
        guard delete <= count - index else {
            throw .indexPastEnd(index: index.addingReportingOverflow(delete).partialValue, count: count)
        }
        guard let text else {
            emit(insert.isEmpty ? .make : .insertText(left: nil, right: nil, insert), in: place.path)
            return
        }
        spliceText(text, at: place.path, index, delete, insert)
    }

    mutating func spliceText(
        _ text: TextContainer, at path: ContainerPath, _ index: Int, _ delete: Int, _ insert: String
    ) {
        if delete > 0 { emit(.deleteText(text.ranges(in: index..<index + delete)), in: path) }
        if !insert.isEmpty { insertText(insert, at: path, text.origins(at: index)) }
    }
}
