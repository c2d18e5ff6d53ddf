// The short road of authors who write scalars, count, add and remove members, beside that of those who type:
// the container is found once and remembered, and the key once a write. Of increments that follow each other
// in one transaction one operation is made: the sum is all that they say.

import Bytes
public import Causality

/// What the short road makes of a request.
enum ShortRoad {
    /// It is for the general road.
    case general
    /// It changes nothing.
    case nothing
    case operation(Operation)
}

extension Document {
    /// Makes the operations of requests of one transaction, when nobody wants patches, and applies them. As
    /// `author` with each of them in turn, but increments of one counter that follow each other share an
    /// operation. On a throw the requests before the refused one stay applied.
    public mutating func author(
        _ requests: [OperationRequest], dot: Dot, timestamp: Timestamp, context: VersionVector
    ) throws(AuthorError) -> [Operation] {
        var operations: [Operation] = []
        operations.reserveCapacity(requests.count)
        var stamp = OperationStamp(dot: dot, timestamp: timestamp, context: context)
        var next = requests.startIndex
        while next < requests.endIndex {
            let first = operations.count
            if let sum = sum(of: requests[next...]) {
                let whole = OperationRequest(
                    document: requests[next].document, path: requests[next].path,
                    verb: .increment(by: sum.amount))
                try author(whole, stamp, into: &operations)
                next += sum.count
            } else {
                try author(requests[next], stamp, into: &operations)
                next += 1
            }
            var count = 0
            for operation in operations[first...] { count += operation.sequenceCount }
            if count > 0 {
                stamp = OperationStamp(
                    dot: stamp.dot.advanced(by: count), timestamp: timestamp, context: context)
            }
        }
        return operations
    }

    private mutating func author(
        _ request: OperationRequest, _ stamp: OperationStamp, into operations: inout [Operation]
    ) throws(AuthorError) {
        precondition(request.document == key, "a request for \(request.document) in \(key)")
        if isIncomplete { throw .incomplete }
        var batch = PatchBatch(wantsPatches: false)
        switch write(request, stamp, &batch) {
        case .nothing: return
        case .operation(let operation): operations.append(operation)
        case .general:
            operations += try author(
                request, dot: stamp.dot, timestamp: stamp.timestamp, context: stamp.context,
                wantsPatches: false
            ).operations
        }
    }

    /// The increments of one counter at the beginning of `requests`, when they are at least two.
    private func sum(of requests: ArraySlice<OperationRequest>) -> (amount: Int64, count: Int)? {
        guard let first = requests.first, case .increment(var sum) = first.verb else { return nil }
        var count = 1
        for request in requests.dropFirst() {
            guard case .increment(let amount) = request.verb, request.path == first.path,
                request.document == first.document
            else { break }
            let (next, isOver) = sum.addingReportingOverflow(amount)
            if isOver { break }
            sum = next
            count += 1
        }
        return count > 1 ? (sum, count) : nil
    }

    /// What a request becomes on the short road.
    mutating func write(
        _ request: OperationRequest, _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) -> ShortRoad {
        switch request.verb {
        case .set(.scalar(let value)): write(value, at: request.path, stamp, &batch)
        case .increment(let amount): increment(at: request.path, by: amount, stamp, &batch)
        case .add(let value): change(value, isAdded: true, at: request.path, stamp, &batch)
        case .remove(let value): change(value, isAdded: false, at: request.path, stamp, &batch)
        default: .general
        }
    }

    private mutating func write(
        _ value: Scalar, at path: [PathElement], _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) -> ShortRoad {
        guard case .key(let name)? = path.last, name.utf8Count <= DocumentLimits.mapKeyBytesMax,
            value.isValid, let map = state.soleContainer(at: path.dropLast(), .map)
        else { return .general }
        let hash = name.indexHash
        let slot = state.slot(name, hash, inMap: map.content)
        var generation = Generation.first
        if let slot {
            guard state[slot].live.isEmpty else { return .general }
            generation = state[slot].nextGeneration
            // Setting what is shown says nothing.
            if state[slot].registers.count == 1, state[slot].registers.winner?.value == value {
                return .nothing
            }
        }
        let action = Action.write(slot: .key(name), value: value, generation: generation)
        let operation = Operation(document: key, body: .act(in: map.path, action))
        assert(operation.isStaticallyValid(stamp), "authored an invalid operation: \(operation)")
        let container = state.reopen(true, stamp, &batch)
        let written = slot ?? state.makeSlot(name, hash, inMap: container)
        batch.recorder?.touch(written, in: state)
        state[written].registers.write(
            RegisterWrite(value: value, priority: stamp.priority, generation: generation), by: stamp)
        return .operation(operation)
    }

    private mutating func increment(
        at path: [PathElement], by amount: Int64, _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) -> ShortRoad {
        guard !path.isEmpty, let counter = state.soleContainer(at: path[...], .counter) else {
            return .general
        }
        if amount == 0 { return .nothing }
        let operation = Operation(document: key, body: .act(in: counter.path, .increment(by: amount)))
        assert(operation.isStaticallyValid(stamp), "authored an invalid operation: \(operation)")
        state.apply(operation, stamp, &batch)
        return .operation(operation)
    }

    /// Of both kinds of set; ordered ones have a place to find for what is added.
    private mutating func change(
        _ value: Scalar, isAdded: Bool, at path: [PathElement], _ stamp: OperationStamp,
        _ batch: inout PatchBatch
    ) -> ShortRoad {
        let kind: ContainerKind = state.recentPath?.kind == .removeWinsSet ? .removeWinsSet : .set
        guard value.isValid, !path.isEmpty, let set = state.soleContainer(at: path[...], kind) else {
            return .general
        }
        func isPresent(_ value: Scalar) -> Bool {
            kind == .set
                ? state.contents.sets[set.content].contains(value)
                : state.contents.removeWinsSets[set.content].contains(value)
        }
        let member = value.meant(isPresent)
        if !isAdded, !isPresent(member) { return .nothing }
        let action = isAdded ? Action.add(member) : Action.remove(member)
        let operation = Operation(document: key, body: .act(in: set.path, action))
        assert(operation.isStaticallyValid(stamp), "authored an invalid operation: \(operation)")
        state.apply(operation, stamp, &batch)
        return .operation(operation)
    }
}
