// The ordered set: a value is present as in the add-wins set, and its place is one register for the
// container's life. An insertion of a present value moves it. Invariant: the order shows exactly the winning
// position of each present member.

import Bytes
import Causality

/// The members of an ordered set. `order` shows the winning position of each present member and no other.
struct OrderedMembers: Sendable {
    struct Member: Sendable {
        var adds = SurvivingDots()
        /// Surviving writes of the position register.
        var positions: [Priority] = []

        /// Where the member stands, when it is present.
        var shownPosition: Dot? { adds.isEmpty ? nil : positions.max()?.dot }

        fileprivate func isForgettable(asOf stable: VersionVector) -> Bool {
            adds.isEmpty && positions.allSatisfy { stable.contains($0.dot) }
        }
    }

    var order = SequenceOrder()
    /// Every value that is present or was placed and is not stable yet.
    private(set) var members: [Scalar: Member] = [:]
    /// The member of each surviving position.
    private(set) var owners: [Dot: Scalar] = [:]

    func contains(_ value: Scalar) -> Bool { members[value]?.adds.isEmpty == false }

    /// The member at a visible position.
    func member(at position: Dot) -> Scalar {
        guard let value = owners[position] else { preconditionFailure("no member stands at \(position)") }
        return value
    }

    /// In sequence order. O(n).
    var present: [Scalar] {
        var result: [Scalar] = []
        result.reserveCapacity(order.visibleCount)
        order.forEachVisible { range in
            for step in 0..<range.count { result.append(member(at: range.start.advanced(by: step))) }
        }
        return result
    }

    mutating func add(_ value: Scalar, by stamp: OperationStamp) {
        members[value, default: Member()].adds.removeCovered(by: stamp)
        members[value, default: Member()].adds.add(stamp.dot)
    }

    /// A member that was removed keeps its position register.
    mutating func remove(_ value: Scalar, by stamp: OperationStamp) {
        members[value]?.adds.removeCovered(by: stamp)
    }

    /// Writes the position register.
    mutating func place(_ value: Scalar, by stamp: OperationStamp) {
        let member = members[value] ?? Member()
        for position in member.positions where stamp.covers(position.dot) { owners[position.dot] = nil }
        members[value, default: member].positions.removeAll { stamp.covers($0.dot) }
        members[value]?.positions.append(stamp.priority)
        owners[stamp.dot] = value
    }

    /// Absent members whose positions are all in `stable` go: whoever places such a value has seen them.
    fileprivate mutating func purge(asOf stable: VersionVector) {
        for (value, member) in members where member.isForgettable(asOf: stable) {
            for position in member.positions { owners[position.dot] = nil }
            members[value] = nil
        }
    }

    /// For the decoder.
    fileprivate mutating func restore(_ value: Scalar, _ member: Member) {
        members[value] = member
        for position in member.positions { owners[position.dot] = value }
    }

    /// A member stands in two tables.
    fileprivate static var memberBytes: Int { 2 * SurvivingDots.memberBytes }
}

// MARK: Operations

extension OrderedMembers: ContainerContent {
    static func make(in contents: inout ContainerContents) -> Int {
        contents.orderedSets.append(OrderedMembers())
        return contents.orderedSets.count - 1
    }

    static func allows(_ action: Action, _ stamp: OperationStamp) -> Bool {
        switch action {
        case .remove(let value): value.isValid
        case .insertMembers(let left, let right, let members):
            stamp.hasSeen(left, right) && members.allSatisfy(\.isValid) && Set(members).count == members.count
        case .moveMember(let member, let left, let right): member.isValid && stamp.hasSeen(left, right)
        default: false
        }
    }

    static func perform(
        _ action: Action, in container: ContainerHandle, of state: inout DocumentState,
        by stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        switch action {
        case .remove(let value):
            change(value, in: container, of: &state, &batch) { $0.remove(value, by: stamp) }
        case .insertMembers(let left, let right, let members):
            // One that is elsewhere moves here.
            insertPositions(members.count, left, right, in: container, of: &state, by: stamp)
            for (step, value) in members.enumerated() {
                let own = OperationStamp(
                    dot: stamp.dot.advanced(by: step), timestamp: stamp.timestamp, context: stamp.context)
                change(value, in: container, of: &state, &batch) { members in
                    members.add(value, by: own)
                    members.place(value, by: own)
                }
            }
        case .moveMember(let value, let left, let right):
            // The register is written whether the member is present or not.
            insertPositions(1, left, right, in: container, of: &state, by: stamp)
            change(value, in: container, of: &state, &batch) { $0.place(value, by: stamp) }
        default: preconditionFailure("no \(action) in an ordered set")
        }
    }

    private static func insertPositions(
        _ count: Int, _ left: Dot?, _ right: Dot?, in container: ContainerHandle,
        of state: inout DocumentState, by stamp: OperationStamp
    ) {
        state.contents.orderedSets[state[container].content].order.insert(
            first: stamp.dot, count: count, left: stamp.covered(left), right: stamp.covered(right),
            visible: false)
    }

    /// Changes one member, then hides its old place and shows its new one where they differ.
    private static func change(
        _ value: Scalar, in container: ContainerHandle, of state: inout DocumentState,
        _ batch: inout PatchBatch,
        _ change: (inout OrderedMembers) -> Void
    ) {
        let content = state[container].content
        let before = state.contents.orderedSets[content].members[value]?.shownPosition
        let count = state.contents.orderedSets[content].members.count
        change(&state.contents.orderedSets[content])
        let added = state.contents.orderedSets[content].members.count - count
        precondition((0...1).contains(added), "\(added) values more: a value that was removed is remembered")
        state.contentBytes += added * memberBytes
        let after = state.contents.orderedSets[content].members[value]?.shownPosition
        guard before != after else { return }
        if let before {
            state.contents.orderedSets[content].order.setVisible(DotRange(before), false) { index, count in
                batch.recorder?.members[container, default: Splices()].delete(count, at: index)
            }
        }
        if let after {
            state.contents.orderedSets[content].order.setVisible(DotRange(after), true) { index, _ in
                batch.recorder?.members[container, default: Splices()].insert([value], at: index)
            }
        }
    }

    static func appendPatches(
        of container: ContainerHandle, in state: DocumentState, at path: [PathElement],
        _ notes: borrowing PatchRecorder, to patches: inout [Patch]
    ) {
        for step in notes.members[container]?.steps ?? [] {
            let values = step.insert.map(PlainValue.scalar)
            let splice = Patch.Change.spliceList(index: step.index, delete: step.delete, insert: values)
            patches.append(Patch(path: path, change: splice))
        }
    }
}

// MARK: Views

extension OrderedMembers {
    static var typedForm: TypedForm { .orderedMembers }

    static func member(
        at step: PathElement, of container: ContainerHandle, in state: DocumentState
    ) -> Scalar? {
        guard case .index(let index) = step else { return nil }
        let set = state.contents.orderedSets[state[container].content]
        guard index >= 0, index < set.order.visibleCount else { return nil }
        return set.member(at: set.order.dot(atVisibleIndex: index))
    }

    static func plain(_ container: ContainerHandle, in state: DocumentState) -> PlainValue {
        .array(state.contents.orderedSets[state[container].content].present.map(PlainValue.scalar))
    }

    static func typed(
        _ container: ContainerHandle, in state: DocumentState, conflicts: [TypedValue.Conflict]
    ) -> TypedValue {
        .orderedSet(state.contents.orderedSets[state[container].content].present, conflicts: conflicts)
    }
}

// MARK: Requests

extension OrderedMembers {
    static func takes(_ verb: OperationRequest.Verb) -> Bool {
        switch verb {
        case .insert, .move: true
        default: verb.isOfSets
        }
    }

    static func act(
        _ verb: OperationRequest.Verb, in container: ContainerHandle?, at path: ContainerPath,
        _ planner: inout Planner
    ) throws(AuthorError) {
        guard let container else { preconditionFailure("no verb makes an ordered set but `make`") }
        let set = planner.state.contents.orderedSets[planner.state[container].content]
        switch verb {
        case .add(let value): planner.emit(set.addition(of: value), in: path)
        case .remove: planner.change(verb, at: path) { set.contains($0) }
        case .insert(let place, let values):
            if let action = try set.insertion(of: values, at: place) { planner.emit(action, in: path) }
        case .move(let from, let to):
            if let action = try set.move(from, to) { planner.emit(action, in: path) }
        default: preconditionFailure("no \(verb) of an ordered set")
        }
    }

    /// A present member stays where it is, a new one goes to the end.
    private func addition(of value: Scalar) -> Action {
        let value = value.meant { contains($0) }
        let position = members[value]?.shownPosition
        let index = position.flatMap { order.visibleIndex(of: $0) } ?? order.visibleCount
        let origins = order.origins(forInsertionAtVisibleIndex: index)
        return .insertMembers(left: origins.left, right: origins.right, [value])
    }

    /// Nil when there is nothing to insert.
    private func insertion(of values: [PlainValue], at place: InsertPlace) throws(AuthorError) -> Action? {
        var inserted: [Scalar] = []
        for value in values {
            guard case .scalar(let member) = value else {
                throw .invalidValue("an ordered set holds scalars only")
            }
            inserted.append(member.meant { contains($0) })
        }
        try Planner.checkDistinct(inserted)
        let leaving = inserted.compactMap { members[$0]?.shownPosition }
            .compactMap { order.visibleIndex(of: $0) }.sorted()
        let at = try Planner.index(place, count: order.visibleCount - leaving.count, leaving: leaving)
        if inserted.isEmpty { return nil }
        let origins = order.origins(forInsertionAtVisibleIndex: at)
        return .insertMembers(left: origins.left, right: origins.right, inserted)
    }

    /// Nil when the member stands there already.
    private func move(_ from: ElementPlace, _ to: InsertPlace) throws(AuthorError) -> Action? {
        let count = order.visibleCount
        // Members have no ids: they are their values.
        guard case .index(let index) = from else { throw Planner.nothingAt(from) }
        let start = try Planner.start(index, count: count)
        let at = try Planner.index(to, count: count - 1, leaving: [start])
        if at == start || at == start + 1 { return nil }
        let origins = order.origins(forInsertionAtVisibleIndex: at)
        return .moveMember(
            member(at: order.dot(atVisibleIndex: start)), left: origins.left, right: origins.right)
    }

    /// Removes what is gone, keeps the longest run of members that are in order already, and inserts the
    /// others between them.
    static func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, isRequested: Bool,
        _ planner: inout Planner
    ) throws(AuthorError) -> Bool {
        guard let wanted = try Planner.members(value) else { return false }
        let set = planner.state.contents.orderedSets[planner.state[container].content]
        let before = set.present
        let kept = Set(wanted)
        for member in before where !kept.contains(member) { planner.emit(.remove(member), in: path) }
        let index = Dictionary(uniqueKeysWithValues: before.enumerated().map { ($1, $0) })
        let staying = LongestIncreasing.places(of: wanted.map { index[$0] })
        var anchor: Dot?
        var run: [Scalar] = []
        func insertRun() {
            if run.isEmpty { return }
            let origins = set.order.origins(after: anchor)
            planner.emit(.insertMembers(left: origins.left, right: origins.right, run), in: path)
            run = []
        }
        for (place, member) in wanted.enumerated() {
            guard staying.contains(place) else {
                run.append(member)
                continue
            }
            insertRun()
            anchor = set.members[member]?.shownPosition
        }
        insertRun()
        return true
    }

    static func create(
        _ value: TypedValue, at path: ContainerPath, _ planner: inout Planner
    ) throws(AuthorError) {
        guard case .members(let members, _, _) = value else { throw value.misfit }
        if members.isEmpty { return planner.emit(.make, in: path) }
        try Planner.checkDistinct(members)
        planner.emit(.insertMembers(left: nil, right: nil, members), in: path)
    }
}

// MARK: Snapshots, bases and checks

extension OrderedMembers {
    static func addReplicas(
        of container: ContainerHandle, in state: DocumentState, to replicas: inout Set<ReplicaID>
    ) {
        for member in state.contents.orderedSets[state[container].content].members.values {
            for dot in member.adds.sorted { replicas.insert(dot.replica) }
            for position in member.positions { replicas.insert(position.dot.replica) }
        }
    }

    static func encode(_ container: ContainerHandle, into encoder: inout SnapshotEncoder) {
        let set = encoder.state.contents.orderedSets[encoder.state[container].content]
        set.order.encode(into: &encoder.writer)
        encoder.writer.varint(set.members.count)
        for (value, member) in set.members.sorted(by: { $0.key < $1.key }) {
            encoder.write(value)
            encoder.write(member.adds.sorted)
            encoder.write(member.positions.sorted { $0.dot < $1.dot })
        }
    }

    static func decode(
        into container: ContainerHandle, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        let content = decoder.state[container].content
        decoder.state.contents.orderedSets[content].order = try SequenceOrder(from: &decoder.reader)
        var last: Scalar?
        var present = 0
        for _ in 0..<(try decoder.count("ordered set")) {
            let value = try decoder.scalar(after: &last)
            var member = Member()
            for dot in try decoder.dots("adds") { member.adds.add(dot) }
            member.positions = try decoder.priorities("positions")
            try decoder.check(!member.positions.isEmpty, "positions")
            for position in member.positions {
                let isFree = decoder.state.contents.orderedSets[content].owners[position.dot] == nil
                let isShown = decoder.state.contents.orderedSets[content].order.isVisible(position.dot)
                try decoder.check(isFree && isShown == (position.dot == member.shownPosition), "positions")
            }
            present += member.adds.isEmpty ? 0 : 1
            decoder.state.contents.orderedSets[content].restore(value, member)
        }
        let shown = decoder.state.contents.orderedSets[content].order.visibleCount
        try decoder.check(present == shown, "ordered set")
    }

    static func purge(
        _ container: ContainerHandle, asOf stable: VersionVector, in state: inout DocumentState
    ) {
        let content = state[container].content
        let before = state.contents.orderedSets[content].members.count
        if before == state.contents.orderedSets[content].order.visibleCount { return }
        state.contents.orderedSets[content].purge(asOf: stable)
        let gone = before - state.contents.orderedSets[content].members.count
        state.contentBytes -= gone * memberBytes
    }

    static func move(
        _ container: ContainerHandle, to moved: ContainerHandle, _ survivors: inout Survivors
    ) {
        let content = survivors.state[moved].content
        survivors.state.contents.orderedSets[content] =
            survivors.old.contents.orderedSets[survivors.old[container].content]
    }

    static func contentBytes(of container: ContainerHandle, in state: DocumentState) -> Int {
        state.contents.orderedSets[state[container].content].members.count * memberBytes
    }

    static func checkInvariants(of container: ContainerHandle, in state: DocumentState) {
        let set = state.contents.orderedSets[state[container].content]
        set.order.checkInvariants()
        var present = 0
        for (value, member) in set.members {
            for position in member.positions {
                precondition(set.owners[position.dot] == value, "owner of \(position.dot)")
                precondition(
                    set.order.isVisible(position.dot) == (position.dot == member.shownPosition),
                    "position \(position.dot)")
            }
            present += member.adds.isEmpty ? 0 : 1
        }
        precondition(
            present == set.order.visibleCount, "\(present) present of \(set.order.visibleCount) shown")
        let positions = set.members.values.reduce(0) { $0 + $1.positions.count }
        precondition(set.owners.count == positions, "\(set.owners.count) owners of \(positions) positions")
    }
}
