// A counter: increments add up, whatever their order.

import Bytes
import Causality

/// The content of one counter.
struct CounterContent: Equatable, Sendable {
    /// 64-bit increments summed in 128 bits: no log is long enough to overflow them.
    var sum: Int128 = 0
}

extension DocumentState {
    /// The value that a counter shows.
    func counterValue(_ container: ContainerHandle) -> Int64 {
        Int64(clamping: contents.counters[self[container].content].sum)
    }
}

extension CounterContent: ContainerContent {
    static func make(in contents: inout ContainerContents) -> Int {
        contents.counters.append(CounterContent())
        return contents.counters.count - 1
    }

    // MARK: Operations

    static func allows(_ action: Action, _ stamp: OperationStamp) -> Bool {
        if case .increment = action { true } else { false }
    }

    static func perform(
        _ action: Action, in container: ContainerHandle, of state: inout DocumentState,
        by stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        guard case .increment(let amount) = action else { preconditionFailure("no \(action) in a counter") }
        batch.recorder?.touch(container, showing: .integer(state.counterValue(container)))
        state.contents.counters[state[container].content].sum += Int128(amount)
    }

    static func appendPatches(
        of container: ContainerHandle, in state: DocumentState, at path: [PathElement],
        _ notes: borrowing PatchRecorder, to patches: inout [Patch]
    ) {
        let value = Scalar.integer(state.counterValue(container))
        guard let before = notes.scalarBefore[container], before != value else { return }
        patches.append(Patch(path: path, change: .set(.scalar(value))))
    }

    // MARK: Views

    static var typedForm: TypedForm { .integer }

    static func plain(_ container: ContainerHandle, in state: DocumentState) -> PlainValue {
        .scalar(.integer(state.counterValue(container)))
    }

    static func typed(
        _ container: ContainerHandle, in state: DocumentState, conflicts: [TypedValue.Conflict]
    ) -> TypedValue { .counter(state.counterValue(container), conflicts: conflicts) }

    // MARK: Requests

    static func takes(_ verb: OperationRequest.Verb) -> Bool {
        if case .increment = verb { true } else { false }
    }

    static func act(
        _ verb: OperationRequest.Verb, in container: ContainerHandle?, at path: ContainerPath,
        _ planner: inout Planner
    ) throws(AuthorError) {
        guard case .increment(let amount) = verb else { preconditionFailure("no \(verb) of a counter") }
        if amount != 0 || container == nil { planner.emit(.increment(by: amount), in: path) }
    }

    /// A number is no difference that others could merge: whoever means one says `increment`.
    static func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, isRequested: Bool,
        _ planner: inout Planner
    ) throws(AuthorError) -> Bool {
        switch value {
        case .scalar(.integer(let count))
        where !isRequested && count == planner.state.counterValue(container):
            // Whoever writes back a whole document did not touch it.
            return true
        case .scalar(.integer), .scalar(.double):
            let place = KindPlace(
                document: planner.document, path: path.elements, isConvertible: false)
            throw .wrongKind(found: ContainerKind.counter.name, wanted: "register", at: place)
        default: return false
        }
    }

    static func create(
        _ value: TypedValue, at path: ContainerPath, _ planner: inout Planner
    ) throws(AuthorError) {
        guard case .scalar(.integer(let sum), _, _) = value else { throw value.misfit }
        planner.emit(.increment(by: sum), in: path)
    }

    // MARK: Snapshots

    static func encode(_ container: ContainerHandle, into encoder: inout SnapshotEncoder) {
        let bits = UInt128(bitPattern: encoder.state.contents.counters[encoder.state[container].content].sum)
        encoder.writer.u64(UInt64(truncatingIfNeeded: bits >> 64))
        encoder.writer.u64(UInt64(truncatingIfNeeded: bits))
    }

    static func decode(
        into container: ContainerHandle, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        let high = UInt128(try decoder.reader.u64())
        let bits = high << 64 | UInt128(try decoder.reader.u64())
        decoder.state.contents.counters[decoder.state[container].content].sum = Int128(bitPattern: bits)
    }

    // MARK: Bases

    static func move(
        _ container: ContainerHandle, to moved: ContainerHandle, _ survivors: inout Survivors
    ) {
        let content = survivors.state[moved].content
        survivors.state.contents.counters[content] =
            survivors.old.contents.counters[survivors.old[container].content]
    }
}
