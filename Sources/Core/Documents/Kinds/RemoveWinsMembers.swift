// The remove-wins set: a value is present when some add had every known remove of the value in its context. A
// remove that arrives was in no known add's context (causal order), so it ends the presence; an add restores
// it when it had every known remove in its context. Per replica the greatest remove is enough to check that
// (Shapiro et al. 2011).

import Bytes
import Causality

/// The members of a remove-wins set.
struct RemoveWinsMembers: Sendable {
    struct Member: Sendable {
        var isPresent = false
        /// The greatest of each replica, until it is stable.
        var removes: [ReplicaID: SequenceNumber] = [:]
    }

    /// Every value that is present or has a remove.
    private(set) var members: [Scalar: Member] = [:]

    func contains(_ value: Scalar) -> Bool { members[value]?.isPresent == true }
    /// Canonical order. O(n log n).
    var present: [Scalar] { members.filter(\.value.isPresent).keys.sorted() }

    mutating func add(_ value: Scalar, by stamp: OperationStamp) {
        let removes = members[value]?.removes ?? [:]
        guard removes.allSatisfy({ stamp.covers(Dot($0.key, $0.value)) }) else { return }
        members[value, default: Member()].isPresent = true
    }

    mutating func remove(_ value: Scalar, by stamp: OperationStamp) {
        members[value, default: Member()].isPresent = false
        members[value]?.removes[stamp.dot.replica] = stamp.dot.sequence
    }

    /// Removes in `stable` go: every add that comes has seen them.
    mutating func purge(asOf stable: VersionVector) {
        for (value, member) in members where !member.removes.isEmpty {
            let left = member.removes.filter { !stable.contains(Dot($0.key, $0.value)) }
            if left.count == member.removes.count { continue }
            if left.isEmpty && !member.isPresent {
                members[value] = nil
            } else {
                members[value]?.removes = left
            }
        }
    }
}

extension RemoveWinsMembers: ContainerContent {
    static func make(in contents: inout ContainerContents) -> Int {
        contents.removeWinsSets.append(RemoveWinsMembers())
        return contents.removeWinsSets.count - 1
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
        let before = state.contents.removeWinsSets[content].members.count
        func touch(_ value: Scalar) {
            let wasPresent = state.contents.removeWinsSets[content].contains(value)
            batch.recorder?.touch(value, of: container, wasPresent: wasPresent)
        }
        switch action {
        case .add(let value):
            touch(value)
            state.contents.removeWinsSets[content].add(value, by: stamp)
        case .remove(let value):
            touch(value)
            state.contents.removeWinsSets[content].remove(value, by: stamp)
        default: preconditionFailure("no \(action) in a remove-wins set")
        }
        let added = state.contents.removeWinsSets[content].members.count - before
        precondition((0...1).contains(added), "\(added) values more: a value that was removed is remembered")
        state.contentBytes += added * SurvivingDots.memberBytes
    }

    static func appendPatches(
        of container: ContainerHandle, in state: DocumentState, at path: [PathElement],
        _ notes: borrowing PatchRecorder, to patches: inout [Patch]
    ) {
        let members = state.contents.removeWinsSets[state[container].content]
        guard notes.hasChanged(container, isPresent: { members.contains($0) }) else { return }
        patches.append(Patch(path: path, change: .set(plain(container, in: state))))
    }

    // MARK: Views

    static var typedForm: TypedForm { .members }

    static func plain(_ container: ContainerHandle, in state: DocumentState) -> PlainValue {
        .array(state.contents.removeWinsSets[state[container].content].present.map(PlainValue.scalar))
    }

    static func typed(
        _ container: ContainerHandle, in state: DocumentState, conflicts: [TypedValue.Conflict]
    ) -> TypedValue {
        let members = state.contents.removeWinsSets[state[container].content].present
        return .set(members, kind: .removeWinsSet, conflicts: conflicts)
    }

    // MARK: Requests

    static func takes(_ verb: OperationRequest.Verb) -> Bool { verb.isOfSets }

    static func act(
        _ verb: OperationRequest.Verb, in container: ContainerHandle?, at path: ContainerPath,
        _ planner: inout Planner
    ) throws(AuthorError) {
        let members = container.map { planner.state.contents.removeWinsSets[planner.state[$0].content] }
        planner.change(verb, at: path) { members?.contains($0) ?? false }
    }

    static func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, isRequested: Bool,
        _ planner: inout Planner
    ) throws(AuthorError) -> Bool {
        guard let members = try Planner.members(value) else { return false }
        let before = planner.state.contents.removeWinsSets[planner.state[container].content].present
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
        for member in state.contents.removeWinsSets[state[container].content].members.values {
            replicas.formUnion(member.removes.keys)
        }
    }

    static func encode(_ container: ContainerHandle, into encoder: inout SnapshotEncoder) {
        let members = encoder.state.contents.removeWinsSets[encoder.state[container].content].members
        encoder.writer.varint(members.count)
        for (value, member) in members.sorted(by: { $0.key < $1.key }) {
            encoder.write(value)
            encoder.writer.u8(member.isPresent ? 1 : 0)
            encoder.write(member.removes.map { Dot($0, $1) }.sorted())
        }
    }

    static func decode(
        into container: ContainerHandle, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        let content = decoder.state[container].content
        var last: Scalar?
        for _ in 0..<(try decoder.count("remove-wins set")) {
            let value = try decoder.scalar(after: &last)
            var member = Member(isPresent: try decoder.bit("present"))
            for dot in try decoder.dots("removes", onePerReplica: true) {
                member.removes[dot.replica] = dot.sequence
            }
            try decoder.check(member.isPresent || !member.removes.isEmpty, "removes")
            decoder.state.contents.removeWinsSets[content].members[value] = member
        }
    }

    // MARK: Bases

    static func purge(
        _ container: ContainerHandle, asOf stable: VersionVector, in state: inout DocumentState
    ) {
        let content = state[container].content
        let before = state.contents.removeWinsSets[content].members.count
        guard state.contents.removeWinsSets[content].members.contains(where: { !$0.value.removes.isEmpty })
        else { return }
        state.contents.removeWinsSets[content].purge(asOf: stable)
        let gone = before - state.contents.removeWinsSets[content].members.count
        state.contentBytes -= gone * SurvivingDots.memberBytes
    }

    static func move(
        _ container: ContainerHandle, to moved: ContainerHandle, _ survivors: inout Survivors
    ) {
        let content = survivors.state[moved].content
        survivors.state.contents.removeWinsSets[content] =
            survivors.old.contents.removeWinsSets[survivors.old[container].content]
    }

    // MARK: Checks

    static func contentBytes(of container: ContainerHandle, in state: DocumentState) -> Int {
        state.contents.removeWinsSets[state[container].content].members.count * SurvivingDots.memberBytes
    }

    static func checkInvariants(of container: ContainerHandle, in state: DocumentState) {
        for (value, member) in state.contents.removeWinsSets[state[container].content].members {
            precondition(member.isPresent || !member.removes.isEmpty, "\(value) is kept for nothing")
        }
    }
}
