// Insertions whose elements have kinds: what `insert` of the control API, which gets JSON, cannot say. For
// programs that hold documents in memory.

import Bytes
public import Causality

extension Document {
    /// Makes the operations that insert typed values into the list that a path shows, and applies them; where
    /// nothing shows the list is made. `index`: 0 through its count. As `author` of a request otherwise.
    public mutating func author(
        inserting values: [TypedValue], at index: Int, of path: [PathElement], dot: Dot,
        timestamp: Timestamp, context: VersionVector
    ) throws(AuthorError) -> [Operation] {
        if isIncomplete { throw .incomplete }
        let first = OperationStamp(dot: dot, timestamp: timestamp, context: context)
        if let operation = try insert(registers: values, at: index, of: path, first) { return [operation] }
        state.unfoldTexts()
        if isIncomplete { throw .incomplete }
        let operations = try plan(inserting: values, at: index, of: path, dot: dot)
        var next = dot
        for operation in operations {
            let stamp = OperationStamp(dot: next, timestamp: timestamp, context: context)
            assert(operation.isStaticallyValid(stamp), "authored an invalid operation: \(operation)")
            apply(operation, stamp)
            next = next.advanced(by: operation.sequenceCount)
        }
        return operations
    }

    /// The short road: scalars only, into a list that is found at once. Nil: by the general one.
    private mutating func insert(
        registers values: [TypedValue], at index: Int, of path: [PathElement], _ stamp: OperationStamp
    ) throws(AuthorError) -> Operation? {
        var contents: [ElementContent] = []
        contents.reserveCapacity(values.count)
        for value in values {
            guard case .register(let scalar, _) = value, scalar.isValid else { return nil }
            contents.append(.register(scalar))
        }
        guard !contents.isEmpty, contents.count <= DocumentLimits.changeOperationsMax,
            let list = state.soleContainer(at: path[...], .list)
        else { return nil }
        let count = state.contents.lists[list.content].order.visibleCount
        guard index >= 0, index <= count else { throw .indexPastEnd(index: index, count: count) }
        let origins = state.contents.lists[list.content].order.origins(forInsertionAtVisibleIndex: index)
        let action = Action.insertElements(left: origins.left, right: origins.right, contents)
        let operation = Operation(document: key, body: .act(in: list.path, action))
        assert(operation.isStaticallyValid(stamp), "authored an invalid operation: \(operation)")
        apply(operation, stamp)
        return operation
    }

    // Apart, so that the planner's copy of the state is gone before the state changes in place.
    private func plan(
        inserting values: [TypedValue], at index: Int, of path: [PathElement], dot: Dot
    ) throws(AuthorError) -> [Operation] {
        var planner = Planner(state: state, document: key, next: dot)
        guard let target = try planner.resolve(path, making: true) else { return [] }
        let place = try planner.place(target, making: .list) { $0 == .list }
        var origins: (left: Dot?, right: Dot?) = (nil, nil)
        if let container = place.container {
            let list = planner.state.contents.lists[planner.state[container].content]
            let at = try Planner.index(.index(index), count: list.order.visibleCount, leaving: [])
            origins = list.order.origins(forInsertionAtVisibleIndex: at)
        } else if index != 0 {
            throw .indexPastEnd(index: index, count: 0)
        }
        if values.isEmpty, place.container == nil { planner.emit(.make, in: place.path) }
        try ListContent.insert(values, at: place.path, origins, &planner)
        return planner.operations
    }
}
