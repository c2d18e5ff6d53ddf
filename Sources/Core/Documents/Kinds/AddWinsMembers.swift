// The add-wins set: a value is present while an add survives, that is while no known add or remove of the
// value had it in its context. No tombstones (Bieniusa et al., "An optimized conflict-free replicated set").

import Bytes
import Causality

/// The members of an add-wins set.
struct AddWinsMembers: Sendable {
    /// Of the present values only; none is empty.
    private(set) var adds: [Scalar: SurvivingDots] = [:]

    func contains(_ value: Scalar) -> Bool { adds[value] != nil }
    var count: Int { adds.count }
    /// Canonical order. O(n log n).
    var present: [Scalar] { adds.keys.sorted() }

    /// An add covers earlier adds of the value in its context: one dot is enough.
    mutating func add(_ value: Scalar, by stamp: OperationStamp) {
        adds[value, default: SurvivingDots()].removeCovered(by: stamp)
        adds[value, default: SurvivingDots()].add(stamp.dot)
    }

    mutating func remove(_ value: Scalar, by stamp: OperationStamp) {
        adds[value]?.removeCovered(by: stamp)
        if adds[value]?.isEmpty == true { adds[value] = nil }
    }
}

extension AddWinsMembers: ContainerContent {
    static func make(in contents: inout ContainerContents) -> Int {
        contents.sets.append(AddWinsMembers())
        return contents.sets.count - 1
    }

    // MARK: Operations

    static func allows(_ action: Action, _ stamp: OperationStamp) -> Bool {
        switch action {
        case .add(let value), .remove(let value): value.isValid
        default: false
        }
    }

    static func perform(
        _ action: Action, in container: ContainerHandle, of state: inout DocumentState,
        by stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        let content = state[container].content
        let before = state.contents.sets[content].count
        func touch(_ value: Scalar) {
            let wasPresent = state.contents.sets[content].contains(value)
            batch.recorder?.touch(value, of: container, wasPresent: wasPresent)
        }
        switch action {
        case .add(let value):
            touch(value)
            state.contents.sets[content].add(value, by: stamp)
        case .remove(let value):
            touch(value)
            state.contents.sets[content].remove(value, by: stamp)
        default: preconditionFailure("no \(action) in a set")
        }
        state.contentBytes += (state.contents.sets[content].count - before) * SurvivingDots.memberBytes
    }

    static func appendPatches(
        of container: ContainerHandle, in state: DocumentState, at path: [PathElement],
        _ notes: borrowing PatchRecorder, to patches: inout [Patch]
    ) {
        let members = state.contents.sets[state[container].content]
        guard notes.hasChanged(container, isPresent: { members.contains($0) }) else { return }
        patches.append(Patch(path: path, change: .set(plain(container, in: state))))
    }

    // MARK: Views

    static var typedForm: TypedForm { .members }

    static func plain(_ container: ContainerHandle, in state: DocumentState) -> PlainValue {
        .array(state.contents.sets[state[container].content].present.map(PlainValue.scalar))
    }

    static func typed(
        _ container: ContainerHandle, in state: DocumentState, conflicts: [TypedValue.Conflict]
    ) -> TypedValue {
        .set(state.contents.sets[state[container].content].present, kind: .set, conflicts: conflicts)
    }

    // MARK: Requests

    static func takes(_ verb: OperationRequest.Verb) -> Bool { verb.isOfSets }

    static func act(
        _ verb: OperationRequest.Verb, in container: ContainerHandle?, at path: ContainerPath,
        _ planner: inout Planner
    ) throws(AuthorError) {
        let members = container.map { planner.state.contents.sets[planner.state[$0].content] }
        planner.change(verb, at: path) { members?.contains($0) ?? false }
    }

    static func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, isRequested: Bool,
        _ planner: inout Planner
    ) throws(AuthorError) -> Bool {
        guard let members = try Planner.members(value) else { return false }
        let before = planner.state.contents.sets[planner.state[container].content].present
        planner.setMembers(from: before, to: members, at: path)
        return true
    }

    static func create(
        _ value: TypedValue, at path: ContainerPath, _ planner: inout Planner
    ) throws(AuthorError) { try planner.addMembers(value, at: path) }

    // MARK: Snapshots

    static func addReplicas(
        of container: ContainerHandle, in state: DocumentState, to replicas: inout Set<ReplicaID>
    ) {
        for dots in state.contents.sets[state[container].content].adds.values {
            for dot in dots.sorted { replicas.insert(dot.replica) }
        }
    }

    static func encode(_ container: ContainerHandle, into encoder: inout SnapshotEncoder) {
        let adds = encoder.state.contents.sets[encoder.state[container].content].adds
        encoder.writer.varint(adds.count)
        for (value, dots) in adds.sorted(by: { $0.key < $1.key }) {
            encoder.write(value)
            encoder.write(dots.sorted)
        }
    }

    static func decode(
        into container: ContainerHandle, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        let content = decoder.state[container].content
        var last: Scalar?
        for _ in 0..<(try decoder.count("set")) {
            let value = try decoder.scalar(after: &last)
            var dots = SurvivingDots()
            for dot in try decoder.dots("adds") { dots.add(dot) }
            try decoder.check(!dots.isEmpty, "adds")
            decoder.state.contents.sets[content].adds[value] = dots
        }
    }

    // MARK: Bases

    static func move(
        _ container: ContainerHandle, to moved: ContainerHandle, _ survivors: inout Survivors
    ) {
        let content = survivors.state[moved].content
        survivors.state.contents.sets[content] =
            survivors.old.contents.sets[survivors.old[container].content]
    }

    // MARK: Checks

    static func contentBytes(of container: ContainerHandle, in state: DocumentState) -> Int {
        state.contents.sets[state[container].content].count * SurvivingDots.memberBytes
    }

    static func checkInvariants(of container: ContainerHandle, in state: DocumentState) {
        for (value, dots) in state.contents.sets[state[container].content].adds {
            precondition(!dots.isEmpty, "\(value) is kept without an add")
        }
    }
}
